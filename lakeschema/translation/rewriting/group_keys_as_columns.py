"""Computes groups' keys in a projection below, for engines that only group by columns.

aggregate by (k % 2): count(1)        →    aggregate by (key0): count(1)
  scan t                                     project k as k, (k % 2) as key0
                                               scan t
"""

from __future__ import annotations

from lakeschema.translation.plan.expressions import AggregateCall, ColumnReference, RowExpression
from lakeschema.translation.plan.relations import Aggregate, Plan, Project, references
from lakeschema.translation.plan.rewriting import Rewriter
from lakeschema.translation.rewriting.nodes import rewriting


@rewriting(Aggregate)
def group_keys_as_columns(plan: Plan) -> Plan:
    if not isinstance(plan, Aggregate):
        return plan
    computed = [key for _, key in plan.keys if not isinstance(key, ColumnReference)]
    if not computed:
        return plan
    columns = [(each.name, each) for each in references(plan.input)]
    width = len(columns)
    items = (*columns, *((f"key{i}", key) for i, key in enumerate(computed)))
    below = Project(plan.input, tuple(items))
    made = references(below)
    places: dict[int, RowExpression] = {
        id(key): made[width + index] for index, key in enumerate(computed)
    }
    keys = tuple((name, places.get(id(key), key)) for name, key in plan.keys)
    by_key = list(zip(computed, made[width:], strict=True))

    def change(part: RowExpression, depth: int) -> RowExpression | None:
        # GROUPING names a key by its expression.
        return next((column for key, column in by_key if part == key), None) if depth == 0 else None

    def changed(call: AggregateCall) -> AggregateCall:
        if not call.operator.name.startswith("grouping"):
            return call
        arguments = tuple(Rewriter(change).expression(a) for a in call.arguments)
        return AggregateCall(call.operator, arguments, call.type, call.nullable, call.distinct)

    calls = tuple((name, changed(call)) for name, call in plan.aggregates)
    return Aggregate(below, keys, calls, plan.sets)
