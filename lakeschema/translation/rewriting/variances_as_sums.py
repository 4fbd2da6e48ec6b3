"""Computes groups' variances and deviations from sums of squares, as Hive's optimiser does.

aggregate by (g): var_pop(x) as v    →    project g, ((q - ((s * s) / n)) / n) as v
  scan t                                    aggregate by (g): sum((x * x)) as q, sum(x) as s, count(x) as n
                                              scan t

Other engines add up squared distances from the mean, with other rounding. Hive's ``var_pop`` of
100000001, 100000001 and 100000002 is 0.0. Its ``var_pop`` of one number whose square overflows is NaN.
With DISTINCT, the squares are distinct as well, so -3 and 3 count once. Hive does not rewrite
windows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from lakeschema.catalog.column_types import BIGINT, DOUBLE
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Cast,
    ColumnReference,
    Literal,
    RowExpression,
)
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import Aggregate, Plan, Project, references
from lakeschema.translation.rewriting.nodes import rewriting

_VARIANCES: Final = frozenset({"var_pop", "var_samp"})
_DEVIATIONS: Final = frozenset({"stddev_pop", "stddev_samp"})
_OF_SAMPLES: Final = frozenset({"var_samp", "stddev_samp"})
_SUM: Final = Operator("sum", NullClass.PARTIAL)
_COUNT: Final = Operator("count", NullClass.NEVER)
_ONE: Final = Literal("1.0", DOUBLE)


@rewriting(Aggregate)
def variances_as_sums(plan: Plan) -> Plan:
    if not isinstance(plan, Aggregate) or not any(_varies(call) for _, call in plan.aggregates):
        return plan
    named: dict[AggregateCall, str] = {}
    for name, call in plan.aggregates:
        suffixes = ("_squares", "_sum", "_count") if _varies(call) else ("",)
        for part, suffix in zip(_parts(call), suffixes, strict=True):
            named.setdefault(part, f"{name}{suffix}")
    grouped = Aggregate(
        plan.input, plan.keys, tuple((name, call) for call, name in named.items()), plan.sets
    )
    columns = references(grouped)
    found = dict(zip(named, columns[len(plan.keys) :], strict=True))
    computed = tuple(
        (name, _value(call, [found[part] for part in _parts(call)]))
        for name, call in plan.aggregates
    )
    keys = tuple((key.name, key) for key in columns[: len(plan.keys)])
    return Project(grouped, (*keys, *computed))


def _varies(call: AggregateCall) -> bool:
    return call.operator.name in _VARIANCES | _DEVIATIONS


def _parts(call: AggregateCall) -> tuple[AggregateCall, ...]:
    """The sum of squares, the sum and the count of a variance's values; any other call stays alone."""
    if not _varies(call):
        return (call,)
    (value,) = call.arguments
    if isinstance(value, Cast):
        # The sum must be a sum of numbers even if they come from strings: Hive sums strings differently.
        value = replace(value, implicit=False)
    square = Call(_operator("*"), (value, value), DOUBLE, value.nullable)
    summed = replace(call, operator=_SUM, arguments=(value,), nullable=True)
    return (
        replace(summed, arguments=(square,)),
        summed,
        replace(call, operator=_COUNT, arguments=(value,), type=BIGINT, nullable=False),
    )


def _value(call: AggregateCall, parts: list[ColumnReference]) -> RowExpression:
    if not _varies(call):
        return parts[0]
    squares, summed, counted = parts
    count = Cast(counted, DOUBLE, nullable=False)
    of_mean = _computed("/", _computed("*", summed, summed), count)
    # Hive's division by zero is null. A sample of one value divides by zero.
    divisor = _computed("-", count, _ONE) if call.operator.name in _OF_SAMPLES else count
    variance = _computed("/", _computed("-", squares, of_mean), divisor)
    if call.operator.name in _VARIANCES:
        return variance
    return _computed("power", variance, Literal("0.5", DOUBLE))


def _computed(operator: str, left: RowExpression, right: RowExpression) -> Call:
    return Call(_operator(operator), (left, right), DOUBLE, nullable=True)


def _operator(name: str) -> Operator:
    return Operator(name, NullClass.PARTIAL)
