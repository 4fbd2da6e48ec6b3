"""Where the data of each table comes from after a sequence of statements.

Source: Figure 4 of Uber's "Queryparser". A statement is a map from targets to sources; a sequence
is the composition of its maps, which is associative: parts of a log may be folded apart, and the
folds combined in their order.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from lakeschema.analysis import resolved as rs
from lakeschema.analysis.catalog import Source
from lakeschema.analysis.column_lineage import RelationLineage, column_lineage
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.table_lineage import compose
from lakeschema.analysis.tracing import EVERY_COLUMN, BaseColumn

Dataflow: TypeAlias = Mapping[Source, tuple[Source, ...]]


def cumulative(steps: Iterable[Dataflow]) -> Dataflow:
    """The dataflow of all steps, one after the other. A table that is not in it is as it was."""
    return compose(steps)


@dataclass(frozen=True, slots=True)
class _Held:
    """What a table holds since a statement wrote it.

    Attributes:
        columns: the sources of each, by name in lower case.
        from_before: rows of before the first statement are among it.
    """

    columns: Mapping[str, tuple[BaseColumn, ...]]
    from_before: bool

    def of(self, column: BaseColumn) -> tuple[BaseColumn, ...]:
        known = self.columns.get(column.column)
        if known is not None:
            return known
        # Of a star's columns it is not known which of them this one is.
        return (column,) if self.from_before or EVERY_COLUMN in self.columns else ()


class ColumnDataflow:
    """Where the values of each written column come from, statement by statement.

    A column of a table that a statement wrote is seen through to what that was made of, so that
    tables which a script makes on its way stand for what they hold.
    """

    def __init__(self, conventions: Conventions) -> None:
        self._conventions = conventions
        self._held: dict[Source, _Held] = {}

    def add(self, resolved: rs.Resolved) -> None:
        """What a statement writes; one that empties a table leaves nothing in it."""
        # One for each write that brings rows, in their order.
        lineages = iter(column_lineage(resolved, self._conventions))
        # The tables of a swap change at once; several renames are made one after the other.
        held = dict(self._held) if resolved.verb == "SWAP" else self._held
        for write in resolved.writes:
            made = {} if write.mode is rs.Mode.CLEARS else _columns(next(lineages), held)
            self._held[write.target] = _after(write, made, held.get(write.target))

    def columns(self) -> dict[BaseColumn, tuple[BaseColumn, ...]]:
        """The sources of each column that was written and is still there."""
        return {
            BaseColumn(target, column): sources
            for target, held in self._held.items()
            for column, sources in held.columns.items()
        }


def _after(
    write: rs.Write, made: Mapping[str, tuple[BaseColumn, ...]], held: _Held | None
) -> _Held:
    if write.mode is rs.Mode.CLEARS:
        return _Held({}, from_before=False)
    if write.mode is rs.Mode.REPLACES:
        return _Held(made, from_before=False)
    held = held or _Held({}, from_before=True)
    names = dict.fromkeys((*held.columns, *made))
    columns = {n: _united(held.of(BaseColumn(write.target, n)), made.get(n, ())) for n in names}
    return _Held(columns, held.from_before)


def _columns(
    lineage: RelationLineage, held: Mapping[Source, _Held]
) -> dict[str, tuple[BaseColumn, ...]]:
    return {
        column.column.lower(): _united(*(_seen_through(each, held) for each in column.direct))
        for column in lineage.columns
    }


def _seen_through(column: BaseColumn, held: Mapping[Source, _Held]) -> tuple[BaseColumn, ...]:
    known = None if column.source is None else held.get(column.source)
    return (column,) if known is None else known.of(column)


def _united(*parts: tuple[BaseColumn, ...]) -> tuple[BaseColumn, ...]:
    return tuple(dict.fromkeys(column for part in parts for column in part))
