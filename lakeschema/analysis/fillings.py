"""Finds the tables and columns that supply the data when a statement fills another table.

A temporary table or view is replaced by its own sources, because other sessions cannot name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import KnownCatalog, Source
from lakeschema.analysis.column_lineage import ColumnLineage, RelationLineage, column_lineage
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.influences import Influence
from lakeschema.analysis.scripts import Analysed
from lakeschema.analysis.syntax import statements as st
from lakeschema.analysis.table_lineage import table_lineage
from lakeschema.analysis.tracing import EVERY_COLUMN, BaseColumn
from lakeschema.catalog.identifiers import RelationName

ROWS: Final = ""
"""Stands in place of a column. In a target it means the rows, and so every column.

In a source it means any column.
"""
MAX_COLUMNS: Final = 2_000
"""The maximum number of column links in one filling; with more, any column may come from any."""
_MAX_HELD: Final = 10_000
"""The maximum number of temporary tables, and of tables with known sources, over all sessions.

The least recently written table is dropped first.
"""
_MAX_BEHIND: Final = 1_000
"""The maximum number of relations to search when a table may be filled from itself."""


class FilledColumn(NamedTuple):
    """A target's column and one of its source columns, in lower case; ``*`` means a whole table.

    Attributes:
        column: the target's column; ``ROWS`` if the source affects which rows there are.
        clause: the clause in which the source acts; "" if the values come from the source.
    """

    column: str
    source: RelationName
    source_column: str
    clause: str


@dataclass(frozen=True, slots=True)
class Filling:
    """The effect of one statement on one table.

    Attributes:
        replaces: whether the statement removes the table's earlier content.
        sources: the relations that fill the table, without the table itself.
        columns: pairs of a filled column and a source column. A source without a pair only affects
            which rows there are.
    """

    target: RelationName
    replaces: bool
    sources: tuple[RelationName, ...]
    columns: tuple[FilledColumn, ...]


@dataclass(slots=True)
class _Held:
    """The sources of a table or temporary view.

    ``shows`` is the query of a temporary view, whose rows follow each change of its tables.
    """

    sources: dict[Source, None] = field(default_factory=dict)
    columns: dict[str, ColumnLineage] = field(default_factory=dict)
    rows: dict[Influence, None] = field(default_factory=dict)
    shows: _Made | None = None

    def column(self, name: str) -> ColumnLineage:
        known = self.columns.get(name) or self.columns.get(EVERY_COLUMN)
        if known is not None:
            return known
        return ColumnLineage(name, tuple(BaseColumn(each, EVERY_COLUMN) for each in self.sources))

    def add(self, other: _Held) -> None:
        """Adds the sources of further rows."""
        # A named column on one side may belong to the star on the other side.
        names = dict.fromkeys((*self.columns, *other.columns))
        self.columns = {
            name: _united(name, self._found(name), other._found(name)) for name in names
        }
        self.sources.update(other.sources)
        self.rows.update(other.rows)

    def _found(self, name: str) -> ColumnLineage:
        found = self.columns.get(name) or self.columns.get(EVERY_COLUMN)
        return found or ColumnLineage(name, ())


@dataclass(frozen=True, slots=True)
class _Made:
    """The relations that the query of one write reads."""

    sources: tuple[Source, ...]
    lineage: RelationLineage


class Fillings:
    """Reads statements in order, and keeps the sessions' temporary tables."""

    def __init__(self) -> None:
        self._conventions = Conventions(names_unknown_columns=True)
        self._held: dict[tuple[str, Source], _Held] = {}
        self._sources: dict[RelationName, frozenset[RelationName]] = {}

    def of(self, analysed: Analysed, session: str) -> tuple[Filling, ...]:
        """The fillings of the tables that the statement writes, without temporary tables."""
        resolved, statement = analysed.resolved, analysed.statement
        if resolved is None:
            return ()
        temporary = analysed.before.temporary | analysed.catalog.temporary
        written = self._written(resolved, analysed.before, session, temporary)
        may_be_there = isinstance(statement, st.Create) and statement.only_if_missing
        if not may_be_there:
            for write in resolved.writes:
                if write.mode is rs.Mode.CLEARS:
                    self._forget(session, write.target)
        found = []
        for target, (held, replaces) in written.items():
            if target not in temporary:
                if isinstance(target, RelationName):
                    # The catalog may know the table because this same statement created it days
                    # ago.
                    anew = replaces and not may_be_there
                    filling = _filling(target, held, replaces=anew)
                    found.append(filling)
                    self._remember(filling)
            elif not (may_be_there and target in analysed.before.temporary):
                self._hold((session, target), held, keeps=not replaces)
        return tuple(each for each in found if each.sources or each.replaces)

    def _written(
        self,
        resolved: rs.Resolved,
        before: KnownCatalog,
        session: str,
        temporary: frozenset[RelationName],
    ) -> Mapping[Source, tuple[_Held, bool]]:
        """The sources of each written table's rows, and whether its earlier rows are removed."""
        lineages = iter(column_lineage(resolved, self._conventions))
        found: dict[Source, tuple[_Held, bool]] = {}
        for write in resolved.writes:
            if write.mode is rs.Mode.CLEARS:
                continue
            lineage = next(lineages)
            if write.mode is rs.Mode.DEFINES and write.target not in temporary:
                continue
            alone = rs.Resolved(resolved.verb, resolved.queries, (write,))
            sources = table_lineage(alone, self._conventions)[write.target]
            made = _Made(sources, _with_unknown(lineage, sources, before))
            held = self._seen_through(session, made)
            # After a swap, the other table has this table's content.
            replaces = resolved.verb != "SWAP" and not self._is_among(
                write.target, (*sources, *held.sources), before
            )
            if write.mode is rs.Mode.DEFINES:
                held.shows = made
            earlier = found.get(write.target)
            if earlier is not None:
                held.add(earlier[0])
                replaces |= earlier[1]
            found[write.target] = (held, replaces)
        return found

    def _is_among(self, table: Source, sources: Iterable[Source], before: KnownCatalog) -> bool:
        """Whether the table is among the sources, also through views and filled tables."""
        pending = list(dict.fromkeys(sources))
        seen = set(pending)
        while pending:
            for each in before.behind(pending.pop()):
                if each == table or len(seen) > _MAX_BEHIND:
                    return True
                further = self._sources.get(each, ()) if isinstance(each, RelationName) else ()
                news = [source for source in further if source not in seen]
                seen.update(news)
                pending += news
        return False

    def _remember(self, filling: Filling) -> None:
        before = self._sources.pop(filling.target, frozenset())
        found = frozenset(filling.sources)
        self._sources[filling.target] = found if filling.replaces else before | found
        if len(self._sources) > _MAX_HELD:
            del self._sources[next(iter(self._sources))]

    def _forget(self, session: str, emptied: Source) -> None:
        if self._held.pop((session, emptied), None) is None and isinstance(emptied, RelationName):
            self._sources.pop(emptied, None)

    def _seen_through(self, session: str, made: _Made) -> _Held:
        found = _Held()
        for source in made.sources:
            inner = self._held.get((session, source))
            found.sources.update({source: None} if inner is None else inner.sources)
            found.rows.update({} if inner is None else inner.rows)
        for column in made.lineage.columns:
            self._add(column, session, found)
        found.rows.update(dict.fromkeys(self._influences(made.lineage.rows, session)))
        return found

    def _add(self, column: ColumnLineage, session: str, found: _Held) -> None:
        name = column.column.lower()
        direct: dict[BaseColumn, None] = {}
        indirect = dict.fromkeys(self._influences(column.indirect, session))
        for base in column.direct:
            inner = self._inner(base, session)
            direct.update({base: None} if inner is None else dict.fromkeys(inner.direct))
            indirect.update({} if inner is None else dict.fromkeys(inner.indirect))
        made = ColumnLineage(name, tuple(direct), tuple(indirect))
        before = found.columns.get(name)
        found.columns[name] = made if before is None else _united(name, before, made)

    def _influences(self, influences: Iterable[Influence], session: str) -> Iterator[Influence]:
        for clause, base in influences:
            inner = self._inner(base, session)
            if inner is None:
                yield clause, base
            else:
                yield from ((clause, each) for each in inner.direct)
                yield from inner.indirect

    def _inner(self, base: BaseColumn, session: str) -> ColumnLineage | None:
        """The sources of a temporary table's column; None for other tables."""
        held = None if base.source is None else self._held.get((session, base.source))
        return None if held is None else held.column(base.column)

    def _hold(self, key: tuple[str, Source], held: _Held, *, keeps: bool) -> None:
        before = self._held.pop(key, None)
        if before is not None and keeps:
            held.add(before)
        held.sources.pop(key[1], None)
        self._held[key] = held
        if len(self._held) > _MAX_HELD:
            del self._held[next(iter(self._held))]
        self._show_anew(*key)

    def _show_anew(self, session: str, changed: Source) -> None:
        """Refreshes the session's views that read a changed table.

        A view is refreshed after the tables and views that it reads.
        """
        stale = {changed}
        for key in [each for each in self._held if each[0] == session and each[1] != changed]:
            shows = self._held[key].shows
            if shows is not None and not stale.isdisjoint(shows.sources):
                stale.add(key[1])
                anew = self._seen_through(session, shows)
                anew.shows = shows
                del self._held[key]
                self._held[key] = anew


