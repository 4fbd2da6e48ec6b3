"""Removes from a schema the properties that readers ignore."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from lakeschema.avro.model import (
    NO_PROPERTIES,
    Array,
    EnumSchema,
    Field,
    Fixed,
    MapSchema,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
)


def without_properties(schema: Schema) -> Schema:
    """The schema of the same values without properties.

    Valid logical types stay. An annotation that readers must ignore, such as a decimal whose scale
    exceeds its precision, is a property.
    """
    match schema:
        case Primitive() | EnumSchema() | Fixed():
            return replace(schema, properties=NO_PROPERTIES)
        case Array(items):
            return Array(without_properties(items))
        case MapSchema(values):
            return MapSchema(without_properties(values))
        case Union(branches):
            return Union(tuple(map(without_properties, branches)))
        case Record(fields=fields):
            return replace(schema, fields=tuple(map(_field, fields)), properties=NO_PROPERTIES)
        case Reference():
            return schema
        case _:
            assert_never(schema)


def _field(field: Field) -> Field:
    return replace(field, type=without_properties(field.type), properties=NO_PROPERTIES)
