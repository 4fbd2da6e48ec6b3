"""Random rows in JSON, for engines that read files: decimals, dates and times are texts, bytes hexadecimal.

Plain rows have no NaN, and no times that are finer than milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

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
    ArrayType,
    ColumnType,
    DecimalType,
    MapType,
    StructType,
)
from tests.lakeschema.translation.growing.tables import random_type

_PLAIN: Mapping[ColumnType, Sequence[object]] = {
    TINYINT: (0, 1, -1, 7, 127, -128),
    SMALLINT: (0, 1, -3, 300, 32767, -32768),
    INT: (0, 1, 2, -5, 40, 2147483647, -2147483648),
    BIGINT: (0, 1, 2, -5, 1000, 9223372036854775807, -9223372036854775808),
    # All are sums of few powers of two: their sums are exact, in whatever order.
    DOUBLE: (0.0, 1.5, -2.25, 100.0, 0.125, 1024.0),
    FLOAT: (0.0, 0.5, -8.0, 3.25),
    # Hive's printed rows have neither tabs nor ends of lines in a value.
    STRING: ("", "a", "ab", "Zwölf", "x_%y", "12", " pad ", "😀", "2020-02-29", "it's", "a,b,c", "no", "straße", "e\u0301", "1e3", "-0", '{"a": 1.50}', "\\d$1"),
    BINARY: ("", "61", "00ff", "c3a4"),
    BOOLEAN: (True, False),
    DATE: ("2020-02-29", "1999-12-31", "1970-01-01", "2024-07-04", "1900-02-28", "9999-12-31"),
    TIMESTAMP: ("2020-02-29 12:34:56", "1970-01-01 00:00:00", "1999-12-31 23:59:59.123"),
}  # fmt: skip
_EXTREME: Mapping[ColumnType, Sequence[object]] = {
    DOUBLE: ("NaN", "-0.0", "Infinity", "-Infinity", 1e300),
    FLOAT: ("NaN", "-0.0", "-Infinity"),
    TIMESTAMP: ("2000-01-01 00:00:00.123456",),
}


def storable_type(random: Random) -> ColumnType:
    """One of which both engines have all values.

    Inside of others Hive prints bytes in no form that can be read, and Pig has no numbers of one or two bytes.
    """
    while True:
        type_ = random_type(random)
        if not isinstance(type_, (ArrayType, MapType, StructType)) or _is_storable(type_):
            return type_


def stored_rows(
    random: Random,
    columns: Sequence[tuple[str, ColumnType]],
    number: int,
    *,
    plain: bool,
) -> list[list[object]]:
    """The first column has small numbers, for joins, now and then none."""
    return [
        [
            (place % 5 if random.random() < 0.9 else None)
            if i == 0
            else without_faults(stored_value(random, type_, plain=plain), type_)
            for i, (_, type_) in enumerate(columns)
        ]
        for place in range(number)
    ]


def without_faults(value: Any, type_: ColumnType) -> Any:
    """A value that both engines keep.

    Pig's own files have no nulls among the tuples of a bag that have fields; Hive's shuffle makes null
    of an array with nothing but one null, and of a struct with one field that is null.
    """
    if value is None:
        return None
    match type_:
        case ArrayType(element):
            items = [without_faults(item, element) for item in value]
            if isinstance(element, StructType):
                items = [item for item in items if item is not None]
            return [] if items == [None] else items
        case MapType(_, held):
            return {key: without_faults(item, held) for key, item in value.items()}
        case StructType(fields):
            struct = {f.name: without_faults(value[f.name], f.type) for f in fields}
            return None if [*struct.values()] == [None] else struct
        case _:
            return value


def stored_value(random: Random, type_: ColumnType, *, plain: bool) -> object:
    if random.random() < 0.2:
        return None
    match type_:
        case ArrayType(element):
            number = random.randint(0, 3)
            return [stored_value(random, element, plain=plain) for _ in range(number)]
        case MapType(_, value):
            keys = random.sample(("k", "K", "ö"), random.randint(0, 2))
            return {key: stored_value(random, value, plain=plain) for key in keys}
        case StructType(fields):
            return {f.name: stored_value(random, f.type, plain=plain) for f in fields}
        case DecimalType(precision, scale):
            return _digits(random, precision, scale)
        case _:
            values = (*_PLAIN[type_], *(() if plain else _EXTREME.get(type_, ())))
            return random.choice(values)


def _digits(random: Random, precision: int, scale: int) -> str:
    if random.random() < 0.1:
        whole, fraction = "9" * (precision - scale), "9" * scale
        return f"{random.choice(('', '-'))}{whole}" + (f".{fraction}" if fraction else "")
    digits = random.choice(("0", "1", "-1", "2", "7", "99"))
    return digits if scale == 0 else digits + random.choice(("", ".5", ".25"))


def _is_storable(type_: ColumnType) -> bool:
    match type_:
        case ArrayType(element):
            return _is_storable(element)
        case MapType(_, value):
            return _is_storable(value)
        case StructType(fields):
            return all(_is_storable(field.type) for field in fields)
        case _:
            return type_ not in {BINARY, SMALLINT, TINYINT}
