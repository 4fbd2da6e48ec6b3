"""Writes EXISTS of an uncorrelated sub-query as a count, for engines that only allow correlated EXISTS.

filter exists (sub-query)        →    filter ((sub-query) > 0)
  (sub-query)                           (sub-query)
    scan r                                aggregate: count()
  scan l                                    limit 1
                                              scan r
                                        scan l
"""

from __future__ import annotations

from lakeschema.catalog.column_types import BIGINT, BOOLEAN, INT
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Exists,
    Literal,
    RowExpression,
    ScalarSubquery,
    rebuild,
    subqueries,
)
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import Aggregate, Limit, Plan, expressions
from lakeschema.translation.plan.rewriting import lift_plan, rebuild_node
from lakeschema.translation.rewriting.nodes import rewriting

_COUNT = Operator("count", NullClass.NEVER)
_GREATER = Operator(">", NullClass.TOTAL)


@rewriting(Exists)
def uncorrelated_exists_as_counts(plan: Plan) -> Plan:
    if not any(isinstance(each, Exists) for each in subqueries(expressions(plan))):
        return plan
    return rebuild_node(plan, lambda below: below, _changed)


def _changed(part: RowExpression) -> RowExpression:
    if not isinstance(part, Exists) or lift_plan(part.plan, 1) != part.plan:
        return rebuild(part, _changed)
    counted = AggregateCall(_COUNT, (), BIGINT, nullable=False)
    number = Aggregate(Limit(part.plan, Literal("1", INT)), (), (("number", counted),))
    zero = Literal("0", BIGINT)
    return Call(_GREATER, (ScalarSubquery(number), zero), BOOLEAN, nullable=False)
