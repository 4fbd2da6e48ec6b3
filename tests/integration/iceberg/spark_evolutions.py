"""Evolutions of an Iceberg table as Spark's statements, and the version that each one must get.

``{t}`` stands for the table, which begins with ``COLUMNS`` and one row, ``FIRST``. A second row is
inserted after the evolution.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lakeschema.avro.compatibility import Level

ODD = "größe 1"
"""A column whose name Avro does not allow."""
COLUMNS = (
    "Id INT NOT NULL COMMENT 'the key', name STRING, price FLOAT, amount DECIMAL(9,2), "
    "s STRUCT<x: INT COMMENT 'inner', y: INT>, "
    "l ARRAY<STRUCT<q: INT, r: INT, d: STRUCT<e: INT>>>, "
    "m MAP<STRING, STRUCT<v: INT, w: INT>>, n ARRAY<INT>, c MAP<BOOLEAN, FLOAT>, "
    "at TIMESTAMP, `größe 1` STRING, flag STRING NOT NULL"
)
FIRST: Mapping[str, str] = {
    "Id": "1",
    "name": "'one'",
    "price": "FLOAT(1.5)",
    "amount": "12.25BD",
    "s": "named_struct('x', 11, 'y', 12)",
    "l": "array(named_struct('q', 13, 'r', 14, 'd', named_struct('e', 15)))",
    "m": "map('k', named_struct('v', 16, 'w', 17))",
    "n": "array(18, 19)",
    "c": "map(true, FLOAT(0.5))",
    "at": "TIMESTAMP '2024-01-02 03:04:05.678901'",
    "`größe 1`": "'large'",
    "flag": "'f'",
}
SECOND: Mapping[str, str] = {
    **FIRST,
    "Id": "2",
    "name": "'two'",
    "s": "named_struct('x', 21, 'y', 22)",
    "l": "array(named_struct('q', 23, 'r', 24, 'd', named_struct('e', 25)))",
    "m": "map('k', named_struct('v', 26, 'w', 27))",
}
LONG = "9000000000"
"""More than an int."""
WIDE = "'wide'"

MAJOR, MINOR, PATCH = Level.MAJOR, Level.MINOR, Level.PATCH


@dataclass(frozen=True, slots=True)
class Evolution:
    """One or more statements, and what follows from them.

    Attributes:
        second: how the second row differs from ``SECOND``; None for a column that is gone.
        old_reads: whether the old package reads rows that were written later.
        added: a column with a default, which Spark's SQL cannot add; the table has format 3.
    """

    level: Level
    statements: tuple[str, ...]
    second: Mapping[str, str | None] = field(default_factory=dict)
    old_reads: bool = True
    added: Mapping[str, Any] | None = None


def _rename(old: str, new: str) -> str:
    return f"ALTER TABLE {{t}} RENAME COLUMN {old} TO {new}"


def _alter(change: str) -> str:
    return f"ALTER TABLE {{t}} ALTER COLUMN {change}"


def _drop(name: str) -> str:
    return f"ALTER TABLE {{t}} DROP COLUMN {name}"


def _add(column: str) -> str:
    return f"ALTER TABLE {{t}} ADD COLUMN {column}"


def _with_default(type_: str, default: Any, second: str, *, required: bool = False) -> Evolution:
    added = {"name": "more", "required": required, "type": type_, "initial-default": default}
    added["write-default"] = default
    return Evolution(MINOR, (), {"more": second}, added=added)


def _moved(old: str, new: str) -> Mapping[str, str | None]:
    return {old: None, new: SECOND[old]}


def _within(column: str, old: str, new: str) -> Mapping[str, str | None]:
    return {column: SECOND[column].replace(f"'{old}'", f"'{new}'")}


EVOLUTIONS: Mapping[str, Evolution] = {
    "rename": Evolution(MAJOR, (_rename("name", "title"),), _moved("name", "title")),
    "rename twice": Evolution(
        MAJOR, (_rename("name", "a"), _rename("a", "title")), _moved("name", "title")
    ),
    "rename there and back": Evolution(MINOR, (_rename("name", "a"), _rename("a", "name"))),
    "rename by case": Evolution(
        MAJOR,
        (
            "SET spark.sql.caseSensitive = true",
            _rename("name", "NAME"),
            "SET spark.sql.caseSensitive = false",
        ),
        _moved("name", "NAME"),
    ),
    "rename a required column": Evolution(MAJOR, (_rename("Id", "key"),), _moved("Id", "key")),
    "rename a column with an odd name": Evolution(
        MAJOR, (_rename("`größe 1`", "`größe 2`"),), _moved("`größe 1`", "`größe 2`")
    ),
    "rename a struct": Evolution(MAJOR, (_rename("s", "t"),), _moved("s", "t")),
    "rename in a struct": Evolution(MAJOR, (_rename("s.x", "z"),), _within("s", "x", "z")),
    "rename by case in a struct": Evolution(
        MAJOR, (_rename("s.x", "z"), _rename("s.z", "X")), _within("s", "x", "X")
    ),
    "rename in a list": Evolution(MAJOR, (_rename("l.element.q", "z"),), _within("l", "q", "z")),
    "rename in a struct in a list": Evolution(
        MAJOR, (_rename("l.element.d.e", "z"),), _within("l", "e", "z")
    ),
    "rename a struct in a list": Evolution(
        MAJOR, (_rename("l.element.d", "z"),), _within("l", "d", "z")
    ),
    "rename in a map": Evolution(MAJOR, (_rename("m.value.v", "z"),), _within("m", "v", "z")),
    "rename a list": Evolution(MAJOR, (_rename("l", "t"),), _moved("l", "t")),
    "rename a map": Evolution(MAJOR, (_rename("m", "t"),), _moved("m", "t")),
    "rename a map whose keys are not text": Evolution(
        MAJOR, (_rename("c", "t"),), _moved("c", "t")
    ),
    "rename a struct and in it": Evolution(
        MAJOR,
        (_rename("s", "t"), _rename("t.x", "z")),
        {"s": None, "t": _within("s", "x", "z")["s"]},
    ),
    "swap names": Evolution(
        MAJOR,
        (_rename("s.x", "z"), _rename("s.y", "x"), _rename("s.z", "y")),
    ),
    "move first": Evolution(MINOR, (_alter("price FIRST"),)),
    "move behind": Evolution(MINOR, (_alter("name AFTER price"),)),
    "move in a struct": Evolution(MINOR, (_alter("s.y FIRST"),)),
    "move in a list": Evolution(MINOR, (_alter("l.element.r FIRST"),)),
    "move in a map": Evolution(MINOR, (_alter("m.value.w FIRST"),)),
    "promote int": Evolution(MAJOR, (_alter("Id TYPE BIGINT"),), {"Id": LONG}, old_reads=False),
    "promote float": Evolution(
        MAJOR, (_alter("price TYPE DOUBLE"),), {"price": "0.1D"}, old_reads=False
    ),
    "promote decimal": Evolution(
        MAJOR,
        (_alter("amount TYPE DECIMAL(12,2)"),),
        {"amount": "1234567890.12BD"},
        old_reads=False,
    ),
    "promote in a struct": Evolution(
        MAJOR,
        (_alter("s.x TYPE BIGINT"),),
        {"s": f"named_struct('x', {LONG}, 'y', 22)"},
        old_reads=False,
    ),
    "promote in a list": Evolution(
        MAJOR,
        (_alter("l.element.d.e TYPE BIGINT"),),
        {"l": f"array(named_struct('q', 23, 'r', 24, 'd', named_struct('e', {LONG})))"},
        old_reads=False,
    ),
    "promote elements": Evolution(
        MAJOR, (_alter("n.element TYPE BIGINT"),), {"n": f"array({LONG})"}, old_reads=False
    ),
    "promote values of a map": Evolution(
        MAJOR, (_alter("c.value TYPE DOUBLE"),), {"c": "map(false, 0.1D)"}, old_reads=False
    ),
    "promote and rename": Evolution(
        MAJOR,
        (_alter("s.x TYPE BIGINT"), _rename("s.x", "z"), _rename("s", "t")),
        {"s": None, "t": f"named_struct('z', {LONG}, 'y', 22)"},
        old_reads=False,
    ),
    "drop": Evolution(MAJOR, (_drop("name"),), {"name": None}),
    "drop a struct": Evolution(MAJOR, (_drop("s"),), {"s": None}),
    "drop in a struct": Evolution(MAJOR, (_drop("s.x"),), {"s": "named_struct('y', 22)"}),
    "drop in a map": Evolution(
        MAJOR, (_drop("m.value.v"),), {"m": "map('k', named_struct('w', 27))"}
    ),
    "drop and add again": Evolution(MAJOR, (_drop("name"), _add("name STRING"))),
    "drop and add again in a struct": Evolution(MAJOR, (_drop("s.x"), _add("s.x INT"))),
    "drop and add with another type": Evolution(
        MAJOR, (_drop("name"), _add("name INT")), {"name": "3"}
    ),
    "rename and add its name": Evolution(
        MAJOR, (_rename("name", "title"), _add("name STRING")), {"title": WIDE}
    ),
    "add": Evolution(MINOR, (_add("more STRING COMMENT 'added'"),), {"more": WIDE}),
    "add first": Evolution(MINOR, (_add("more STRING FIRST"),), {"more": WIDE}),
    "add a struct": Evolution(
        MINOR, (_add("more STRUCT<a: INT>"),), {"more": "named_struct('a', 1)"}
    ),
    "add in a struct": Evolution(
        MINOR,
        (_add("s.more STRING"),),
        {"s": "named_struct('x', 21, 'y', 22, 'more', 'wide')"},
    ),
    "add in a list": Evolution(
        MINOR,
        (_add("l.element.more STRING AFTER q"),),
        {"l": "array(named_struct('q', 1, 'more', 'wide', 'r', 2, 'd', named_struct('e', 3)))"},
    ),
    "add in a map": Evolution(
        MINOR,
        (_add("m.value.more STRING"),),
        {"m": "map('k', named_struct('v', 26, 'w', 27, 'more', 'wide'))"},
    ),
    "required to optional": Evolution(
        MAJOR, (_alter("flag DROP NOT NULL"),), {"flag": "NULL"}, old_reads=False
    ),
    "document": Evolution(PATCH, (_alter("name COMMENT 'as written'"),)),
    "document in a struct": Evolution(PATCH, (_alter("s.x COMMENT 'other'"),)),
    "add with a default": _with_default("int", 5, "6"),
    "add required with a default": _with_default("string", "none", "'some'", required=True),
    "add a decimal with a default": _with_default("decimal(8, 2)", "-1.25", "0.25BD"),
    "add a date with a default": _with_default("date", "2026-02-03", "DATE '2000-01-01'"),
}
WORDS: Mapping[str, tuple[str, ...]] = {
    "rename": ("field `name` renamed to `title`",),
    "rename twice": ("field `name` renamed to `title`",),
    "rename there and back": (),
    "rename by case": ("field `name` renamed to `NAME`",),
    "rename a required column": ("field `Id` renamed to `key`",),
    "rename a column with an odd name": (
        "field `gr_xC3_xB6_xC3_x9Fe_x201` renamed to `gr_xC3_xB6_xC3_x9Fe_x202`",
    ),
    "rename a struct": (
        "field `s` renamed to `t`",
        "field `t`: record `s` renamed to `t`",
    ),
    "rename in a struct": ("field `s.x` renamed to `z`",),
    "rename by case in a struct": ("field `s.x` renamed to `X`",),
    "rename in a list": ("field `l[].q` renamed to `z`",),
    "rename in a struct in a list": ("field `l[].d.e` renamed to `z`",),
    "rename a struct in a list": (
        "field `l[].d` renamed to `z`",
        "field `l[].z`: record `l.d` renamed to `l.z`",
    ),
    "rename in a map": ("field `m{}.v` renamed to `z`",),
    "rename a list": (
        "field `l` renamed to `t`",
        "field `t[]`: record `l` renamed to `t`",
        "field `t[].d`: record `l.d` renamed to `t.d`",
    ),
    "rename a map": (
        "field `m` renamed to `t`",
        "field `t{}`: record `m` renamed to `t`",
    ),
    "rename a map whose keys are not text": (
        "field `c` renamed to `t`",
        "field `t[]`: record `c` renamed to `t`",
    ),
    "rename a struct and in it": (
        "field `s` renamed to `t`",
        "field `t`: record `s` renamed to `t`",
        "field `t.x` renamed to `z`",
    ),
    "swap names": (
        "field s.x is another column of the Iceberg table: its id changed from 13 to 14",
        "field s.y is another column of the Iceberg table: its id changed from 14 to 13",
        "fields of `s` reordered",
        "field `s.x`: documentation removed",
        "field `s.y`: documentation added",
    ),
    "move first": ("fields of the record reordered",),
    "move behind": ("fields of the record reordered",),
    "move in a struct": ("fields of `s` reordered",),
    "move in a list": ("fields of `l[]` reordered",),
    "move in a map": ("fields of `m{}` reordered",),
    "promote int": ("field `Id` changed from int to long",),
    "promote float": ("field `price` changed from float to double",),
    "promote decimal": ("field `amount` changed from decimal(9,2) to decimal(12,2)",),
    "promote in a struct": ("field `s.x` changed from int to long",),
    "promote in a list": ("field `l[].d.e` changed from int to long",),
    "promote elements": ("field `n[]` changed from int to long",),
    "promote values of a map": ("field `c[].value` changed from float to double",),
    "promote and rename": (
        "field `s` renamed to `t`",
        "field `t`: record `s` renamed to `t`",
        "field `t.x` renamed to `z`",
        "field `t.z` changed from int to long",
    ),
    "drop": ("field `name` removed",),
    "drop a struct": ("field `s` removed",),
    "drop in a struct": ("field `s.x` removed",),
    "drop in a map": ("field `m{}.v` removed",),
    "drop and add again": (
        "field name is another column of the Iceberg table: its id changed from 2 to 27",
        "fields of the record reordered",
    ),
    "drop and add again in a struct": (
        "field s.x is another column of the Iceberg table: its id changed from 13 to 27",
        "fields of `s` reordered",
        "field `s.x`: documentation removed",
    ),
    "drop and add with another type": (
        "field name is another column of the Iceberg table: its id changed from 2 to 27",
        "field `name` changed from string to int",
        "fields of the record reordered",
    ),
    "rename and add its name": (
        "field name is another column of the Iceberg table: its id changed from 2 to 27",
        "field `title` added: optional string, default null",
        "fields of the record reordered",
    ),
    "add": ("field `more` added: optional string, default null",),
    "add first": ("field `more` added: optional string, default null",),
    "add a struct": ("field `more` added: optional record `more`, default null",),
    "add in a struct": ("field `s.more` added: optional string, default null",),
    "add in a list": ("field `l[].more` added: optional string, default null",),
    "add in a map": ("field `m{}.more` added: optional string, default null",),
    "required to optional": (
        "field `flag` became optional",
        "field `flag`: default null added",
    ),
    "document": ("field `name`: documentation added",),
    "document in a struct": ("field `s.x`: documentation changed",),
    "add with a default": ("field `more` added: optional int, default 5",),
    "add required with a default": ('field `more` added: string, default "none"',),
    "add a decimal with a default": (
        'field `more` added: optional decimal(8,2) (bytes), default "\u0083"',
    ),
    "add a date with a default": ("field `more` added: optional date (int), default 20487",),
}
"""The reasons in the changelog, without those of properties and aliases, which follow from them."""
NARROWED_BY_ARROW = frozenset({
    ("promote float", "parquet"),
    ("promote values of a map", "parquet"),
})  # fmt: skip
"""The old package reads these later files, although ``old_reads`` is false: floats take doubles."""
MISREAD_BY_PYICEBERG = frozenset({
    ("drop a struct", "avro"),
    ("promote float", "avro"),
    ("promote values of a map", "avro"),
})  # fmt: skip
"""pyiceberg's reader of Avro cannot skip a dropped struct, and reads promoted doubles as floats.

Its scan of Parquet files judges these evolutions.
"""
