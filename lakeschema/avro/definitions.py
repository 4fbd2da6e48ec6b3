"""The parts of a schema, and the named types that it defines."""

from __future__ import annotations

from typing import assert_never

from lakeschema.avro.model import (
    Array,
    EnumSchema,
    Fixed,
    MapSchema,
    NamedSchema,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
)


def definitions(schema: Schema) -> dict[str, NamedSchema]:
    """Every named type that the schema defines, by full name, in document order."""
    found: dict[str, NamedSchema] = {}
    for part in parts(schema):
        if isinstance(part, Record | EnumSchema | Fixed):
            found.setdefault(part.full_name, part)
    return found


def parts(schema: Schema) -> list[Schema]:
    """The schema and everything in it, in document order; references are not followed."""
    found: list[Schema] = []
    stack = [schema]
    while stack:
        part = stack.pop()
        found.append(part)
        match part:
            case Primitive() | EnumSchema() | Fixed() | Reference():
                pass
            case Union(branches):
                stack.extend(reversed(branches))
            case Array(inner) | MapSchema(inner):
                stack.append(inner)
            case Record(fields=fields):
                stack.extend([field.type for field in reversed(fields)])
            case _:
                assert_never(part)
    return found
