"""The contents of plans: sizes, depths, and how often each node and operator occurs."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Exists,
    InSubquery,
    RowExpression,
    ScalarSubquery,
    WindowCall,
    walk,
)
from lakeschema.translation.plan.relations import (
    Join,
    Plan,
    Scan,
    SetOperation,
    expressions,
    inputs,
)

AIM = 100


@dataclass(frozen=True, slots=True)
class Extent:
    """``operators``: a plan's nodes without scans; ``depth``: their longest path."""

    operators: int
    depth: int


@dataclass(slots=True)
class PlanCounts:
    """Counts views together with their sub-queries and the views that they read."""

    extents: list[Extent] = field(default_factory=list)
    nodes: Counter[str] = field(default_factory=Counter)
    expressions: Counter[str] = field(default_factory=Counter)
    classes: Counter[str] = field(default_factory=Counter)
    operators: Counter[str] = field(default_factory=Counter)

    def add(self, plan: Plan, extents: Mapping[RelationName, Extent]) -> Extent:
        """Counts a plan's parts; ``extents`` has the extents of the views that it reads."""
        if isinstance(plan, Scan):
            self.nodes["scan"] += 1
            return extents.get(plan.relation, Extent(0, 0))
        self.nodes[_node(plan)] += 1
        parts = [self.add(part, extents) for part in inputs(plan)]
        inside = [self.add(part, extents) for part in self._subqueries(plan)]
        return Extent(
            1 + sum(part.operators for part in (*parts, *inside)),
            1 + max((part.depth for part in (*parts, *inside)), default=0),
        )

    def _subqueries(self, plan: Plan) -> Iterator[Plan]:
        for expression in expressions(plan):
            for part in walk(expression):
                self._count(part)
                if isinstance(part, (ScalarSubquery, Exists, InSubquery)):
                    yield part.plan

    def _count(self, part: RowExpression) -> None:
        self.expressions[type(part).__name__] += 1
        if isinstance(part, (Call, AggregateCall, WindowCall)):
            kind = {Call: "scalar", AggregateCall: "aggregate", WindowCall: "window"}[type(part)]
            self.classes[f"{kind}, {part.operator.nulls.value}"] += 1
            self.operators[part.operator.name] += 1

    def merge(self, other: PlanCounts) -> None:
        self.extents += other.extents
        self.nodes += other.nodes
        self.expressions += other.expressions
        self.classes += other.classes
        self.operators += other.operators

    def report(self) -> None:
        if not self.extents:
            return
        sizes = [extent.operators for extent in self.extents]
        depths = [extent.depth for extent in self.extents]
        print(
            f"\noperators per view: median {statistics.median(sizes):g}, most {max(sizes)};"
            f" depth: median {statistics.median(depths):g}, most {max(depths)}"
        )
        for title, counter in (
            ("views by operators", Counter(min(size, 20) for size in sizes)),
            ("views by depth", Counter(min(depth, 20) for depth in depths)),
        ):
            shown = ", ".join(f"{key}: {number}" for key, number in sorted(counter.items()))
            print(f"{title} (20 and more together): {shown}")
        for title, named in (
            ("plan nodes", self.nodes),
            ("row expressions", self.expressions),
            ("operator classes (kind, when null)", self.classes),
        ):
            print(
                f"{title}: " + ", ".join(f"{key} {number}" for key, number in named.most_common())
            )
        rare = {name: number for name, number in self.operators.items() if number < AIM}
        print(f"{len(self.operators)} operators, {len(rare)} of them less than {AIM} times: {rare}")


def _node(plan: Plan) -> str:
    match plan:
        case Join(kind=kind):
            return f"{kind.value} join"
        case SetOperation(operator=operator):
            return operator.value
        case _:
            return type(plan).__name__.lower()
