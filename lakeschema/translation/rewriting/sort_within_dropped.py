"""Drops SORT BY, an order within each reducer: it does not affect a result's rows.

sort within reducers v        →    scan t
  scan t
"""

from __future__ import annotations

from lakeschema.translation.plan.relations import Plan, Sort
from lakeschema.translation.rewriting.nodes import rewriting


@rewriting(Sort)
def sort_within_dropped(plan: Plan) -> Plan:
    return plan.input if isinstance(plan, Sort) and not plan.total else plan
