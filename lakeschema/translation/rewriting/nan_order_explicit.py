"""Orders NaN after all numbers, for engines that put it elsewhere.

sort d        →    sort d is nan, d        (a double)
"""

from __future__ import annotations

from dataclasses import replace

from lakeschema.catalog.column_types import BOOLEAN
from lakeschema.translation.functions.coercion import is_float
from lakeschema.translation.plan.expressions import Call, SortKey, WindowCall
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import Plan, Sort, Window
from lakeschema.translation.rewriting.nodes import rewriting

_IS_NAN = Operator("is nan", NullClass.TOTAL)


@rewriting(Sort, Window)
def nan_order_explicit(plan: Plan) -> Plan:
    """The plan that orders by "is NaN" before each float key."""
    match plan:
        case Sort(below, order, total) if _has_floats(order):
            return Sort(below, _keys(order), total)
        case Window(below, calls) if any(_has_floats(call.order_by) for _, call in calls):
            return Window(below, tuple((name, _call(call)) for name, call in calls))
        case _:
            return plan


def _call(call: WindowCall) -> WindowCall:
    # An offset in RANGE requires exactly one key.
    offsets = call.frame is not None and any(c.isdigit() for c in call.frame)
    return call if offsets else replace(call, order_by=_keys(call.order_by))


def _has_floats(keys: tuple[SortKey, ...]) -> bool:
    return any(is_float(key.expression.type) for key in keys)


def _keys(keys: tuple[SortKey, ...]) -> tuple[SortKey, ...]:
    return tuple(part for key in keys for part in _with_nan(key))


def _with_nan(key: SortKey) -> tuple[SortKey, ...]:
    """The keys "is NaN" and the key itself; nulls stay in place, since both are null for them."""
    if not is_float(key.expression.type):
        return (key,)
    nan = Call(_IS_NAN, (key.expression,), BOOLEAN, key.expression.nullable)
    return (replace(key, expression=nan), key)
