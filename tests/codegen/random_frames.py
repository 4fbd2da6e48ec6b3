"""Random schemas of Spark data frames, with rows that reach the ends of each type."""

from __future__ import annotations

import datetime as dt
import math
import struct
from collections.abc import Callable, Iterator, Mapping
from decimal import Context, Decimal
from random import Random
from typing import Any, Final

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

_LEAVES: Final[tuple[type[DataType], ...]] = (
    BinaryType, BooleanType, ByteType, DateType, DoubleType, FloatType, IntegerType, LongType,
    ShortType, StringType, TimestampNTZType, TimestampType,
)  # fmt: skip
_KEYS: Final[tuple[type[DataType], ...]] = (
    BooleanType, ByteType, DateType, IntegerType, LongType, StringType, StringType, StringType,
    TimestampNTZType, TimestampType,
)  # fmt: skip
_NAMES: Final = (
    *("id", "Name", "class", "from", "HeadQuarters", "_x", "fields", "dict", "RECORD", "größe"),
    *("key", "value", "count", "None", "mro", "to_dict", "name2", "Schema", "type", "lambda"),
)
_MAX_COLUMNS, _MAX_DEPTH = 6, 3
_NULLS = 0.15
_DIGITS: Final = Context(prec=60)

_EPOCH: Final = dt.datetime(1970, 1, 1)  # noqa: DTZ001 (a local time)
# From the ends of time: Python cannot convert the first two days, nor the last, to other zones.
_MIN_LOCAL, _MAX_LOCAL = dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999_999)  # noqa: DTZ001
_MIN_INSTANT = dt.datetime(1, 1, 3, tzinfo=dt.UTC)
_MAX_INSTANT = dt.datetime(9999, 12, 30, 23, 59, 59, 999_999, dt.UTC)
_INSTANTS: Final = (
    *(_MIN_INSTANT, _MAX_INSTANT, _EPOCH.replace(tzinfo=dt.UTC)),
    # The clocks of New York go back: twice 1:30; and forward, from 2:00 to 3:00.
    *(dt.datetime(2024, 11, 3, 5, 30, tzinfo=dt.UTC), dt.datetime(2024, 11, 3, 6, 30, 0, 1, dt.UTC)),
    *(dt.datetime(2024, 3, 10, 6, 59, 59, 999_999, dt.UTC), dt.datetime(2024, 3, 10, 7, tzinfo=dt.UTC)),
    *(dt.datetime(1883, 11, 18, 17, tzinfo=dt.UTC), dt.datetime(1582, 10, 15, tzinfo=dt.UTC)),
)  # fmt: skip
_TEXTS: Final = ("", "a", "A\0b", "zwölf 😀", "日本", "'; \"", "\\", "\n\t", "x" * 300)
_DOUBLES: Final = (0.0, -0.0, 1.5, 1e308, -5e-324, math.inf, -math.inf, math.nan)
_FLOATS: Final = (0.0, -0.0, 1.5, 2.0**127, -(2.0**-149), math.inf, -math.inf, math.nan)


def random_schema(random: Random) -> StructType:
    return _struct(random, _MAX_DEPTH, random.randint(1, _MAX_COLUMNS))


def random_row(random: Random, schema: StructType) -> tuple[Any, ...]:
    return tuple(_value(random, each.dataType, each.nullable) for each in schema.fields)


def _struct(random: Random, depth: int, columns: int) -> StructType:
    return StructType(
        [
            StructField(name, _type(random, depth), random.random() < 0.7)
            for name in random.sample(_NAMES, columns)
        ]
    )


def _type(random: Random, depth: int) -> DataType:
    drawn = random.random() if depth else 1.0
    if drawn < 0.12:
        return _struct(random, depth - 1, random.randint(1, 4))
    if drawn < 0.24:
        return ArrayType(_type(random, depth - 1), random.random() < 0.5)
    if drawn < 0.34:
        return MapType(random.choice(_KEYS)(), _type(random, depth - 1), random.random() < 0.5)
    if random.random() < 0.15:
        precision = random.choice((1, 9, 10, 18, 19, 38, random.randint(1, 38)))
        return DecimalType(precision, random.choice((0, precision, random.randint(0, precision))))
    return random.choice(_LEAVES)()


