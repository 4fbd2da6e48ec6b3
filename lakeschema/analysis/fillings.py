"""From which tables and columns a statement fills others, in terms of what outlives its session.

A temporary table or view stands for what it was made of: nobody else can name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import Source
from lakeschema.analysis.column_lineage import ColumnLineage, RelationLineage, column_lineage
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.influences import Influence
from lakeschema.analysis.scripts import Analysed
from lakeschema.analysis.table_lineage import table_lineage
from lakeschema.analysis.tracing import EVERY_COLUMN, BaseColumn
from lakeschema.catalog.identifiers import RelationName

ROWS: Final = ""
"""In place of a column of the target: its rows, and so every column."""
MAX_COLUMNS: Final = 2_000
"""Links between columns that one filling keeps."""
_MAX_HELD: Final = 10_000
"""Temporary tables of all sessions; the one that was written least recently is forgotten first."""


class FilledColumn(NamedTuple):
    """A column of the target and one that it comes of, in lower case; ``*`` for all of a table.

    Attributes:
        column: ``ROWS`` where the other decides which rows there are.
        clause: through which the other acts; "" where the values are made of it.
    """

    column: str
    source: RelationName
    source_column: str
    clause: str


@dataclass(frozen=True, slots=True)
class Filling:
    """What one statement does to one table.

    Attributes:
        replaces: nothing of what the table held before is left.
        sources: the table itself is never among them.
        columns: none where it is not known which there are: a rename, a load.
    """

    target: RelationName
    replaces: bool
    sources: tuple[RelationName, ...]
    columns: tuple[FilledColumn, ...]


@dataclass(slots=True)
class _Held:
    """What a temporary table was made of."""

    sources: dict[Source, None] = field(default_factory=dict)
    columns: dict[str, ColumnLineage] = field(default_factory=dict)
    rows: dict[Influence, None] = field(default_factory=dict)

    def column(self, name: str) -> ColumnLineage:
        known = self.columns.get(name) or self.columns.get(EVERY_COLUMN)
        if known is not None:
            return known
        return ColumnLineage(name, tuple(BaseColumn(each, EVERY_COLUMN) for each in self.sources))


class Fillings:
    """Reads statements in their order, and remembers the temporary tables of sessions."""

    def __init__(self) -> None:
        self._conventions = Conventions()
        self._held: dict[tuple[str, Source], _Held] = {}

    def of(self, analysed: Analysed, session: str) -> tuple[Filling, ...]:
        """Of the tables that the statement writes and that others can name."""
        resolved = analysed.resolved
        if resolved is None:
            return ()
        temporary = analysed.before.temporary | analysed.catalog.temporary
        made = self._made(resolved, temporary)
        found = []
        for target, sources in table_lineage(resolved, self._conventions).items():
            lineages = made.get(target)
            if lineages is None:
                # A view that is defined, or a table that is emptied or gone.
                continue
            held = self._seen_through(session, sources, lineages)
            if target in temporary:
                self._hold((session, target), held, keeps=target in sources)
            elif isinstance(target, RelationName):
                found.append(_filling(target, held, replaces=target not in sources))
        return tuple(each for each in found if each.sources or each.replaces)

    def _made(
        self, resolved: rs.Resolved, temporary: frozenset[RelationName]
    ) -> Mapping[Source, list[RelationLineage]]:
        """Of each table that gets rows. A view gets none, but a temporary one stands for its query."""
        lineages = iter(column_lineage(resolved, self._conventions))
        found: dict[Source, list[RelationLineage]] = {}
        for write in resolved.writes:
            if write.mode is rs.Mode.CLEARS:
                continue
            lineage = next(lineages)
            if write.mode is not rs.Mode.DEFINES or write.target in temporary:
                found.setdefault(write.target, []).append(lineage)
        return found

    def _seen_through(
        self, session: str, sources: Iterable[Source], lineages: Iterable[RelationLineage]
    ) -> _Held:
        found = _Held()
        for source in sources:
            inner = self._held.get((session, source))
            found.sources.update({source: None} if inner is None else inner.sources)
            found.rows.update({} if inner is None else inner.rows)
        for lineage in lineages:
            for column in lineage.columns:
                self._add(column, session, found)
            found.rows.update(dict.fromkeys(self._influences(lineage.rows, session)))
        return found

    def _add(self, column: ColumnLineage, session: str, found: _Held) -> None:
        name = column.column.lower()
        direct: dict[BaseColumn, None] = {}
        indirect = dict.fromkeys(self._influences(column.indirect, session))
        for base in column.direct:
            inner = self._inner(base, session)
            direct.update({base: None} if inner is None else dict.fromkeys(inner.direct))
            indirect.update({} if inner is None else dict.fromkeys(inner.indirect))
        before = found.columns.get(name)
        if before is not None:
            direct = dict.fromkeys((*before.direct, *direct))
            indirect = dict.fromkeys((*before.indirect, *indirect))
        found.columns[name] = ColumnLineage(name, tuple(direct), tuple(indirect))

    def _influences(self, influences: Iterable[Influence], session: str) -> Iterator[Influence]:
        for clause, base in influences:
            inner = self._inner(base, session)
            if inner is None:
                yield clause, base
            else:
                yield from ((clause, each) for each in inner.direct)
                yield from inner.indirect

    def _inner(self, base: BaseColumn, session: str) -> ColumnLineage | None:
        """What a column of a temporary table is made of; None of another's."""
        held = None if base.source is None else self._held.get((session, base.source))
        return None if held is None else held.column(base.column)

    def _hold(self, key: tuple[str, Source], held: _Held, *, keeps: bool) -> None:
        before = self._held.pop(key, None)
        if before is not None and keeps:
            held.sources.update(before.sources)
            held.rows.update(before.rows)
            held.columns = {**before.columns, **held.columns}
        held.sources.pop(key[1], None)
        self._held[key] = held
        if len(self._held) > _MAX_HELD:
            del self._held[next(iter(self._held))]


def _filling(target: RelationName, held: _Held, *, replaces: bool) -> Filling:
    """Files among the sources are left out: they are no relations."""
    columns = dict.fromkeys(_columns(held))
    return Filling(
        target,
        replaces,
        tuple(each for each in held.sources if isinstance(each, RelationName) and each != target),
        tuple(each for each in columns if each.source != target)[:MAX_COLUMNS],
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
