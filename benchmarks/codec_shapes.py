"""The records of ``make bench-codec``: one for each kind of type, an order of all kinds, and a wide row."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Json: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """A record's schema and a value of it, as fastavro writes it."""

    title: str
    schema: Json
    value: Json


def shapes() -> Sequence[Shape]:
    return (
        Shape("order, 20 fields", _order(), _order_value()),
        Shape("200 columns", wide(200), _wide_value(200)),
        _columns("strings", ["string"] * 10, _TEXTS),
        _columns("ints", ["int"] * 5 + ["long"] * 5, _INTS),
        _columns("big ints", ["long"] * 10, _BIG_INTS),
        _columns("floats", ["double"] * 6 + ["float"] * 4, [n * 1.25 - 4 for n in range(10)]),
        _columns("decimals", [_decimal(12, 2)] * 5 + [_decimal(30, 8)] * 5, _DECIMALS),
        _columns("timestamps", _TIMES, [*_MOMENTS, *_MOMENTS, *_DATES]),
        _columns("enums", [_enum(number) for number in range(10)], _SYMBOLS[::-1] * 2),
        Shape("nested", _nested(3), _nested_value(3)),
        _columns("arrays", _ARRAYS, _ARRAY_VALUES),
        _columns("maps", _MAPS, _MAP_VALUES),
    )


def wide(columns: int) -> Json:
    types = [(f"column_{index}", ["null", _COLUMN_TYPES[index % 5]]) for index in range(columns)]
    fields = [{**field, "default": None} for field in _fields(types)]
    return {"type": "record", "name": "Wide", "namespace": "shop", "fields": fields}


def _columns(title: str, types: Sequence[Any], values: Sequence[Any]) -> Shape:
    names = [f"column_{index}" for index in range(len(types))]
    fields = _fields(list(zip(names, types, strict=True)))
    schema = {"type": "record", "name": "Columns", "namespace": "shop", "fields": fields}
    return Shape(title, schema, dict(zip(names, values, strict=True)))