def _value(random: Random, type_: DataType, may_be_null: bool) -> Any:
    if may_be_null and random.random() < _NULLS:
        return None
    match type_:
        case StructType():
            return random_row(random, type_)
        case ArrayType(elementType=element):
            size = random.choice((0, 0, 1, 2, 5))
            return [_value(random, element, type_.containsNull) for _ in range(size)]
        case MapType(valueType=value):
            keys = [
                _DRAW[type(type_.keyType)](random) for _ in range(random.choice((0, 0, 1, 2, 4)))
            ]
            return {key: _value(random, value, type_.valueContainsNull) for key in keys}
        case DecimalType(precision=precision, scale=scale):
            greatest = 10**precision - 1
            unscaled = random.choice(
                (0, 1, greatest, -greatest, random.randint(-greatest, greatest))
            )
            return Decimal(unscaled).scaleb(-scale, _DIGITS)
        case _:
            return _DRAW[type(type_)](random)


def _integer(bits: int) -> Callable[[Random], int]:
    least, greatest = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return lambda random: random.choice((0, -1, least, greatest, random.randint(least, greatest)))


def _instant(random: Random) -> dt.datetime:
    micros = (_MAX_INSTANT - _MIN_INSTANT) // dt.timedelta(microseconds=1)
    drawn = _MIN_INSTANT + dt.timedelta(microseconds=random.randrange(micros))
    return random.choice((*_INSTANTS, drawn, drawn))


def _local(random: Random) -> dt.datetime:
    micros = (_MAX_LOCAL - _MIN_LOCAL) // dt.timedelta(microseconds=1)
    drawn = _MIN_LOCAL + dt.timedelta(microseconds=random.randrange(micros))
    return random.choice((_MIN_LOCAL, _MAX_LOCAL, _EPOCH, drawn, drawn))


def _with_one_nan(number: float) -> float:
    """Of the many values that are no number, the one that text can hold."""
    return math.nan if math.isnan(number) else number


def _float(random: Random) -> float:
    (drawn,) = struct.unpack("<f", random.randbytes(4))
    return _with_one_nan(random.choice((*_FLOATS, drawn, drawn)))


def _double(random: Random) -> float:
    (drawn,) = struct.unpack("<d", random.randbytes(8))
    return _with_one_nan(random.choice((*_DOUBLES, drawn, drawn)))


_DRAW: Final[Mapping[type[DataType], Callable[[Random], Any]]] = {
    BinaryType: lambda random: bytearray(random.randbytes(random.choice((0, 1, 40)))),
    BooleanType: lambda random: random.random() < 0.5,
    ByteType: _integer(8),
    ShortType: _integer(16),
    IntegerType: _integer(32),
    LongType: _integer(64),
    FloatType: _float,
    DoubleType: _double,
    StringType: lambda random: random.choice(_TEXTS),
    DateType: lambda random: _local(random).date(),
    TimestampType: _instant,
    TimestampNTZType: _local,
}


def comparable(value: Any, type_: DataType) -> Any:
    """A value as Spark takes or collects it, equal to another only if nothing differs.

    Instants are collected as naive times in the system's zone, of which ``fold`` tells the second
    of two equal ones.
    """
    match value, type_:
        case None, _:
            return None
        case float(), _:
            return "nan" if math.isnan(value) else value.hex()
        case dt.datetime(), TimestampType():
            return value.astimezone(dt.UTC).isoformat()
        case Decimal(), _:
            # Spark writes 0.00000001 as 1.0E-8.
            return _DIGITS.normalize(value).as_tuple()
        case ((bytearray() | bytes()), _):
            return bytes(value)
        case dict(), MapType(valueType=inner):
            key_type = type_.keyType
            pairs = ((comparable(k, key_type), comparable(v, inner)) for k, v in value.items())
            return sorted(pairs, key=repr)
        case tuple(), StructType(fields=fields):
            return [comparable(v, f.dataType) for v, f in zip(value, fields, strict=True)]
        case list(), ArrayType(elementType=inner):
            return [comparable(item, inner) for item in value]
        case _:
            return value


def kinds(type_: DataType) -> Iterator[str]:
    """The names of all types in it, to count them."""
    yield type_.typeName()
    match type_:
        case StructType(fields=fields):
            for field in fields:
                yield from kinds(field.dataType)
        case ArrayType(elementType=element):
            yield from kinds(element)
        case MapType(keyType=key, valueType=value):
            yield f"key {key.typeName()}"
            yield from kinds(value)
