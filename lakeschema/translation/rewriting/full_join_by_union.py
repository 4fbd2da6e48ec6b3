"""Writes a FULL JOIN as a left join and the unmatched right rows.

Engines need this if the condition is more than equalities.

full join on (k < k)        →    union all of 2
  scan l                           left join on (k < k)
  scan r                             scan l
                                     scan r
                                   project null as k, k as k
                                     anti join on (k < k)
                                       scan r
                                       scan l
"""

from __future__ import annotations

from lakeschema.translation.functions.coercion import is_float
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.expressions import (
    Call,
    ColumnReference,
    Literal,
    OuterReference,
    RowExpression,
    connected,
)
from lakeschema.translation.plan.relations import (
    Join,
    Plan,
    Project,
    SetOperation,
    SetOperator,
    references,
)
from lakeschema.translation.plan.rewriting import Rewriter
from lakeschema.translation.rewriting.join_conditions import sides
from lakeschema.translation.rewriting.nodes import rewriting


@rewriting(Join)
def full_join_by_union(plan: Plan) -> Plan:
    if not isinstance(plan, Join) or plan.kind is not JoinKind.FULL or plan.condition is None:
        return plan
    width = len(plan.left.columns)
    if all(_is_equality(part, width) for part in connected(plan.condition, "and")):
        return plan
    return as_union(plan, plan.condition)


def as_union(plan: Join, condition: RowExpression) -> Plan:
    """The rows of a full join on the condition."""
    left = Join(plan.left, plan.right, JoinKind.LEFT, condition)
    swapped = _swapped(condition, len(plan.left.columns), len(plan.right.columns))
    rest = Join(plan.right, plan.left, JoinKind.ANTI, swapped)
    nulls = tuple((column.name, Literal(None, column.type)) for column in plan.left.columns)
    kept = tuple((each.name, each) for each in references(rest))
    return SetOperation(SetOperator.UNION_ALL, (left, Project(rest, (*nulls, *kept))))


def _is_equality(part: RowExpression, width: int) -> bool:
    if not isinstance(part, Call) or part.operator.name != "=":
        return False
    one, other = (sides(argument, width) for argument in part.arguments)
    exact = not any(is_float(argument.type) for argument in part.arguments)
    return exact and {frozenset(one), frozenset(other)} == {frozenset({0}), frozenset({1})}


def _swapped(condition: RowExpression, left: int, right: int) -> RowExpression:
    """The condition with the two sides swapped."""

    def place(index: int) -> int:
        return index + right if index < left else index - left

    def change(part: RowExpression, depth: int) -> RowExpression | None:
        match part:
            case ColumnReference(index, name, type_, nullable) if depth == 0:
                return ColumnReference(place(index), name, type_, nullable)
            case OuterReference(level, index, name, type_, nullable) if depth and level == depth:
                return OuterReference(level, place(index), name, type_, nullable)
            case _:
                return None

    return Rewriter(change).expression(condition)
