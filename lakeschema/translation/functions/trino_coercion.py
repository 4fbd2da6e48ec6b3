"""Trino's implicit conversions, the common type of two values, and Trino's casts.

Sources: Trino's ``TypeCoercion``, and Trino 476's answers for the common types of 240 pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
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
    StructField,
    StructType,
    Uniontype,
    VarcharType,
    time_digits,
)
from lakeschema.catalog.trino_types import (
    IPADDRESS,
    JSON,
    UUID,
    anonymous,
    moment_of,
    time_of,
    timestamp_of,
)

INTEGERS: Final = (TINYINT, SMALLINT, INT, BIGINT)
MAX_CHAR: Final = 65_536
_UNBOUNDED: Final = 2_147_483_647
SCANNED_DIGITS: Final = 6
"""The digits of a second in a table's timestamps, as many as Spark and Avro keep."""
_DECIMALS: Final[Mapping[ColumnType, DecimalType]] = MappingProxyType(
    {
        TINYINT: DecimalType(3, 0),
        SMALLINT: DecimalType(5, 0),
        INT: DecimalType(10, 0),
        BIGINT: DecimalType(19, 0),
    }
)


def as_trino_reads(type_: ColumnType) -> ColumnType:
    """A table's type as Trino's hive connector reads it."""
    match type_:
        case Uniontype(branches):
            of_branch = (StructField(anonymous(i), b) for i, b in enumerate(branches))
            return StructType((StructField("tag", TINYINT), *of_branch))
        case _ if type_ in (TIMESTAMP, TIMESTAMP_NTZ):
            return timestamp_of(SCANNED_DIGITS)
        case _ if type_ == TIMESTAMP_LOCAL:
            return timestamp_of(SCANNED_DIGITS, zone=True)
        case _:
            digits = time_digits(type_)
            return type_ if digits is None else time_of(digits)


def text_length(type_: ColumnType) -> int | None:
    """The maximum length of a varchar: 2,147,483,647 if it is unbounded. None for other types."""
    if type_ == STRING:
        return _UNBOUNDED
    return type_.length if isinstance(type_, VarcharType) else None


def varchar_of(length: int) -> ColumnType:
    return STRING if length >= _UNBOUNDED else VarcharType(length)


def is_text(type_: ColumnType) -> bool:
    return type_ == STRING or isinstance(type_, (VarcharType, CharType))


def decimal_of(type_: ColumnType) -> DecimalType | None:
    """The decimal that holds every value of an exact number's type."""
    return type_ if isinstance(type_, DecimalType) else _DECIMALS.get(type_)


def wider_decimal(a: DecimalType, b: DecimalType) -> DecimalType:
    scale = max(a.scale, b.scale)
    whole = max(a.precision - a.scale, b.precision - b.scale)
    return DecimalType(min(38, whole + scale), scale)


def common_type(left: ColumnType, right: ColumnType) -> ColumnType | None:
    """The common type of two values; None if they have none."""
    if left == right:
        return left
    if VOID in (left, right):
        return right if left == VOID else left
    match left, right:
        case (ArrayType(a, a_null), ArrayType(b, b_null)):
            element = common_type(a, b)
            return None if element is None else ArrayType(element, a_null or b_null)
        case (MapType(ak, av, a_null), MapType(bk, bv, b_null)):
            key, value = common_type(ak, bk), common_type(av, bv)
            return None if key is None or value is None else MapType(key, value, a_null or b_null)
        case (StructType(a_fields), StructType(b_fields)):
            return _common_row(a_fields, b_fields)
        case _:
            return _common_number(left, right) or _common_text(left, right) or _later(left, right)


def _common_row(left: tuple[StructField, ...], right: tuple[StructField, ...]) -> StructType | None:
    """The common type of two rows; fields match by position.

    A field keeps its name if both sides agree on it.
    """
    if len(left) != len(right):
        return None
    fields: list[StructField] = []
    for place, (a, b) in enumerate(zip(left, right, strict=True)):
        type_ = common_type(a.type, b.type)
        if type_ is None:
            return None
        name = a.name if a.name.lower() == b.name.lower() else anonymous(place)
        fields.append(StructField(name, type_, a.nullable or b.nullable))
    return StructType(tuple(fields))


def _common_number(left: ColumnType, right: ColumnType) -> ColumnType | None:
    numbers = (*INTEGERS, FLOAT, DOUBLE)
    if left in numbers and right in numbers:
        return max(left, right, key=numbers.index)
    a, b = decimal_of(left), decimal_of(right)
    if a is not None and b is not None:
        return wider_decimal(a, b)
    if (a is None) == (b is None):
        return None
    other = right if a is not None else left
    return other if other in (FLOAT, DOUBLE) else None


