"""Changes groups as Hive's optimiser does, where that affects the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lakeschema.translation.plan.relations import Plan
from lakeschema.translation.rewriting.distinct_of_absent_keys import distinct_of_absent_keys
from lakeschema.translation.rewriting.nodes import Rewriting, rewrite_in_turn
from lakeschema.translation.rewriting.variances_as_sums import variances_as_sums

HIVE_GROUPS: Final[Sequence[Rewriting]] = (variances_as_sums, distinct_of_absent_keys)


def as_hive_groups(plan: Plan) -> Plan:
    """A Hive plan, changed so that another engine computes the same groups as Hive."""
    return rewrite_in_turn(plan, HIVE_GROUPS)
