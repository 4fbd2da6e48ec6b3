"""Refuses or reshapes plans that Hive 4.0.1 cannot read or computes differently.

Each case was compared with Spark. Hive turns sub-queries into equality joins, so a row with a null
column matches nothing, even if the sub-query uses more than a comparison.
"""

from __future__ import annotations

from collections.abc import Container

from lakeschema.translation.emission.rows import letter
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.expressions import (
    Call,
    Cast,
    ColumnReference,
    FieldAccess,
    InSubquery,
    Literal,
    OuterReference,
    RowExpression,
    connected,
    subqueries,
    walk,
)
from lakeschema.translation.plan.relations import (
    Aggregate,
    Filter,
    Generate,
    Join,
    Limit,
    Plan,
    Recursion,
    RecursiveScan,
    SetOperation,
    SetOperator,
    Sort,
    expressions,
    plans_of,
)

_COMPARED = frozenset({"=", "<>", "<", "<=", ">", ">="})


def check(plan: Plan, padded: Container[str]) -> None:
    """Raises ``UnsupportedConstruct`` for plans that Hive computes differently.

    ``padded``: the names, in lower case, of stored CHAR columns, which Spark reads as text.
    """
    plans = list(plans_of(plan))
    for each in plans:
        _check_node(each)
        for part in (part for read in expressions(each) for part in walk(read)):
            if isinstance(part, ColumnReference) and part.name.lower() in padded:
                raise UnsupportedConstruct("a CHAR, whose padding Hive omits, for Hive")
        for asked in subqueries(expressions(each)):
            for below in plans_of(asked.plan):
                _check_correlated(below)
            if isinstance(asked, InSubquery) and any(
                letter(operand.type) in "fd" for operand in asked.operands
            ):
                raise UnsupportedConstruct("IN a sub-query of numbers that may be NaN, for Hive")
            if isinstance(asked, InSubquery) and len(asked.operands) > 1:
                raise UnsupportedConstruct("a tuple IN a sub-query for Hive")
    if any(isinstance(each, Generate) for each in plans) and any(map(_asks, plans)):
        raise UnsupportedConstruct("a sub-query with a LATERAL VIEW for Hive")
    if any(map(_is_outer_view, plans)) and any(map(_needs_optimiser, plans)):
        raise UnsupportedConstruct(
            "EXCEPT, INTERSECT or an order with an outer LATERAL VIEW for Hive"
        )


def _check_node(plan: Plan) -> None:
    match plan:
        case Recursion() | RecursiveScan():
            raise UnsupportedConstruct("a recursive query for Hive")
        case Join(lateral=True):
            raise UnsupportedConstruct("a LATERAL join for Hive")
        case Join(kind=JoinKind.FULL, condition=condition) if condition is not None:
            if not all(_is_comparison(part, {"="}) for part in connected(condition, "and")):
                raise UnsupportedConstruct("a FULL JOIN on more than equalities for Hive")
        case Limit(limit=None):
            raise UnsupportedConstruct("OFFSET without LIMIT for Hive")
        case Generate(input=below) if _is_of_join(below):
            # Hive's optimiser loses columns of the sub-query that a LATERAL VIEW after it needs.
            raise UnsupportedConstruct("a LATERAL VIEW over a join for Hive")
        case Aggregate(sets=sets) if sets is not None:
            if len({frozenset(each) for each in sets}) < len(sets):
                raise UnsupportedConstruct("a grouping set that is repeated, for Hive")
        case _:
            pass


def _check_correlated(plan: Plan) -> None:
    """Checks that only comparisons in a sub-query's filters read an outer query's columns."""
    for read in expressions(plan):
        parts = connected(read, "and") if isinstance(plan, Filter) else (read,)
        for part in parts:
            if any(isinstance(each, OuterReference) for each in walk(part)) and not (
                isinstance(plan, Filter) and _is_comparison(part)
            ):
                raise UnsupportedConstruct(
                    "a sub-query that uses more than comparisons with the outer query, for Hive"
                )


def _is_comparison(condition: RowExpression, names: Container[str] = _COMPARED) -> bool:
    """Whether a condition is a comparison that is unknown if either side is null."""
    return (
        isinstance(condition, Call)
        and condition.operator.name in names
        and all(map(_is_plain, condition.arguments))
    )


def _is_plain(operand: RowExpression) -> bool:
    while isinstance(operand, FieldAccess) or (isinstance(operand, Cast) and operand.implicit):
        operand = operand.base if isinstance(operand, FieldAccess) else operand.operand
    is_column = isinstance(operand, ColumnReference | OuterReference | Literal)
    return is_column and letter(operand.type) not in "fd"


def _is_outer_view(plan: Plan) -> bool:
    return isinstance(plan, Generate) and (plan.outer or plan.call.operator.name.endswith("_outer"))


def _is_of_join(plan: Plan) -> bool:
    while isinstance(plan, Filter | Generate):
        plan = plan.input
    return isinstance(plan, Join)


def _asks(plan: Plan) -> bool:
    return any(True for _ in subqueries(expressions(plan)))


def _needs_optimiser(plan: Plan) -> bool:
    """Whether nodes need Hive's optimiser, which does not support outer lateral views."""
    if isinstance(plan, SetOperation):
        return plan.operator not in (SetOperator.UNION, SetOperator.UNION_ALL)
    return isinstance(plan, Sort)
