"""Random queries for lineage: a change of a value that they read changes a value that they return.

All columns are small integers or short texts. Sums, comparisons, ranks and texts depend on each of
their operands, while a function such as ``isnull`` would hide nearly every change. The result does not
depend on the order in which an engine reads equal rows.

A query is written for the rows of one world. With the text that ``beside`` marks, it reads the rows of
many worlds at once, keeps them apart, and has the number of the world as one more column. ``either``
marks text that differs between two engines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Literal

EngineName = Literal["spark", "duckdb"]
NUMBER, TEXT = "number", "text"
KEY, GROUP = "id", "g"
WORLD: Final = "world"

_BEGIN, _END = "\x01", "\x02"
_BESIDE: Final = re.compile(f"{_BEGIN}[^{_END}]*{_END}")
_FIRST, _OR, _LAST = "\x03", "\x04", "\x05"
_EITHER: Final = re.compile(f"{_FIRST}([^{_OR}]*){_OR}([^{_LAST}]*){_LAST}")


def beside(text: str) -> str:
    """Marks text that only a query over many worlds has."""
    return f"{_BEGIN}{text}{_END}"


def either(spark: str, duckdb: str) -> str:
    """Marks texts of the same meaning in both engines; neither contains another such mark."""
    return f"{_FIRST}{spark}{_OR}{duckdb}{_LAST}"


def of_one_world(text: str, engine: EngineName = "spark") -> str:
    return _BESIDE.sub("", _written_for(engine, text))


def of_many_worlds(text: str, engine: EngineName = "spark") -> str:
    return _written_for(engine, text).replace(_BEGIN, "").replace(_END, "")


def _written_for(engine: EngineName, text: str) -> str:
    return _EITHER.sub(r"\1" if engine == "spark" else r"\2", text)


@dataclass(frozen=True, slots=True)
class LineageTable:
    """``columns`` by name and kind; joins and groups use ``id`` and ``g``."""

    name: str
    columns: tuple[tuple[str, str], ...]

    def changeable(self) -> list[str]:
        """All columns but the keys: with other keys most joins would have no rows."""
        return [name for name, _ in self.columns if not name.endswith((f"_{KEY}", f"_{GROUP}"))]


def tables(count: int = 4) -> list[LineageTable]:
    return [
        LineageTable(
            f"t{number}",
            (
                (f"t{number}_{KEY}", NUMBER),
                (f"t{number}_{GROUP}", NUMBER),
                (f"t{number}_x", NUMBER),
                (f"t{number}_y", NUMBER),
                (f"t{number}_s", TEXT),
            ),
        )
        for number in range(count)
    ]


_JOINS: Final = (
    *("JOIN", "JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "FULL JOIN"),
    *("LEFT SEMI JOIN", "LEFT ANTI JOIN"),
)
_HALF: Final = _JOINS[-2:]
"""Joins that return only the left side."""
_Columns = tuple[tuple[str, str], ...]
_SHOWN: Final[_Columns] = (("k", NUMBER), ("grp", NUMBER))


@dataclass(frozen=True, slots=True)
class _Rows:
    """A FROM clause's rows.

    Attributes:
        columns: as written there; the first two are the key and the group.
        world: the expression for a row's world.
    """

    text: str
    columns: _Columns
    world: str

    @property
    def key(self) -> str:
        return self.columns[0][0]

    @property
    def group(self) -> str:
        return self.columns[1][0]


def _then(text: str) -> str:
    """A further text of a concatenation, which is null if one of its texts is."""
    return either(", ", " || ") + text


class Grower:
    """Grows one query; every query shows a key, a group and some values."""

    def __init__(self, random: Random, lake: Sequence[LineageTable]) -> None:
        self._random = random
        self._lake = lake
        self._names = 0

    def query(self, depth: int) -> str:
        return self._query(depth, outermost=True)[0]

    def _query(self, depth: int, *, outermost: bool = False) -> tuple[str, _Columns]:
        """A SELECT and its columns: k, grp and values v0, v1, …."""
        kind = self._random.random()
        if depth > 1 and kind < 0.15:
            return self._combined(depth)
        source = self._source(depth)
        if kind < 0.35:
            return self._grouped(source)
        return self._projected(source, outermost=outermost)

    def _name(self) -> str:
        self._names += 1
        return f"n{self._names}"

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    # FROM

    def _source(self, depth: int) -> _Rows:
        rows = self._one(depth)
        if self._chance(0.45):
            return self._joined(rows, self._one(depth - 1))
        if self._chance(0.2):
            return self._exploded(rows)
        return rows

    def _one(self, depth: int) -> _Rows:
        name = self._name()
        if depth <= 1 or self._chance(0.3):
            table = self._random.choice(self._lake)
            columns = tuple((f"{name}.{c}", k) for c, k in table.columns)
            return _Rows(f"{table.name} AS {name}", columns, f"{name}.{WORLD}")
        text, columns = self._query(depth - 1)
        named = tuple((f"{name}.{c}", k) for c, k in columns)
        return _Rows(f"({text}) AS {name}", named, f"{name}.{WORLD}")

    def _joined(self, left: _Rows, right: _Rows) -> _Rows:
        kind = self._random.choice(_JOINS)
        on = f"{left.key} = {right.key}"
        if self._chance(0.3):
            on += f" AND {self._numbers(left, 1)[0]} > {self._numbers(right, 1)[0]}"
        on += beside(f" AND {left.world} = {right.world}")
        written = either(kind, kind.removeprefix("LEFT ")) if kind in _HALF else kind
        text = f"{left.text} {written} {right.text} ON {on}"
        if kind in _HALF:
            return _Rows(text, left.columns, left.world)
        world = {
            "RIGHT JOIN": right.world,
            "FULL JOIN": f"coalesce({left.world}, {right.world})",
        }.get(kind, left.world)
        return _Rows(text, (*left.columns, *right.columns[2:]), world)

    def _exploded(self, rows: _Rows) -> _Rows:
        view = self._name()
        a, b = self._numbers(rows, 2)
        # Below 1 Spark counts down.
        end = f"{a} % 3 + 1"
        array, other, is_outer = self._random.choice(
            (
                (f"array({a}, {b})", f"[{a}, {b}]", False),
                (f"array({a}, {b})", f"[{a}, {b}]", False),
                (
                    f"if({a} > 9, array({b}, {a}), array({b}))",
                    f"if({a} > 9, [{b}, {a}], [{b}])",
                    False,
                ),
                (
                    f"sequence(1, {end})",
                    f"generate_series(1, CAST({end} AS BIGINT), if({end} < 1, -1, 1))",
                    False,
                ),
                (
                    f"filter(array({a}, {b}), e -> e > 8)",
                    f"list_filter([{a}, {b}], lambda e: e > 8)",
                    True,
                ),
            )
        )
        spark = f"LATERAL VIEW {'OUTER ' if is_outer else ''}explode({array}) {view} AS e"
        joined = f"{'LEFT' if is_outer else 'INNER'} JOIN LATERAL"
        duckdb = f"{joined} (SELECT unnest({other}) AS e) AS {view} ON true"
        return _Rows(
            f"{rows.text} {either(spark, duckdb)}",
            (*rows.columns, (f"{view}.e", NUMBER)),
            rows.world,
        )

    # expressions

    def _numbers(self, rows: _Rows, count: int) -> list[str]:
        """Different numbers, so that none is compared with itself."""
        fitting = list(dict.fromkeys(name for name, kind in rows.columns[2:] if kind == NUMBER))
        if len(fitting) < count:
            fitting += [rows.group, rows.key]
        return self._random.sample(fitting, count)

    def _text(self, rows: _Rows) -> str:
        fitting = [name for name, kind in rows.columns[2:] if kind == TEXT]
        if fitting:
            return self._random.choice(fitting)
        code = f"97 + abs({self._numbers(rows, 1)[0]}) % 6"
        return either(f"char({code})", f"chr(CAST({code} AS INTEGER))")

    def _expression(self, rows: _Rows, *, outermost: bool) -> tuple[str, str]:
        a, b = self._numbers(rows, 2)
        text = self._text(rows)
        world = rows.world
        by_group = f"PARTITION BY {rows.group}{beside(f', {world}')}"
        choices = [
            (f"{a} + 3 * {b}", NUMBER),
            (f"{a} - {b}", NUMBER),
            (a, NUMBER),
            (text, TEXT),
            (either("concat(", "(") + text + _then("'-'") + _then(a) + ")", TEXT),
            (f"CASE WHEN {a} > 9 THEN {b} ELSE 100 + {a} END", NUMBER),
            (f"if({text} < 'd', {a}, -1 - {b})", NUMBER),
            (
                either(f"named_struct('p', {a}, 'q', {b}).p", f"struct_pack(p := {a}, q := {b}).p"),
                NUMBER,
            ),
            (f"coalesce(nullif({a}, 4), {b})", NUMBER),
            (f"greatest({a}, {b})", NUMBER),
            (self._correlated(rows), NUMBER),
            (f"sum({a}) OVER ({by_group})", NUMBER),
            (f"sum({a}) OVER ({by_group} ORDER BY {b})", NUMBER),
            (f"rank() OVER ({beside(f'PARTITION BY {world} ')}ORDER BY {a})", NUMBER),
        ]
        if outermost:
            # The order of equal rows is undefined, but their values are equal.
            choices.append((f"lag({a}) OVER ({by_group} ORDER BY {b}, {a})", NUMBER))
        return self._random.choice(choices)

    def _correlated(self, rows: _Rows) -> str:
        table = self._random.choice(self._lake).name
        return (
            f"(SELECT sum({table}.{table}_x) FROM {table} WHERE {table}.{table}_g = {rows.group}"
            f"{self._same_world(table, rows)})"
        )

    @staticmethod
    def _same_world(table: str, rows: _Rows, before: str = "AND") -> str:
        return beside(f" {before} {table}.{WORLD} = {rows.world}")

    def _condition(self, rows: _Rows) -> str:
        a, b = self._numbers(rows, 2)
        t = self._random.choice(self._lake).name
        and_same, where_same = self._same_world(t, rows), self._same_world(t, rows, "WHERE")
        return self._random.choice(
            (
                f"{a} > 8",
                f"{a} % 2 = 0",
                f"{a} >= {b}",
                f"{self._text(rows)} LIKE 'a%' OR {a} < 12",
                f"{a} IN (SELECT {t}.{t}_y FROM {t}{where_same})",
                f"{a} NOT IN (SELECT {t}.{t}_x FROM {t} WHERE {t}.{t}_y > 9{and_same})",
                f"EXISTS (SELECT 1 FROM {t} WHERE {t}.{t}_x = {a} % 10{and_same})",
                f"{a} > (SELECT avg({t}.{t}_x) FROM {t}{where_same})",
            )
        )

    # SELECT

    def _projected(self, rows: _Rows, *, outermost: bool) -> tuple[str, _Columns]:
        is_distinct = self._chance(0.1)
        is_qualified = not is_distinct and self._chance(0.15)
        lags = outermost and not is_distinct and not is_qualified
        count = self._random.randint(1, 3)
        items = [self._expression(rows, outermost=lags) for _ in range(count)]
        columns = (*_SHOWN, *((f"v{n}", k) for n, (_, k) in enumerate(items)))
        shown = [rows.key, rows.group, *(text for text, _ in items)]
        listed = ", ".join(f"{t} AS {c}" for t, (c, _) in zip(shown, columns, strict=True))
        listed += beside(f", {rows.world} AS {WORLD}")
        text = f"SELECT {'DISTINCT ' if is_distinct else ''}{listed} FROM {rows.text}"
        if self._chance(0.45):
            text += f" WHERE {self._condition(rows)}"
        if is_qualified:
            # Not LIMIT: which equal rows it keeps is undefined.
            within = beside(f"PARTITION BY {rows.world} ")
            text += f" QUALIFY rank() OVER ({within}ORDER BY {self._numbers(rows, 1)[0]}) <= 4"
        return text, columns

    def _grouped(self, rows: _Rows) -> tuple[str, _Columns]:
        a, b = self._numbers(rows, 2)
        made = self._random.sample(
            (
                f"sum({a} + {b})",
                f"max({a})",
                f"min({b})",
                "count(*)",
                f"count(DISTINCT {a})",
                f"sum(if({a} > 9, {b}, 1))",
                f"sum({a}) FILTER (WHERE {b} > 8)",
            ),
            2,
        )
        key = rows.group
        having = f" HAVING sum({self._numbers(rows, 1)[0]}) > 25" if self._chance(0.3) else ""
        text = (
            f"SELECT {key} AS k, {key} AS grp, {made[0]} AS v0, {made[1]} AS v1"
            f"{beside(f', {rows.world} AS {WORLD}')}"
            f" FROM {rows.text} GROUP BY {key}{beside(f', {rows.world}')}{having}"
        )
        return text, (*_SHOWN, ("v0", NUMBER), ("v1", NUMBER))

    def _combined(self, depth: int) -> tuple[str, _Columns]:
        first, columns = self._query(depth - 1)
        second, others = self._query(depth - 1)
        operator = self._random.choice(("UNION ALL", "UNION", "EXCEPT", "INTERSECT"))
        kinds = [k for _, k in columns[2:]], [k for _, k in others[2:]]
        if kinds[0] != kinds[1] or operator in {"EXCEPT", "INTERSECT"}:
            # Whole rows of two queries are hardly ever equal: we compare one column and the group.
            first, second = self._narrow(first, columns), self._narrow(second, others)
            columns = (*_SHOWN, ("v0", NUMBER))
        return f"({first}) {operator} ({second})", columns

    def _narrow(self, query: str, columns: _Columns) -> str:
        number = next((c for c, k in columns[2:] if k == NUMBER), "k")
        return (
            f"SELECT grp AS k, grp, {number} % 5 AS v0{beside(f', {WORLD}')}"
            f" FROM ({query}) AS {self._name()}"
        )
