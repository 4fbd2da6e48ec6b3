"""Result types of FROM_JSON and similar functions.

Their schema is a literal, as DDL or JSON, or is inferred from a literal document.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from lakeschema.catalog.column_types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    STRING,
    VARIANT,
    VOID,
    ArrayType,
    ColumnType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    UnknownType,
    map_type,
    parse_type,
)
from lakeschema.catalog.errors import MalformedType
from lakeschema.catalog.spark_schema import type_from_spark
from lakeschema.translation.functions.constants import constant_text
from lakeschema.translation.functions.decimals import decimal_of, wider_keeping_whole
from lakeschema.translation.functions.results import CallResult, Rule
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import Call, RowExpression

_MAX_DEPTH = 100
"""The maximum nesting of a document whose schema is inferred; a deeper document is refused."""


def _of_schema(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    found = _schema(arguments[1])
    if found is None:
        raise UnsupportedConstruct(
            "a schema that is neither a literal nor of a literal JSON document"
        )
    if not isinstance(found, (ArrayType, MapType, StructType)) and found != VARIANT:
        return None
    return CallResult(map_type(found, as_nullable))


def _schema(expression: RowExpression) -> ColumnType | None:
    if (text := constant_text(expression)) is not None:
        return _read(text)
    match expression:
        case Call(operator, (document,)) if operator.name == "schema_of_json":
            text = constant_text(document)
            return None if text is None else _inferred(text)
        case _:
            return None


def _read(text: str) -> ColumnType | None:
    """Reads the text of a type, the columns of a table, or the JSON of a type."""
    for written in (text, f"struct<{text}>"):
        try:
            return parse_type(written)
        except MalformedType:
            continue
    try:
        found = type_from_spark(json.loads(text))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return None if isinstance(found, UnknownType) else found


def as_nullable(type_: ColumnType) -> ColumnType:
    """The type with nullable direct parts; parts inside these stay as they are."""
    match type_:
        case ArrayType(element):
            return ArrayType(element)
        case MapType(key, value):
            return MapType(key, value)
        case StructType(fields):
            return StructType(tuple(StructField(f.name, f.type, True, f.comment) for f in fields))
        case _:
            return type_


def _inferred(text: str) -> ColumnType | None:
    """The type that Spark's ``JsonInferSchema`` infers from a document."""
    try:
        document = json.loads(text, parse_float=float, parse_int=int)
        return _named(_type_of(document, 0))
    except (ValueError, RecursionError):
        return None


def _type_of(value: Any, depth: int) -> ColumnType:
    if depth > _MAX_DEPTH:
        raise ValueError(f"nested deeper than {_MAX_DEPTH} levels")
    match value:
        case None:
            return VOID
        case bool():
            return BOOLEAN
        case int():
            digits = len(str(abs(value)))
            is_long = -(2**63) <= value < 2**63
            return BIGINT if is_long else DecimalType(digits, 0) if digits <= 38 else DOUBLE
        case float() | Decimal():
            return DOUBLE
        case list():
            met: ColumnType = VOID
            for item in value:
                met = _met(met, _type_of(item, depth + 1))
            return ArrayType(met)
        case dict():
            types = {name: _type_of(inner, depth + 1) for name, inner in value.items()}
            return StructType(tuple(StructField(name, types[name]) for name in sorted(types)))
        case _:
            return STRING


def _met(one: ColumnType, other: ColumnType) -> ColumnType:
    """The type that values of both types are read as; text if the types have nothing in common."""
    if other in (one, VOID):
        return one
    match one, other:
        case _ if one == VOID:
            return other
        case ArrayType(a), ArrayType(b):
            return ArrayType(_met(a, b))
        case StructType(a_fields), StructType(b_fields):
            types = {f.name: f.type for f in a_fields}
            for field in b_fields:
                types[field.name] = _met(types.get(field.name, VOID), field.type)
            return StructType(tuple(StructField(name, types[name]) for name in sorted(types)))
        case _ if DOUBLE in (one, other):
            number = other if one == DOUBLE else one
            return DOUBLE if number == BIGINT or isinstance(number, DecimalType) else STRING
        case _:
            exact, beside = decimal_of(one, 20), decimal_of(other, 20)
            if exact is None or beside is None:
                return STRING
            return wider_keeping_whole(exact, beside)


def _named(type_: ColumnType) -> ColumnType | None:
    """The type as Spark names it: text for values that are always null, None for objects without fields."""
    match type_:
        case ArrayType(element):
            inner = _named(element)
            return None if inner is None else ArrayType(inner)
        case StructType(fields):
            named = ((field.name, _named(field.type)) for field in fields)
            kept = tuple(StructField(name, found) for name, found in named if found is not None)
            return StructType(kept) if kept else None
        case _:
            return STRING if type_ == VOID else type_


RULES: Mapping[str, Rule] = MappingProxyType({"@of_schema": _of_schema})
