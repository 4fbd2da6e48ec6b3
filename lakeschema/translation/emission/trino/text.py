"""Writes names, literals and types in Trino. No text can end its quotes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

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
    StructType,
    Uniontype,
    VarcharType,
    print_type,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.errors import UnsupportedConstruct, UnsupportedType

_TYPES: Mapping[ColumnType, str] = MappingProxyType(
    {
        BOOLEAN: "boolean",
        TINYINT: "tinyint",
        SMALLINT: "smallint",
        INT: "integer",
        BIGINT: "bigint",
        FLOAT: "real",
        DOUBLE: "double",
        STRING: "varchar",
        BINARY: "varbinary",
        DATE: "date",
        TIMESTAMP: "timestamp(6)",
        TIMESTAMP_NTZ: "timestamp(6)",
        # Trino's views cannot have its NULL type; as in PostgreSQL, a column of nulls is text.
        VOID: "varchar",
    }
)
_WORDS: Mapping[ColumnType, str] = MappingProxyType(
    {TINYINT: "TINYINT", SMALLINT: "SMALLINT", BIGINT: "BIGINT"}
)
_NUMBER = re.compile(r"([+-]?)([0-9]*)\.?([0-9]*)(?:[eE][+-]?[0-9]+)?")
_MOMENT = re.compile(
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
    r"(?:[ T]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.([0-9]{1,6}))?)?"
)
_TIME_TYPE = re.compile(r"time(?:\([0-6]\))?")
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:\.([0-9]{1,6}))?)?")
_INTERVAL_OF_MONTHS = re.compile(r"([+-]?)([0-9]+)-([0-9]+)")
_INTERVAL_OF_TIME = re.compile(
    r"([+-]?)([0-9]+) ([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:\.([0-9]{1,3})0*)?"
)
_SHORT = re.compile(r'[\w."]{1,60}|CAST\([\w."]{1,60} AS [a-z]+\)')
_UNITS = frozenset({"year", "month", "day", "hour", "minute", "second"})


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def relation_text(name: RelationName, catalogs: Mapping[str, str]) -> str:
    """A relation's name in Trino.

    ``catalogs`` has Trino's name for each catalog; the key "" is the default catalog.
    """
    if not name.namespace:
        raise UnsupportedConstruct(f"{name}, which is in no schema, for Trino")
    *catalog, schema = name.namespace
    if name.catalog:
        catalog = [name.catalog, *catalog]
    found = catalogs.get(".".join(catalog), ".".join(catalog))
    return ".".join(quoted(part) for part in (found, schema, name.name) if part)


NOT_THE_SAME = "not the same in Trino: "
"""The prefix of the message when a value is refused at run time."""


def fails(reason: str, type_: str) -> str:
    """An expression that fails at run time, for values without an equivalent in Trino."""
    return f"CAST(fail({string(NOT_THE_SAME + reason)}) AS {type_})"


def null_if(text: str, other: str) -> str:
    """NULLIF with a constant, in a form for lambdas: Trino 476 fails on NULLIF in them."""
    if _SHORT.fullmatch(text):
        return f"IF({text} = {other}, NULL, {text})"
    return f"element_at(filter(ARRAY[{text}], nullif_value -> nullif_value <> {other}), 1)"


def string(text: str) -> str:
    """A string literal; characters that cannot be printed are escaped by code."""
    if text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return "U&'" + "".join(map(_escape, text)) + "'"


def _escape(character: str) -> str:
    if character in {"\\", "'"}:
        return character * 2
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\{code:04x}" if code < 0x10000 else f"\\+{code:06x}"


def literal(value: str | None, type_: ColumnType) -> str:
    """The literal with exactly its type, except for the length of a varchar.

    Raises:
        UnsupportedType: Trino has no such type.
        UnsupportedConstruct: Trino's literals cannot hold the value.
    """
    if value is None:
        return "NULL" if type_ == VOID else f"CAST(NULL AS {type_text(type_)})"
    number = _NUMBER.fullmatch(value)
    match type_:
        case PrimitiveType("int") if number:
            return value
        case PrimitiveType("tinyint" | "smallint" | "bigint") if number:
            return f"{_WORDS[type_]} '{value}'"
        case PrimitiveType("double") if number:
            return value if "e" in value.lower() else f"{value}e0"
        case PrimitiveType("float") if number:
            return f"REAL '{value}'"
        case DecimalType() if number and "e" not in value.lower():
            return _decimal(value, number, type_)
        case PrimitiveType("string") | CharType() | VarcharType():
            return string(value)
        case PrimitiveType("boolean") if value.lower() in {"true", "false"}:
            return value.lower()
        case PrimitiveType("binary"):
            return f"X'{value}'"
        case PrimitiveType("date" | "timestamp" | "timestamp_ntz"):
            return moment(value, type_)
        case PrimitiveType(name) if _TIME_TYPE.fullmatch(name):
            return _time(value, type_)
        case IntervalType() | PrimitiveType():
            return _interval(value, type_)
        case _:
            return f"CAST({string(value)} AS {type_text(type_)})"


def _decimal(value: str, number: re.Match[str], type_: DecimalType) -> str:
    whole, fraction = number[2].lstrip("0"), number[3]
    text = f"DECIMAL '{value}'"
    own = DecimalType(max(len(number[2]) + len(fraction), 1), len(fraction))
    if type_ in {own, DecimalType(max(len(whole) + len(fraction), 1), len(fraction))}:
        return text if type_ == own else f"CAST({text} AS {type_text(type_)})"
    return f"CAST({text} AS {type_text(type_)})"


def moment(value: str, type_: ColumnType) -> str:
    """The text of a literal date or timestamp."""
    found = _MOMENT.fullmatch(value.strip())
    if found is None:
        raise UnsupportedConstruct(f"{print_type(type_)} {value!r:.40} for Trino")
    year, month, day, *time, fraction = found.groups(default="0")
    date = f"{year}-{int(month):02d}-{int(day):02d}"
    if type_ == DATE:
        return f"DATE '{date}'"
    hour, minute, second = map(int, time)
    return f"TIMESTAMP '{date} {hour:02d}:{minute:02d}:{second:02d}.{fraction:0<6}'"


def _time(value: str, type_: ColumnType) -> str:
    found = _TIME.fullmatch(value.strip())
    if found is None:
        raise UnsupportedConstruct(f"{print_type(type_)} {value!r:.40} for Trino")
    hour, minute, second, fraction = found.groups(default="0")
    text = f"TIME '{int(hour):02d}:{int(minute):02d}:{int(second):02d}.{fraction:0<6}'"
    return text if type_text(type_) == "time(6)" else f"CAST({text} AS {type_text(type_)})"


def _interval(value: str, type_: ColumnType) -> str:
    """The text of an interval of one kind; Trino does not mix months and days."""
    unit = type_.unit if isinstance(type_, IntervalType) else ""
    months = _INTERVAL_OF_MONTHS.fullmatch(value)
    if months is not None:
        return f"INTERVAL {months[1]} '{int(months[2])}-{int(months[3])}' YEAR TO MONTH".replace(
            "  ", " "
        )
    time = _INTERVAL_OF_TIME.fullmatch(value)
    if time is not None:
        return f"INTERVAL {time[1]} '{value.lstrip('+-')}' DAY TO SECOND".replace("  ", " ")
    if unit in _UNITS and re.fullmatch(r"[+-]?[0-9]+(\.[0-9]{1,3})?", value):
        sign = "- " if value.startswith("-") else ""
        return f"INTERVAL {sign}'{value.lstrip('+-')}' {unit.upper()}"
    raise UnsupportedConstruct(f"interval {value!r:.40} {unit} for Trino")


def type_text(type_: ColumnType) -> str:
    """The type in Trino.

    Raises:
        UnsupportedType: Trino has no such type.
    """
    match type_:
        case PrimitiveType() if type_ in _TYPES:
            return _TYPES[type_]
        case PrimitiveType(name) if _TIME_TYPE.fullmatch(name):
            return name if "(" in name else f"{name}(6)"
        case DecimalType(precision, scale):
            return f"decimal({precision},{scale})"
        case CharType(length):
            return f"char({length})"
        case VarcharType(length):
            return f"varchar({length})"
        case ArrayType(element):
            return f"array({type_text(element)})"
        case MapType(key, value):
            return f"map({type_text(key)}, {type_text(value)})"
        case StructType(fields) if fields:
            return f"ROW({', '.join(f'{quoted(f.name)} {type_text(f.type)}' for f in fields)})"
        case Uniontype(branches):
            inner = ", ".join(f"field{i} {type_text(b)}" for i, b in enumerate(branches))
            return f"ROW(tag tinyint, {inner})"
        case _:
            raise UnsupportedType("Trino", print_type(type_), "Trino has no such type")
