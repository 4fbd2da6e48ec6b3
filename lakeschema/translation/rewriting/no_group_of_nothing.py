"""Makes grouping sets over no rows return no row, as in Spark.

Other engines return a row for the set without keys.

aggregate by (k) sets ((k), ()): …        →    project
  scan t                                         filter rows > 0
                                                   aggregate by (k) sets ((k), ()): …, count() as rows
                                                     scan t
"""

from __future__ import annotations

from lakeschema.catalog.column_types import BIGINT, BOOLEAN
from lakeschema.translation.plan.expressions import AggregateCall, Call, Literal
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import Aggregate, Filter, Plan, Project, references
from lakeschema.translation.rewriting.nodes import rewriting

_COUNT = Operator("count", NullClass.NEVER)
_GREATER = Operator(">", NullClass.TOTAL)


@rewriting(Aggregate)
def no_group_of_nothing(plan: Plan) -> Plan:
    if not isinstance(plan, Aggregate) or plan.sets is None or () not in map(tuple, plan.sets):
        return plan
    rows = AggregateCall(_COUNT, (), BIGINT, nullable=False)
    counted = Aggregate(plan.input, plan.keys, (*plan.aggregates, ("rows", rows)), plan.sets)
    *kept, number = references(counted)
    zero = Literal("0", BIGINT)
    some = Filter(counted, Call(_GREATER, (number, zero), BOOLEAN, nullable=False))
    return Project(some, tuple((each.name, each) for each in kept))
