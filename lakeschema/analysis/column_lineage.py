"""From which columns each written or shown column comes, and what else decides its values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import Source
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.tracing import EVERY_COLUMN, BaseColumn, Influence, Tracer


@dataclass(frozen=True, slots=True)
class ColumnLineage:
    """Of one column.

    Attributes:
        column: as written; ``*`` for all columns that are not known.
        direct: what its values are made of.
        indirect: what decides them besides: keys of windows, conditions, queries inside.
    """

    column: str
    direct: tuple[BaseColumn, ...]
    indirect: tuple[Influence, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationLineage:
    """Of all columns of what a statement writes or shows.

    Attributes:
        target: None for the rows of a query, which nobody keeps.
        rows: what decides which rows there are, and so each of the columns.
    """

    target: Source | None
    columns: tuple[ColumnLineage, ...]
    rows: tuple[Influence, ...]


def column_lineage(
    resolved: rs.Resolved, conventions: Conventions | None = None
) -> tuple[RelationLineage, ...]:
    """For each table that is written, or for the rows of a query alone."""
    chosen = conventions or Conventions()
    tracer = Tracer(chosen, resolved)
    found = [
        _of_write(write, tracer, chosen)
        for write in resolved.writes
        if write.mode is not rs.Mode.CLEARS
    ]
    if not resolved.writes and resolved.verb == "SELECT":
        found += [_of_query(query, tracer, chosen) for query in resolved.queries]
    return tuple(found)


def _of_write(write: rs.Write, tracer: Tracer, conventions: Conventions) -> RelationLineage:
    rows: dict[Influence, None] = {}
    if write.source is not None:
        rows.update(tracer.influences(write.source))
    for clause, condition in write.conditions:
        tracer.add_influence(clause, (condition,), rows)
    columns = _lineage(write.columns, tracer, conventions)
    return RelationLineage(write.target, columns, tuple(rows))


def _of_query(query: rs.Query, tracer: Tracer, conventions: Conventions) -> RelationLineage:
    rows = tracer.influences(query, outermost=True)
    columns = _lineage(_shown(query, tracer), tracer, conventions)
    return RelationLineage(None, columns, tuple(rows))


def _shown(query: rs.Query, tracer: Tracer) -> list[rs.WrittenColumn]:
    if isinstance(query, rs.Select):
        return [
            rs.WrittenColumn("", item)
            if isinstance(item, rs.OpenStar)
            else rs.WrittenColumn(item.name, item.expression, item.starred)
            for item in query.items
        ]
    derived = rs.Derived(query)
    shape = tracer.shapes.of(derived)
    found = [rs.WrittenColumn(n, rs.ColumnUse(derived, n.lower())) for n in shape.names]
    if shape.is_open:
        found.append(rs.WrittenColumn("", rs.OpenStar(derived)))
    return found


def _lineage(
    columns: Iterable[rs.WrittenColumn], tracer: Tracer, conventions: Conventions
) -> tuple[ColumnLineage, ...]:
    listed = list(columns)
    opened = any(isinstance(column.value, rs.OpenStar) for column in listed)
    found: dict[str, ColumnLineage] = {}
    for column in listed:
        if isinstance(column.value, rs.OpenStar):
            made = ColumnLineage(EVERY_COLUMN, tuple(tracer.open_star(column.value.relation)))
        elif opened and column.starred and conventions.open_stars_hide_names:
            continue
        else:
            made = ColumnLineage(
                column.name,
                tuple(tracer.direct(column.value)),
                tuple(tracer.own_influences(column.value)),
            )
        before = found.get(made.column)
        found[made.column] = made if before is None else _united(before, made)
    return tuple(found.values())


def _united(first: ColumnLineage, second: ColumnLineage) -> ColumnLineage:
    """Of a column that is written by several branches of MERGE, or of several stars."""
    return ColumnLineage(
        first.column,
        tuple(dict.fromkeys((*first.direct, *second.direct))),
        tuple(dict.fromkeys((*first.indirect, *second.indirect))),
    )
