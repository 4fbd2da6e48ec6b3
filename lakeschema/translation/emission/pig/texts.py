"""Writes literals and types in Pig Latin. No text can end its quotes."""

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
    MapType,
    StructType,
    VarcharType,
    print_type,
)
from lakeschema.translation.emission.pig.names import field_names
from lakeschema.translation.model.errors import UnsupportedConstruct, UnsupportedType

_SCALARS: Final[Mapping[ColumnType, str]] = MappingProxyType(
    {
        BOOLEAN: "boolean",
        TINYINT: "int",
        SMALLINT: "int",
        INT: "int",
        BIGINT: "long",
        FLOAT: "float",
        DOUBLE: "double",
        STRING: "chararray",
        BINARY: "bytearray",
        DATE: "datetime",
        TIMESTAMP: "datetime",
        VOID: "bytearray",
    }
)
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIMESTAMP: Final = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2})\.?([0-9]*)"
)
_MILLISECOND_DIGITS: Final = 3
_ESCAPES: Final[Mapping[str, str]] = MappingProxyType(
    {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
)
_PARAMETER: Final = re.compile(r"(?<=\\)(?=\$)|(?<=\$)(?=[A-Za-z_{])")
DAY: Final = "'yyyy-MM-dd'"


def scalar_type(type_: ColumnType) -> str | None:
    """Pig's name for a simple type; None if the type is nested or Pig lacks it."""
    match type_:
        case CharType() | VarcharType():
            return "chararray"
        case DecimalType():
            return "bigdecimal"
        case _:
            return _SCALARS.get(type_)


def type_text(type_: ColumnType) -> str:
    """The type in a schema, with field names.

    Raises:
        UnsupportedType: Pig has no such type.
    """
    scalar = scalar_type(type_)
    if scalar is not None:
        return scalar
    match type_:
        case ArrayType(StructType() as row):
            return f"bag{{{type_text(row)}}}"
        case ArrayType(element):
            return f"bag{{tuple(item:{type_text(element)})}}"
        case MapType(_, value):
            # Pig fails on a declared map whose values are tuples or bags.
            if scalar_type(value) is None:
                reason = "Pig has no types for values with parts inside of maps"
                raise UnsupportedType("a column for Pig", print_type(type_), reason)
            return f"map[{type_text(value)}]"
        case StructType(fields) if fields:
            names = field_names([field.name for field in fields])
            inner = (f"{n}:{type_text(f.type)}" for n, f in zip(names, fields, strict=True))
            return f"tuple({', '.join(inner)})"
        case _:
            raise UnsupportedType("a column for Pig", print_type(type_), "Pig has no such type")


def one_zero(text: str, type_: ColumnType) -> str:
    """The value with 0.0 in place of -0.0, since Pig distinguishes them."""
    if type_ == DOUBLE:
        return f"({text} + 0.0)"
    return f"({text} + 0.0F)" if type_ == FLOAT else text


def group_key(text: str, type_: ColumnType) -> str:
    """A key that is equal in Pig if the values are equal in Hive's groups: doubles become text.

    In Pig's groups NaN differs from itself, and -0.0 from 0.0.
    """
    return f"(chararray){one_zero(text, type_)}" if type_ in {DOUBLE, FLOAT} else text


def of_group_key(text: str, type_: ColumnType) -> str:
    """The value that belongs to a group's key."""
    return f"({scalar_type(type_)}){text}" if type_ in {DOUBLE, FLOAT} else text


def string(text: str) -> str:
    """A string literal, for places where no expression is allowed.

    Raises:
        UnsupportedConstruct: Pig's preprocessor, which ignores quotes, would find a parameter in
            the text.
    """
    if len(_PARAMETER.split(text)) > 1:
        raise UnsupportedConstruct(f"the text {text!r:.50} at this place for Pig")
    return _quoted(text)


def text_value(text: str) -> str:
    """A string as an expression, split where the preprocessor would find a parameter."""
    parts = [_quoted(part) for part in _PARAMETER.split(text)]
    return parts[0] if len(parts) == 1 else f"(chararray)CONCAT({', '.join(parts)})"


def _quoted(text: str) -> str:
    """The text with all but printable ASCII escaped.

    Pig decodes some escapes before it looks for quotes.
    """
    return "'" + "".join(map(_escape, text)) + "'"


def _escape(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if " " <= character <= "~":
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def null(type_: ColumnType) -> str:
    """A null, with the type if Pig can express it."""
    scalar = scalar_type(type_)
    return "null" if scalar is None or type_ in {VOID, BINARY} else f"({scalar})null"


def literal(value: str | None, type_: ColumnType) -> str:
    """The literal with exactly its type.

    Raises:
        UnsupportedType: Pig has no such literal.
    """
    if value is None:
        return null(type_)
    text = _written(value, type_)
    if text is None:
        raise UnsupportedType(
            f"the literal {value!r:.50}", print_type(type_), "Pig has no such literal"
        )
    return text


def _written(value: str, type_: ColumnType) -> str | None:
    if type_ in {TINYINT, SMALLINT, INT} and _INTEGER.fullmatch(value):
        return _signed(str(int(value)), "")
    if type_ == BIGINT and _INTEGER.fullmatch(value):
        return _signed(str(int(value)), "L")
    if type_ == DOUBLE and _NUMBER.fullmatch(value):
        return _signed(repr(float(value)), "")
    if type_ == FLOAT and _NUMBER.fullmatch(value):
        return _signed(repr(float(value)), "F")
    if isinstance(type_, DecimalType) and _NUMBER.fullmatch(value):
        return f"(bigdecimal){string(value)}"
    if type_ == BOOLEAN and value.lower() in {"true", "false"}:
        return value.lower()
    if type_ == STRING or isinstance(type_, (CharType, VarcharType)):
        return text_value(value)
    if type_ == DATE and _DATE.fullmatch(value):
        return f"ToDate('{value}', {DAY})"
    if type_ == TIMESTAMP:
        return _timestamp(value)
    return None


def _signed(digits: str, suffix: str) -> str:
    text = digits.upper().replace("E+", "E") + suffix
    return f"({text})" if text.startswith("-") else text


def _timestamp(value: str) -> str | None:
    found = _TIMESTAMP.fullmatch(value)
    if found is None or len(found[2].rstrip("0")) > _MILLISECOND_DIGITS:
        return None
    fraction = found[2].rstrip("0").ljust(_MILLISECOND_DIGITS, "0")
    return f"ToDate('{found[1]}.{fraction}', 'yyyy-MM-dd HH:mm:ss.SSS')"
