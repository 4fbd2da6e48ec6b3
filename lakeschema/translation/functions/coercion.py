"""Finds the common type of two values, by dialect and use.

Sources: Spark's ``AnsiTypeCoercion`` and ``TypeCoercion``; Hive's ``FunctionRegistry`` (comparison,
branches) and its set operations' stricter ``getCommonClassForUnionAll``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import Enum

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    INTERVAL,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_LOCAL,
    TIMESTAMP_NTZ,
    TINYINT,
    VOID,
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    IntervalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    VarcharType,
    print_type,
    time_digits,
    time_of_day,
)
from lakeschema.translation.functions import trino_coercion
from lakeschema.translation.functions.decimals import decimal_of, wider, wider_keeping_whole
from lakeschema.translation.functions.semantics import Semantics


class Use(Enum):
    """The places where two values need a common type."""

    SET_OPERATION = "set operation"
    BRANCH = "branch"
    COMPARISON = "comparison"


INTEGERS = (TINYINT, SMALLINT, INT, BIGINT)
_FLOATS = (FLOAT, DOUBLE)
_NUMERIC_ORDER: Mapping[ColumnType, int] = {
    type_: rank for rank, type_ in enumerate((*INTEGERS, *_FLOATS))
}
_MONTH_FIELDS = ("year", "month")
_TIME_FIELDS = ("day", "hour", "minute", "second")
_TIMES = (DATE, TIMESTAMP, TIMESTAMP_NTZ, TIMESTAMP_LOCAL)


def is_narrower(one: ColumnType, other: ColumnType) -> bool:
    """Whether both are integers, and the first has fewer bits."""
    both = one in INTEGERS and other in INTEGERS
    return both and INTEGERS.index(one) < INTEGERS.index(other)


def is_integer(type_: ColumnType) -> bool:
    return type_ in INTEGERS


def is_float(type_: ColumnType) -> bool:
    return type_ in _FLOATS


def is_numeric(type_: ColumnType) -> bool:
    return type_ in _NUMERIC_ORDER or isinstance(type_, DecimalType)


def is_text(type_: ColumnType) -> bool:
    return type_ == STRING or isinstance(type_, (CharType, VarcharType))


def is_time(type_: ColumnType) -> bool:
    return type_ in _TIMES


def is_shape(type_: ColumnType) -> bool:
    return isinstance(type_, PrimitiveType) and type_.name.startswith(("geometry", "geography"))


def is_time_of_day(type_: ColumnType) -> bool:
    return time_digits(type_) is not None


def is_interval(type_: ColumnType) -> bool:
    return type_ == INTERVAL or isinstance(type_, IntervalType)


def united_interval(left: ColumnType, right: ColumnType) -> ColumnType | None:
    """Spark's interval type with the fields of both types; None for intervals of different kinds."""
    if left == right:
        return left
    if not (isinstance(left, IntervalType) and isinstance(right, IntervalType)):
        return None
    kind = _MONTH_FIELDS if left.is_of_months else _TIME_FIELDS
    fields = [field for type_ in (left, right) for field in type_.unit.split(" to ")]
    if left.is_of_months != right.is_of_months or not {*fields} <= {*kind}:
        return None
    first, last = min(fields, key=kind.index), max(fields, key=kind.index)
    return IntervalType(first if first == last else f"{first} to {last}")


def is_primitive(type_: ColumnType) -> bool:
    return isinstance(type_, (PrimitiveType, DecimalType, CharType, VarcharType, IntervalType))


def as_spark_reads(type_: ColumnType) -> ColumnType:
    """The type of a column in Spark's expressions, where char and varchar columns are strings."""
    return STRING if isinstance(type_, (CharType, VarcharType)) else type_


