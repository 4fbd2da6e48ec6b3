"""Rewrites a query to read a view's stored rows instead of the relations below.

aggregate by (k): sum(n)                      →    aggregate by (k): sum(s)
  filter ((n > 3) and (day = 1))                     filter (day = 1)
    scan t                                             scan v_stored (k, day, s)

where the view is: select k, day, sum(n) as s from t where n > 3 group by k, day.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import assert_never, cast

from lakeschema.translation.plan.expressions import AggregateCall, ColumnReference, asks, walk
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
    references,
)
from lakeschema.translation.rewriting.containment import StoredView
from lakeschema.translation.rewriting.placements import NotContained
from lakeschema.translation.rewriting.substitution import substituted


class StoredViewReader:
    """Replaces parts of plans by one view's stored rows; sub-queries in expressions are left alone."""

    def __init__(self, view: StoredView) -> None:
        self._view = view
        self._closest = NotContained("it reads nothing that the view is made of", 0)
        # The values keep the plans alive: the keys are ids, which Python reuses after an object's end.
        self._done: dict[int, tuple[Plan, Plan]] = {}

    @property
    def reason(self) -> str:
        """Why the part that is most similar to the view does not follow from the view's rows."""
        return self._closest.reason

    def plan(self, plan: Plan) -> Plan:
        """The plan with its largest possible parts replaced by reads of the stored rows."""
        if id(plan) not in self._done:
            self._done[id(plan)] = (plan, self._plan(plan))
        return self._done[id(plan)][1]

    def _plan(self, plan: Plan) -> Plan:
        try:
            return self._view.rows_of(plan)
        except NotContained as missing:
            if missing.progress > self._closest.progress:
                self._closest = missing
        if isinstance(plan, Aggregate):
            plan = self._over_columns_read(plan)
        return _over_inputs(plan, self.plan)

    def _over_columns_read(self, plan: Aggregate) -> Aggregate:
        """The groups over only the columns that they read, since the view may lack other columns."""
        read = expressions(plan)
        places = sorted({p.index for e in read for p in walk(e) if isinstance(p, ColumnReference)})
        whole = len(places) == len(plan.input.columns)
        if whole or not places or any(map(asks, read)):
            return plan
        columns = references(plan.input)
        narrow = Project(plan.input, tuple((columns[at].name, columns[at]) for at in places))
        if self.plan(narrow) is narrow:
            return plan
        kept = dict(zip(places, references(narrow), strict=True))
        values = [kept.get(place, column) for place, column in enumerate(columns)]
        return replace(
            plan,
            input=narrow,
            keys=tuple((name, substituted(key, values)) for name, key in plan.keys),
            aggregates=tuple(
                (name, cast(AggregateCall, substituted(call, values)))
                for name, call in plan.aggregates
            ),
        )


def _over_inputs(plan: Plan, change: Callable[[Plan], Plan]) -> Plan:
    """The node with changed inputs; the same node if none changes."""
    match plan:
        case Scan() | Values() | RecursiveScan() | Recursion():
            return plan
        case Join(left, right):
            sides = change(left), change(right)
            same = sides[0] is left and sides[1] is right
            return plan if same else replace(plan, left=sides[0], right=sides[1])
        case SetOperation(inputs=branches):
            changed = tuple(map(change, branches))
            same = all(new is old for new, old in zip(changed, branches, strict=True))
            return plan if same else replace(plan, inputs=changed)
        case (
            Project(input=below)
            | Filter(input=below)
            | Aggregate(input=below)
            | Window(input=below)
            | Sort(input=below)
            | Limit(input=below)
            | Distinct(input=below)
            | Generate(input=below)
        ):
            found = change(below)
            return plan if found is below else replace(plan, input=found)
        case _:
            assert_never(plan)
