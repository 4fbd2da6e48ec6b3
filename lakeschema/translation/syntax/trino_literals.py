"""Reads Trino's typed literals: ``DECIMAL '1.50'``, ``TIMESTAMP '2020-01-01 00:00:00.000 UTC'``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
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
    TINYINT,
    CharType,
    ColumnType,
    DecimalType,
    VarcharType,
)
from lakeschema.catalog.trino_types import IPADDRESS, JSON, UUID, time_of, timestamp_of
from lakeschema.translation.model.errors import UnsupportedConstruct

_FRACTION: Final = re.compile(r"\d{1,2}:\d{1,2}(?::\d{1,2}(?:\.(\d+))?)?")
_MAX_DIGITS: Final = 12
_MAX_PRECISION: Final = 38


def decimal_of(text: str) -> DecimalType:
    """The type with as many digits as the text has, without leading zeros."""
    whole, _, fraction = text.strip().lstrip("+-").replace("_", "").partition(".")
    if not (whole + fraction).isdigit():
        raise UnsupportedConstruct(f"the decimal {text[:60]!r}")
    precision = max(len(whole.lstrip("0")) + len(fraction), 1)
    if precision > _MAX_PRECISION:
        raise UnsupportedConstruct(f"a number of more than {_MAX_PRECISION} digits")
    return DecimalType(precision, len(fraction))


def _digits(text: str) -> tuple[int, bool]:
    """The number of digits in the fraction of the seconds, and whether a zone follows."""
    found = _FRACTION.search(text)
    if found is None:
        # A date only; a zone may follow it.
        return 0, bool(re.search(r"\d\s+\S", text.strip()))
    digits = len(found[1] or "")
    if digits > _MAX_DIGITS:
        raise UnsupportedConstruct(f"a time of more than {_MAX_DIGITS} digits of a second")
    return digits, bool(text[found.end() :].strip())


def _timestamp(text: str) -> ColumnType:
    digits, zone = _digits(text)
    return timestamp_of(digits, zone=zone)


def _time(text: str) -> ColumnType:
    digits, zone = _digits(text)
    return time_of(digits, zone=zone)


def _fixed(type_: ColumnType) -> Callable[[str], ColumnType]:
    return lambda _: type_


TYPED_LITERALS: Final[Mapping[str, Callable[[str], ColumnType]]] = MappingProxyType(
    {
        "DECIMAL": decimal_of,
        "DATE": _fixed(DATE),
        "TIMESTAMP": _timestamp,
        "TIME": _time,
        "BOOLEAN": _fixed(BOOLEAN),
        "TINYINT": _fixed(TINYINT),
        "SMALLINT": _fixed(SMALLINT),
        "INTEGER": _fixed(INT),
        "INT": _fixed(INT),
        "BIGINT": _fixed(BIGINT),
        "REAL": _fixed(FLOAT),
        "DOUBLE": _fixed(DOUBLE),
        "VARBINARY": _fixed(BINARY),
        "JSON": _fixed(JSON),
        "UUID": _fixed(UUID),
        "IPADDRESS": _fixed(IPADDRESS),
        "CHAR": lambda text: CharType(len(text)),
        "VARCHAR": lambda text: VarcharType(len(text)),
    }
)
"""The type of each literal from the text in its quotes."""
