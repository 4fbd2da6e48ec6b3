"""Shows -0.0 as 0.0 in groups, as Spark does.

aggregate by (d): count(1)        →    aggregate by ((d + 0.0)): count(1)

The rows of INTERSECT and EXCEPT are groups as well.
"""

from __future__ import annotations

from dataclasses import replace

from lakeschema.translation.functions.coercion import is_float
from lakeschema.translation.plan.expressions import AggregateCall, Call, Literal, RowExpression
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import (
    Aggregate,
    Distinct,
    Plan,
    Project,
    SetOperation,
    SetOperator,
    references,
)
from lakeschema.translation.rewriting.nodes import rewriting

_PLUS = Operator("+", NullClass.TOTAL)


@rewriting(Aggregate, Distinct, SetOperation)
def zeros_united(plan: Plan) -> Plan:
    """The plan in which groups' keys and distinct rows have 0.0 in place of -0.0."""
    match plan:
        case Aggregate(below, keys, calls, sets) if any(is_float(key.type) for _, key in keys):
            united = tuple((name, _united(key)) for name, key in keys)
            return Aggregate(below, united, tuple((n, _of_united(c)) for n, c in calls), sets)
        case Distinct(below) if any(is_float(column.type) for column in below.columns):
            return Distinct(_all_united(below))
        case SetOperation(operator) if operator is not SetOperator.UNION_ALL:
            return _all_united(plan)
        case _:
            return plan


def _of_united(call: AggregateCall) -> AggregateCall:
    """The call after its keys changed, for GROUPING and similar calls, whose arguments are keys."""
    if not call.operator.name.startswith("grouping"):
        return call
    return replace(call, arguments=tuple(map(_united, call.arguments)))


def _all_united(plan: Plan) -> Plan:
    if not any(is_float(column.type) for column in plan.columns):
        return plan
    return Project(plan, tuple((each.name, _united(each)) for each in references(plan)))


def _united(key: RowExpression) -> RowExpression:
    if not is_float(key.type):
        return key
    return Call(_PLUS, (key, Literal("0.0", key.type)), key.type, key.nullable)