def common_type(
    left: ColumnType, right: ColumnType, use: Use, semantics: Semantics
) -> ColumnType | None:
    """The common type of two values; nested types are merged part by part."""
    if semantics.is_trino:
        return trino_coercion.common_type(left, right)
    if left == right:
        return left
    if left == VOID:
        return right
    if right == VOID:
        return left
    if is_text(left) and is_text(right):
        return _text(left, right, semantics)
    if is_numeric(left) and is_numeric(right):
        return _numeric(left, right, semantics)
    if is_time(left) and is_time(right):
        return _time(left, right, use, semantics)
    digits = [known for t in (left, right) if (known := time_digits(t)) is not None]
    if len(digits) == len((left, right)):
        return time_of_day(max(digits))
    if is_shape(left) and is_shape(right):
        return _shape(left, right)
    if semantics.is_spark and is_interval(left) and is_interval(right):
        return united_interval(left, right)
    if is_primitive(left) and is_primitive(right):
        if is_text(left):
            return _with_text(left, right, use, semantics)
        if is_text(right):
            return _with_text(right, left, use, semantics)
        return None if semantics.is_spark else _hive_unlike(left, right, use)
    return _nested(left, right, use, semantics)


def _text(left: ColumnType, right: ColumnType, semantics: Semantics) -> ColumnType | None:
    if semantics.is_spark:
        # Spark reads char and varchar columns as strings before any expression sees them.
        return STRING
    if isinstance(left, CharType) and isinstance(right, CharType):
        return CharType(max(left.length, right.length))
    if isinstance(left, VarcharType) and isinstance(right, VarcharType):
        return VarcharType(max(left.length, right.length))
    return STRING


def _numeric(left: ColumnType, right: ColumnType, semantics: Semantics) -> ColumnType | None:
    if isinstance(left, DecimalType) or isinstance(right, DecimalType):
        if is_float(left) or is_float(right):
            return _decimal_with_float(left, right, semantics)
        a = decimal_of(left, semantics.bigint_digits)
        b = decimal_of(right, semantics.bigint_digits)
        if a is None or b is None:
            return None
        return wider(a, b) if semantics.keeps_fractions else wider_keeping_whole(a, b)
    widest = max(left, right, key=lambda type_: _NUMERIC_ORDER[type_])
    if widest == FLOAT and semantics.is_spark and semantics.ansi:
        # A float cannot hold all digits of an integer: ANSI mode widens to double.
        return DOUBLE
    return widest


def _decimal_with_float(
    left: ColumnType, right: ColumnType, semantics: Semantics
) -> ColumnType | None:
    if semantics.is_spark:
        return DOUBLE
    return DOUBLE if DOUBLE in (left, right) else FLOAT


def _time(left: ColumnType, right: ColumnType, use: Use, semantics: Semantics) -> ColumnType | None:
    types = {left, right}
    if semantics.is_spark:
        return TIMESTAMP if TIMESTAMP in types else TIMESTAMP_NTZ
    if use is Use.SET_OPERATION:
        return None
    return TIMESTAMP_LOCAL if TIMESTAMP_LOCAL in types else TIMESTAMP


def _shape(left: ColumnType, right: ColumnType) -> ColumnType | None:
    """The type of shapes in two coordinate systems: both geometries or both geographies."""
    kinds = {print_type(type_).partition("(")[0] for type_ in (left, right)}
    return PrimitiveType(f"{kinds.pop()}(any)") if len(kinds) == 1 else None


def _hive_unlike(left: ColumnType, right: ColumnType, use: Use) -> ColumnType | None:
    """Hive's common type of values of different kinds.

    It is double for a number and a boolean or timestamp, and text for a number and a date.
    """
    if use is not Use.COMPARISON:
        return None
    other = right if is_numeric(left) else left
    if not is_numeric(left) and not is_numeric(right):
        return None
    if other == DATE:
        return STRING
    return DOUBLE if other in {BOOLEAN, TIMESTAMP} else None


def _with_text(
    text: ColumnType, other: ColumnType, use: Use, semantics: Semantics
) -> ColumnType | None:
    """The common type of a string and another primitive type."""
    if semantics.is_spark:
        return _spark_with_text(other, use, semantics)
    if use is Use.SET_OPERATION:
        # Hive's UNION refuses to mix text with other types.
        return None
    if use is Use.BRANCH:
        # Branches become the text's type, even if that truncates.
        return text if other not in {BINARY, BOOLEAN} and not is_interval(other) else None
    if is_numeric(other):
        return DOUBLE
    return other


