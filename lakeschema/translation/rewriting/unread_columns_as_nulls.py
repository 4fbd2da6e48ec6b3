"""Writes null for a computed column that nothing reads, for engines that compute every column.

project d        →    project d
  project d, f(k) as x     project d, null as x
    scan t                   scan t

So an expression that fails for a row is not computed, as in engines that compute only what they
need.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lakeschema.translation.plan.expressions import (
    ColumnReference,
    Literal,
    RowExpression,
    asks,
    walk,
)
from lakeschema.translation.plan.relations import (
    Aggregate,
    Filter,
    Generate,
    Join,
    Limit,
    Plan,
    Project,
    SetOperation,
    SetOperator,
    Sort,
    Window,
    expressions,
    inputs,
    plans_in,
)
from lakeschema.translation.plan.rewriting import over_inputs


def unread_columns_as_nulls(plan: Plan) -> Plan:
    """The plan with projections that only compute the columns that are read."""
    read: dict[int, set[int]] = {id(plan): set(range(len(plan.columns)))}
    for node in _parents_first(plan):
        for below, places in _reads(node, read[id(node)]):
            read.setdefault(id(below), set()).update(places)
    return _Nulls(read).plan(plan)


def _parents_first(plan: Plan) -> Sequence[Plan]:
    """The nodes, each after all nodes that read it."""
    found: dict[int, Plan] = {}

    def visit(node: Plan) -> None:
        if id(node) not in found:
            for below in plans_in(node):
                visit(below)
            found[id(node)] = node

    visit(plan)
    return list(reversed(found.values()))


def _reads(node: Plan, wanted: set[int]) -> Iterable[tuple[Plan, Iterable[int]]]:
    """The columns that a node reads from each input, if only its ``wanted`` columns are needed."""
    if any(map(asks, expressions(node))):
        # A sub-query may read any column around it.
        yield from ((each, range(len(each.columns))) for each in plans_in(node))
        return
    match node:
        case Project(source, items):
            yield source, _references(items[place][1] for place in wanted)
        case Join(left, right):
            width = len(left.columns)
            places = wanted | _references(expressions(node))
            yield left, range(width) if node.lateral else {p for p in places if p < width}
            yield right, {p - width for p in places if p >= width}
        case SetOperation(SetOperator.UNION_ALL, branches):
            yield from ((branch, wanted) for branch in branches)
        case Filter(source) | Sort(source) | Limit(source) | Window(source) | Generate(source):
            width = len(source.columns)
            yield source, {p for p in wanted if p < width} | _references(expressions(node))
        case Aggregate(source):
            yield source, _references(expressions(node))
        case _:
            yield from ((each, range(len(each.columns))) for each in inputs(node))


def _references(read: Iterable[RowExpression]) -> set[int]:
    parts = (part for expression in read for part in walk(expression))
    return {part.index for part in parts if isinstance(part, ColumnReference)}


class _Nulls:
    def __init__(self, read: dict[int, set[int]]) -> None:
        self._read = read
        self._done: dict[int, Plan] = {}

    def plan(self, plan: Plan) -> Plan:
        if id(plan) not in self._done:
            self._done[id(plan)] = self._changed(plan)
        return self._done[id(plan)]

    def _changed(self, plan: Plan) -> Plan:
        made = over_inputs(plan, plans_in(plan), self.plan)
        if not isinstance(made, Project):
            return made
        unread = [
            place not in self._read[id(plan)] and not isinstance(item, (ColumnReference, Literal))
            for place, (_, item) in enumerate(made.items)
        ]
        if not any(unread):
            return made
        items = zip(made.items, unread, strict=True)
        return Project(
            made.input, tuple((n, Literal(None, e.type) if left else e) for (n, e), left in items)
        )
