"""Writes names, literals and types in HiveQL. No text can end its quotes."""

from __future__ import annotations

import re
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
    TINYINT,
    VOID,
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    IntervalType,
    MapType,
    StructType,
    VarcharType,
    print_type,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.emission.spark.text import string as sparks_string
from lakeschema.translation.functions.constants import SURE_DIGITS
from lakeschema.translation.model.errors import UnsupportedConstruct, UnsupportedType

_TYPES: Final = frozenset(
    {BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, STRING, BINARY, DATE, TIMESTAMP}
)
_SUFFIXES: Mapping[ColumnType, str] = MappingProxyType(
    {TINYINT: "Y", SMALLINT: "S", INT: "", BIGINT: "L"}
)
_INTEGER = re.compile(r"-?[0-9]+")
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")
_HEXADECIMAL = re.compile(r"(?:[0-9A-Fa-f]{2})*")
_DAY = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})")
_MOMENT = re.compile(
    _DAY.pattern + r"(?:[ T]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.([0-9]{1,9}))?)?"
)
_AMOUNT = re.compile(r"[+-]?[0-9]+(?:-[0-9]+|(?: [0-9]+:[0-9]+:[0-9]+)?(?:\.[0-9]{1,6})?)")
_UNITS: Final = frozenset(
    {"year", "month", "day", "hour", "minute", "second", "year to month", "day to second"}
)


def quoted(name: str) -> str:
    """A quoted identifier.

    Raises:
        UnsupportedConstruct: the name has a back-tick, which ends it, or ``${``, which Hive replaces.
    """
    for odd, why in (("`", "takes no back-tick in one"), ("${", "replaces variables in one")):
        if odd in name:
            raise UnsupportedConstruct(f"the name {name!r:.80} for Hive, which {why}")
    return f"`{name}`"


def relation(name: RelationName) -> str:
    """The name of a relation of Hive's catalog, which has databases but no levels above them."""
    if name.catalog or len(name.namespace) != 1:
        raise UnsupportedConstruct(f"{name}, a relation of another catalog, for Hive")
    return f"{quoted(name.namespace[0])}.{quoted(name.name)}"


def string(text: str) -> str:
    """A string literal. Characters other than printable ASCII, and ``${``, are escaped by their codes."""
    return sparks_string(text, _halves)


def _halves(character: str) -> str:
    # Hive has no escape for characters beyond U+FFFF, but joins two halves of UTF-16 into one.
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in (0, 2))


def is_castable(type_: ColumnType) -> bool:
    """Whether Hive's CAST supports the type."""
    return type_ in _TYPES or isinstance(type_, (DecimalType, CharType, VarcharType))


def type_text(type_: ColumnType) -> str:
    """The type in HiveQL; in Spark's expressions char and varchar are strings.

    Raises:
        UnsupportedType: Hive has no such type.
    """
    match type_:
        case CharType() | VarcharType():
            return "STRING"
        case DecimalType():
            return print_type(type_).upper()
        case ArrayType(element):
            return f"ARRAY<{type_text(element)}>"
        case MapType(key, value):
            return f"MAP<{type_text(key)},{type_text(value)}>"
        case StructType(fields):
            inner = ",".join(f"{quoted(f.name)}:{type_text(f.type)}" for f in fields)
            return f"STRUCT<{inner}>"
        case _ if type_ in _TYPES:
            return print_type(type_).upper()
        case _ if type_ == VOID:
            # A Hive view cannot have columns of Hive's NULL type.
            return "STRING"
        case _:
            raise UnsupportedType("HiveQL", print_type(type_), "Hive has no such type")


def null(type_: ColumnType) -> str:
    """NULL of the type. If CAST does not support the type, an unused branch of CASE declares it."""
    match type_:
        case ArrayType() | MapType() | StructType():
            return f"CASE WHEN false THEN {_example(type_)} END"
        case _:
            return f"CAST(NULL AS {type_text(type_)})"


