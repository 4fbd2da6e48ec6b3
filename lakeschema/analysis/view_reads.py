"""Finds the relations that a view's query reads, and the sources of its columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import ViewColumn
from lakeschema.analysis.column_access import columns_read
from lakeschema.analysis.column_lineage import column_lineage
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.table_access import tables_read
from lakeschema.analysis.tracing import BaseColumn
from lakeschema.catalog.identifiers import RelationName


def view_reads(resolved: rs.Resolved) -> tuple[tuple[RelationName, tuple[str, ...]], ...]:
    """Each relation with its columns, in the form of ``KnownTable.reads``."""
    conventions = Conventions()
    found: dict[RelationName, dict[str, None]] = {}
    for source in tables_read(resolved, conventions):
        if isinstance(source, RelationName):
            found.setdefault(source, {})
    for column, _ in columns_read(resolved, conventions):
        if isinstance(column.source, RelationName):
            found.setdefault(column.source, {})[column.column] = None
    return tuple((relation, tuple(columns)) for relation, columns in found.items())


def view_columns(resolved: rs.Resolved) -> tuple[ViewColumn, ...]:
    """The columns of a view in the form of ``KnownTable.made_of``."""
    return tuple(dict.fromkeys(_view_columns(resolved)))


def _view_columns(resolved: rs.Resolved) -> Iterator[ViewColumn]:
    for lineage in column_lineage(resolved):
        for column in lineage.columns:
            name = column.column.lower()
            yield from _of(name, column.direct, is_value=True)
            yield from _of(name, (base for _, base in column.indirect), is_value=False)
        yield from _of("", (base for _, base in lineage.rows), is_value=False)


def _of(name: str, sources: Iterable[BaseColumn], *, is_value: bool) -> Iterator[ViewColumn]:
    for base in sources:
        if isinstance(base.source, RelationName):
            yield ViewColumn(name, base.source, base.column, is_value)
