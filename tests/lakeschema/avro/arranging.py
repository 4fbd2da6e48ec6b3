"""Schemas combined from parts of others, made complete.

A part of a schema may refer to a type that is defined outside, or define a type twice. In the result,
the first occurrence is the definition.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from lakeschema.avro.definitions import definitions
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


def arrange(schema: Schema, known: Mapping[str, NamedSchema]) -> Schema:
    """The schema with each named type defined where it first occurs and referred to after.

    ``known`` are definitions for references into what was left behind. A type that occurs twice
    in full is taken to be the same: callers that join schemas give different types different names.

    Raises:
        KeyError: a reference leads to no definition.
    """
    return _define_first(schema, {**known, **definitions(schema)}, set())


def _define_first(schema: Schema, known: Mapping[str, NamedSchema], seen: set[str]) -> Schema:
    match schema:
        case Primitive():
            return schema
        case Array(items):
            return replace(schema, items=_define_first(items, known, seen))
        case MapSchema(values):
            return replace(schema, values=_define_first(values, known, seen))
        case Union(branches):
            return Union(tuple(_define_first(branch, known, seen) for branch in branches))
        case Reference(full_name):
            return schema if full_name in seen else _define_first(known[full_name], known, seen)
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
    return replace(field, type=_define_first(field.type, known, seen))
