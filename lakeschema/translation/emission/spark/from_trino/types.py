"""Trino's types and literals in Spark.

A Trino timestamp without a zone becomes Spark's timestamp, shown in the session's zone UTC. One
with a zone becomes the same type, and its zone is lost.
"""

from __future__ import annotations

from typing import Final

from lakeschema.catalog.column_types import (
    DOUBLE,
    FLOAT,
    STRING,
    TIMESTAMP,
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    MapType,
    StructType,
    VarcharType,
    map_type,
    print_type,
)
from lakeschema.catalog.trino_types import JSON, UUID, moment_of
from lakeschema.translation.emission.spark import text as spark_text
from lakeschema.translation.emission.spark.text import string
from lakeschema.translation.functions.trino_coercion import is_text
from lakeschema.translation.model.errors import UnsupportedConstruct, UnsupportedType

ZONE: Final = "UTC"
MICROSECONDS: Final = 6


def as_spark(type_: ColumnType) -> ColumnType:
    """The Spark type with the same values.

    Raises:
        UnsupportedType: Spark has no such type.
    """
    return map_type(type_, _as_spark)


def _as_spark(type_: ColumnType) -> ColumnType:
    if isinstance(type_, (CharType, VarcharType)) or type_ in (UUID, JSON):
        return STRING
    moment = moment_of(type_)
    if moment is None:
        return type_
    if moment[0] == "time" or moment[1] > MICROSECONDS:
        raise UnsupportedType("Spark SQL", print_type(type_), "Spark has no such type")
    return TIMESTAMP


def type_text(type_: ColumnType) -> str:
    return spark_text.type_text(as_spark(type_))


def is_castable(type_: ColumnType) -> bool:
    return spark_text.is_castable(as_spark(type_))


def literal(value: str | None, type_: ColumnType) -> str:
    """The literal in Spark's syntax.

    Raises:
        UnsupportedType, UnsupportedConstruct: Spark has no equivalent literal.
    """
    moment = moment_of(type_)
    if value is None:
        return spark_text.literal(None, as_spark(type_))
    if moment is not None and moment[2]:
        raise UnsupportedConstruct("a timestamp with a zone for Spark")
    if moment is not None:
        return f"{type_text(type_)} {string(value)}"
    if isinstance(type_, CharType):
        return string(value.ljust(type_.length))
    if isinstance(type_, DecimalType):
        return f"CAST({string(value.strip())} AS {type_text(type_)})"
    if type_ in (UUID, JSON):
        return string(value)
    return spark_text.literal(value, type_)


def cast_text(text: str, source: ColumnType, target: ColumnType, *, tolerant: bool) -> str:
    """The text of a conversion between Trino's types.

    Raises:
        UnsupportedConstruct: Spark's cast gives other values.
    """
    match source, target:
        case ArrayType(a), ArrayType(b) if not _is_plain(a, b, tolerant=tolerant):
            return f"transform({text}, e -> {cast_text('e', a, b, tolerant=tolerant)})"
        case ((ArrayType() | MapType() | StructType()), _) if not _is_plain(
            source, target, tolerant=tolerant
        ):
            raise UnsupportedConstruct(f"a cast of {print_type(source)} for Spark")
        case ((ArrayType() | MapType() | StructType()), _):
            return f"CAST({text} AS {type_text(target)})"
        case _:
            return _scalar(text, source, target, tolerant=tolerant)


def _is_plain(source: ColumnType, target: ColumnType, *, tolerant: bool) -> bool:
    """Whether Spark's ``CAST(… AS …)`` does the same."""
    match source, target:
        case ArrayType(a), ArrayType(b):
            return _is_plain(a, b, tolerant=tolerant)
        case MapType(ak, av), MapType(bk, bv):
            return _is_plain(ak, bk, tolerant=tolerant) and _is_plain(av, bv, tolerant=tolerant)
        case StructType(a_fields), StructType(b_fields):
            return all(
                _is_plain(a.type, b.type, tolerant=tolerant)
                for a, b in zip(a_fields, b_fields, strict=True)
            )
        case _:
            try:
                made = _scalar("e", source, target, tolerant=tolerant)
            except UnsupportedConstruct:
                return False
            return made in ("e", f"CAST(e AS {type_text(target)})")


