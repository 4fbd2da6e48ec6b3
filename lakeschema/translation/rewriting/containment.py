"""Decides whether and how a plan's rows follow from a view's stored rows.

The method is from Goldstein and Larson, "Optimizing Queries Using Materialized Views" (2001). The
plan must have all of the view's joins and conditions. Its other conditions and its columns must be
computable from the view's columns. Expressions match only if they are equal.
"""

from __future__ import annotations

from lakeschema.translation.plan.relations import Aggregate, Plan, Scan, references
from lakeschema.translation.rewriting.grouped import Grouped, as_groups, grouped, without_order
from lakeschema.translation.rewriting.merging import Merging
from lakeschema.translation.rewriting.placements import (
    NotContained,
    known_columns,
    placements,
    shown_as,
)
from lakeschema.translation.rewriting.regrouping import Regrouping
from lakeschema.translation.rewriting.repeatable import why_unrepeatable
from lakeschema.translation.rewriting.select_blocks import filtered, select_block
from lakeschema.translation.rewriting.substitution import substituted_all


class StoredView:
    """A view's plan and the scan of its stored rows, with the same columns."""

    def __init__(self, plan: Plan, stored: Scan, merging: Merging) -> None:
        self._plan = without_order(plan)
        self._stored = stored
        self._merging = merging
        self._block = select_block(self._plan)
        self._grouped = grouped(self._plan)

    def rows_of(self, plan: Plan) -> Plan:
        """A plan with the columns of ``plan`` that reads the stored rows.

        Raises:
            NotContained: it is not certain that the plan's rows follow from the stored rows.
        """
        # Stored sums of floating-point numbers may be used, unless they are added up again.
        reason = why_unrepeatable(plan, floats=True)
        if reason is not None:
            raise NotContained(reason, 1)
        groups = as_groups(plan)
        if groups is not None and self._grouped is not None:
            return self._groups_of(groups, self._grouped)
        return self._block_of(plan)

    def _block_of(self, plan: Plan) -> Plan:
        block = select_block(plan)
        best = NotContained("it reads nothing that the view is made of", 0)
        for placed in placements(self._block, block, self._stored):
            try:
                conditions = placed.conditions_left(self._block.conditions)
                shown = substituted_all(self._block.items, placed.columns)
                known = known_columns(shown, references(self._stored))
                rows = filtered(placed.rows, placed.over_stored(conditions, known))
                return shown_as(rows, plan, placed.over_stored(block.items, known))
            except NotContained as missing:
                best = max(best, missing, key=lambda each: each.progress)
        raise best

    def _groups_of(self, groups: Aggregate, of_view: Grouped) -> Plan:
        if groups.sets is not None or of_view.groups.sets is not None:
            raise NotContained("groups of grouping sets cannot be matched", 1)
        block, inner = select_block(groups.input), select_block(of_view.groups.input)
        best = NotContained("it groups nothing that the view is made of", 0)
        for placed in placements(inner, block, self._stored):
            try:
                return Regrouping(groups, of_view, block, inner, placed, self._merging).plan()
            except NotContained as missing:
                best = max(best, missing, key=lambda each: each.progress)
        raise best
