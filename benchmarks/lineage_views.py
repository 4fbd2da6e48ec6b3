"""Random queries made for lineage: a change of a value in what they read is seen in what they show.

All columns are small integers or short texts, of few rows: sums, comparisons, ranks and texts follow
each of their operands, where a function such as ``isnull`` would hide nearly every change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

NUMBER, TEXT = "number", "text"
KEY, GROUP = "id", "g"
ROWS = 9


@dataclass(frozen=True, slots=True)
class LineageTable:
    """``columns`` by name and kind; ``id`` and ``g`` are what joins and groups use."""

    name: str
    columns: tuple[tuple[str, str], ...]

    def changeable(self) -> list[str]:
        """Keys are left alone: other keys would leave nothing of most joins."""
        return [name for name, _ in self.columns if not name.endswith((f"_{KEY}", f"_{GROUP}"))]

    def rows(self, random: Random) -> list[list[str]]:
        return [
            [
                str(place) if name.endswith(f"_{KEY}") else value(random, name, kind)
                for name, kind in self.columns
            ]
            for place in range(ROWS)
        ]


def value(random: Random, name: str, kind: str) -> str:
    if name.endswith(f"_{GROUP}"):
        return str(random.randrange(3))
    if kind == NUMBER:
        return str(random.randrange(20))
    return f"'{random.choice('abcdef')}{random.choice('xyz')}'"


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


@dataclass(frozen=True, slots=True)
class _Rows:
    """What stands in FROM: ``columns`` as written there, the first two the key and the group."""

    text: str
    columns: tuple[tuple[str, str], ...]


class Grower:
    """Grows one query; every query shows a key, a group and some values."""

    def __init__(self, random: Random, lake: Sequence[LineageTable]) -> None:
        self._random = random
        self._lake = lake
        self._names = 0

    def query(self, depth: int) -> str:
        return self._query(depth)[0]

    def _query(self, depth: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        """A SELECT and its columns: k, grp and values v0, v1, …."""
        kind = self._random.random()
        if depth > 1 and kind < 0.15:
            return self._combined(depth)
        source = self._source(depth)
        if kind < 0.35:
            return self._grouped(source)
        return self._projected(source)

    def _name(self) -> str:
        self._names += 1
        return f"n{self._names}"

    # FROM

    def _source(self, depth: int) -> _Rows:
        rows = self._one(depth)
        if self._random.random() < 0.45:
            other = self._one(depth - 1)
            side = self._random.choice(("JOIN", "LEFT JOIN", "FULL JOIN", "JOIN"))
            on = f"{rows.columns[0][0]} = {other.columns[0][0]}"
            if self._random.random() < 0.3:
                on += f" AND {self._number(rows)} > {self._number(other)}"
            return _Rows(
                f"{rows.text} {side} {other.text} ON {on}", (*rows.columns, *other.columns[2:])
            )
        if self._random.random() < 0.2:
            view = self._name()
            array = f"array({self._number(rows)}, {self._number(rows)})"
            return _Rows(
                f"{rows.text} LATERAL VIEW explode({array}) {view} AS e",
                (*rows.columns, (f"{view}.e", NUMBER)),
            )
        return rows

    def _one(self, depth: int) -> _Rows:
        name = self._name()
        if depth <= 1 or self._random.random() < 0.3:
            table = self._random.choice(self._lake)
            return _Rows(
                f"{table.name} AS {name}", tuple((f"{name}.{c}", k) for c, k in table.columns)
            )
        text, columns = self._query(depth - 1)
        return _Rows(f"({text}) AS {name}", tuple((f"{name}.{c}", k) for c, k in columns))

    # expressions

    def _column(self, rows: _Rows, kind: str) -> str:
        fitting = [name for name, of in rows.columns[2:] if of == kind]
        return self._random.choice(fitting) if fitting else ("7" if kind == NUMBER else "'q'")

    def _number(self, rows: _Rows) -> str:
        return self._column(rows, NUMBER)

    def _expression(self, rows: _Rows) -> tuple[str, str]:
        a, b = self._number(rows), self._number(rows)
        text = self._column(rows, TEXT)
        table = self._random.choice(self._lake)
        inner = f"{table.name}.{table.name}"
        return self._random.choice(
            (
                (f"{a} + 3 * {b}", NUMBER),
                (f"{a} - {b}", NUMBER),
                (a, NUMBER),
                (text, TEXT),
                (f"concat({text}, '-', {a})", TEXT),
                (f"CASE WHEN {a} > 9 THEN {b} ELSE 100 + {a} END", NUMBER),
                (f"if({text} < 'd', {a}, -1 - {b})", NUMBER),
                (f"named_struct('p', {a}, 'q', {b}).p", NUMBER),
                (f"coalesce(nullif({a}, 4), {b})", NUMBER),
                (
                    f"(SELECT sum({inner}_x) FROM {table.name} WHERE {inner}_g = {rows.columns[1][0]})",
                    NUMBER,
                ),
                (f"sum({a}) OVER (PARTITION BY {rows.columns[1][0]})", NUMBER),
                (f"rank() OVER (ORDER BY {a})", NUMBER),
                (
                    f"lag({a}) OVER (PARTITION BY {rows.columns[1][0]} ORDER BY {b}, {rows.columns[0][0]})",
                    NUMBER,
                ),
            )
        )

    def _condition(self, rows: _Rows) -> str:
        a, b = self._number(rows), self._number(rows)
        table = self._random.choice(self._lake)
        inner = f"{table.name}.{table.name}"
        return self._random.choice(
            (
                f"{a} > 8",
                f"{a} % 2 = 0",
                f"{a} >= {b}",
                f"{self._column(rows, TEXT)} LIKE 'a%' OR {a} < 12",
                f"{a} IN (SELECT {inner}_y FROM {table.name})",
                f"{a} NOT IN (SELECT {inner}_x FROM {table.name} WHERE {inner}_y > 9)",
                f"EXISTS (SELECT 1 FROM {table.name} WHERE {inner}_x = {a} % 10)",
                f"{a} > (SELECT avg({inner}_x) FROM {table.name})",
            )
        )

    # SELECT

    def _projected(self, rows: _Rows) -> tuple[str, tuple[tuple[str, str], ...]]:
        items = [self._expression(rows) for _ in range(self._random.randint(1, 3))]
        columns = (
            ("k", NUMBER),
            ("grp", NUMBER),
            *((f"v{n}", k) for n, (_, k) in enumerate(items)),
        )
        shown = [rows.columns[0][0], rows.columns[1][0], *(text for text, _ in items)]
        listed = ", ".join(f"{t} AS {c}" for t, (c, _) in zip(shown, columns, strict=True))
        distinct = "DISTINCT " if self._random.random() < 0.1 else ""
        text = f"SELECT {distinct}{listed} FROM {rows.text}"
        if self._random.random() < 0.45:
            text += f" WHERE {self._condition(rows)}"
        if self._random.random() < 0.15 and not distinct:
            # Not LIMIT: which of equal rows it keeps, nobody says.
            text += f" QUALIFY rank() OVER (ORDER BY {self._number(rows)}) <= 4"
        return text, columns

    def _grouped(self, rows: _Rows) -> tuple[str, tuple[tuple[str, str], ...]]:
        a, b = self._number(rows), self._number(rows)
        made = self._random.sample(
            (f"sum({a} + {b})", f"max({a})", f"min({b})", "count(*)", f"sum(if({a} > 9, {b}, 1))"),
            2,
        )
        key = rows.columns[1][0]
        having = f" HAVING sum({self._number(rows)}) > 25" if self._random.random() < 0.3 else ""
        text = (
            f"SELECT {key} AS k, {key} AS grp, {made[0]} AS v0, {made[1]} AS v1"
            f" FROM {rows.text} GROUP BY {key}{having}"
        )
        return text, (("k", NUMBER), ("grp", NUMBER), ("v0", NUMBER), ("v1", NUMBER))

    def _combined(self, depth: int) -> tuple[str, tuple[tuple[str, str], ...]]:
        first, columns = self._query(depth - 1)
        second, others = self._query(depth - 1)
        operator = self._random.choice(("UNION ALL", "UNION", "EXCEPT", "INTERSECT"))
        kinds = [k for _, k in columns[2:]], [k for _, k in others[2:]]
        if kinds[0] != kinds[1] or operator in {"EXCEPT", "INTERSECT"}:
            # Whole rows of two queries hardly ever meet: one column and the group do.
            number = [next((c for c, k in q[2:] if k == NUMBER), "k") for q in (columns, others)]
            first = f"SELECT grp AS k, grp, {number[0]} % 5 AS v0 FROM ({first}) AS {self._name()}"
            second = (
                f"SELECT grp AS k, grp, {number[1]} % 5 AS v0 FROM ({second}) AS {self._name()}"
            )
            columns = (("k", NUMBER), ("grp", NUMBER), ("v0", NUMBER))
        return f"({first}) {operator} ({second})", columns
