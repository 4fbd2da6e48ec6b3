"""Finds the source columns of each written or shown column, and columns that affect its values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import Source
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.influences import Influence, InfluenceTracer
from lakeschema.analysis.tracing import EVERY_COLUMN, BaseColumn, Tracer


@dataclass(frozen=True, slots=True)
class ColumnLineage:
    """The lineage of one column.

    Attributes:
        column: the column's name as written; ``*`` for all unknown columns.
        direct: the columns that the values are made of.
        indirect: other columns that affect the values: keys of windows, conditions, nested queries.
    """

    column: str
    direct: tuple[BaseColumn, ...]
    indirect: tuple[Influence, ...] = ()


@dataclass(frozen=True, slots=True)
class RelationLineage:
    """The lineage of all columns that a statement writes to one table, or shows.

    Attributes:
        target: the written table; None for a query's rows, which are not stored.
        rows: the columns that affect which rows there are, and so every column.
    """

    target: Source | None
    columns: tuple[ColumnLineage, ...]
    rows: tuple[Influence, ...]


def column_lineage(
    resolved: rs.Resolved, conventions: Conventions | None = None
) -> tuple[RelationLineage, ...]:
    """The lineage of each written table, or of a query's rows if no table is written."""
    tracers = _Tracers.of(resolved, conventions or Conventions())
    found = [
        tracers.of_write(write) for write in resolved.writes if write.mode is not rs.Mode.CLEARS
    ]
    if not resolved.writes and resolved.verb == "SELECT":
        found += [tracers.of_query(query) for query in resolved.queries]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Tracers:
    """The tracers for one statement."""

    sources: Tracer
    influences: InfluenceTracer
    conventions: Conventions

    @classmethod
    def of(cls, resolved: rs.Resolved, conventions: Conventions) -> _Tracers:
        sources = Tracer(conventions, resolved)
        return cls(sources, InfluenceTracer(sources, conventions, resolved), conventions)

    def of_write(self, write: rs.Write) -> RelationLineage:
        rows: dict[Influence, None] = {}
        if write.source is not None:
            rows.update(self.influences.of_rows(write.source))
        for clause, condition in write.conditions:
            self.influences.add(clause, (condition,), rows)
        return RelationLineage(write.target, self._lineage(write.columns), tuple(rows))

    def of_query(self, query: rs.Query) -> RelationLineage:
        rows = self.influences.of_rows(query, outermost=True)
        return RelationLineage(None, self._lineage(self._shown(query)), tuple(rows))

    def _shown(self, query: rs.Query) -> list[rs.WrittenColumn]:
        if isinstance(query, rs.Select):
            return [
                rs.WrittenColumn("", item)
                if isinstance(item, rs.OpenStar)
                else rs.WrittenColumn(item.name, item.expression, item.starred)
                for item in query.items
            ]
        derived = rs.Derived(query)
        shape = self.sources.shapes.of(derived)
        found = [rs.WrittenColumn(n, rs.ColumnUse(derived, n.lower())) for n in shape.names]
        if shape.is_open:
            found.append(rs.WrittenColumn("", rs.OpenStar(derived)))
        return found

    def _lineage(self, columns: Sequence[rs.WrittenColumn]) -> tuple[ColumnLineage, ...]:
        opened = any(isinstance(column.value, rs.OpenStar) for column in columns)
        found: dict[str, ColumnLineage] = {}
        for column in columns:
            if isinstance(column.value, rs.OpenStar):
                stars = self.sources.open_star(column.value.relation)
                made = ColumnLineage(EVERY_COLUMN, tuple(stars))
            elif opened and column.starred and self.conventions.open_stars_hide_names:
                continue
            else:
                made = ColumnLineage(
                    column.name,
                    tuple(self.sources.direct(column.value)),
                    tuple(self.influences.of_value(column.value)),
                )
            before = found.get(made.column)
            found[made.column] = made if before is None else _united(before, made)
        return tuple(found.values())


def _united(first: ColumnLineage, second: ColumnLineage) -> ColumnLineage:
    """The united lineage of a column that several branches of MERGE, or several stars, write."""
    return ColumnLineage(
        first.column,
        tuple(dict.fromkeys((*first.direct, *second.direct))),
        tuple(dict.fromkeys((*first.indirect, *second.indirect))),
    )
