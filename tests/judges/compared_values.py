"""Rows that Hive prints, Spark collects or Trino answers → values that are equal if the rows are."""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Context, Decimal
from json import JSONDecodeError, JSONDecoder
from math import isclose, isfinite
from typing import Any, Final, TypeAlias

from lakeschema.catalog.column_types import (
    BINARY,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructType,
    time_digits,
)

_JSON = JSONDecoder(strict=False)
_EXACT = Context(prec=76)
_INTEGERS = {"tinyint", "smallint", "int", "bigint"}


Row: TypeAlias = tuple[object, ...]
Rows: TypeAlias = Sequence[Row]
_RELATIVE: Final = 1e-9
"""The last digits of a sum of floating-point numbers depend on their order."""


def same_rows(one: Rows, other: Rows, *, ordered: bool = False, nothing: float = 0.0) -> bool:
    """``nothing``: the largest number that counts as zero, such as the deviation of equal numbers."""
    if not ordered:
        one, other = (sorted(rows, key=lambda row: _place(row, nothing)) for rows in (one, other))
    return len(one) == len(other) and all(
        _alike(a, b, nothing) for a, b in zip(one, other, strict=True)
    )


def _place(row: Row, nothing: float) -> tuple[str, str]:
    return repr(_rounded(row, nothing)), repr(row)


def _rounded(value: object, nothing: float) -> object:
    if isinstance(value, float):
        return "0" if abs(value) < nothing else f"{value:.6g}"
    return tuple(_rounded(v, nothing) for v in value) if isinstance(value, tuple) else value


def _alike(one: object, other: object, nothing: float) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        same = repr(one) == repr(other)
        return same or isclose(one, other, rel_tol=_RELATIVE, abs_tol=nothing)
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(
            _alike(a, b, nothing) for a, b in zip(one, other, strict=True)
        )
    return type(one) is type(other) and one == other


def in_no_order(rows: Iterable[Sequence[object]]) -> list[tuple[object, ...]]:
    return sorted((tuple(row) for row in rows), key=repr)


def from_hive(row: str, types: Sequence[ColumnType]) -> tuple[object, ...]:
    """A row as Hive's shell prints it, binaries as Base64."""
    return tuple(_printed(text, type_) for text, type_ in zip(row.split("\t"), types, strict=True))


def from_spark(row: Sequence[Any], types: Sequence[ColumnType]) -> tuple[object, ...]:
    return tuple(_collected(value, type_) for value, type_ in zip(row, types, strict=True))


def from_trino(row: Sequence[Any], types: Sequence[ColumnType]) -> tuple[object, ...]:
    """A row of JSON values; dates and timestamps become the texts of Spark's casts."""
    return tuple(_answered(value, type_) for value, type_ in zip(row, types, strict=True))


def _answered(value: Any, type_: ColumnType) -> object:
    if value is None:
        return None
    match type_:
        case ArrayType(element):
            return tuple(_answered(item, element) for item in value)
        case MapType(key, item):
            # The keys of JSON's objects are texts.
            pairs = ((_answered_key(k, key), _answered(v, item)) for k, v in value.items())
            return tuple(sorted(pairs, key=repr))
        case StructType(fields):
            return tuple(_answered(v, f.type) for v, f in zip(value, fields, strict=True))
        case _ if type_ == BINARY:
            return base64.b64decode(value).hex()
        case _ if type_ in {TIMESTAMP, TIMESTAMP_NTZ} or time_digits(type_) is not None:
            return str(value).rstrip("0").rstrip(".") if "." in str(value) else value
        case _:
            return _collected(value, type_)


def _answered_key(text: str, type_: ColumnType) -> object:
    if type_ in {TIMESTAMP, TIMESTAMP_NTZ}:
        return _answered(text, type_)
    return scalar(text, type_)


def _printed(text: str, type_: ColumnType) -> object:
    if text == "NULL":
        return None
    if isinstance(type_, (ArrayType, MapType, StructType)):
        return _Nested(text).value(type_)
    return base64.b64decode(text).hex() if type_ == BINARY else scalar(text, type_)


