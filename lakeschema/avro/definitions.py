"""Named types of a schema, and schemas put together from parts of others.

A schema that is cut out of another may refer to a type whose definition stayed behind, or define
one twice. ``arranged`` makes it whole again: the first occurrence is the definition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from lakeschema.avro.model import (
    Array,
    EnumSchema,
    Field,
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


def arranged(schema: Schema, known: Mapping[str, NamedSchema]) -> Schema:
    """The schema with each named type defined where it first occurs and referred to after.

    ``known`` are definitions for references into what was left behind. A type that occurs twice
    in full is taken to be the same: callers that join schemas give different types different names.

    Raises:
        KeyError: a reference leads to no definition.
    """
    return _arranged(schema, {**known, **definitions(schema)}, set())


def _arranged(schema: Schema, known: Mapping[str, NamedSchema], seen: set[str]) -> Schema:
    match schema:
        case Primitive():
            return schema
        case Array(items):
            return replace(schema, items=_arranged(items, known, seen))
        case MapSchema(values):
            return replace(schema, values=_arranged(values, known, seen))
        case Union(branches):
            return Union(tuple(_arranged(branch, known, seen) for branch in branches))
        case Reference(full_name):
            return schema if full_name in seen else _arranged(known[full_name], known, seen)
        case Record() | EnumSchema() | Fixed():
            if schema.full_name in seen:
                return Reference(schema.full_name)
            seen.add(schema.full_name)
            if not isinstance(schema, Record):
                return schema
            return replace(schema, fields=tuple(_field(f, known, seen) for f in schema.fields))
        case _:
            assert_never(schema)


def _field(field: Field, known: Mapping[str, NamedSchema], seen: set[str]) -> Field:
    return replace(field, type=_arranged(field.type, known, seen))
