"""Groups show -0.0 as 0.0, as Spark does.

aggregate by (d): count(1)        →    aggregate by ((d + 0.0)): count(1)
"""

from __future__ import annotations

from lakeschema.catalog.column_types import DOUBLE
from lakeschema.translation.functions.coercion import is_float
from lakeschema.translation.plan.expressions import Call, Literal, RowExpression
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import Aggregate, Distinct, Plan, Project, references
from lakeschema.translation.rewriting.nodes import rewrite

_PLUS = Operator("+", NullClass.TOTAL)


def zeros_united(plan: Plan) -> Plan:
    """The plan with one zero in keys of groups and in distinct rows."""
    return rewrite(plan, _rule)


def _rule(plan: Plan) -> Plan:
    match plan:
        case Aggregate(below, keys, calls, None):
            return Aggregate(below, tuple((name, _united(key)) for name, key in keys), calls)
        case Distinct(below) if any(is_float(column.type) for column in below.columns):
            items = tuple((each.name, _united(each)) for each in references(below))
            return Distinct(Project(below, items))
        case _:
            return plan


def _united(key: RowExpression) -> RowExpression:
    # Of a float and a double the sum would be a double.
    if key.type != DOUBLE:
        return key
    return Call(_PLUS, (key, Literal("0.0", DOUBLE)), DOUBLE, key.nullable)
