"""Values of subclasses and of other libraries, with the equal plain values; and refused values."""

from __future__ import annotations

import array
import collections
import datetime as dt
import decimal
import enum
import types
import uuid
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

UTC = dt.UTC
MOMENT = dt.datetime(2024, 5, 6, 7, 8, 9, 123456, UTC)
LOCAL = MOMENT.replace(tzinfo=None)


class Text(str):
    __slots__ = ()


class Word(enum.StrEnum):
    ONE = "one"


class MixedIn(str, enum.Enum):  # noqa: UP042 - its ``str`` is not its value
    ONE = "one"


class Number(enum.IntEnum):
    SEVEN = 7


class Flags(enum.IntFlag):
    SEVEN = 7


class Real(float):
    pass


class Price(decimal.Decimal):
    pass


class Moment(dt.datetime):
    pass


class Day(dt.date):
    pass


class Clock(dt.time):
    pass


class Since(dt.timedelta):
    @property
    def seconds(self) -> int:
        """As pendulum has it: with the sign of the whole."""
        return -1


class Identity(uuid.UUID):
    pass


class Listed(list[Any]):
    pass


Pair = collections.namedtuple("Pair", "left right")  # noqa: PYI024 - a class of tuples


def logical(base: str, name: str, **more: Any) -> dict[str, Any]:
    return {"type": base, "logicalType": name, **more}


TYPES: Mapping[str, Any] = {
    "boolean": "boolean",
    "int": "int",
    "long": "long",
    "float": "float",
    "double": "double",
    "string": "string",
    "bytes": "bytes",
    "fixed": {"type": "fixed", "name": "Four", "size": 4},
    "decimal": logical("bytes", "decimal", precision=6, scale=2),
    "date": logical("int", "date"),
    "time-millis": logical("int", "time-millis"),
    "time-micros": logical("long", "time-micros"),
    "timestamp-millis": logical("long", "timestamp-millis"),
    "timestamp-micros": logical("long", "timestamp-micros"),
    "local-timestamp-millis": logical("long", "local-timestamp-millis"),
    "local-timestamp-micros": logical("long", "local-timestamp-micros"),
    "interval": logical("long", "day-time-interval-micros"),
    "uuid": logical("string", "uuid"),
    "uuid-fixed": {"type": "fixed", "name": "Sixteen", "size": 16, "logicalType": "uuid"},
    "longs": {"type": "array", "items": "long"},
    "texts": {"type": "array", "items": ["null", "string"]},
    "locals": {"type": "array", "items": logical("long", "local-timestamp-micros")},
    "doubles": {"type": "array", "items": "double"},
    "matrix": {"type": "array", "items": {"type": "array", "items": "long"}},
    "map": {"type": "map", "values": "long"},
}

# A type that none of the values above is of, and which the larger union has besides.
BESIDE = {"type": "enum", "name": "Beside", "symbols": ["B"]}

