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
    _add_parts(schema, found)
    return found


def _add_parts(schema: Schema, found: list[Schema]) -> None:
    found.append(schema)
    match schema:
        case Primitive() | EnumSchema() | Fixed() | Reference():
            pass
        case Union(branches):
            for branch in branches:
                _add_parts(branch, found)
        case Array(items):
            _add_parts(items, found)
        case MapSchema(values):
            _add_parts(values, found)
        case Record(fields=fields):
            for field in fields:
                _add_parts(field.type, found)
        case _:
            assert_never(schema)