def _common_text(left: ColumnType, right: ColumnType) -> ColumnType | None:
    if not (is_text(left) and is_text(right)):
        return None
    if isinstance(left, CharType) or isinstance(right, CharType):
        lengths = [t.length if isinstance(t, CharType) else text_length(t) for t in (left, right)]
        return CharType(min(MAX_CHAR, max(length or 0 for length in lengths)))
    return varchar_of(max(text_length(left) or 0, text_length(right) or 0))


def _later(left: ColumnType, right: ColumnType) -> ColumnType | None:
    """The common type of dates, times and timestamps.

    It has a zone if one side has a zone. It has the larger number of a second's digits.
    """
    a, b = _moment(left), _moment(right)
    if a is None or b is None or a[0] != b[0]:
        return None
    digits, zone = max(a[1], b[1]), a[2] or b[2]
    make = timestamp_of if a[0] == "timestamp" else time_of
    return make(digits, zone=zone)


def _moment(type_: ColumnType) -> tuple[str, int, bool] | None:
    return ("timestamp", 0, False) if type_ == DATE else moment_of(type_)


def can_coerce(source: ColumnType, target: ColumnType) -> bool:
    """Whether Trino converts implicitly: the target must be the common type of both types."""
    if source in (target, VOID):
        return True
    met = common_type(source, target)
    return met is not None and same_type(met, target)


def same_type(left: ColumnType, right: ColumnType) -> bool:
    """Whether the types agree, apart from nullability and names of fields."""
    match left, right:
        case (ArrayType(a), ArrayType(b)):
            return same_type(a, b)
        case (MapType(ak, av), MapType(bk, bv)):
            return same_type(ak, bk) and same_type(av, bv)
        case (StructType(a_fields), StructType(b_fields)):
            return len(a_fields) == len(b_fields) and all(
                same_type(a.type, b.type) for a, b in zip(a_fields, b_fields, strict=True)
            )
        case _:
            return left == right


def can_cast(source: ColumnType, target: ColumnType) -> bool:
    """Whether Trino has the cast."""
    if source in (target, VOID) or can_coerce(source, target):
        return True
    match source, target:
        case (ArrayType(a), ArrayType(b)):
            return can_cast(a, b)
        case (MapType(ak, av), MapType(bk, bv)):
            return can_cast(ak, bk) and can_cast(av, bv)
        case (StructType(a_fields), StructType(b_fields)):
            return len(a_fields) == len(b_fields) and all(
                can_cast(a.type, b.type) for a, b in zip(a_fields, b_fields, strict=True)
            )
        case _ if JSON in (source, target):
            return _as_json(target if source == JSON else source, reading=source == JSON)
        case _:
            return _scalar(source, target)


def _as_json(type_: ColumnType, *, reading: bool) -> bool:
    match type_:
        case ArrayType(element):
            return _as_json(element, reading=reading)
        case MapType(key, value):
            return _is_simple(key) and _as_json(value, reading=reading)
        case StructType(fields):
            return all(_as_json(field.type, reading=reading) for field in fields)
        case _ if type_ == JSON:
            return True
        case _:
            moment = _moment(type_) is not None
            return _is_simple(type_) or (moment and not reading)


def _is_simple(type_: ColumnType) -> bool:
    return type_ == BOOLEAN or is_text(type_) or _is_number(type_)


def _is_number(type_: ColumnType) -> bool:
    return type_ in (FLOAT, DOUBLE) or decimal_of(type_) is not None


def _scalar(source: ColumnType, target: ColumnType) -> bool:
    if BOOLEAN in (source, target):
        return _is_simple(source) and _is_simple(target)
    if _is_number(source) and _is_number(target):
        return True
    texts = is_text(source), is_text(target)
    if all(texts):
        return True
    if any(texts):
        other = target if texts[0] else source
        known = other in (UUID, IPADDRESS) or isinstance(other, IntervalType)
        return _is_number(other) or _moment(other) is not None or known
    if BINARY in (source, target):
        return (target if source == BINARY else source) in (UUID, IPADDRESS)
    return _moment_cast(source, target)


def _moment_cast(source: ColumnType, target: ColumnType) -> bool:
    a, b = _moment(source), _moment(target)
    if a is None or b is None:
        return False
    return not (DATE in (source, target) and "time" in (a[0], b[0]))