def _example(type_: ColumnType, *, filled: bool = False) -> str:
    """A value of the type with one part of each kind; its leaves are null unless ``filled``."""

    def inner(part: ColumnType) -> str:
        return _example(part, filled=filled)

    match type_:
        case ArrayType(element):
            return f"array({inner(element)})"
        case MapType(key, value):
            return f"map({inner(key)}, {inner(value)})"
        case StructType(fields):
            parts = ", ".join(f"{string(f.name)}, {inner(f.type)}" for f in fields)
            return f"named_struct({parts})"
        case _ if filled:
            day = "2000-01-01" if type_ in {DATE, TIMESTAMP} else "1"
            return f"CAST('{day}' AS {type_text(type_)})"
        case _:
            return null(type_)


def raised(type_: ColumnType) -> str:
    """An expression that always fails."""
    return _failed("assert_true(false)", type_)


def _failed(failed: str, type_: ColumnType) -> str:
    if is_castable(type_):
        return f"CAST({failed} AS {type_text(type_)})"
    # Hive's optimiser would merge equal branches and drop the error.
    return f"if({failed} IS NULL, {_example(type_, filled=True)}, {_example(type_)})"


NOT_THE_SAME: Final = "not the same in Hive: "
"""The prefix of the message when a value is refused at run time."""


def refused(reason: str, type_: ColumnType) -> str:
    """An expression that fails with the reason, for values without an equivalent in Hive."""
    return _failed(f"assert_true({string(NOT_THE_SAME + reason)} IS NULL)", type_)


def literal(value: str | None, type_: ColumnType) -> str:
    if value is None:
        return "NULL" if type_ == VOID else null(type_)
    text = _literal(value, type_)
    if text is None:
        raise UnsupportedConstruct(f"{print_type(type_)} {value!r:.40} for Hive")
    return text


def _signed(text: str) -> str:
    """A signed number in parentheses: two minus signs in a row would begin a comment."""
    return f"({text})" if text.startswith("-") else text


def _literal(value: str, type_: ColumnType) -> str | None:
    as_type = f"CAST({string(value)} AS {type_text(type_)})" if is_castable(type_) else ""
    if type_ in _SUFFIXES and _INTEGER.fullmatch(value):
        is_short = len(value.lstrip("-")) <= SURE_DIGITS[type_]
        return _signed(f"{value}{_SUFFIXES[type_]}") if is_short else as_type
    if type_ == DOUBLE and _NUMBER.fullmatch(value):
        is_minus_zero = value.startswith("-") and float(value) == 0
        return "CAST('-0.0' AS DOUBLE)" if is_minus_zero else _signed(f"{value}D")
    if type_ == FLOAT or isinstance(type_, DecimalType):
        return as_type if _NUMBER.fullmatch(value) else None
    if type_ == BINARY and _HEXADECIMAL.fullmatch(value):
        return f"unhex('{value}')"
    if type_ == BOOLEAN and value.lower() in {"true", "false"}:
        return value.lower()
    if type_ == STRING or isinstance(type_, (CharType, VarcharType)):
        return string(value)
    if isinstance(type_, IntervalType):
        is_known = type_.unit.lower() in _UNITS and _AMOUNT.fullmatch(value) is not None
        return f"INTERVAL '{value}' {type_.unit.upper()}" if is_known else None
    if type_ == DATE and (day := _DAY.fullmatch(value)) is not None:
        year, month, of_month = day.groups()
        return f"DATE '{year}-{int(month):02d}-{int(of_month):02d}'"
    if type_ == TIMESTAMP and (moment := _MOMENT.fullmatch(value)) is not None:
        year, month, day_, hour, minute, second, fraction = moment.groups(default="0")
        clock = f"{int(hour):02d}:{int(minute):02d}:{int(second):02d}"
        part = fraction[:6].rstrip("0")
        date = f"{year}-{int(month):02d}-{int(day_):02d}"
        return f"TIMESTAMP '{date} {clock}{'.' + part if part else ''}'"
    return None