def _fields(types: Sequence[tuple[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": name, "type": type_} for name, type_ in types]


def _array(items: Any) -> Json:
    return {"type": "array", "items": items}


def _map(values: Any) -> Json:
    return {"type": "map", "values": values}


def _decimal(precision: int, scale: int) -> Json:
    return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}


def _enum(number: int) -> Json:
    return {"type": "enum", "name": f"Enum{number}", "symbols": _SYMBOLS}


_SYMBOLS = ["NEW", "PAID", "PACKED", "SENT", "DONE"]
_TEXTS = ["", "EUR", "a short text", "Straße", "8e0c5f1a-3c1d", "leave it with the neighbours",
          "x" * 40, "y" * 80, "2026-0001234", "Lange Gasse 17"]  # fmt: skip
_INTS = [0, 1, -1, 42, -300, 5_000, 77_120, -1_000_000, 20_000_000, 123_456_789]
"""Numbers of one to four bytes."""
_BIG_INTS = [2**27 * 5, -(2**33), 2**38 + 7, -(2**40) - 1, 1_790_000_000_000, 2**47 + 99,
             1_790_000_360_000_000, -(2**55) + 5, 2**61 + 11, -(2**63)]  # fmt: skip
"""Numbers of five to ten bytes."""
_DECIMALS = [
    *map(decimal.Decimal, ("0.00", "9.50", "-1249.99", "77120.00", "9999999999.99")),
    *map(decimal.Decimal, ("0.00000001", "-1.5", "3.14159265", "123456789012.5", "1e20")),
]
_ZONE = dt.UTC
_MOMENTS = [
    dt.datetime(2026, 5, 17, 13, 45, 59, 123_000, tzinfo=_ZONE),
    dt.datetime(1969, 12, 31, 23, 59, 59, tzinfo=_ZONE),
    dt.datetime(2100, 1, 1, tzinfo=_ZONE),
    dt.datetime(1999, 8, 11, 10, 30, 6, 500_000, tzinfo=_ZONE),
]
_DATES = [dt.date(2026, 5, 17), dt.date(1950, 1, 1)]
_TIMES = [
    *[{"type": "long", "logicalType": "timestamp-millis"}] * 4,
    *[{"type": "long", "logicalType": "timestamp-micros"}] * 4,
    *[{"type": "int", "logicalType": "date"}] * 2,
]
_ARRAYS = [_array(_array("long")), *map(_array, ("string", "int", "long", "double", "float"))]
_ARRAY_VALUES = [
    [[1, 2, 3], [40, 50, 60], [700, 800, 900]], _TEXTS, [*range(100)], _BIG_INTS[:-2] * 8,
    *[[n / 8 for n in range(100)]] * 2,
]  # fmt: skip
"""The longs have five to eight bytes."""
_MAPS = [_map("string"), _map("int"), _map("double"), _map(["null", "double"])]
_MAP_VALUES = [
    dict(zip(_TEXTS, _TEXTS, strict=True)),
    dict(zip(_TEXTS, _INTS, strict=True)),
    {text: number / 8 for number, text in enumerate(_TEXTS)},
    {text: number / 4 if number else None for number, text in enumerate(_TEXTS)},
]


def _nested(depth: int, name: str = "Root") -> Json:
    """A tree of records with two branches each."""
    types: list[tuple[str, Any]] = [("id", "int"), ("label", "string"), ("weight", "double")]
    if depth:
        types += [(side, _nested(depth - 1, f"{name}{side}")) for side in ("Left", "Right")]
    return {"type": "record", "name": name, "namespace": "shop", "fields": _fields(types)}


def _nested_value(depth: int) -> Json:
    value = {"id": depth * 40, "label": f"at depth {depth}", "weight": depth / 2}
    return value | {side: _nested_value(depth - 1) for side in ("Left", "Right") if depth}


def _order() -> Json:
    address = _fields([("street", "string"), ("city", "string"), ("zip", ["null", "string"])])
    line = _fields(
        [("sku", "string"), ("quantity", "int"), ("price", "double"), ("discounts", _array("long"))]
    )
    return {
        "type": "record",
        "name": "Order",
        "namespace": "shop",
        "fields": _fields([
            ("id", "long"), ("number", "string"), ("customer", "long"), ("paid", "boolean"),
            ("total", "double"), ("weight", "float"), ("items", "int"), ("note", ["null", "string"]),
            ("coupon", ["null", "string"]), ("placed", "long"), ("shipped", ["null", "long"]),
            ("currency", "string"), ("channel", "string"), ("score", "double"),
            ("address", {"type": "record", "name": "Address", "fields": address}),
            ("lines", _array({"type": "record", "name": "Line", "fields": line})),
            ("tags", _array("string")), ("ratings", _array("int")),
            ("grid", _array(_array("long"))), ("checksum", "bytes"),
        ]),
    }  # fmt: skip


def _order_value() -> Json:
    return {
        "id": 8_123_456_789, "number": "2026-0001234", "customer": 77_120, "paid": True,
        "total": 1249.5, "weight": 12.25, "items": 3, "note": "leave it with the neighbours",
        "coupon": None, "placed": 1_790_000_000_000, "shipped": 1_790_000_360_000,
        "currency": "EUR", "channel": "web", "score": 0.875,
        "address": {"street": "Lange Gasse 17", "city": "Wien", "zip": "1080"},
        "lines": [
            {"sku": f"SKU-{index}", "quantity": index, "price": 9.5 * index, "discounts": [5, 200]}
            for index in range(1, 4)
        ],
        "tags": ["gift", "express", "returning customer"], "ratings": [5, 4, 5, 3],
        "grid": [[1, 2, 3], [40, 50, 60], [700, 800, 900]], "checksum": bytes(range(16)),
    }  # fmt: skip


_COLUMN_TYPES = ("string", "long", "double", "int", "boolean")
_COLUMN_VALUES = ("a short text", 123_456_789, 0.5, 42, True)


def _wide_value(columns: int) -> Json:
    return {
        f"column_{index}": None if index % 7 == 0 else _COLUMN_VALUES[index % 5]
        for index in range(columns)
    }
