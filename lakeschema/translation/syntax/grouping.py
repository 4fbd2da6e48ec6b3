"""Reads GROUP BY with ROLLUP, CUBE and GROUPING SETS: keys, and sets of their indices."""

from __future__ import annotations

from itertools import combinations
from typing import TypeAlias

from lakeschema.translation.model.errors import TooLarge
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.expressions import Expressions

MAX_SETS = 4096

_Set: TypeAlias = tuple[int, ...]


def grouping_of(cursor: Expressions) -> tree.Grouping:
    """Reads the clause after GROUP BY.

    Several forms combine by cross product, as in the standard.
    """
    if cursor.word == "ALL" and cursor.ahead().word not in {"(", "."}:
        cursor.advance()
        return tree.Grouping((), of_all=True)
    return _Reader(cursor).grouping()


class _Reader:
    """Reads the keys of one GROUP BY, and gives them indices."""

    def __init__(self, cursor: Expressions) -> None:
        self._cursor = cursor
        self._keys: dict[tree.Expression, int] = {}

    def grouping(self) -> tree.Grouping:
        cursor = self._cursor
        factors: list[list[_Set]] = []
        plain: list[int] = []
        while True:
            sets = self._sets()
            if sets is None:
                plain.append(self._index(cursor.expression()))
            else:
                factors.append(sets)
            if not cursor.take(","):
                break
        if not factors and (explicit := self._behind(plain)) is not None:
            return tree.Grouping(tuple(self._keys), tuple(explicit))
        if not factors:
            return tree.Grouping(tuple(self._keys))
        combined: list[_Set] = [tuple(plain)]
        for factor in factors:
            _check(len(combined) * len(factor), "GROUP BY")
            combined = [(*left, *right) for left in combined for right in factor]
        return tree.Grouping(tuple(self._keys), tuple(tuple(dict.fromkeys(s)) for s in combined))

    def _behind(self, plain: list[int]) -> list[_Set] | None:
        """Reads the sets in ``GROUP BY a, b WITH ROLLUP`` or ``GROUP BY a, b GROUPING SETS (…)``.

        The sets replace the plain keys, and may name them differently, such as by number.
        """
        cursor = self._cursor
        for word, combine in (("ROLLUP", _rollup), ("CUBE", _cube)):
            if cursor.take("WITH", word):
                return combine([(key,) for key in plain])
        return self._sets()

    def _sets(self) -> list[_Set] | None:
        """Reads the sets of ROLLUP, CUBE, GROUPING SETS or ``()``.

        None if none of these comes next.
        """
        cursor = self._cursor
        if cursor.comes("(", ")"):
            return [self._group()]
        if cursor.comes("ROLLUP", "("):
            cursor.advance()
            return _rollup(self._groups())
        if cursor.comes("CUBE", "("):
            cursor.advance()
            return _cube(self._groups())
        if cursor.comes("GROUPING", "SETS"):
            cursor.back_to(cursor.index + 2)
            return self._groups(nested=True)
        return None

    def _groups(self, *, nested: bool = False) -> list[_Set]:
        """Reads sets, each one key, or several in parentheses.

        With ``nested`` also forms like ROLLUP.
        """
        cursor = self._cursor
        cursor.expect("(")
        cursor.deeper()
        found: list[_Set] = []
        while True:
            sets = self._sets() if nested else None
            found += [self._group()] if sets is None else sets
            if not cursor.take(","):
                break
        cursor.shallower()
        cursor.expect(")")
        return found

    def _group(self) -> _Set:
        cursor = self._cursor
        if cursor.comes("(", ")"):
            cursor.back_to(cursor.index + 2)
            return ()
        key = cursor.expression()
        return tuple(self._index(k) for k in (key.items if isinstance(key, tree.Tuple) else (key,)))

    def _index(self, key: tree.Expression) -> int:
        return self._keys.setdefault(key, len(self._keys))


def _rollup(groups: list[_Set]) -> list[_Set]:
    return [_flat(groups[:length]) for length in range(len(groups), -1, -1)]


def _cube(groups: list[_Set]) -> list[_Set]:
    _check(2 ** len(groups), "CUBE")
    return [
        _flat(part)
        for length in range(len(groups), -1, -1)
        for part in combinations(groups, length)
    ]


def _flat(groups: list[_Set] | tuple[_Set, ...]) -> _Set:
    return tuple(key for group in groups for key in group)


def _check(count: int, what: str) -> None:
    if count > MAX_SETS:
        raise TooLarge(f"{what} has more than {MAX_SETS} grouping sets")
