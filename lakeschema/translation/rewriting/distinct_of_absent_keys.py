"""Makes DISTINCT values of a grouping key null where a set lacks the key, as in Hive.

aggregate by (g, h) sets ((g, h), (g)):    →    project g, h, case when (b = 0) then s end as s
  sum(distinct h) as s                            aggregate by (g, h) sets ((g, h), (g)):
  scan t                                          sum(distinct h) as s, grouping(h) as b
                                                    scan t

Hive shares one column between the key and the DISTINCT values, and it is null in such a set. In
such a set a sum is null, and a count is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lakeschema.catalog.column_types import BIGINT, BOOLEAN
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Case,
    Literal,
    RowExpression,
    unconverted,
)
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import Aggregate, Plan, Project, references
from lakeschema.translation.rewriting.nodes import rewriting

_GROUPING: Final = Operator("grouping", NullClass.NEVER)
_EQUAL: Final = Operator("=", NullClass.TOTAL)
_ZERO: Final = Literal("0", BIGINT)


@rewriting(Aggregate)
def distinct_of_absent_keys(plan: Plan) -> Plan:
    """The plan in which DISTINCT values of a key are null in sets without the key.

    Raises:
        UnsupportedConstruct: the values are collected in an array.
    """
    if not isinstance(plan, Aggregate) or plan.sets is None:
        return plan
    absent = [_absent_somewhere(call, plan, plan.sets) for _, call in plan.aggregates]
    asked = [keys for keys in dict.fromkeys(absent) if keys]
    if not asked:
        return plan
    tests = tuple(
        (f"absent_{number}", AggregateCall(_GROUPING, keys, BIGINT, nullable=False))
        for number, keys in enumerate(asked, 1)
    )
    grouped = Aggregate(plan.input, plan.keys, (*plan.aggregates, *tests), plan.sets)
    found = references(grouped)
    bits = dict(zip(asked, found[len(plan.columns) :], strict=True))
    values = zip(plan.aggregates, found[len(plan.keys) : len(plan.columns)], absent, strict=True)
    items = (
        *((key.name, key) for key in found[: len(plan.keys)]),
        *((name, _present(call, v, bits[k]) if k else v) for (name, call), v, k in values),
    )
    return Project(grouped, items)


def _absent_somewhere(
    call: AggregateCall, plan: Aggregate, sets: Sequence[Sequence[int]]
) -> tuple[RowExpression, ...]:
    """The keys whose DISTINCT values are aggregated, if a grouping set lacks one of them."""
    if not call.distinct:
        return ()
    # A sum takes strings as they are, but Hive converts strings before averaging.
    is_sum = call.operator.name == "sum"
    values = [unconverted(each) if is_sum else each for each in call.arguments]
    return tuple(
        key
        for place, (_, key) in enumerate(plan.keys)
        if key in values and any(place not in chosen for chosen in sets)
    )


def _present(call: AggregateCall, value: RowExpression, bits: RowExpression) -> RowExpression:
    name = call.operator.name
    if name.startswith("collect_"):
        raise UnsupportedConstruct(
            f"{name} of DISTINCT values of a key that some grouping sets lack"
        )
    none = _ZERO if name == "count" else None
    is_there = Call(_EQUAL, (bits, _ZERO), BOOLEAN, nullable=False)
    return Case(((is_there, value),), none, call.type)
