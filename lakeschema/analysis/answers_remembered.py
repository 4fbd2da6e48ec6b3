"""Caches answers by fingerprint. An answer is valid while the statement's tables are unchanged.

Only recently used answers are kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from lakeschema.analysis.catalog import KnownTable
from lakeschema.catalog.identifiers import RelationName

T = TypeVar("T")

MAX_REMEMBERED: Final = 30_000
"""The maximum number of fingerprints; each takes about 8 kB."""
_MAX_VERSIONS: Final = 4
"""The maximum number of answers for one fingerprint, for different versions of its tables."""


@dataclass(frozen=True, slots=True)
class _Answer(Generic[T]):
    """A cached answer. ``tables`` has each table that was looked up; None for an unknown table."""

    tables: tuple[tuple[RelationName, KnownTable | None], ...]
    found: T

    def holds(self, tables: Mapping[RelationName, KnownTable]) -> bool:
        for name, table in self.tables:
            now = tables.get(name)
            if now is not table and now != table:
                return False
        return True


class RememberedAnswers(Generic[T]):
    """A cache with two generations of answers.

    When the younger generation is full, it replaces the older one. An answer that is used moves to the
    younger generation. So statements that occur only once never displace repeated statements.
    """

    def __init__(self, max_remembered: int = MAX_REMEMBERED) -> None:
        self._max_young = max(max_remembered // 2, 1)
        self._young: dict[Hashable, tuple[_Answer[T], ...]] = {}
        self._old: dict[Hashable, tuple[_Answer[T], ...]] = {}

    def find(self, key: Hashable, tables: Mapping[RelationName, KnownTable]) -> T | None:
        """The cached answer under this key that is valid for these tables."""
        for answer in self._answers(key):
            if answer.holds(tables):
                return answer.found
        return None

    def add(self, key: Hashable, looked_up: LookedUp, found: T) -> None:
        """Adds an answer that depends only on the tables that were looked up."""
        if looked_up.was_listed:
            return
        made = _Answer(tuple(looked_up.seen.items()), found)
        self._keep(key, (made, *self._answers(key))[:_MAX_VERSIONS])

    def _answers(self, key: Hashable) -> tuple[_Answer[T], ...]:
        found = self._young.get(key)
        if found is not None:
            return found
        found = self._old.pop(key, ())
        if found:
            self._keep(key, found)
        return found

    def _keep(self, key: Hashable, answers: tuple[_Answer[T], ...]) -> None:
        if len(self._young) >= self._max_young:
            self._old = self._young
            self._young = {}
        self._young[key] = answers


class LookedUp(Mapping[RelationName, KnownTable]):
    """A mapping of a catalog's tables; it records which tables are looked up."""

    def __init__(self, tables: Mapping[RelationName, KnownTable]) -> None:
        self._tables = tables
        self.seen: dict[RelationName, KnownTable | None] = {}
        self.was_listed = False

    def __getitem__(self, name: RelationName) -> KnownTable:
        table = self._tables.get(name)
        self.seen[name] = table
        if table is None:
            raise KeyError(name)
        return table

    def __iter__(self) -> Iterator[RelationName]:
        self.was_listed = True
        return iter(self._tables)

    def __len__(self) -> int:
        self.was_listed = True
        return len(self._tables)
