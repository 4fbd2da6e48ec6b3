"""Finds the common schema of values that meet in UNION, CASE or coalesce."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from lakeschema.avro.model import (
    NO_DEFAULT,
    NULL,
    Array,
    EnumSchema,
    Field,
    MapSchema,
    Record,
    Schema,
    is_nullable,
    nullable,
    without_null,
)


def common_schema(schemas: Sequence[Schema], otherwise: Callable[[], Schema]) -> Schema:
    """One schema for all values; ``otherwise`` gives the schema of their common SQL type.

    Several enums become one enum with all symbols, under the name of the first. Structs merge field
    by field. The result is nullable if any schema is nullable.
    """
    values = [without_null(schema) for schema in schemas if schema != NULL]
    if not values:
        return NULL
    result = values[0]
    for value in values[1:]:
        met = _common_of_two(result, value)
        if met is None:
            result = otherwise()
            break
        result = met
    return nullable(result) if any(map(is_nullable, schemas)) else result


def _common_of_two(left: Schema, right: Schema) -> Schema | None:
    if left == right:
        return left
    match left, right:
        case EnumSchema(), EnumSchema():
            symbols = tuple(dict.fromkeys((*left.symbols, *right.symbols)))
            return replace(left, symbols=symbols)
        case Array(a), Array(b):
            items = _common_part(a, b)
            return None if items is None else replace(left, items=items)
        case MapSchema(a), MapSchema(b):
            values = _common_part(a, b)
            return None if values is None else replace(left, values=values)
        case Record(), Record() if len(left.fields) == len(right.fields):
            return _common_record(left, right)
        case _:
            return None


def _common_part(left: Schema, right: Schema) -> Schema | None:
    if NULL in (left, right):
        other = right if left == NULL else left
        return nullable(other)
    met = _common_of_two(without_null(left), without_null(right))
    if met is None:
        return None
    return nullable(met) if is_nullable(left) or is_nullable(right) else met


def _common_record(left: Record, right: Record) -> Record | None:
    fields: list[Field] = []
    for a, b in zip(left.fields, right.fields, strict=True):
        type_ = _common_part(a.type, b.type)
        if type_ is None:
            return None
        default = a.default if type_ == a.type else NO_DEFAULT
        if default is NO_DEFAULT and is_nullable(type_):
            default = None
        fields.append(replace(a, type=type_, default=default))
    return replace(left, fields=tuple(fields))
