"""The table of the probed calls: eight rows of ordinary and extreme values of each type.

It has each column three times (``i``, ``i2``, ``i3``), with values in different orders, so that a call
with several arguments gets different pairs. Table ``t`` has no null at the top level, table ``n`` many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.relations import Dialect

ROWS: Final = 8

# ``acos(2)`` is null in Hive.
_NAN, _INFINITY = "CAST('NaN' AS DOUBLE)", "exp(1000)"
_CLOCK = (
    "12:34:56.789",
    "00:00:00",
    "23:59:59.999999",
    "00:00:00.000001",
    "12:00:00",
    "01:02:03",
    "23:00:00",
    "06:30:00.5",
)
_STRUCT = "named_struct('x', {}, 'y', {})"

# fmt: off
_BOTH: Final[Mapping[str, tuple[str, Sequence[str]]]] = MappingProxyType(
    {
        "bo": ("boolean", ("true", "false", "true", "true", "false", "false", "true", "false")),
        "ti": ("tinyint", ("1", "0", "-1", "127", "-128", "5", "2", "12")),
        "si": ("smallint", ("1", "0", "-1", "32767", "-32768", "5", "2", "12")),
        "i": ("int", ("1", "0", "-1", "2147483647", "-2147483648", "5", "2", "12")),
        "b": ("bigint", ("1", "0", "-1", "9223372036854775807", "-9223372036854775808", "5", "1600000000", "12")),
        "f": ("float", ("1.5", "0", "-0.5", "3e38", _NAN, _INFINITY, "2", "-1e-30")),
        "d": ("double", ("1.5", "0", "-0.5", "1.7e308", _NAN, _INFINITY, "2", "-1e-300")),
        "de": ("decimal(10,2)", ("1.50", "0", "-0.50", "99999999.99", "-99999999.99", "5", "2", "12.34")),
        "dw": ("decimal(38,18)", ("1.5", "0", "-0.5", "99999999999999999999.999999999999999999", "-99999999999999999999.999999999999999999", "5", "2", "0.000000000000000001")),
        "s": ("string", ("'a'", "''", "'12'", "'2020-02-29 12:34:56'", "'{\"a\": 1, \"b\": [null]}'", "'é😀 x,y'", "'http://h.x/p?q=1'", "'YWJj'")),
        "bi": ("binary", ("'a'", "''", "'12'", "unhex('ff')", "unhex('00')", "'é😀'", "unhex('c328')", "'YWJj'")),
        "da": ("date", ("date '2020-02-29'", "date '1970-01-01'", "date '1969-12-31'", "date '0001-01-01'", "date '9999-12-31'", "date '2021-12-31'", "date '2000-01-01'", "date '1582-10-15'")),
        "ts": ("timestamp", ("timestamp '2020-02-29 12:34:56.789'", "timestamp '1970-01-01 00:00:00'", "timestamp '1969-12-31 23:59:59'", "timestamp '0001-01-01 00:00:00'", "timestamp '9999-12-31 23:59:59.999999'", "timestamp '2021-03-28 02:30:00'", "timestamp '2000-01-01 00:00:00'", "timestamp '1600-01-01 00:00:00'")),
        "ai": ("array<int>", ("array(1, 2)", "array(cast(null as int))", "array(0)", "array(3, cast(null as int), 3)", "array(-1, 2147483647)", "array(5)", "array(2, 1)", "array(1, 1)")),
        "a_s": ("array<string>", ("array('a', 'b')", "array(cast(null as string))", "array('')", "array('c', cast(null as string))", "array('é')", "array('1')", "array('b', 'a')", "array('a', 'a')")),
        "m": ("map<string,int>", ("map('a', 1)", "map('b', cast(null as int))", "map('', 0)", "map('a', 1, 'b', 2)", "map('é', -1)", "map('x', 5)", "map('b', 2)", "map('c', 3)")),
        "st": ("struct<x:int,y:string>", tuple(_STRUCT.format(x, y) for x, y in (("1", "'a'"), ("cast(null as int)", "'b'"), ("0", "''"), ("3", "cast(null as string)"), ("-1", "'é'"), ("5", "'5'"), ("2", "'b'"), ("1", "'a'")))),
    }
)
_SPARK_ONLY: Final[Mapping[str, tuple[str, Sequence[str]]]] = MappingProxyType(
    {
        "tn": ("timestamp_ntz", tuple(text.replace("timestamp", "timestamp_ntz") for text in _BOTH["ts"][1])),
        "dt": ("interval day to second", ("interval '1' day", "interval '0' second", "interval '-1 02:03:04.5' day to second", "interval '1' hour", "interval '106751991' day", "interval '-1' microsecond", "interval '7' day", "interval '15' minute")),
        "ym": ("interval year to month", ("interval '1' month", "interval '0' month", "interval '-1-2' year to month", "interval '12' month", "interval '178956970' year", "interval '-1' month", "interval '3' month", "interval '2' year")),
        "tm": ("time(6)", tuple(f"time '{text}'" for text in _CLOCK)),
        "t3": ("time(3)", tuple(f"CAST(time '{text}' AS time(3))" for text in _CLOCK)),
        "va": ("variant", tuple(f"parse_json('{text}')" for text in ('{"a": 1, "b": [null]}', "null", "[1, null]", '"x"', "{}", "[]", "1.5", "true"))),
        "af": ("array<float>", ("array(1.5F, 2F)", "array(cast(null as float))", "array(0F, 0F)", "array(float(acos(2D)), 1F)", "array(-1F, float(exp(1000D)))", "slice(array(1F), 1, 0)", "array(2F, 1F)", "array(1F, cast(null as float))")),
        "ad": ("array<double>", ("array(1.5D)", "array(cast(null as double))", "array(0D)", "array(acos(2D), 1D)", "array(-1D, exp(1000D))", "array(5D)", "array(2D, 1D)", "array(1D, 1D)")),
        "aai": ("array<array<int>>", ("array(array(1, 2), array(3))", "array(cast(null as array<int>))", "array(array(cast(null as int)))", "array(array(1), cast(null as array<int>))", "array(array(-1))", "array(array(5))", "array(array(2, 1))", "array(array(1, 1))")),
        "ast": ("array<struct<x:int,y:string>>", tuple(f"array({text})" for text in _BOTH["st"][1])),
        "mi": ("map<int,string>", ("map(1, 'a')", "map(2, cast(null as string))", "map(0, '')", "map(1, 'a', 2, 'b')", "map(-1, 'é')", "map(5, 'x')", "map(2, 'b')", "map(3, 'c')")),
    }
)
# fmt: on

_ORDERS: Final = (("", 1), ("2", 3), ("3", 5))
"""A suffix of a column's name, and the step between its values; odd, since 8 is even."""


