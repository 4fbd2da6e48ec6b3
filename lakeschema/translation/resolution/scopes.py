"""Resolves the names in one FROM clause: its relations, their columns, and ``*``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from lakeschema.catalog.identifiers import parts_of_one
from lakeschema.translation.model.errors import AmbiguousColumn, Position, UnsupportedConstruct
from lakeschema.translation.plan.expressions import (
    ColumnReference,
)
from lakeschema.translation.plan.relations import (
    Plan,
)

_NOTHING: Mapping[str, tuple[int, ...]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Source:
    """One named relation of FROM; its columns start at ``start`` in the plan.

    ``qualifier`` and ``names`` are in lower case; an unnamed sub-query has no qualifier.
    ``is_table``: whether it is read from the catalog, not from a query.
    """

    qualifier: tuple[str, ...]
    names: tuple[str, ...]
    start: int
    is_table: bool = False

    def answers_to(self, qualifier: tuple[str, ...]) -> bool:
        """Whether a qualifier means this source: ``t``, ``db.t`` or ``spark_catalog.db.t``."""
        if qualifier[:1] == ("spark_catalog",) and len(qualifier) > len(self.qualifier):
            qualifier = qualifier[1:]
        return bool(qualifier) and any(
            self.qualifier[-len(parts) :] == parts for parts in (qualifier, parts_of_one(qualifier))
        )


@dataclass(frozen=True, slots=True)
class StarItem:
    """A column of ``*``. A column of FULL JOIN … USING has two indices, one for each side."""

    name: str
    indices: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that one FROM clause offers.

    Attributes:
        merged: for each name in USING, the indices of the columns that the name means without a
            qualifier.
        padded: the indices of columns that an outer join may fill with nulls.
        hidden: the indices of columns that USING removes from ``*``, but not from ``t.*``. They are in
            the order from the last join to the first; None in Hive.
        has_stars: whether the columns of ``t.*`` are known. After USING and another join, they
            depend on how Hive merges joins.
    """

    plan: Plan
    sources: tuple[Source, ...]
    star: tuple[StarItem, ...]
    merged: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: _NOTHING)
    padded: frozenset[int] = frozenset()
    hidden: tuple[int, ...] | None = None
    has_stars: bool = True

    def with_plan(self, plan: Plan) -> Scope:
        """The same names over a plan with the same columns, such as a filter."""
        named = (self.sources, self.star, self.merged, self.padded, self.hidden, self.has_stars)
        return Scope(plan, *named)

    def reference(self, index: int) -> ColumnReference:
        column = self.plan.columns[index]
        nullable = column.nullable or index in self.padded
        return ColumnReference(index, column.name, column.type, nullable)

    def find(
        self, parts: tuple[str, ...], position: Position | None, *, exact: bool = False
    ) -> tuple[tuple[int, ...], int] | None:
        """The indices of the column, and how many parts of the name are its qualifier and its name.

        Tries the longest qualifier first. With ``exact``, names of columns must agree in letter case.

        Raises:
            AmbiguousColumn: two relations have a column of the name.
        """
        lower = tuple(part.lower() for part in parts)
        for length in range(min(len(lower) - 1, 3), 0, -1):
            found = [
                source.start + offset
                for source in self.sources
                if lower[length] in source.names and source.answers_to(lower[:length])
                for offset, name in enumerate(source.names)
                if name == lower[length]
            ]
            if found:
                found = self._spelled(found, parts[length]) if exact else found
                return self._only_one(found, parts, position), length + 1
        merged = self.merged.get(lower[0])
        if merged is not None:
            return merged, 1
        found = [
            source.start + offset
            for source in self.sources
            if lower[0] in source.names
            for offset, name in enumerate(source.names)
            if name == lower[0]
        ]
        found = self._spelled(found, parts[0]) if exact else found
        return (self._only_one(found, parts, position), 1) if found else None

    def expand_star(self, qualifier: tuple[str, ...]) -> tuple[StarItem, ...] | None:
        """The columns of ``*`` or ``t.*``; None if no relation answers to the qualifier.

        Raises:
            UnsupportedConstruct: the columns of ``t.*`` are unknown.
        """
        if not qualifier:
            return self.star
        if not self.has_stars:
            raise UnsupportedConstruct(
                f"{'.'.join(qualifier)}.* after several joins, one of them with USING",
                hint="name the columns",
            )
        lower = tuple(part.lower() for part in qualifier)
        for source in self.sources:
            if source.answers_to(lower):
                columns = self.plan.columns
                return tuple(StarItem(columns[i].name, (i,)) for i in self._columns_of(source))
        return None

    def _columns_of(self, source: Source) -> Sequence[int]:
        """The source's columns in the order of its star."""
        own = range(source.start, source.start + len(source.names))
        if self.hidden is None:
            return own
        shown = (item.indices[0] for item in self.star)
        return [index for index in dict.fromkeys((*self.hidden, *shown)) if index in own]

    def candidates(self) -> tuple[str, ...]:
        """Every column's name, as a person may write it, for error messages."""
        return tuple(
            ".".join((*source.qualifier[-1:], name))
            for source in self.sources
            for name in source.names
        )

    def _spelled(self, found: list[int], name: str) -> list[int]:
        return [index for index in found if self.plan.columns[index].name == name] or found

    def _only_one(
        self, found: list[int], parts: tuple[str, ...], position: Position | None
    ) -> tuple[int, ...]:
        if len(found) > 1:
            raise AmbiguousColumn(
                ".".join(parts),
                [self._describe(index) for index in found],
                position=position,
                hint="qualify it with the intended relation",
            )
        return (found[0],)

    def _describe(self, index: int) -> str:
        for source in self.sources:
            if source.start <= index < source.start + len(source.names):
                return ".".join((*source.qualifier, source.names[index - source.start]))
        return self.plan.columns[index].name


def relation_scope(plan: Plan, qualifier: tuple[str, ...], *, is_table: bool = False) -> Scope:
    names = tuple(column.name.lower() for column in plan.columns)
    star = tuple(StarItem(column.name, (i,)) for i, column in enumerate(plan.columns))
    source = Source(tuple(p.lower() for p in qualifier), names, 0, is_table)
    return Scope(plan, (source,), star)


def shift(scope: Scope, by: int) -> tuple[tuple[Source, ...], tuple[StarItem, ...]]:
    """The sources and the star of a join's right side, with ``by`` added to their indices."""
    sources = tuple(replace(source, start=source.start + by) for source in scope.sources)
    star = tuple(StarItem(i.name, tuple(x + by for x in i.indices)) for i in scope.star)
    return sources, star
