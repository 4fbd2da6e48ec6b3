"""Deterministic rows for any columns: nulls, least and greatest values, other alphabets.

Values recur across columns and tables, so that joins and comparisons match some.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from lakeschema.catalog.column_types import (
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    MapType,
    PrimitiveType,
    StructType,
    VarcharType,
    print_type,
)

NUMBER = 12
_NULLS = 0.12

_TEXTS = (
    *("", "a", "abc", "ABC", "12", "-1", "3.5", "true", "2020-02-29", "2021-08-20 10:11:12"),
    *("zwölf 😀", "日本", " x ", "a,b;c", "it's", '{"name": "n", "trino": 1}', "v1", "abcBabcD"),
)
_POOLS: Mapping[str, tuple[object, ...]] = MappingProxyType(
    {
        "boolean": (True, False),
        "tinyint": (0, 1, 2, -1, 127, -128),
        "smallint": (0, 1, 2, -1, 32767, -32768),
        "int": (0, 1, 2, 3, 7, 100, -1, 2**31 - 1, -(2**31)),
        "bigint": (0, 1, 2, 7, 10000, -1, 1583884800000, 2**63 - 1, -(2**63)),
        "float": (0.0, 1.0, 1.5, -2.25, 3.0e10),
        "double": (0.0, 1.0, 2.0, 7.0, 0.1, -2.5, 33.25, 1.0e300, -1.0e-300),
        "string": _TEXTS,
        "binary": (b"", b"abc", b"\x00\xff\x80", "zwölf".encode()),
        "date": (date(1970, 1, 1), date(2020, 2, 29), date(1969, 12, 31), date(9999, 12, 31)),
        "timestamp": tuple(
            datetime.fromisoformat(text)
            for text in (
                "1970-01-01",
                "2020-02-29T12:30:15",
                "1969-12-31T23:59:59",
                "2021-08-20T00:00:00.123456",
            )
        ),
    }
)


def generated_rows(columns: Sequence[tuple[str, ColumnType]]) -> list[tuple[Any, ...]]:
    """``NUMBER`` rows as Spark takes them; the first is null throughout."""
    drawn = [_column(name, type_) for name, type_ in columns]
    return [(None,) * len(drawn), *zip(*drawn, strict=True)]


def _column(name: str, type_: ColumnType) -> list[Any]:
    # The seed is name and type, so that a column's values do not depend on other columns.
    draw = random.Random(f"{name.lower()} {print_type(type_)}")
    return [_value(type_, draw) for _ in range(NUMBER - 1)]


def _value(type_: ColumnType, draw: random.Random) -> Any:
    if draw.random() < _NULLS:
        return None
    match type_:
        case PrimitiveType(name) if name in _POOLS:
            return draw.choice(_POOLS[name])
        case CharType(length) | VarcharType(length):
            return draw.choice(_TEXTS)[:length].strip() or None
        case DecimalType(precision, scale):
            greatest = 10**precision - 1
            unscaled = draw.choice((0, 1, -1, greatest, -greatest, greatest // 3))
            return Decimal(unscaled).scaleb(-scale)
        case ArrayType(element):
            return [_value(element, draw) for _ in range(draw.choice((0, 1, 2, 3)))]
        case MapType(key, value):
            keys = {k for _ in range(draw.choice((0, 1, 2))) if (k := _key(key, draw)) is not None}
            return {k: _value(value, draw) for k in sorted(keys)}
        case StructType(fields):
            return tuple(_value(field.type, draw) for field in fields)
        case _:
            return None


def _key(type_: ColumnType, draw: random.Random) -> Any:
    return (
        draw.choice(("a", "foo", "x", "é"))
        if print_type(type_) == "string"
        else _value(type_, draw)
    )