def _spark_with_text(other: ColumnType, use: Use, semantics: Semantics) -> ColumnType | None:
    if semantics.ansi:
        if is_interval(other):
            return None
        if is_integer(other):
            return BIGINT
        return DOUBLE if is_numeric(other) else other
    if use is Use.COMPARISON:
        if semantics.times_as_text and is_time(other):
            return STRING
        return DOUBLE if isinstance(other, DecimalType) else other
    return STRING if other not in {BINARY, BOOLEAN, INTERVAL} else None


def _nested(
    left: ColumnType, right: ColumnType, use: Use, semantics: Semantics
) -> ColumnType | None:
    match left, right:
        case ArrayType(a, a_null), ArrayType(b, b_null):
            element = common_type(a, b, use, semantics)
            return None if element is None else ArrayType(element, a_null or b_null)
        case MapType(ak, av, a_null), MapType(bk, bv, b_null):
            key = common_type(ak, bk, use, semantics)
            value = common_type(av, bv, use, semantics)
            return None if key is None or value is None else MapType(key, value, a_null or b_null)
        case StructType(a_fields), StructType(b_fields):
            return _structs(a_fields, b_fields, use, semantics)
        case _:
            return None


def _structs(
    left: tuple[StructField, ...], right: tuple[StructField, ...], use: Use, semantics: Semantics
) -> ColumnType | None:
    """The common type of two structs: fields match by position and have the left struct's names.

    Hive creates no view of a UNION whose structs differ. If they differ now, the tables have changed
    since. Then fields match by name, so that the view stays readable.
    """
    if use is Use.SET_OPERATION and not semantics.is_spark:
        return _by_name(left, right, semantics)
    if len(left) != len(right):
        return None
    fields: list[StructField] = []
    for a, b in zip(left, right, strict=True):
        same_name = a.name.lower() == b.name.lower()
        type_ = common_type(a.type, b.type, use, semantics)
        if type_ is None or not (same_name or semantics.is_spark):
            return None
        if not semantics.is_spark and not equal_apart_from_nulls(a.type, b.type):
            return None
        fields.append(StructField(a.name, type_, a.nullable or b.nullable, a.comment))
    return StructType(tuple(fields))


def _by_name(
    left: tuple[StructField, ...], right: tuple[StructField, ...], semantics: Semantics
) -> ColumnType | None:
    """The struct type with the left struct's fields, then the fields that only the right struct has.

    A field that one side lacks is nullable.
    """
    others = {field.name.lower(): field for field in right}
    fields: list[StructField] = []
    for field in left:
        other = others.pop(field.name.lower(), None)
        if other is None:
            fields.append(replace(field, nullable=True))
            continue
        type_ = common_type(field.type, other.type, Use.SET_OPERATION, semantics)
        if type_ is None:
            return None
        fields.append(replace(field, type=type_, nullable=field.nullable or other.nullable))
    fields += [replace(field, nullable=True) for field in others.values()]
    return StructType(tuple(fields))


def equal_apart_from_nulls(left: ColumnType, right: ColumnType) -> bool:
    """Whether the types agree, apart from nullability, comments and the case of names."""
    match left, right:
        case ArrayType(a), ArrayType(b):
            return equal_apart_from_nulls(a, b)
        case MapType(ak, av), MapType(bk, bv):
            return equal_apart_from_nulls(ak, bk) and equal_apart_from_nulls(av, bv)
        case StructType(a_fields), StructType(b_fields):
            return len(a_fields) == len(b_fields) and all(
                a.name.lower() == b.name.lower() and equal_apart_from_nulls(a.type, b.type)
                for a, b in zip(a_fields, b_fields, strict=True)
            )
        case _:
            return left == right
