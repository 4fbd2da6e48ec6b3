"""The parts of a schema, and the named types that it defines."""

from __future__ import annotations

from collections.abc import Sequence
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
    stack = [schema]
    while stack:
        # Most are primitive, and this runs for each relation that a view reads.
        match stack.pop():
            case Union(branches):
                stack.extend([b for b in reversed(branches) if not isinstance(b, Primitive)])
            case Record() as part:
                found.setdefault(part.full_name, part)
                stack.extend(
                    [f.type for f in reversed(part.fields) if not isinstance(f.type, Primitive)]
                )
            case Array(inner) | MapSchema(inner):
                stack.append(inner)
            case EnumSchema() | Fixed() as part:
                found.setdefault(part.full_name, part)
            case Primitive() | Reference():
                pass
    return found


def parts(schema: Schema) -> list[Schema]:
    """The schema and everything in it, in document order; references are not followed."""
    found: list[Schema] = [schema]
    _add_inner(schema, found)
    return found


def _add_inner(schema: Schema, found: list[Schema]) -> None:
    match schema:
        case Record(fields=fields):
            inner: Sequence[Schema] = [field.type for field in fields]
        case Union(branches):
            inner = branches
        case Array(items) | MapSchema(items):
            inner = (items,)
        case Primitive() | EnumSchema() | Fixed() | Reference():
            return
        case _:
            assert_never(schema)
    for part in inner:
        found.append(part)
        if not isinstance(part, Primitive):
            _add_inner(part, found)
