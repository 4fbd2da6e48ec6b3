"""Writes semi and anti joins as EXISTS, for engines without such joins.

semi join on (k = k)        →    filter exists (sub-query)
  scan l                            (sub-query)
  scan r                              filter (k = k)        of l's column, a query around
                                        scan r
                                    scan l
"""

from __future__ import annotations

from lakeschema.catalog.column_types import BOOLEAN, INT
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.expressions import Call, Exists, Literal
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import Filter, Join, Plan, Project
from lakeschema.translation.plan.rewriting import lift_plan
from lakeschema.translation.rewriting.join_conditions import inside_right
from lakeschema.translation.rewriting.nodes import rewriting

_NOT = Operator("not", NullClass.TOTAL)
_KINDS = frozenset({JoinKind.SEMI, JoinKind.ANTI})


@rewriting(Join)
def semi_joins_as_exists(plan: Plan) -> Plan:
    if not isinstance(plan, Join) or plan.kind not in _KINDS:
        return plan
    # A lateral right side is already a query inside the left one.
    right = plan.right if plan.lateral else lift_plan(plan.right, 1)
    if plan.condition is not None:
        right = Filter(right, inside_right(plan.condition, len(plan.left.columns)))
    found = Exists(Project(right, (("found", Literal("1", INT)),)))
    kept = found if plan.kind is JoinKind.SEMI else Call(_NOT, (found,), BOOLEAN, nullable=False)
    return Filter(plan.left, kept)
