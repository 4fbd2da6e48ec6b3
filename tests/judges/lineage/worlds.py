"""Many worlds of the same tables: rows, and the same rows with other values in one column.

Some worlds are bases. Each base has its own few values, close to those that random queries compare
with: values that recur make rows match, tie and vanish. Other worlds are a base with one changed column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, TypeAlias

from tests.judges.lineage.views import GROUP, KEY, LineageTable

UNCHANGED: Final = -1
Changed: TypeAlias = tuple[str, str]
"""A table and its column."""
_Value: TypeAlias = int | str | None
_Values: TypeAlias = list[_Value]

_WIDE: Final = tuple(range(21))
_COMPARED_WITH: Final = (4, 8, 9, 12)
_MOST_ROWS: Final = 9


@dataclass(frozen=True, slots=True)
class Version:
    """``base`` is the number of another version, ``changed`` of a column of the worlds."""

    base: int
    changed: int


@dataclass(frozen=True, slots=True)
class Worlds:
    """``rows`` by table: the number of the changed column, the number of the world, then the values."""

    columns: tuple[Changed, ...]
    versions: tuple[Version, ...]
    rows: dict[str, list[tuple[_Value, ...]]]


def worlds(random: Random, lake: Sequence[LineageTable], bases: int) -> Worlds:
    columns = tuple((table.name, column) for table in lake for column in table.changeable())
    versions: list[Version] = []
    rows: dict[str, list[tuple[_Value, ...]]] = {table.name: [] for table in lake}
    for _ in range(bases):
        domain = _Domain.drawn(random)
        base = {table.name: domain.table(random, table) for table in lake}
        first = len(versions)
        made: list[tuple[int, dict[str, list[_Values]]]] = [(UNCHANGED, base)]
        for number, (name, column) in enumerate(columns):
            table = next(t for t in lake if t.name == name)
            place = [c for c, _ in table.columns].index(column)
            for values in domain.changes(random, [row[place] for row in base[name]], column):
                pairs = zip(base[name], values, strict=True)
                changed = [[*row[:place], value, *row[place + 1 :]] for row, value in pairs]
                made.append((number, {**base, name: changed}))
        for number, contents in made:
            for name, table_rows in contents.items():
                rows[name] += [(number, len(versions), *row) for row in table_rows]
            versions.append(Version(first, number))
    return Worlds(columns, tuple(versions), rows)


@dataclass(frozen=True, slots=True)
class _Domain:
    """The values of a base, and how often a value is null."""

    numbers: tuple[int, ...]
    texts: tuple[str, ...]
    groups: int
    keys: int
    nulls: float

    @classmethod
    def drawn(cls, random: Random) -> _Domain:
        near = random.choice(_COMPARED_WITH)
        numbers = random.choice(
            (
                _WIDE,
                _WIDE,
                tuple(random.sample(_WIDE, 3)),
                (near - 1, near, near + 1),
                (near, random.choice(_WIDE)),
                (0, 1, 2),
            )
        )
        letters = random.choice(("abcdef", "abcdef", "cd", "acd", "ae"))
        endings = random.choice(("xyz", "x", "xy"))
        return cls(
            numbers,
            tuple(a + b for a in letters for b in endings),
            random.choice((1, 2, 3, 3)),
            random.choice((2, 4, _MOST_ROWS)),
            random.choice((0.0, 0.0, 0.2)),
        )

    def table(self, random: Random, table: LineageTable) -> list[_Values]:
        count = random.choice((1, 2, 4, 6, _MOST_ROWS))
        return [
            [
                place
                if name.endswith(f"_{KEY}") and self.keys == _MOST_ROWS
                else self.value(random, name)
                for name, _ in table.columns
            ]
            for place in range(count)
        ]

    def value(self, random: Random, name: str) -> _Value:
        if name.endswith(f"_{KEY}"):
            return random.randrange(self.keys)
        if name.endswith(f"_{GROUP}"):
            return random.randrange(self.groups)
        if random.random() < self.nulls:
            return None
        if name.endswith("_s"):
            return random.choice(self.texts)
        return random.choice(self.numbers)

    def changes(self, random: Random, values: _Values, name: str) -> list[_Values]:
        """Four changes of a column: all values drawn again, one changed, all a little greater, one null."""
        one = random.randrange(len(values))
        any_text = random.choice("abcdef") + random.choice("xyz")
        other = any_text if name.endswith("_s") else random.choice(_WIDE)
        return [
            [self.value(random, name) for _ in values],
            [other if place == one else value for place, value in enumerate(values)],
            [_next(value) for value in values],
            [None if place == one else value for place, value in enumerate(values)],
        ]


def _next(value: _Value) -> _Value:
    match value:
        case int():
            return value + 1
        case str():
            return chr(ord(value[0]) + 1) + value[1:]
        case None:
            return None
