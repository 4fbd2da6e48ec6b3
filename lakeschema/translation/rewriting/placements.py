"""Matches a view's sources with a plan's sources, and writes the plan over the view's stored rows.

The plan's remaining sources are joined to the stored rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import TypeAlias

from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.expression_text import source_text
from lakeschema.translation.plan.expressions import (
    Call,
    ColumnReference,
    OuterReference,
    RowExpression,
    walk,
)
from lakeschema.translation.plan.relations import Aggregate, Join, Plan, Project, Scan, Window
from lakeschema.translation.plan.rewriting import Rewriter, lift
from lakeschema.translation.rewriting.nodes import rewrite
from lakeschema.translation.rewriting.select_blocks import SelectBlock, moved_by
from lakeschema.translation.rewriting.substitution import substituted_all

_MAX_ASSIGNMENTS = 50
"""The maximum number of assignments to try. Plans that repeat a table allow many."""

Known: TypeAlias = Mapping[RowExpression, ColumnReference]
"""The stored column that holds an expression over the plan's sources."""


class NotContained(Exception):
    """The error if a plan's rows do not follow from a view's stored rows.

    If there are several reasons, the reason with the most ``progress`` is reported.
    """

    def __init__(self, reason: str, progress: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.progress = progress


@dataclass(frozen=True, slots=True)
class Placement:
    """An assignment of a plan's source to each of a view's sources.

    Attributes:
        places: for each source of the view, the place of its counterpart in the plan.
    """

    block: SelectBlock
    places: tuple[int, ...]
    stored: Scan

    @property
    def columns(self) -> tuple[ColumnReference, ...]:
        """The plan's references to the columns of the view's sources."""
        starts = self._starts
        return tuple(
            column
            for place in self.places
            for column in moved_by(self.block.sources[place].columns, starts[place])
        )

    @property
    def others(self) -> tuple[int, ...]:
        """The places of the plan's sources that the view lacks."""
        return tuple(p for p in range(len(self.block.sources)) if p not in self.places)

    @property
    def rows(self) -> Plan:
        """The stored rows joined with the sources that the view lacks."""
        rows: Plan = self.stored
        for place in self.others:
            rows = Join(rows, self.block.sources[place], JoinKind.CROSS)
        return rows

    def conditions_left(self, demanded: Sequence[RowExpression]) -> Sequence[RowExpression]:
        """The plan's conditions that the view does not have.

        Raises:
            NotContained: the view has a condition that the plan lacks.
        """
        of_view = substituted_all(demanded, self.columns)
        of_plan = {_key(condition) for condition in self.block.conditions}
        for condition in of_view:
            if _key(condition) not in of_plan:
                text = source_text(condition)
                raise NotContained(f"the view keeps only rows for which {text} is true", 1)
        keys = {_key(condition) for condition in of_view}
        return [each for each in self.block.conditions if _key(each) not in keys]

    def over_stored(self, read: Sequence[RowExpression], known: Known) -> tuple[RowExpression, ...]:
        """The expressions over the plan's sources, rewritten over ``rows``.

        Raises:
            NotContained: an expression reads something that is not a column of the view.
        """
        moved = self._moved

        def column(part: ColumnReference) -> ColumnReference:
            found = known.get(part) or moved.get(part.index)
            if found is None:
                raise NotContained(f"no column of the view is {part.name}", 2)
            return found

        def change(part: RowExpression, depth: int) -> RowExpression | None:
            match part:
                case ColumnReference() if depth == 0:
                    return column(part)
                case OuterReference(level, index, name, type_, nullable) if (
                    depth and level == depth
                ):
                    return lift(column(ColumnReference(index, name, type_, nullable)), depth)
                case _:
                    return known.get(part) if depth == 0 else None

        rewriter = Rewriter(change)
        return tuple(rewriter.expression(expression) for expression in read)

    @property
    def _starts(self) -> Sequence[int]:
        """The index of each source's first column among the columns of all the plan's sources."""
        return list(accumulate((len(s.columns) for s in self.block.sources), initial=0))

    @property
    def _moved(self) -> Mapping[int, ColumnReference]:
        """The references in ``rows`` to the columns of sources that the view lacks."""
        found: dict[int, ColumnReference] = {}
        end, starts = len(self.stored.columns), self._starts
        for place in self.others:
            columns = self.block.sources[place].columns
            moved = moved_by(columns, end)
            found |= {starts[place] + index: column for index, column in enumerate(moved)}
            end += len(columns)
        return found


def placements(view: SelectBlock, block: SelectBlock, stored: Scan) -> Iterator[Placement]:
    """The possible assignments of the block's sources to the view's sources."""
    wanted = [_nameless(source) for source in view.sources]
    there = [_nameless(source) for source in block.sources]
    ways = _assignments([[p for p, s in enumerate(there) if s == each] for each in wanted])
    for places in islice(ways, _MAX_ASSIGNMENTS):
        yield Placement(block, places, stored)


def _assignments(choices: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    """All ways to take one element of each list so that no element is taken twice."""
    if not choices:
        yield ()
        return
    *first, last = choices
    for chosen in _assignments(first):
        yield from ((*chosen, place) for place in last if place not in chosen)


def _key(condition: RowExpression) -> object:
    """A key that is equal for conditions that differ only in the sides of an equality."""
    match condition:
        case Call(operator, (left, right)) if operator.name == "=":
            return "=", frozenset((left, right))
        case _:
            return condition


def _nameless(plan: Plan) -> Plan:
    """The plan without its column names."""

    def rule(node: Plan) -> Plan:
        match node:
            case Project(below, items):
                return Project(below, tuple(("", e) for _, e in items))
            case Aggregate(below, keys, calls, sets):
                return Aggregate(
                    below, tuple(("", e) for _, e in keys), tuple(("", e) for _, e in calls), sets
                )
            case Window(below, windows):
                return Window(below, tuple(("", e) for _, e in windows))
            case _:
                return node

    return rewrite(plan, rule)


def known_columns(
    shown: Sequence[RowExpression | None], columns: Sequence[ColumnReference]
) -> Known:
    """The first stored column of each expression; constants are left out."""
    found: dict[RowExpression, ColumnReference] = {}
    for expression, column in zip(shown, columns, strict=True):
        if expression is not None and any(isinstance(p, ColumnReference) for p in walk(expression)):
            found.setdefault(expression, column)
    return found


def shown_as(rows: Plan, plan: Plan, items: Sequence[RowExpression]) -> Plan:
    """The rows under the plan's column names."""
    for column, item in zip(plan.columns, items, strict=True):
        assert column.type == item.type, f"column {column.name} is of another type"
    names = (column.name for column in plan.columns)
    return Project(rows, tuple(zip(names, items, strict=True)))
