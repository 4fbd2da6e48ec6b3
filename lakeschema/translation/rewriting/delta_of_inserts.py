"""Finds the rows that a plan gains from rows inserted into its tables, with repeated rows.

inner join on (k = k)        →    union all of 2
  scan l                            inner join on (k = k)
  scan r                              scan l_inserted
                                      union all of 2        (scan r, scan r_inserted)
                                    inner join on (k = k)
                                      scan l                as it was before
                                      scan r_inserted

The rows afterwards must be the rows before plus the delta. Plans that would remove or change rows
are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.errors import CannotRefresh
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.expressions import subqueries
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
    SetOperator,
    Sort,
    Values,
    Window,
    expressions,
    plans_of,
)
from lakeschema.translation.rewriting.nodes import rewrite


@dataclass(frozen=True, slots=True)
class Insertion:
    """Rows inserted into a table.

    Attributes:
        inserted: a relation with the table's columns and these rows.
        before: a relation with the table's rows before the insert; None if the table itself does
            not have the inserted rows yet.
    """

    inserted: RelationName
    before: RelationName | None = None

    def rows(self, table: Scan) -> Plan:
        return Scan(self.inserted, table.columns)

    def rows_before(self, table: Scan) -> Plan:
        return table if self.before is None else Scan(self.before, table.columns)

    def rows_after(self, table: Scan) -> Plan:
        return table if self.before is not None else united((table, self.rows(table)))


class DeltaOfInserts:
    """Makes plans of the rows that plans gain from inserted rows: their deltas."""

    def __init__(self, insertions: Mapping[RelationName, Insertion]) -> None:
        self._insertions = insertions
        # The values keep the plans alive: the keys are ids, which Python reuses after an object's end.
        self._changed: dict[int, tuple[Plan, frozenset[RelationName]]] = {}

    def changed_below(self, plan: Plan) -> frozenset[RelationName]:
        """The tables with inserted rows that the plan reads, also in sub-queries."""
        found = self._changed.get(id(plan))
        if found is None:
            read = {node.relation for node in plans_of(plan) if isinstance(node, Scan)}
            found = self._changed[id(plan)] = (plan, frozenset(read & self._insertions.keys()))
        return found[1]

    def before(self, plan: Plan) -> Plan:
        """The plan of its rows as they were before the inserts."""
        return self._with(plan, Insertion.rows_before)

    def after(self, plan: Plan) -> Plan:
        """The plan of its rows as they are after the inserts."""
        return self._with(plan, Insertion.rows_after)

    def delta(self, plan: Plan) -> Plan | None:
        """The plan of the added rows, with columns by position; None if no rows are added.

        Raises:
            CannotRefresh: existing rows may disappear or change, or may have to be read.
        """
        if not self.changed_below(plan):
            return None
        self._check_subqueries(plan)
        match plan:
            case Scan():
                return self._insertions[plan.relation].rows(plan)
            case Project(below, items):
                return Project(self._below(below), items)
            case Filter(below, condition):
                return Filter(self._below(below), condition)
            case Generate(below, call, produced, outer):
                return Generate(self._below(below), call, produced, outer)
            case Sort(input=below):
                # The order does not matter, since limits are refused.
                return self._below(below)
            case Join():
                return united(self._joined(plan))
            case Distinct(below):
                return self._new_among(plan, (below,))
            case SetOperation(SetOperator.UNION_ALL, branches):
                return united(self._deltas(branches))
            case SetOperation(SetOperator.UNION, branches):
                return self._new_among(plan, branches)
            case SetOperation() | Aggregate() | Window() | Limit() | Recursion():
                raise self._refusal(_named(plan), plan)
            case Values() | RecursiveScan():
                raise AssertionError("reads no table")
            case _:
                assert_never(plan)

    def _with(self, plan: Plan, rows: Callable[[Insertion, Scan], Plan]) -> Plan:
        """The plan with ``rows`` in place of each scan of a changed table."""

        def rule(node: Plan) -> Plan:
            if not isinstance(node, Scan) or node.relation not in self._insertions:
                return node
            return rows(self._insertions[node.relation], node)

        return rewrite(plan, rule)

    def _below(self, plan: Plan) -> Plan:
        delta = self.delta(plan)
        assert delta is not None, "of one input and no sub-query, the input changes"
        return delta

    def _deltas(self, plans: Iterable[Plan]) -> list[Plan]:
        found = map(self.delta, plans)
        return [delta for delta in found if delta is not None]

    def _new_among(self, plan: Plan, branches: tuple[Plan, ...]) -> Plan:
        """The gained rows that the plan did not have before, for plans whose rows are distinct."""
        gained = united(self._deltas(branches))
        return SetOperation(SetOperator.EXCEPT, (gained, self.before(plan)))

    def _joined(self, plan: Join) -> list[Plan]:
        left, right, kind = plan.left, plan.right, plan.kind
        on_left, on_right = map(self.changed_below, (left, right))
        if on_right and kind in {JoinKind.LEFT, JoinKind.FULL, JoinKind.ANTI}:
            raise self._refusal(f"the right side of {_ARTICLES[kind]} join", right)
        if on_left and kind in {JoinKind.RIGHT, JoinKind.FULL}:
            raise self._refusal(f"the left side of {_ARTICLES[kind]} join", left)
        if on_right and plan.lateral and kind is JoinKind.SEMI:
            raise self._refusal("the right side of a lateral semi join", right)
        found: list[Plan] = []
        if on_left:
            found.append(_join(plan, self._below(left), self.after(right)))
        if on_right:
            here = self.before(left)
            if kind is JoinKind.SEMI:
                # Rows that had no match before the insert.
                here = Join(here, self.before(right), JoinKind.ANTI, plan.condition)
            found.append(_join(plan, here, self._below(right)))
        return found

    def _check_subqueries(self, plan: Plan) -> None:
        for inner in subqueries(expressions(plan)):
            if self.changed_below(inner.plan):
                raise self._refusal("a sub-query in an expression", inner.plan)

    def _refusal(self, what: str, plan: Plan) -> CannotRefresh:
        tables = ", ".join(map(str, sorted(self.changed_below(plan))))
        return CannotRefresh(f"{what} reads {tables}")


def united(plans: Sequence[Plan]) -> Plan:
    """All rows of the plans; there is at least one plan."""
    return plans[0] if len(plans) == 1 else SetOperation(SetOperator.UNION_ALL, tuple(plans))


def _join(plan: Join, left: Plan, right: Plan) -> Plan:
    return Join(left, right, plan.kind, plan.condition, plan.lateral)


_ARTICLES = {
    JoinKind.LEFT: "a left",
    JoinKind.RIGHT: "a right",
    JoinKind.FULL: "a full",
    JoinKind.ANTI: "an anti",
}


def _named(plan: SetOperation | Aggregate | Window | Limit | Recursion) -> str:
    match plan:
        case SetOperation(operator):
            return operator.value.upper()
        case Aggregate():
            return "a grouping below other operators"
        case Window():
            return "a window"
        case Limit():
            return "a limit"
        case Recursion():
            return "a recursive table"
        case _:
            assert_never(plan)
