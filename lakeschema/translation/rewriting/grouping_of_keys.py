"""GROUPING_ID without arguments names the keys that it is of, for engines that want them named.

aggregate by (g, h) sets …: grouping__id()        →    aggregate by (g, h) sets …: grouping__id(g, h)
"""

from __future__ import annotations

from dataclasses import replace

from lakeschema.translation.plan.expressions import AggregateCall, RowExpression
from lakeschema.translation.plan.relations import Aggregate, Plan
from lakeschema.translation.rewriting.nodes import rewrite

_OF_ALL_KEYS = frozenset({"grouping_id", "grouping__id"})


def grouping_of_keys(plan: Plan) -> Plan:
    """The plan in which each such call has arguments."""
    return rewrite(plan, _rule)


def _rule(plan: Plan) -> Plan:
    if not isinstance(plan, Aggregate):
        return plan
    keys = tuple(key for _, key in plan.keys)
    calls = tuple((name, _of(call, keys)) for name, call in plan.aggregates)
    return Aggregate(plan.input, plan.keys, calls, plan.sets)


def _of(call: AggregateCall, keys: tuple[RowExpression, ...]) -> AggregateCall:
    if call.operator.name in _OF_ALL_KEYS and not call.arguments and keys:
        return replace(call, arguments=keys)
    return call
