"""Adds the keys to GROUPING_ID without arguments, for engines that require them.

aggregate by (g, h) sets …: grouping__id()        →    aggregate by (g, h) sets …: grouping__id(g, h)
"""

from __future__ import annotations

from dataclasses import replace

from lakeschema.translation.plan.expressions import AggregateCall
from lakeschema.translation.plan.relations import Aggregate, Plan
from lakeschema.translation.rewriting.nodes import rewriting

_OF_ALL_KEYS = frozenset({"grouping_id", "grouping__id"})


@rewriting(Aggregate)
def grouping_of_keys(plan: Plan) -> Plan:
    if not isinstance(plan, Aggregate):
        return plan
    keys = tuple(key for _, key in plan.keys)
    if not keys or not any(_is_of_all_keys(call) for _, call in plan.aggregates):
        return plan
    calls = tuple(
        (name, replace(call, arguments=keys) if _is_of_all_keys(call) else call)
        for name, call in plan.aggregates
    )
    return Aggregate(plan.input, plan.keys, calls, plan.sets)


def _is_of_all_keys(call: AggregateCall) -> bool:
    return call.operator.name in _OF_ALL_KEYS and not call.arguments
