"""Writes null for a key that no grouping set has, for engines that refuse such keys.

aggregate by (k, l) sets ((k)): grouping(k, l)   →    project k, null, (grouping(k) * 2) + 1
                                                         aggregate by (k) sets ((k)): grouping(k)
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from lakeschema.catalog.column_types import BIGINT
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Cast,
    Literal,
    RowExpression,
)
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import Aggregate, Plan, Project, references
from lakeschema.translation.rewriting.nodes import rewriting

_PLUS = Operator("+", NullClass.TOTAL)
_TIMES = Operator("*", NullClass.TOTAL)


@rewriting(Aggregate)
def keys_of_no_set_as_nulls(plan: Plan) -> Plan:
    if not isinstance(plan, Aggregate) or plan.sets is None:
        return plan
    used = sorted({key for chosen in plan.sets for key in chosen})
    if len(used) == len(plan.keys):
        return plan
    known = [plan.keys[key][1] for key in used]
    calls: list[tuple[str, AggregateCall]] = []
    for name, call in plan.aggregates:
        calls += [(name, part) for part in _parts(call, known)]
    sets = tuple(tuple(used.index(key) for key in chosen) for chosen in plan.sets)
    below = Aggregate(plan.input, tuple(plan.keys[key] for key in used), tuple(calls), sets)
    made = iter(references(below))
    items: list[RowExpression] = [
        next(made) if place in used else Literal(None, column.type)
        for place, column in enumerate(plan.columns[: len(plan.keys)])
    ]
    for _, call in plan.aggregates:
        own = [next(made) for _ in _parts(call, known)]
        items.append(_whole(call, own, known) if _is_split(call, known) else own[0])
    return Project(below, tuple((c.name, e) for c, e in zip(plan.columns, items, strict=True)))


def _is_split(call: AggregateCall, known: Sequence[RowExpression]) -> bool:
    """Whether a call is a GROUPING that names a key outside all sets."""
    is_grouping = call.operator.name.startswith("grouping")
    return is_grouping and not all(argument in known for argument in call.arguments)


def _parts(call: AggregateCall, known: Sequence[RowExpression]) -> Sequence[AggregateCall]:
    """A GROUPING of each remaining key, if a key was removed; otherwise the call itself."""
    if not _is_split(call, known):
        return (call,)
    each = (argument for argument in call.arguments if argument in known)
    return [AggregateCall(call.operator, (key,), call.type, nullable=False) for key in each]


def _whole(
    call: AggregateCall, parts: Sequence[RowExpression], known: Sequence[RowExpression]
) -> RowExpression:
    """The value of a GROUPING with the bits of all its keys; a key outside all sets has bit 1."""
    bits = iter(parts)
    values: list[RowExpression] = []
    for place, argument in enumerate(call.arguments):
        weight = Literal(str(2 ** (len(call.arguments) - 1 - place)), BIGINT)
        if argument in known:
            bit = Cast(next(bits), BIGINT, nullable=False, implicit=True)
            values.append(Call(_TIMES, (bit, weight), BIGINT, nullable=False))
        else:
            values.append(weight)
    total = reduce(lambda a, b: Call(_PLUS, (a, b), BIGINT, nullable=False), values)
    return total if call.type == BIGINT else Cast(total, call.type, nullable=False)
