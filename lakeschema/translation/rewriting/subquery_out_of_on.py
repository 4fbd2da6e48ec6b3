"""Moves sub-queries out of a join's condition, to places that every engine allows.

    inner join on (k in (sub-query))        →    filter k in (sub-query)
      scan l                                       cross join
      scan r                                         scan l
                                                     scan r

In a left join, a condition on only the right side filters that side.
"""

from __future__ import annotations

from lakeschema.catalog.column_types import BOOLEAN
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.expressions import (
    Call,
    ColumnReference,
    OuterReference,
    RowExpression,
    asks,
    connected,
)
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import Filter, Join, Plan
from lakeschema.translation.plan.rewriting import Rewriter
from lakeschema.translation.rewriting.nodes import rewriting

_AND = Operator("and", NullClass.TOTAL)


@rewriting(Join)
def subquery_out_of_on(plan: Plan) -> Plan:
    """The plan, in which conditions with sub-queries are moved if this does not change the rows."""
    if not isinstance(plan, Join) or plan.condition is None or plan.lateral:
        return plan
    if not asks(plan.condition):
        return plan
    parts = connected(plan.condition, "and")
    with_queries = [part for part in parts if asks(part)]
    others = [part for part in parts if not asks(part)]
    width = len(plan.left.columns)
    if plan.kind is JoinKind.INNER:
        kind = JoinKind.INNER if others else JoinKind.CROSS
        joined = Join(plan.left, plan.right, kind, _all(others) if others else None)
        return Filter(joined, _all(with_queries))
    if plan.kind is JoinKind.LEFT:
        moved = [_of_right(part, width) for part in with_queries]
        known = [part for part in moved if part is not None]
        if len(known) == len(moved) and others:
            return Join(plan.left, Filter(plan.right, _all(known)), plan.kind, _all(others))
    return plan


def _all(parts: list[RowExpression]) -> RowExpression:
    if len(parts) == 1:
        return parts[0]
    return Call(_AND, tuple(parts), BOOLEAN, any(part.nullable for part in parts))


def _of_right(condition: RowExpression, width: int) -> RowExpression | None:
    """The condition inside the right side; None if it reads columns of the left side."""
    reads_left = False

    def change(part: RowExpression, depth: int) -> RowExpression | None:
        nonlocal reads_left
        match part:
            case ColumnReference(index, name, type_, nullable) if depth == 0:
                reads_left = reads_left or index < width
                return ColumnReference(max(index - width, 0), name, type_, nullable)
            case OuterReference(level, index, name, type_, nullable) if depth and level == depth:
                reads_left = reads_left or index < width
                return OuterReference(level, max(index - width, 0), name, type_, nullable)
            case _:
                return None

    made = Rewriter(change).expression(condition)
    return None if reads_left else made
