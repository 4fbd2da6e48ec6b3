"""Splits a plan that ends with groups into the groups and the expressions above them.

project (k + 1) as j, sum as s        →    conditions (k > 1), items (k + 1) and sum
  filter (k > 1)                           over aggregate by (k): sum(n)
    aggregate by (k): sum(n)
"""

from __future__ import annotations

from dataclasses import dataclass

from lakeschema.translation.plan.expressions import RowExpression
from lakeschema.translation.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Plan,
    Project,
    SetOperation,
    SetOperator,
    Sort,
    references,
)
from lakeschema.translation.rewriting.nodes import rewrite
from lakeschema.translation.rewriting.substitution import substituted_all


@dataclass(frozen=True, slots=True)
class Grouped:
    """Groups and the SELECT list above them.

    Attributes:
        conditions: the conditions on groups, over the groups' columns.
        items: an expression for each column of the plan, over the groups' columns.
    """

    groups: Aggregate
    conditions: tuple[RowExpression, ...]
    items: tuple[RowExpression, ...]


def grouped(plan: Plan) -> Grouped | None:
    """The groups at the end of the plan; None if the plan does not end with groups.

    Raises:
        TooLarge: the SELECT list is too large after the lists below are written into it.
    """
    items: tuple[RowExpression, ...] = references(plan)
    conditions: tuple[RowExpression, ...] = ()
    while isinstance(plan, Project | Filter):
        match plan:
            case Project(items=made):
                values = [expression for _, expression in made]
                items = substituted_all(items, values)
                conditions = substituted_all(conditions, values)
            case Filter(condition=condition):
                conditions = (condition, *conditions)
        plan = plan.input
    groups = as_groups(plan)
    return None if groups is None else Grouped(groups, conditions, items)


def as_groups(plan: Plan) -> Aggregate | None:
    """The plan as groups, if it is an Aggregate or has distinct rows; otherwise None."""
    match plan:
        case Aggregate():
            return plan
        case Distinct(below):
            return _distinct(below)
        case SetOperation(SetOperator.UNION, branches):
            return _distinct(SetOperation(SetOperator.UNION_ALL, branches))
        case _:
            return None


def without_order(plan: Plan) -> Plan:
    """The plan without sorts, for uses that ignore the order; a limit may then take any rows."""
    return rewrite(plan, lambda node: node.input if isinstance(node, Sort) else node)


def _distinct(plan: Plan) -> Aggregate:
    return Aggregate(plan, tuple((each.name, each) for each in references(plan)), ())
