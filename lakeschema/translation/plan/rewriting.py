"""Changes expressions and plans throughout, including sub-queries' plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeAlias, TypeVar, assert_never, cast

from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    ColumnReference,
    Exists,
    InSubquery,
    OuterReference,
    RowExpression,
    ScalarSubquery,
    WindowCall,
    rebuild,
    walk,
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

Change: TypeAlias = Callable[[RowExpression, int], RowExpression | None]
"""Gets an expression and its depth: how many sub-queries of the changed plan contain it.

Returns a replacement, or None to change the parts of the expression instead.
"""

_Call = TypeVar("_Call", Call, AggregateCall, WindowCall)


class Rewriter:
    """Changes an expression or plan throughout, and keeps shared plans shared.

    ``change`` gets the present depth. If an ``OuterReference`` has this depth as its level, it refers to
    the scope around the whole expression or plan.
    """

    def __init__(self, change: Change) -> None:
        self._change = change
        # The values keep the plans alive: the keys are ids, which Python reuses after an object's end.
        self._done: dict[tuple[int, int], tuple[Plan, Plan]] = {}

    def expression(self, expression: RowExpression, depth: int = 0) -> RowExpression:
        found = self._change(expression, depth)
        if found is not None:
            return found
        match expression:
            case ScalarSubquery(plan):
                return ScalarSubquery(self.plan(plan, depth + 1))
            case Exists(plan):
                return Exists(self.plan(plan, depth + 1))
            case InSubquery(operands, plan):
                changed = tuple(self.expression(operand, depth) for operand in operands)
                return InSubquery(changed, self.plan(plan, depth + 1))
            case _:
                return rebuild(expression, lambda part: self.expression(part, depth))

    def plan(self, plan: Plan, depth: int) -> Plan:
        """The changed plan of a sub-query at this depth."""
        key = (id(plan), depth)
        if key not in self._done:
            self._done[key] = (plan, self._plan(plan, depth))
        return self._done[key][1]

    def _plan(self, plan: Plan, depth: int) -> Plan:
        return rebuild_node(
            plan,
            lambda below: self.plan(below, depth),
            lambda part: self.expression(part, depth),
            of_lateral=lambda right: self.plan(right, depth + 1),
        )


def rebuild_node(
    plan: Plan,
    below: Callable[[Plan], Plan],
    change: Callable[[RowExpression], RowExpression],
    of_lateral: Callable[[Plan], Plan] | None = None,
) -> Plan:
    """A copy of the node with changed inputs and expressions.

    ``change`` gets the parts of an aggregate, window call or generator, not the call itself.
    ``of_lateral`` changes the right side of a lateral join; without it, ``below`` does.
    """

    def inside(call: _Call) -> _Call:
        return cast(_Call, rebuild(call, change))

    match plan:
        case Scan() | RecursiveScan():
            return plan
        case Values(rows, columns):
            return Values(tuple(tuple(map(change, row)) for row in rows), columns)
        case Project(source, items):
            return Project(below(source), tuple((name, change(e)) for name, e in items))
        case Filter(source, condition):
            return Filter(below(source), change(condition))
        case Join(left, right, kind, condition, lateral):
            on = None if condition is None else change(condition)
            changed_right = of_lateral(right) if lateral and of_lateral else below(right)
            return Join(below(left), changed_right, kind, on, lateral)
        case Aggregate(source, keys, aggregates, sets):
            new_keys = tuple((name, change(e)) for name, e in keys)
            calls = tuple((name, inside(e)) for name, e in aggregates)
            return Aggregate(below(source), new_keys, calls, sets)
        case Window(source, windows):
            return Window(below(source), tuple((name, inside(e)) for name, e in windows))
        case SetOperation(operator, branches):
            return SetOperation(operator, tuple(map(below, branches)))
        case Recursion(anchor=anchor, step=step):
            return replace(plan, anchor=below(anchor), step=below(step))
        case Sort(source, sort_keys, total):
            order = tuple(replace(k, expression=change(k.expression)) for k in sort_keys)
            return Sort(below(source), order, total)
        case Limit(source, limit, offset, ties):
            count = None if limit is None else change(limit)
            skipped = None if offset is None else change(offset)
            return Limit(below(source), count, skipped, ties)
        case Distinct(source):
            return Distinct(below(source))
        case Generate(source, call, produced, outer):
            return Generate(below(source), inside(call), produced, outer)
        case _:
            assert_never(plan)


def over_inputs(node: Plan, below: Iterable[Plan], change: Callable[[Plan], Plan]) -> Plan:
    """The node with changed input plans; the same node if none of them changes."""
    if all(change(each) is each for each in below):
        # A new node would check its parts again, which costs time.
        return node
    return rebuild_node(node, change, lambda part: over_plans(part, change))


def over_plans(expression: RowExpression, change: Callable[[Plan], Plan]) -> RowExpression:
    """The expression with its sub-queries' plans changed."""

    def inside(part: RowExpression) -> RowExpression:
        return over_plans(part, change)

    match expression:
        case ScalarSubquery(plan):
            return ScalarSubquery(change(plan))
        case Exists(plan):
            return Exists(change(plan))
        case InSubquery(operands, plan):
            return InSubquery(tuple(map(inside, operands)), change(plan))
        case _:
            return rebuild(expression, inside)


def lift(expression: RowExpression, by: int) -> RowExpression:
    """The expression moved ``by`` sub-queries deeper: its columns become outer references."""
    if by == 0:
        return expression

    def change(part: RowExpression, depth: int) -> RowExpression | None:
        match part:
            case ColumnReference(index, name, type_, nullable) if depth == 0:
                return OuterReference(by, index, name, type_, nullable)
            case OuterReference(level=level) if level >= max(depth, 1):
                return replace(part, level=level + by)
            case _:
                return None

    return Rewriter(change).expression(expression)


def lift_plan(plan: Plan, by: int) -> Plan:
    """The plan moved ``by`` queries deeper: the levels of its outer references grow."""

    def change(part: RowExpression, depth: int) -> RowExpression | None:
        if isinstance(part, OuterReference) and part.level >= depth:
            return replace(part, level=part.level + by)
        return None

    return Rewriter(change).plan(plan, 1) if by else plan


def lower(expression: RowExpression, by: int) -> RowExpression | None:
    """The inverse of ``lift``; None if the expression reads columns of other levels."""
    found = False
    for part in walk(expression):
        if isinstance(part, OuterReference):
            found = found or part.level == by
        nearer = isinstance(part, OuterReference) and part.level < by
        if nearer or isinstance(part, (ColumnReference, ScalarSubquery, Exists, InSubquery)):
            return None
    return _lowered(expression, by) if found else None


def _lowered(part: RowExpression, by: int) -> RowExpression:
    match part:
        case OuterReference(level, index, name, type_, nullable):
            if level == by:
                return ColumnReference(index, name, type_, nullable)
            return replace(part, level=level - by)
        case _:
            return rebuild(part, lambda inner: _lowered(inner, by))


def size(expression: RowExpression) -> int:
    """The number of nodes in an expression, including nodes in its sub-queries' plans."""
    counted = 0
    plans: list[Plan] = []
    waiting = [expression]
    while waiting or plans:
        for part in walk(waiting.pop()) if waiting else ():
            counted += 1
            if isinstance(part, (ScalarSubquery, Exists, InSubquery)):
                plans.append(part.plan)
        if plans:
            plan = plans.pop()
            counted += 1
            waiting.extend(expressions(plan))
            plans.extend(inputs(plan))
    return counted
