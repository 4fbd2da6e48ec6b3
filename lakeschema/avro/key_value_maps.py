"""Maps whose keys are not text, as arrays of key-value records like Iceberg's.

Avro's own maps only have text keys. The array has ``"logicalType": "map"``, and its records have
the two fields ``key`` and ``value`` (Iceberg specification, appendix A).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from lakeschema.avro.model import (
    NO_DEFAULT,
    STRING,
    Array,
    Field,
    Json,
    MapSchema,
    NoDefault,
    Record,
    Schema,
    is_nullable,
)

KEY, VALUE = "key", "value"
PROPERTIES: Mapping[str, Json] = MappingProxyType({"logicalType": "map"})


def is_key_value_array(schema: Array) -> bool:
    """Whether the array is marked as a map."""
    return schema.properties.get("logicalType") == "map"


def key_and_value(record: Record) -> tuple[Field, Field] | None:
    """The two fields of an entry; None for other records."""
    if tuple(field.name for field in record.fields) != (KEY, VALUE):
        return None
    key, value = record.fields
    return key, value


def map_parts(schema: Schema) -> tuple[Schema, Schema] | None:
    """The types of a map's keys and values, in either form; None for other schemas.

    The array itself must define the entry; it does if references are inlined.
    """
    match schema:
        case MapSchema(values):
            return STRING, values
        case Array(Record() as entry) if is_key_value_array(schema):
            fields = key_and_value(entry)
            return None if fields is None else (fields[0].type, fields[1].type)
        case _:
            return None


def with_map_parts(schema: Schema, keys: Schema, values: Schema) -> Schema:
    """The map with other types of keys and values, in the same form; other schemas unchanged.

    A default of entries' values is kept only if it fits the new type.
    """
    match schema:
        case MapSchema():
            return replace(schema, values=values)
        case Array(Record() as entry) if map_parts(schema) is not None:
            key, value = entry.fields
            default: Json | NoDefault = None if is_nullable(values) else NO_DEFAULT
            if values == value.type:
                default = value.default
            fields = (replace(key, type=keys), replace(value, type=values, default=default))
            return replace(schema, items=replace(entry, fields=fields))
        case _:
            return schema
