"""Widens a schema to a SQL type with more fields. Fields match by name; new fields are nullable."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lakeschema.avro.key_value_maps import map_parts, with_map_parts
from lakeschema.avro.legal_names import legal_name
from lakeschema.avro.model import (
    Array,
    Field,
    Record,
    Schema,
    is_nullable,
    nullable,
    without_null,
)
from lakeschema.catalog.column_types import ArrayType, ColumnType, MapType, StructField, StructType

ByType = Callable[[ColumnType, str], Callable[[], Schema]]
"""Gets a SQL type and a name; returns a function that makes the type's default schema."""


def widen(schema: Schema, target: ColumnType, by_type: ByType, name: str = "") -> Schema:
    """The widened schema; keeps the existing schema's letter case, documentation and enums."""
    match without_null(schema), target:
        case Record() as record, StructType(fields):
            given = {field.name.lower(): field for field in record.fields}
            found: Schema = replace(
                record, fields=tuple(_field(given, field, by_type) for field in fields)
            )
        case Array(items) as array, ArrayType(element):
            found = replace(array, items=widen(items, element, by_type, name))
        case map_, MapType(key, value) if (parts := map_parts(map_)) is not None:
            keys, values = (
                widen(parts[0], key, by_type, name),
                widen(parts[1], value, by_type, name),
            )
            found = with_map_parts(map_, keys, values)
        case _:
            return schema
    return nullable(found) if is_nullable(schema) else found


def _field(given: dict[str, Field], target: StructField, by_type: ByType) -> Field:
    name = legal_name(target.name)
    field = given.get(name.lower())
    if field is None:
        field = Field(name, by_type(target.type, target.name)())
    else:
        field = replace(field, type=widen(field.type, target.type, by_type, target.name))
    # A field that one side lacks may have a nullable type, since both sides' values meet in it.
    if target.nullable and not is_nullable(field.type):
        return replace(field, type=nullable(field.type), default=None)
    return field
