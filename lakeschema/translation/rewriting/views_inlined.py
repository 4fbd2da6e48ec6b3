"""Replaces the views that a plan scans by their own plans.

scan v (k int)        →    project k as k
                             scan t (k int)
"""

from __future__ import annotations

from collections.abc import Callable

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.plan.expressions import Cast, ColumnReference, RowExpression
from lakeschema.translation.plan.relations import Plan, PlanColumn, Project, Scan, references
from lakeschema.translation.rewriting.nodes import rewrite


def views_inlined(plan: Plan, view_plan: Callable[[RelationName], Plan | None]) -> Plan:
    """The plan with relations replaced by ``view_plan``; a relation stays if that returns None."""

    def rule(node: Plan) -> Plan:
        below = view_plan(node.relation) if isinstance(node, Scan) else None
        if below is None:
            return node
        shown = zip(references(below), node.columns, strict=True)
        return Project(below, tuple((c.name, _as_read(value, c)) for value, c in shown))

    return rewrite(plan, rule)


def _as_read(value: ColumnReference, column: PlanColumn) -> RowExpression:
    """The view's column, converted to the type that the readers of the view see."""
    if value.type == column.type:
        return value
    return Cast(value, column.type, value.nullable, implicit=True)
