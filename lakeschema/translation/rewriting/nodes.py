"""Changes a plan node by node, from its leaves up, sub-queries' plans included."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from lakeschema.translation.plan.expressions import subqueries
from lakeschema.translation.plan.relations import Plan, expressions, plans_in
from lakeschema.translation.plan.rewriting import over_inputs

Rule: TypeAlias = Callable[[Plan], Plan]
"""Gets a node whose inputs are already rewritten; returns its replacement with the same columns."""


@dataclass(frozen=True, slots=True)
class Rewriting:
    """A rule for nodes, applied to whole plans.

    Attributes:
        kinds: the kinds of nodes and sub-queries that the rule may change. The rule is only called
            for nodes that contain one of these kinds.
    """

    rule: Rule
    kinds: frozenset[type]

    def __call__(self, plan: Plan) -> Plan:
        return rewrite_in_turn(plan, (self,))


def rewriting(*kinds: type) -> Callable[[Rule], Rewriting]:
    return lambda rule: Rewriting(rule, frozenset(kinds))


def rewrite_in_turn(plan: Plan, rewritings: Iterable[Rewriting]) -> Plan:
    """The plan after each rewriting in turn; shared plans stay shared."""
    contents = _Contents()
    for each in rewritings:
        plan = _Nodes(each, contents).plan(plan)
    return plan


def rewrite(plan: Plan, rule: Rule) -> Plan:
    """The plan with ``rule`` applied to each node; shared plans stay shared."""
    return rewrite_in_turn(plan, (Rewriting(rule, _ALL),))


_ALL: frozenset[type] = frozenset({object})


class _Contents:
    """The contents of plans, computed once for many rewritings."""

    def __init__(self) -> None:
        # The values keep the plans alive: the keys are ids, which Python reuses after an object's end.
        self._known: dict[int, tuple[Plan, tuple[Plan, ...], frozenset[type]]] = {}

    def of(self, plan: Plan) -> tuple[Plan, tuple[Plan, ...], frozenset[type]]:
        """The plan, the plans directly below it, and the kinds of all its nodes and sub-queries."""
        found = self._known.get(id(plan))
        if found is None:
            found = self._known[id(plan)] = self._found(plan)
        return found

    def _found(self, plan: Plan) -> tuple[Plan, tuple[Plan, ...], frozenset[type]]:
        below = plans_in(plan)
        kinds: frozenset[type] = frozenset(
            {object, type(plan), *map(type, subqueries(expressions(plan)))}
        )
        return plan, below, kinds.union(*(self.of(each)[2] for each in below))


class _Nodes:
    def __init__(self, rewriting: Rewriting, contents: _Contents) -> None:
        self._rule = rewriting.rule
        self._kinds = rewriting.kinds
        self._contents = contents
        self._done: dict[int, tuple[Plan, Plan]] = {}

    def plan(self, plan: Plan) -> Plan:
        if id(plan) not in self._done:
            self._done[id(plan)] = (plan, self._rewritten(plan))
        return self._done[id(plan)][1]

    def _rewritten(self, plan: Plan) -> Plan:
        _, below, kinds = self._contents.of(plan)
        if kinds.isdisjoint(self._kinds):
            return plan
        return self._rule(over_inputs(plan, below, self.plan))
