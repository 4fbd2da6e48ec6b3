"""Finds from a log which tables and columns fill other tables, and everything downstream of a column.

A view of the catalog is filled from its query's relations.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from lakeschema.analysis.catalog import KnownTable
from lakeschema.analysis.tracing import EVERY_COLUMN
from lakeschema.analysis.usage.counting import Count
from lakeschema.catalog.identifiers import RelationName

ROWS: Final = ""
"""A name in place of a column, for the rows of a relation, and so for every column."""
_ROWS_KIND: Final = "rows"
Place = tuple[str, str]
"""A relation and one of its columns; ``*`` for unknown columns, ``ROWS`` for its rows."""


@dataclass(frozen=True, slots=True)
class Flow:
    """An edge from ``source`` to ``target``.

    ``statements`` is the number of statements that fill the target; 0 for a view of the catalog.
    """

    source: str
    target: str
    statements: int
    users: int
    last_day: str


def dataflow_graph(
    flows: Iterable[Count], known: Mapping[RelationName, KnownTable]
) -> tuple[Flow, ...]:
    """Every edge once, without a table's edges to itself.

    ``flows`` are counted by target and source.
    """
    found = {
        (source, target): Flow(source, target, count.statements, count.users, count.last_day)
        for count in flows
        for target, source in [count.keys]
        if source and source != target
    }
    for name, table in known.items():
        for relation, _ in table.reads:
            edge = (str(relation), str(name))
            found.setdefault(edge, Flow(*edge, 0, 0, ""))
    return tuple(found[edge] for edge in sorted(found))


@dataclass(frozen=True, slots=True)
class Reached:
    """A relation downstream, ``distance`` steps away.

    ``columns`` are its columns that depend on the requested columns; ``*`` if all may depend.
    """

    relation: str
    columns: frozenset[str]
    distance: int

    @property
    def is_whole(self) -> bool:
        return EVERY_COLUMN in self.columns


class Reach:
    """Finds everything downstream of a table or column."""

    def __init__(
        self,
        flows: Iterable[Count],
        column_flows: Iterable[Count],
        known: Mapping[RelationName, KnownTable],
    ) -> None:
        """Prepares the flows.

        ``column_flows`` are counted by target, column, source, source column, kind.
        """
        self._with_columns = {str(n) for n, t in known.items() if t.columns is not None}
        self._by_source: dict[str, dict[str, list[tuple[str, Place]]]] = {}
        traced: set[tuple[str, str]] = set()
        for count in column_flows:
            target, column, source, source_column, kind = count.keys
            if not target or not source or target == source:
                continue
            traced.add((target, source))
            into = (target, ROWS if kind == _ROWS_KIND else column.lower())
            self._add(source, source_column.partition(".")[0], into)
        for count in flows:
            target, source = count.keys
            if not source or source == target:
                continue
            self._add(source, ROWS, (target, ROWS))
            if (target, source) not in traced and source not in self._with_columns:
                # It is unknown which columns of the source are read.
                self._add(source, EVERY_COLUMN, (target, EVERY_COLUMN))
        for name, table in known.items():
            for view_column in table.made_of:
                into = (str(name), view_column.column or ROWS)
                self._add(str(view_column.source), view_column.source_column, into)
            by_column = {view_column.source for view_column in table.made_of}
            for relation, columns in table.reads:
                self._add(str(relation), ROWS, (str(name), ROWS))
                unknown = () if str(relation) in self._with_columns else (EVERY_COLUMN,)
                for column in columns or unknown:
                    if relation not in by_column:
                        self._add(str(relation), column, (str(name), ROWS))

    def _add(self, source: str, column: str, into: Place) -> None:
        self._by_source.setdefault(source, {}).setdefault(column, []).append((column, into))

    def of(self, relation: str, column: str = EVERY_COLUMN) -> tuple[Reached, ...]:
        """The relations downstream, each once, nearest first; the first is the relation itself."""
        columns: dict[str, set[str]] = {relation: {column.lower()}}
        distances = {relation: 0}
        pending = deque([(relation, column.lower())])
        while pending:
            place = pending.popleft()
            for target, reached in self._next(place):
                known = columns.setdefault(target, set())
                distances.setdefault(target, distances[place[0]] + 1)
                if reached not in known and EVERY_COLUMN not in known:
                    known.add(reached)
                    pending.append((target, reached))
        found = [Reached(name, frozenset(columns[name]), distances[name]) for name in columns]
        return tuple(sorted(found, key=lambda each: (each.distance, each.relation)))

    def _next(self, place: Place) -> Iterator[Place]:
        relation, column = place
        outgoing = self._by_source.get(relation, {})
        if column == EVERY_COLUMN:
            chosen = [edge for edges in outgoing.values() for edge in edges]
        else:
            chosen = [*outgoing.get(column, ()), *outgoing.get(EVERY_COLUMN, ())]
        for _, (target, into) in chosen:
            yield target, EVERY_COLUMN if into == ROWS else into
