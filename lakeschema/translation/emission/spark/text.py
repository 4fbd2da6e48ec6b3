"""Writes names, literals and types in Spark SQL. No text can end its quotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

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
    TIME,
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
    StructType,
    Uniontype,
    UnknownType,
    VarcharType,
    print_type,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.errors import UnsupportedType

_SUFFIXES: Mapping[ColumnType, str] = MappingProxyType(
    {TINYINT: "Y", SMALLINT: "S", INT: "", BIGINT: "L", DOUBLE: "D"}
)
_MOMENTS: Mapping[ColumnType, str] = MappingProxyType(
    {TIMESTAMP: "TIMESTAMP_LTZ", TIMESTAMP_NTZ: "TIMESTAMP_NTZ"}
)
_NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")
_HEXADECIMAL = re.compile(r"(?:[0-9A-Fa-f]{2})*")


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def relation(name: RelationName) -> str:
    """The relation's name in a statement; in another catalog it begins with the catalog's name."""
    catalog = (name.catalog,) if name.catalog else ()
    return ".".join(quoted(part) for part in (*catalog, *name.parts))


def _by_code(character: str) -> str:
    return f"\\U{ord(character):08x}"


def string(text: str, beyond: Callable[[str], str] = _by_code) -> str:
    """A string literal. ``beyond`` escapes characters above U+FFFF.

    All but printable ASCII is escaped. So is ``${``, because Spark replaces variables such as
    ``${env:HOME}`` in statements.
    """

    def escaped(character: str) -> str:
        if character in {"\\", "'"}:
            return "\\" + character
        if " " <= character <= "~":
            return character
        code = ord(character)
        return f"\\u{code:04x}" if code < 0x10000 else beyond(character)

    return "'" + "".join(map(escaped, text)).replace("${", "\\u0024{") + "'"


def literal(value: str | None, type_: ColumnType) -> str:
    if value is None:
        return "NULL" if type_ == VOID else f"CAST(NULL AS {type_text(type_)})"
    if type_ in _SUFFIXES and _NUMBER.fullmatch(value):
        return f"{value}{_SUFFIXES[type_]}"
    if isinstance(type_, DecimalType) and _NUMBER.fullmatch(value):
        return f"CAST({value}BD AS {type_text(type_)})"
    if type_ == BINARY and _HEXADECIMAL.fullmatch(value):
        return f"X'{value}'"
    if type_ == BOOLEAN and value.lower() in {"true", "false"}:
        return value.lower()
    if isinstance(type_, IntervalType):
        return f"INTERVAL {string(value)} {type_.unit.upper()}"
    if type_ == STRING or isinstance(type_, (CharType, VarcharType)):
        return string(value)
    if type_ == DATE:
        return f"DATE {string(value)}"
    if type_ == TIME:
        return f"TIME {string(value)}"
    if type_ in _MOMENTS:
        # Unlike a cast, a literal is never null, and no setting changes its type.
        return f"{_MOMENTS[type_]} {string(value)}"
    if type_ == FLOAT and _NUMBER.fullmatch(value):
        return f"CAST({value}D AS FLOAT)"
    return f"CAST({string(value)} AS {type_text(type_)})"


def is_castable(type_: ColumnType) -> bool:
    """Whether CAST supports the type."""
    match type_:
        case ArrayType(element):
            return is_castable(element)
        case MapType(key, value):
            return is_castable(key) and is_castable(value)
        case StructType(fields):
            return bool(fields) and all(is_castable(field.type) for field in fields)
        case Uniontype() | UnknownType() | IntervalType():
            return False
        case _:
            return type_ not in {VOID, INTERVAL}


def type_text(type_: ColumnType) -> str:
    """The type in Spark's DDL; char and varchar become strings, as in Spark's expressions.

    Raises:
        UnsupportedType: Spark has no such type.
    """
    match type_:
        case CharType() | VarcharType():
            return "STRING"
        case ArrayType(element):
            return f"ARRAY<{type_text(element)}>"
        case MapType(key, value):
            return f"MAP<{type_text(key)}, {type_text(value)}>"
        case StructType(fields):
            inner = ", ".join(f"{quoted(f.name)}: {type_text(f.type)}" for f in fields)
            return f"STRUCT<{inner}>"
        case Uniontype() | UnknownType():
            raise UnsupportedType("Spark SQL", print_type(type_), "Spark has no such type")
        case _:
            return print_type(type_).upper()
