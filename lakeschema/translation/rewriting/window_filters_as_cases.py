"""Writes the FILTER of a window aggregate as a CASE, for engines that do not allow it there.

window sum(d) where (k > 1) over (…)        →    window sum(case when (k > 1) then d end) over (…)
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from lakeschema.catalog.column_types import INT
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Case,
    Literal,
    RowExpression,
    WindowCall,
)
from lakeschema.translation.plan.relations import Plan, Window
from lakeschema.translation.rewriting.nodes import rewriting

_SKIP_NULLS = frozenset(
    {
        *("count", "sum", "try_sum", "avg", "try_avg", "min", "max", "median"),
        *("stddev_samp", "stddev_pop", "var_samp", "var_pop"),
        *("skewness", "kurtosis", "collect_list", "collect_set", "array_agg"),
        *("bool_and", "bool_or", "bit_and", "bit_or", "bit_xor"),
    }
)
"""Aggregates that ignore rows whose first argument is null."""
_Call = TypeVar("_Call", AggregateCall, WindowCall)


@rewriting(Window)
def window_filters_as_cases(plan: Plan) -> Plan:
    if not isinstance(plan, Window) or all(call.filter is None for _, call in plan.calls):
        return plan
    return Window(
        plan.input,
        tuple((name, call if call.within else without_filter(call)) for name, call in plan.calls),
    )


def without_filter(call: _Call) -> _Call:
    """The call with nulls for rows that FILTER excludes, if the aggregate skips nulls."""
    if call.filter is None or call.operator.name not in _SKIP_NULLS:
        return call
    counted: tuple[RowExpression, ...] = call.arguments or (Literal("1", INT),)
    first = Case(((call.filter, counted[0]),), None, counted[0].type)
    return replace(call, arguments=(first, *counted[1:]), filter=None)