def _with_unknown(
    lineage: RelationLineage, sources: tuple[Source, ...], before: KnownCatalog
) -> RelationLineage:
    """The lineage, where a column of an uncertain relation counts as a column of all ``sources``."""
    unknown = tuple(
        BaseColumn(each, EVERY_COLUMN)
        for each in sources
        if isinstance(each, RelationName)
        and ((table := before.known(each)) is None or table.columns is None)
    )

    def named(bases: Iterable[BaseColumn]) -> Iterator[BaseColumn]:
        for base in bases:
            yield from (base,) if base.source is not None else unknown

    def decided(influences: Iterable[Influence]) -> Iterator[Influence]:
        for clause, base in influences:
            yield from ((clause, each) for each in named((base,)))

    return RelationLineage(
        lineage.target,
        tuple(
            ColumnLineage(each.column, tuple(named(each.direct)), tuple(decided(each.indirect)))
            for each in lineage.columns
        ),
        tuple(decided(lineage.rows)),
    )


def _united(name: str, first: ColumnLineage, second: ColumnLineage) -> ColumnLineage:
    return ColumnLineage(
        name,
        tuple(dict.fromkeys((*first.direct, *second.direct))),
        tuple(dict.fromkeys((*first.indirect, *second.indirect))),
    )


def _filling(target: RelationName, held: _Held, *, replaces: bool) -> Filling:
    """The filling of a target.

    Files among its sources are left out, since they are not relations.
    """
    columns = tuple(each for each in dict.fromkeys(_columns(held)) if each.source != target)
    left_out = dict.fromkeys(each.source for each in columns[MAX_COLUMNS:])
    return Filling(
        target,
        replaces,
        tuple(each for each in held.sources if isinstance(each, RelationName) and each != target),
        (
            *columns[:MAX_COLUMNS],
            *(FilledColumn(EVERY_COLUMN, each, ROWS, "") for each in left_out),
        ),
    )


def _columns(held: _Held) -> Iterator[FilledColumn]:
    for name, column in held.columns.items():
        for base in column.direct:
            if isinstance(base.source, RelationName):
                yield FilledColumn(name, base.source, base.column, "")
        for clause, base in column.indirect:
            if isinstance(base.source, RelationName):
                yield FilledColumn(name, base.source, base.column, clause.value)
    for clause, base in held.rows:
        if isinstance(base.source, RelationName):
            yield FilledColumn(ROWS, base.source, base.column, clause.value)
