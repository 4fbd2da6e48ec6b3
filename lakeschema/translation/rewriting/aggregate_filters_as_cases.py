"""Writes an aggregate's FILTER as a CASE, for engines without FILTER.

aggregate by (k): sum(d) where (k > 1)        →    aggregate by (k): sum(case when (k > 1) then d end)
"""

from __future__ import annotations

from lakeschema.translation.plan.relations import Aggregate, Plan
from lakeschema.translation.rewriting.nodes import rewriting
from lakeschema.translation.rewriting.window_filters_as_cases import without_filter


@rewriting(Aggregate)
def aggregate_filters_as_cases(plan: Plan) -> Plan:
    """The plan with nulls for rows that a FILTER excludes, for aggregates that skip nulls."""
    if not isinstance(plan, Aggregate) or all(call.filter is None for _, call in plan.aggregates):
        return plan
    calls = tuple(
        (name, call if call.order_by else without_filter(call)) for name, call in plan.aggregates
    )
    return Aggregate(plan.input, plan.keys, calls, plan.sets)