def _scalar(text: str, source: ColumnType, target: ColumnType, *, tolerant: bool) -> str:
    if print_type(source) == "void":
        return f"CAST({text} AS {type_text(target)})"
    if JSON in (source, target) and source != target:
        raise UnsupportedConstruct("a cast from or to JSON for Spark")
    if is_text(target):
        return _to_text(text, source, target)
    if is_text(source):
        return _from_text(text, target, tolerant=tolerant)
    if moment_of(source) is not None or moment_of(target) is not None:
        return _moment(text, source, target)
    word = "TRY_CAST" if tolerant else "CAST"
    fraction = source in _FLOATS or isinstance(source, DecimalType)
    if fraction and print_type(target) in _INTEGERS:
        # Trino rounds; Spark truncates.
        return f"{word}(round({text}) AS {type_text(target)})"
    return f"{word}({text} AS {type_text(target)})"


def _to_text(text: str, source: ColumnType, target: ColumnType) -> str:
    if source in _FLOATS:
        raise UnsupportedConstruct("a floating-point number as text for Spark")
    moment = moment_of(source)
    if moment is not None:
        if moment[2]:
            raise UnsupportedConstruct("a timestamp with a zone as text for Spark")
        fraction = "." + "S" * moment[1] if moment[1] else ""
        text = f"date_format({text}, 'yyyy-MM-dd HH:mm:ss{fraction}')"
    elif not is_text(source):
        text = f"CAST({text} AS STRING)"
    length = getattr(target, "length", None)
    shorter = length is not None and not (
        isinstance(source, (VarcharType, CharType)) and source.length <= length
    )
    if shorter:
        text = f"left({text}, {length})"
    return f"rpad({text}, {length}, ' ')" if isinstance(target, CharType) else text


_FLOATS: Final = (FLOAT, DOUBLE)
_INTEGERS: Final = frozenset({"tinyint", "smallint", "int", "bigint"})
_NUMBER_TEXTS: Final = {
    **dict.fromkeys(_INTEGERS, "^[+-]?[0-9]+$"),
    "date": r"^\s*[0-9]{4,}-[0-9]{1,2}-[0-9]{1,2}\s*$",
    "boolean": "^(?i:true|t|1|false|f|0)$",
}


def _from_text(text: str, target: ColumnType, *, tolerant: bool) -> str:
    """The text of a conversion from text.

    Some texts are readable for Spark but not for Trino. They matter only where an unreadable text gives null.
    """
    moment = moment_of(target)
    if moment is not None and moment[2]:
        raise UnsupportedConstruct("text as a timestamp with a zone for Spark")
    if moment is not None and moment[1] < MICROSECONDS:
        raise UnsupportedConstruct("text as a timestamp of few digits for Spark")
    cast = f"AS {type_text(target)})"
    if not tolerant:
        return f"CAST({text} {cast}"
    name = print_type(target)
    if moment is not None:
        pattern = _TIMESTAMP
    elif isinstance(target, DecimalType):
        pattern = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
    else:
        pattern = _NUMBER_TEXTS.get(name, _FLOAT)
    return f"TRY_CAST(if({text} RLIKE {string(pattern)}, {text}, NULL) {cast}"


_TIMESTAMP: Final = (
    r"^\s*[0-9]{4,}-[0-9]{1,2}-[0-9]{1,2}( [0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}(\.[0-9]{1,6})?)?)?\s*$"
)
_FLOAT: Final = r"^\s*[+-]?(NaN|Infinity|([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[dDfF]?)\s*$"


def _moment(text: str, source: ColumnType, target: ColumnType) -> str:
    before, after = moment_of(source), moment_of(target)
    if before is not None and after is not None:
        if before[2] != after[2]:
            raise UnsupportedConstruct(
                "a cast between timestamps with and without a zone for Spark"
            )
        if after[1] < min(before[1], MICROSECONDS):
            digits = after[1] - MICROSECONDS
            micros = f"round(CAST(unix_micros({text}) AS DECIMAL(20, 0)), {digits})"
            return f"timestamp_micros(CAST({micros} AS BIGINT))"
        return text
    if (before or after or ("", 0, True))[2]:
        raise UnsupportedConstruct("a cast of a timestamp with a zone for Spark")
    return f"CAST({text} AS {type_text(target)})"