ACCEPTED: tuple[tuple[str, Any, Any], ...] = (
    ("boolean", np.bool_(True), True),
    ("int", Number.SEVEN, 7),
    ("int", Flags.SEVEN, 7),
    ("int", np.int64(7), 7),
    ("int", np.uint8(7), 7),
    ("long", Number.SEVEN, 7),
    ("long", np.int8(-7), -7),
    ("long", np.int64(-(2**63)), -(2**63)),
    ("long", np.uint64(2**63 - 1), 2**63 - 1),
    ("float", np.float16(1.5), 1.5),
    ("float", np.float32(1.5), 1.5),
    ("float", Real(1.5), 1.5),
    ("double", np.float64(0.1), 0.1),
    ("double", np.float32(1.5), 1.5),
    ("double", np.float16(1.5), 1.5),
    ("double", Real(0.1), 0.1),
    ("double", np.int32(7), 7.0),
    ("double", Number.SEVEN, 7.0),
    ("string", Text("one"), "one"),
    ("string", Word.ONE, "one"),
    ("string", MixedIn.ONE, "one"),
    ("string", np.str_("one"), "one"),
    ("bytes", bytearray(b"ab"), b"ab"),
    ("bytes", memoryview(b"abcd")[::2], b"ac"),
    ("bytes", np.bytes_(b"ab"), b"ab"),
    ("fixed", b"abcd", b"abcd"),
    ("fixed", bytearray(b"abcd"), b"abcd"),
    ("fixed", np.bytes_(b"abcd"), b"abcd"),
    ("decimal", Price("1.50"), decimal.Decimal("1.50")),
    ("date", Day(2024, 5, 6), dt.date(2024, 5, 6)),
    ("date", np.datetime64("2024-05-06"), dt.date(2024, 5, 6)),
    ("time-millis", Clock(1, 2, 3, 4000), dt.time(1, 2, 3, 4000)),
    ("time-micros", Clock(1, 2, 3, 4), dt.time(1, 2, 3, 4)),
    ("timestamp-millis", pd.Timestamp("2024-05-06T07:08:09.123Z"), MOMENT.replace(microsecond=123000)),
    ("timestamp-micros", pd.Timestamp(MOMENT), MOMENT),
    ("timestamp-micros", Moment(2024, 5, 6, 7, 8, 9, 123456, UTC), MOMENT),
    ("local-timestamp-millis", pd.Timestamp("2024-05-06T07:08:09.123"), LOCAL.replace(microsecond=123000)),
    ("local-timestamp-micros", pd.Timestamp(LOCAL), LOCAL),
    ("local-timestamp-micros", Moment(2024, 5, 6, 7, 8, 9, 123456), LOCAL),
    ("local-timestamp-micros", np.datetime64("2024-05-06T07:08:09.123456000", "ns"), LOCAL),
    ("local-timestamp-micros", np.datetime64("2024-05-06T07:08", "m"), LOCAL.replace(second=0, microsecond=0)),
    ("interval", pd.Timedelta(-1, "s"), dt.timedelta(seconds=-1)),
    ("interval", Since(days=1, microseconds=1), dt.timedelta(days=1, microseconds=1)),
    ("interval", np.timedelta64(1_000, "ns"), dt.timedelta(microseconds=1)),
    ("interval", np.timedelta64(2, "D"), dt.timedelta(days=2)),
    ("uuid", Identity(int=7), uuid.UUID(int=7)),
    ("uuid-fixed", Identity(int=7), uuid.UUID(int=7)),
    ("longs", (1, 2), [1, 2]),
    ("longs", Pair(1, 2), [1, 2]),
    ("longs", Listed([1, 2]), [1, 2]),
    ("longs", np.array([1, 2]), [1, 2]),
    ("longs", np.array([1, 2], dtype="uint8"), [1, 2]),
    ("longs", np.array([1, None, 2], dtype=object)[::2], [1, 2]),
    ("longs", [np.int32(1), Number.SEVEN], [1, 7]),
    ("longs", np.arange(100), list(range(100))),
    ("longs", range(100), list(range(100))),
    ("longs", collections.deque([1, 2]), [1, 2]),
    ("longs", array.array("q", [1, 2]), [1, 2]),
    ("longs", np.array([]).astype(int), []),
    ("texts", np.array(["a", "b"]), ["a", "b"]),
    ("texts", ("a", None, Word.ONE), ["a", None, "one"]),
    ("locals", np.array([LOCAL], dtype="datetime64[ns]"), [LOCAL]),
    ("doubles", np.array([0.5, 1.5], dtype="float32"), [0.5, 1.5]),
    ("doubles", np.array([1, 2]), [1.0, 2.0]),
    ("matrix", np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
    ("map", collections.OrderedDict(a=1), {"a": 1}),
    ("map", collections.defaultdict(int, a=1), {"a": 1}),
    ("map", collections.Counter("aa"), {"a": 2}),
    ("map", collections.ChainMap({"a": 1}), {"a": 1}),
    ("map", types.MappingProxyType({"a": 1}), {"a": 1}),
    ("map", {Word.ONE: np.int64(1)}, {"one": 1}),
    ("map", {np.str_("a"): Number.SEVEN}, {"a": 7}),
)  # fmt: skip


class _Broken:
    """A value that refuses to be looked at."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no equality")

    __hash__ = None  # type: ignore[assignment]


# ``utcoffset`` of the base class raises.
_NO_ZONE: Any = type("NoZone", (dt.tzinfo,), {})()


_RELEASED = memoryview(b"ab")
_RELEASED.release()


REFUSED: tuple[tuple[str, Any], ...] = (
    ("boolean", np.int64(1)),
    ("boolean", 1),
    ("int", True),
    ("int", np.bool_(True)),
    ("int", np.int64(2**31)),
    ("int", 1.0),
    ("int", np.float64(1.0)),
    ("int", pd.NA),
    ("int", pd.NaT),
    ("int", np.timedelta64(5, "ns")),
    ("int", np.datetime64(5, "ns")),
    ("int", np.array(5)),
    ("int", np.array([5])),
    ("int", np.ma.masked),
    ("int", decimal.Decimal(1)),
    ("int", _Broken()),
    ("long", np.uint64(2**63)),
    ("long", "1"),
    ("long", np.datetime64("2024-05-06")),
    ("float", np.float64(1e39)),
    ("float", "1"),
    ("double", np.complex128(1)),
    ("double", np.ma.masked),
    ("double", pd.NA),
    ("string", float("nan")),
    ("string", np.float64("nan")),
    ("string", b"one"),
    ("string", np.bytes_(b"one")),
    ("string", Text("\ud800")),
    ("string", pd.NA),
    ("string", collections.UserString("one")),
    ("bytes", "ab"),
    ("bytes", _RELEASED),
    ("bytes", [1, 2]),
    ("bytes", np.array([1, 2], dtype="uint8")),
    ("fixed", b"abc"),
    ("fixed", bytearray(b"abcde")),
    ("decimal", Price("1.505")),
    ("decimal", Price("NaN")),
    ("decimal", 1.5),
    ("decimal", np.float64(1.5)),
    ("date", MOMENT),
    ("date", pd.Timestamp("2024-05-06")),
    ("date", pd.NaT),
    ("date", np.datetime64("NaT", "us")),
    ("date", np.datetime64("2024-05-06T00:00:00")),
    ("time-millis", Clock(1, 2, 3, 4)),
    ("time-micros", Clock(1, 2, 3, 4, UTC)),
    ("time-micros", pd.NaT),
    ("timestamp-millis", pd.Timestamp("2024-05-06T07:08:09.123456Z")),
    ("timestamp-millis", pd.Timestamp("2024-05-06T07:08:09.123000001Z")),
    ("timestamp-micros", pd.Timestamp("2024-05-06T07:08:09.123456789Z")),
    ("timestamp-micros", pd.Timestamp(LOCAL)),
    ("timestamp-micros", pd.NaT),
    ("timestamp-micros", pd.NA),
    ("timestamp-micros", np.datetime64("2024-05-06T07:08")),
    ("timestamp-micros", LOCAL),
    ("timestamp-micros", dt.datetime(2024, 5, 6, tzinfo=_NO_ZONE)),
    ("timestamp-micros", dt.datetime(9999, 12, 31, 23, tzinfo=dt.timezone(dt.timedelta(hours=-5)))),
    ("timestamp-millis", dt.datetime(1, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=5)))),
    ("timestamp-micros", pd.Timestamp(np.datetime64("20000-01-01", "s"), tz="UTC")),
    ("local-timestamp-millis", pd.NaT),
    ("local-timestamp-micros", pd.NaT),
    ("local-timestamp-micros", np.datetime64("NaT", "ns")),
    ("local-timestamp-micros", np.datetime64("2024-05-06T07:08:09.123456789", "ns")),
    ("local-timestamp-micros", np.datetime64("20000-01-01T00:00:00", "s")),
    ("local-timestamp-micros", pd.Timestamp("2024-05-06T07:08:09.000000001")),
    ("local-timestamp-micros", MOMENT),
    ("interval", pd.Timedelta(1, "ns")),
    ("interval", pd.NaT),
    ("interval", np.timedelta64("NaT", "us")),
    ("interval", np.timedelta64(1, "ns")),
    ("interval", np.timedelta64(1, "M")),
    ("interval", dt.timedelta.max),
    ("uuid", str(uuid.UUID(int=7))),
    ("uuid-fixed", bytes(16)),
    ("longs", {1, 2}),
    ("longs", "12"),
    ("longs", collections.UserString("12")),
    ("longs", b"12"),
    ("longs", np.array(5)),
    ("longs", np.array([1.5])),
    ("longs", np.array(["2024-05-06"], dtype="datetime64[ns]")),
    ("longs", iter([1])),
    ("longs", {1: 2}),
    ("texts", ["a", pd.NA]),
    ("locals", np.array(["NaT"], dtype="datetime64[ns]")),
    ("map", [("a", 1)]),
    ("map", {1: 1}),
    ("map", {"a": pd.NA}),
    ("map", pd.Series({"a": 1})),
)  # fmt: skip