def columns_of(dialect: Dialect) -> Mapping[str, str]:
    """One column of each kind: its name and type."""
    return {name: type_ for name, (type_, _) in _values(dialect).items()}


def _values(dialect: Dialect) -> Mapping[str, tuple[str, Sequence[str]]]:
    return {**_BOTH, **_SPARK_ONLY} if dialect is Dialect.SPARK else _BOTH


def table_ddl(dialect: Dialect, name: str, *, required: bool) -> str:
    suffix = " NOT NULL" if required else ""
    columns = ", ".join(f"{column} {type_}{suffix}" for column, type_ in _all_columns(dialect))
    return f"CREATE TABLE {name} (r int{suffix}, {columns})"


def _all_columns(dialect: Dialect) -> Iterator[tuple[str, str]]:
    for suffix, _ in _ORDERS:
        for name, type_ in columns_of(dialect).items():
            yield name + suffix, type_


def rows_of(dialect: Dialect, *, required: bool) -> Iterator[Mapping[str, str]]:
    """SQL text of each value, by column; without ``required`` some are NULL, in one row all."""
    values = _values(dialect)
    for row in range(ROWS):
        texts = {"r": str(row)}
        for number, (suffix, step) in enumerate(_ORDERS):
            for place, (name, (type_, column)) in enumerate(values.items()):
                chosen = column[(row * step + number) % ROWS]
                absent = not required and (row == 0 or (row + place + number) % 3 == 0)
                value, first = _cast(chosen, type_), _cast(column[0], type_)
                # Without the first value, the engine might assume that a conversion gives null.
                texts[name + suffix] = (
                    f"CASE WHEN false THEN {first} END" if absent else f"coalesce({value}, {first})"
                )
        yield texts


def table_query(dialect: Dialect, *, required: bool) -> str:
    """The SELECT that makes the table's rows."""
    rows = rows_of(dialect, required=required)
    items = (", ".join(f"{value} AS {column}" for column, value in row.items()) for row in rows)
    return " UNION ALL ".join(f"SELECT {row}" for row in items)


def _cast(text: str, type_: str) -> str:
    """Leaves out casts to nested types, which Hive lacks."""
    return text if "<" in type_ else f"CAST({text} AS {type_})"