def scalar(text: str, type_: ColumnType) -> object:
    match type_:
        case PrimitiveType(name) if name in _INTEGERS:
            return int(text)
        case PrimitiveType("float" | "double"):
            return _real(float(text), type_)
        case PrimitiveType("boolean"):
            return text.lower() == "true"
        case PrimitiveType("timestamp"):
            return moment(datetime.fromisoformat(text))
        case DecimalType():
            return Decimal(text).normalize(_EXACT)
        case CharType():
            return text.rstrip(" ")
        case _:
            return text


def _real(number: float, type_: ColumnType) -> object:
    if not isfinite(number):
        return str(number)
    if type_ == FLOAT:
        (number,) = struct.unpack("f", struct.pack("f", number))
    # Sums of doubles depend on their order.
    return float(f"{number:.6g}" if type_ == FLOAT else f"{number:.12g}")


def _collected(value: Any, type_: ColumnType) -> object:
    if value is None:
        return None
    match type_:
        case ArrayType(element):
            return tuple(_collected(item, element) for item in value)
        case MapType(key, item):
            pairs = ((_collected(k, key), _collected(v, item)) for k, v in value.items())
            return tuple(sorted(pairs, key=repr))
        case StructType(fields):
            return tuple(_collected(v, f.type) for v, f in zip(value, fields, strict=True))
        case _ if type_ in {FLOAT, DOUBLE}:
            return _real(float(value), type_)
        case _ if type_ == BINARY:
            return bytes(value).hex()
        case _ if type_ == BOOLEAN:
            return bool(value)
        case DecimalType():
            return Decimal(value).normalize(_EXACT)
        case CharType():
            return str(value).rstrip(" ")
        case _ if isinstance(value, datetime):
            return moment(value)
        case _:
            return value.isoformat() if isinstance(value, date) else value


def moment(value: datetime) -> str:
    text = str(value)
    return text.rstrip("0").rstrip(".") if "." in text else text


class _Nested:
    """Parses Hive's variant of JSON: keys that are not strings have no quotes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def value(self, type_: ColumnType) -> object:
        if self._text.startswith("null", self._at):
            self._at += 4
            return None
        match type_:
            case ArrayType(element):
                return tuple(self._items("[", "]", lambda: self.value(element)))
            case MapType(key, item):
                pairs = self._items("{", "}", lambda: (self._key(key), self.value(item)))
                return tuple(sorted(pairs, key=repr))
            case StructType(fields):
                wanted = iter(fields)
                return tuple(self._items("{", "}", lambda: self._field(next(wanted).type)))
            case _:
                return self._leaf(type_)

    def _items(self, opening: str, closing: str, one: Any) -> Iterable[Any]:
        self._expect(opening)
        while not self._text.startswith(closing, self._at):
            yield one()
            if self._text.startswith(",", self._at):
                self._at += 1
        self._expect(closing)

    def _key(self, type_: ColumnType) -> object:
        found = self._leaf(type_)
        self._expect(":")
        return found

    def _field(self, type_: ColumnType) -> object:
        _, self._at = _JSON.raw_decode(self._text, self._at)
        self._expect(":")
        return self.value(type_)

    def _leaf(self, type_: ColumnType) -> object:
        if self._text.startswith('"', self._at):
            text, self._at = _JSON.raw_decode(self._text, self._at)
            return scalar(text, type_)
        start = self._at
        while self._at < len(self._text) and self._text[self._at] not in ",:]}":
            self._at += 1
        return scalar(self._text[start : self._at], type_)

    def _expect(self, token: str) -> None:
        if not self._text.startswith(token, self._at):
            raise JSONDecodeError(f"expected {token!r}", self._text, self._at)
        self._at += len(token)


_BEFORE_YEAR_ONE: Final = re.compile(r"(?:-([0-9]{4})|0000)(-[0-9]{2}-[0-9]{2}\b.*)", re.DOTALL)


def in_its_era(moment: str) -> str:
    """A date or timestamp as Hive prints it: year 0 becomes year 1 of the era before."""
    match = _BEFORE_YEAR_ONE.fullmatch(moment)
    return f"{int(match[1] or 0) + 1:04}{match[2]}" if match else moment
