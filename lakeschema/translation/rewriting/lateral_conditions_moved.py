"""A lateral join's condition moves out of it, for engines that take none there.

That of an inner join filters what is joined. That of a left join filters the right side:

left join lateral on (w < d)        →    left join lateral
  scan l                                   scan l
  scan r                                   filter (w < d)        of l's column, a query around
                                             scan r

The condition of a right side that has one row alone decides whether its columns are shown; engines that
read an aggregate there take no filter over it.

left join lateral on (n < d)        →    project k, d, case when kept then n end as n
  scan l                                   project k, d, n, (n < d) as kept
  aggregate: count(1) as n                   left join lateral
    scan r                                     scan l
                                               aggregate: count(1) as n
                                                 scan r
"""

from __future__ import annotations

from lakeschema.translation.errors import UnsupportedConstruct
from lakeschema.translation.joins import JoinKind
from lakeschema.translation.plan.expressions import Case, Literal, RowExpression
from lakeschema.translation.plan.relations import (
    Aggregate,
    Filter,
    Generate,
    Join,
    Plan,
    Project,
    references,
)
from lakeschema.translation.rewriting.join_conditions import inside_right
from lakeschema.translation.rewriting.nodes import rewriting


@rewriting(Join)
def lateral_conditions_moved(plan: Plan) -> Plan:
    """The plan whose lateral joins have no condition.

    Raises:
        UnsupportedConstruct: a left join's would filter what a table function returns.
    """
    match plan:
        case Join(lateral=True, condition=None | Literal()):
            return plan
        case Join(left, right, JoinKind.INNER, condition, True) if condition is not None:
            return Filter(Join(left, right, JoinKind.INNER, None, lateral=True), condition)
        case Join(left, right, JoinKind.LEFT, condition, True) if condition is not None:
            if _has_one_row(right):
                return _shown_if(condition, left, right)
            if _generates(right):
                raise UnsupportedConstruct("LEFT JOIN LATERAL of a table function with a condition")
            kept = Filter(right, inside_right(condition, len(left.columns)))
            return Join(left, kept, JoinKind.LEFT, None, lateral=True)
        case _:
            return plan


def _has_one_row(plan: Plan) -> bool:
    """At most one, of an aggregate without keys."""
    match plan:
        case Aggregate(keys=(), sets=None):
            return True
        case Project(below) | Filter(below):
            return _has_one_row(below)
        case _:
            return False


def _generates(plan: Plan) -> bool:
    match plan:
        case Generate():
            return True
        case Project(below) | Filter(below):
            return _generates(below)
        case _:
            return False


def _shown_if(condition: RowExpression, left: Plan, right: Plan) -> Plan:
    joined = Join(left, right, JoinKind.LEFT, None, lateral=True)
    columns = tuple((each.name, each) for each in references(joined))
    decided = Project(joined, (*columns, ("kept", condition)))
    *found, kept = references(decided)
    width = len(left.columns)
    shown = [Case(((kept, each),), None, each.type) for each in found[width:]]
    items: list[RowExpression] = [*found[:width], *shown]
    return Project(decided, tuple((n, item) for (n, _), item in zip(columns, items, strict=True)))
