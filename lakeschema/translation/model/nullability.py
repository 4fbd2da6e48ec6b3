"""Gives column types the nullability and the letter case of an Avro schema for the same values."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lakeschema.avro.key_value_maps import key_and_value
from lakeschema.avro.model import (
    Array,
    Field,
    MapSchema,
    NamedSchema,
    Record,
    Reference,
    Schema,
    Union,
    is_nullable,
    without_null,
)
from lakeschema.catalog.column_types import (
    ArrayType,
    ColumnType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    Uniontype,
)

FieldName = Callable[[StructField, Field], str]
"""The name of a struct's field, given the matching field of the schema."""


def with_nullability(
    type_: ColumnType, schema: Schema, known: Mapping[str, NamedSchema]
) -> ColumnType:
    """The type with the nullability of the Avro schema that was derived from it."""
    return _apply_schema(type_, schema, known, lambda field, _: field.name)


def with_nullability_and_case(
    type_: ColumnType, schema: Schema, known: Mapping[str, NamedSchema]
) -> ColumnType:
    """Like ``with_nullability``, and fields outside uniontypes get the schema's letter case."""
    return _apply_schema(type_, schema, known, _name_in_schemas_case)


def _name_in_schemas_case(field: StructField, avro: Field) -> str:
    return avro.name if avro.name.lower() == field.name.lower() else field.name


def _entry(items: Schema, known: Mapping[str, NamedSchema]) -> tuple[Field, Field] | None:
    entry = known[items.full_name] if isinstance(items, Reference) else items
    return key_and_value(entry) if isinstance(entry, Record) else None


def _apply_schema(
    type_: ColumnType, schema: Schema, known: Mapping[str, NamedSchema], field_name: FieldName
) -> ColumnType:
    if isinstance(type_, PrimitiveType):
        return type_
    inner = without_null(schema)
    match type_, inner:
        case _, Reference(name):
            return _apply_schema(type_, known[name], known, field_name)
        case ArrayType(element), Array(items):
            return ArrayType(_apply_schema(element, items, known, field_name), is_nullable(items))
        case MapType(key, value), MapSchema(values):
            return MapType(
                key, _apply_schema(value, values, known, field_name), is_nullable(values)
            )
        case MapType(key, value), Array(items) if (found := _entry(items, known)) is not None:
            avro_key, avro_value = found
            return MapType(
                _apply_schema(key, avro_key.type, known, field_name),
                _apply_schema(value, avro_value.type, known, field_name),
                is_nullable(avro_value.type),
            )
        case StructType(fields), Record(fields=avro_fields) if len(fields) == len(avro_fields):
            return StructType(
                tuple(
                    StructField(
                        field_name(field, avro),
                        _apply_schema(field.type, avro.type, known, field_name),
                        is_nullable(avro.type),
                        field.comment,
                    )
                    for field, avro in zip(fields, avro_fields, strict=True)
                )
            )
        case Uniontype(branches), Union(schemas) if len(branches) == len(schemas):
            pairs = zip(branches, schemas, strict=True)
            return Uniontype(tuple(with_nullability(b, s, known) for b, s in pairs))
        case Uniontype((branch,)), _:
            return Uniontype((with_nullability(branch, inner, known),))
        case _:
            return type_
