"""Finds the source tables of each table's data after a sequence of statements.

The method is Figure 4 of Uber's "Queryparser". A statement is a map from targets to sources, and a
sequence is the composition of its maps. Composition is associative: parts of a log may be composed
separately, and the results composed in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import KnownCatalog, KnownTable, Source
from lakeschema.analysis.column_lineage import RelationLineage, column_lineage
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.table_lineage import compose
from lakeschema.analysis.tracing import EVERY_COLUMN, BaseColumn
from lakeschema.catalog.identifiers import RelationName

Dataflow: TypeAlias = Mapping[Source, tuple[Source, ...]]


def cumulative(steps: Iterable[Dataflow]) -> Dataflow:
    """The dataflow of all steps in order. A table that is not a key is unchanged."""
    return compose(steps)


def dataflow_step(resolved: rs.Resolved, lineage: Dataflow, catalog: KnownCatalog) -> Dataflow:
    """The tables between which a statement moves rows.

    Creating a view moves no rows; its query counts when the view is read.

    ``lineage`` is the statement's ``table_lineage``; ``catalog`` is the catalog before the
    statement.
    """
    defined = {write.target for write in resolved.writes if write.mode is rs.Mode.DEFINES}
    found: dict[Source, tuple[Source, ...]] = {}
    for target, sources in lineage.items():
        if target in defined:
            continue
        behind = catalog.behind(target) if sources else (target,)
        if len(behind) == 1:
            # Rows written to a view of one table are written to that table.
            read = (table for each in sources for table in catalog.behind(each))
            found[behind[0]] = tuple(dict.fromkeys(read))
    return found


def views_of(catalog: KnownCatalog, names: Iterable[Source]) -> Dataflow:
    """A last step for a sequence. It replaces each view among the names by the tables under it."""
    shown = {name: catalog.behind(name) for name in names}
    return {name: tables for name, tables in shown.items() if tables != (name,)}


@dataclass(frozen=True, slots=True)
class _Held:
    """A table's content since a statement wrote it.

    Attributes:
        columns: each column's sources, by name in lower case.
        from_before: whether the table still has rows from before the first statement.
    """

    columns: Mapping[str, tuple[BaseColumn, ...]]
    from_before: bool

    def of(self, column: BaseColumn) -> tuple[BaseColumn, ...]:
        known = self.columns.get(column.column)
        if known is not None:
            return known
        # The column may be any of the columns that a star wrote.
        return (column,) if self.from_before or EVERY_COLUMN in self.columns else ()


class ColumnDataflow:
    """The sources of each written column's values, statement by statement.

    Columns of tables that a statement wrote are replaced by their own sources, so that a script's
    intermediate tables stand for their content.
    """

    def __init__(self, conventions: Conventions) -> None:
        self._conventions = conventions
        self._held: dict[Source, _Held] = {}

    def add(self, resolved: rs.Resolved, catalog: KnownCatalog) -> None:
        """Adds a statement's writes; a statement that empties a table removes the table's sources.

        ``catalog`` is the catalog before the statement; views are expanded in it.
        """
        # Each write that adds rows has a lineage, in the same order.
        lineages = iter(column_lineage(resolved, self._conventions))
        # A swap changes its tables at once; several renames happen one after another.
        held = dict(self._held) if resolved.verb == "SWAP" else self._held
        for write in resolved.writes:
            made: dict[str, tuple[BaseColumn, ...]] = {}
            if write.mode is not rs.Mode.CLEARS:
                made = _columns(next(lineages), _Seen(held, catalog))
            self._held[write.target] = _after(write, made, held.get(write.target))

    def columns(self, catalog: KnownCatalog) -> dict[BaseColumn, tuple[BaseColumn, ...]]:
        """The sources of each written column that still exists in the final ``catalog``."""
        seen = _Seen(self._held, catalog)
        found: dict[BaseColumn, tuple[BaseColumn, ...]] = {}
        for target, held in self._held.items():
            is_view = seen.view(target) is not None
            for name, sources in held.columns.items():
                column = BaseColumn(target, name)
                found[column] = seen.through(column) if is_view else sources
        return found


@dataclass(frozen=True, slots=True)
class _Seen:
    """Finds the sources of columns: for a table from its writes, for a view from its query."""

    held: Mapping[Source, _Held]
    catalog: KnownCatalog
    _values: dict[Source, Mapping[str, list[BaseColumn]]] = field(default_factory=dict)
    """The source columns of each view's column values, for views that were visited before."""

    def view(self, source: Source | None) -> KnownTable | None:
        known = self.catalog.known(source) if isinstance(source, RelationName) else None
        return None if known is None or not known.made_of or known.is_materialized else known

    def through(self, column: BaseColumn) -> tuple[BaseColumn, ...]:
        found: dict[BaseColumn, None] = {}
        pending, met = [column], {column}
        while pending:
            at = pending.pop()
            view = self.view(at.source)
            inner = () if view is None else self._values_of(at, view)
            if inner:
                news = [each for each in inner if each not in met]
                met.update(news)
                pending += reversed(news)
            elif view is None or EVERY_COLUMN in (each.column for each in view.made_of):
                held = None if at.source is None or view is not None else self.held.get(at.source)
                found.update(dict.fromkeys((at,) if held is None else held.of(at)))
        return tuple(found)

    def _values_of(self, column: BaseColumn, view: KnownTable) -> Sequence[BaseColumn]:
        assert column.source is not None
        values = self._values.get(column.source)
        if values is None:
            by_column: dict[str, list[BaseColumn]] = {}
            for each in view.made_of:
                if each.is_value:
                    source = BaseColumn(each.source, each.source_column)
                    by_column.setdefault(each.column, []).append(source)
            values = self._values[column.source] = by_column
        return values.get(column.column, ())


def _after(
    write: rs.Write, made: Mapping[str, tuple[BaseColumn, ...]], held: _Held | None
) -> _Held:
    if write.mode is rs.Mode.CLEARS:
        return _Held({}, from_before=False)
    if write.mode in {rs.Mode.REPLACES, rs.Mode.DEFINES}:
        return _Held(made, from_before=False)
    held = held or _Held({}, from_before=True)
    names = dict.fromkeys((*held.columns, *made))
    columns = {n: _united(held.of(BaseColumn(write.target, n)), made.get(n, ())) for n in names}
    return _Held(columns, held.from_before)


def _columns(lineage: RelationLineage, seen: _Seen) -> dict[str, tuple[BaseColumn, ...]]:
    return {
        column.column.lower(): _united(*map(seen.through, column.direct))
        for column in lineage.columns
    }


def _united(*parts: tuple[BaseColumn, ...]) -> tuple[BaseColumn, ...]:
    return tuple(dict.fromkeys(column for part in parts for column in part))
