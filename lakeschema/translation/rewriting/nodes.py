"""A plan changed node by node, from its leaves up, the plans of sub-queries included."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias, TypeVar, assert_never, cast

from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Exists,
    InSubquery,
    RowExpression,
    ScalarSubquery,
    WindowCall,
    asks,
    rebuild,
)
from lakeschema.translation.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Limit,
    Plan,
    Project,
    Recursion,
    RecursiveScan,
    Scan,
    SetOperation,
    Sort,
    Values,
    Window,
    expressions,
    inputs,
)

Rule: TypeAlias = Callable[[Plan], Plan]
"""A node whose inputs are rewritten already → what takes its place, with the same columns."""

_Call = TypeVar("_Call", Call, AggregateCall, WindowCall)


def rewrite(plan: Plan, rule: Rule) -> Plan:
    """The plan with ``rule`` applied to each node; shared plans stay shared."""
    return _Nodes(rule).plan(plan)


class _Nodes:
    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        # With the plan itself: ids are only good while the objects live.
        self._done: dict[int, tuple[Plan, Plan]] = {}

    def plan(self, plan: Plan) -> Plan:
        if id(plan) not in self._done:
            self._done[id(plan)] = (plan, self._rule(self._over_inputs(plan)))
        return self._done[id(plan)][1]

    def _over_inputs(self, plan: Plan) -> Plan:
        if any(map(asks, expressions(plan))):
            return self._rebuilt(plan)
        # Most nodes stay what they are, and making them again checks them again.
        before = inputs(plan)
        same = all(
            made is given for made, given in zip(map(self.plan, before), before, strict=True)
        )
        return plan if same else self._rebuilt(plan)

    def _expression(self, expression: RowExpression) -> RowExpression:
        match expression:
            case ScalarSubquery(plan):
                return ScalarSubquery(self.plan(plan))
            case Exists(plan):
                return Exists(self.plan(plan))
            case InSubquery(operands, plan):
                return InSubquery(tuple(map(self._expression, operands)), self.plan(plan))
            case _:
                return rebuild(expression, self._expression)

    def _call(self, call: _Call) -> _Call:
        return cast(_Call, rebuild(call, self._expression))

    def _rebuilt(self, plan: Plan) -> Plan:
        match plan:
            case Scan() | RecursiveScan() | Values():
                return plan
            case Project(below, items):
                return Project(self.plan(below), tuple((n, self._expression(e)) for n, e in items))
            case Filter(below, condition):
                return Filter(self.plan(below), self._expression(condition))
            case Join(left, right, kind, condition, lateral):
                on = None if condition is None else self._expression(condition)
                return Join(self.plan(left), self.plan(right), kind, on, lateral)
            case Aggregate(below, keys, calls, sets):
                return Aggregate(
                    self.plan(below),
                    tuple((n, self._expression(e)) for n, e in keys),
                    tuple((n, self._call(e)) for n, e in calls),
                    sets,
                )
            case Window(below, windows):
                return Window(self.plan(below), tuple((n, self._call(e)) for n, e in windows))
            case SetOperation(operator, branches):
                return SetOperation(operator, tuple(map(self.plan, branches)))
            case Recursion(anchor=anchor, step=step):
                return replace(plan, anchor=self.plan(anchor), step=self.plan(step))
            case Sort(below, sort_keys, total):
                order = tuple(
                    replace(k, expression=self._expression(k.expression)) for k in sort_keys
                )
                return Sort(self.plan(below), order, total)
            case Limit(below, limit, offset):
                return Limit(self.plan(below), limit, offset)
            case Distinct(below):
                return Distinct(self.plan(below))
            case Generate(below, call, produced, outer):
                return Generate(self.plan(below), self._call(call), produced, outer)
            case _:
                assert_never(plan)
