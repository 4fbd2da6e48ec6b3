"""Turns scans, inner joins, filters and projections into one block.

project (k + 1) as j            →    sources l, r
  filter (n > 3)                     conditions (k = k), (n > 3)
    inner join on (k = k)            items (k + 1)
      scan l
      scan r

All expressions are over the columns of the sources, left to right. Any other node is a source as a
whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lakeschema.catalog.column_types import BOOLEAN
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.expressions import Call, ColumnReference, RowExpression, connected
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import (
    Filter,
    Join,
    Plan,
    PlanColumn,
    Project,
    references,
)
from lakeschema.translation.rewriting.substitution import substituted_all

_AND = Operator("and", NullClass.TOTAL)


@dataclass(frozen=True, slots=True)
class SelectBlock:
    """A block: the sources, the conditions that must all be true, and an item for each column."""

    sources: tuple[Plan, ...]
    conditions: tuple[RowExpression, ...]
    items: tuple[RowExpression, ...]

    @property
    def columns(self) -> tuple[PlanColumn, ...]:
        """The columns of the sources, left to right."""
        return tuple(column for source in self.sources for column in source.columns)


def select_block(plan: Plan) -> SelectBlock:
    """The plan as a block; its expressions must be deterministic.

    Raises:
        TooLarge: an expression is too large after the expressions below are written into it.
    """
    match plan:
        case Project(below, items):
            block = select_block(below)
            shown = substituted_all([e for _, e in items], block.items)
            return SelectBlock(block.sources, block.conditions, shown)
        case Filter(below, condition):
            block = select_block(below)
            found = substituted_all(connected(condition, "and"), block.items)
            return SelectBlock(block.sources, (*block.conditions, *found), block.items)
        case Join(left, right, JoinKind.INNER | JoinKind.CROSS, condition, lateral=False):
            return _joined(select_block(left), select_block(right), condition)
        case _:
            return SelectBlock((plan,), (), references(plan))


def _joined(left: SelectBlock, right: SelectBlock, condition: RowExpression | None) -> SelectBlock:
    moved = moved_by(right.columns, len(left.columns))
    items = (*left.items, *substituted_all(right.items, moved))
    conditions = (*left.conditions, *substituted_all(right.conditions, moved))
    if condition is not None:
        conditions += substituted_all(connected(condition, "and"), items)
    return SelectBlock((*left.sources, *right.sources), conditions, items)


def moved_by(columns: Sequence[PlanColumn], distance: int) -> tuple[ColumnReference, ...]:
    """References to columns, moved to the right by ``distance``."""
    return tuple(
        ColumnReference(index + distance, column.name, column.type, column.nullable)
        for index, column in enumerate(columns)
    )


def filtered(plan: Plan, conditions: Sequence[RowExpression]) -> Plan:
    """The rows for which all conditions are true, tested in order."""
    if not conditions:
        return plan
    if len(conditions) == 1:
        return Filter(plan, conditions[0])
    nullable = any(condition.nullable for condition in conditions)
    return Filter(plan, Call(_AND, tuple(conditions), BOOLEAN, nullable))
