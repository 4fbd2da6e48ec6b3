"""Moves a lateral join's condition elsewhere, for engines that allow no condition there.

An inner join's condition filters the joined rows. A left join's filters the right side:

left join lateral on (w < d)        →    left join lateral
  scan l                                   scan l
  scan r                                   filter (w < d)        of l's column, a query around
                                             scan r

Engines allow no filter over an aggregate there. An aggregate without keys has exactly one row, so
the condition decides instead whether its columns are shown:

left join lateral on (n < d)        →    project k, d, case when kept then n end as n
  scan l                                   project k, d, n, (n < d) as kept
  aggregate: count(1) as n                   left join lateral
    scan r                                     scan l
                                               aggregate: count(1) as n
                                                 scan r

Engines do not allow a filter over a table function there, either. So all its rows are joined, and a
filter keeps the rows that meet the condition. A left row without such a row remains once, with
nulls:

left join lateral on (e < d)        →    project k, d, case when kept then e end as e
  scan l                                   filter kept or ((held = 0) and (place = 1))
  generate e                                 window held, place        by row
                                               project k, d, e, row, (e < d) as kept
                                                 left join lateral
                                                   window row
                                                     scan l
                                                   generate e
"""

from __future__ import annotations

from collections.abc import Sequence

from lakeschema.catalog.column_types import BIGINT, BOOLEAN, INT
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.expressions import (
    Call,
    Case,
    ColumnReference,
    Literal,
    RowExpression,
    WindowCall,
)
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Limit,
    Plan,
    Project,
    Sort,
    Window,
    references,
)
from lakeschema.translation.rewriting.join_conditions import inside_right
from lakeschema.translation.rewriting.nodes import rewriting

_AND = Operator("and", NullClass.TOTAL)
_OR = Operator("or", NullClass.TOTAL)
_EQUAL = Operator("=", NullClass.TOTAL)
_COUNT = Operator("count", NullClass.NEVER)
_ONE = Literal("1", INT)
# Rows are counted, because ROW_NUMBER would be an int, which is too small for a table's rows.
_SO_FAR = "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"


@rewriting(Join)
def lateral_conditions_moved(plan: Plan) -> Plan:
    """The plan whose lateral joins have no condition.

    Raises:
        UnsupportedConstruct: a left join with a query that filters, orders or limits a table
            function.
    """
    match plan:
        case Join(lateral=True, condition=None | Literal("true")):
            return plan
        case Join(left, right, JoinKind.INNER, condition, True) if condition is not None:
            return Filter(Join(left, right, JoinKind.INNER, None, lateral=True), condition)
        case Join(left, right, JoinKind.LEFT, condition, True) if condition is not None:
            if _has_one_row(right):
                return _shown_if(condition, left, right)
            if _generates(right):
                return _kept_if(condition, left, right)
            kept = Filter(right, inside_right(condition, len(left.columns)))
            return Join(left, kept, JoinKind.LEFT, None, lateral=True)
        case _:
            return plan


def _has_one_row(plan: Plan) -> bool:
    """Whether a plan has at most one row, because it is an aggregate without keys."""
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
        case Project(below):
            return _generates(below)
        case Filter(below) | Sort(below) | Limit(below) | Distinct(below) if _generates(below):
            raise UnsupportedConstruct(
                "LEFT JOIN LATERAL of a query that filters a table function, with a condition"
            )
        case _:
            return False


def _shown_if(condition: RowExpression, left: Plan, right: Plan) -> Plan:
    joined = Join(left, right, JoinKind.LEFT, None, lateral=True)
    decided = Project(joined, (*_named(references(joined)), ("kept", condition)))
    return _shown(decided, len(left.columns), len(joined.columns))


def _kept_if(condition: RowExpression, left: Plan, right: Plan) -> Plan:
    width = len(left.columns)
    numbered = Window(left, (("row", _counted(_ONE, (), _SO_FAR)),))
    joined = Join(numbered, right, JoinKind.LEFT, None, lateral=True)
    found = references(joined)
    columns = (*found[:width], *found[width + 1 :])
    reordered = Project(joined, _named((*columns, found[width])))
    decided = Project(reordered, (*_named(references(reordered)), ("kept", condition)))
    *_, row, kept = references(decided)
    held_one = Case(((kept, _ONE),), None, INT)
    counted = Window(
        decided,
        (("held", _counted(held_one, (row,), None)), ("place", _counted(_ONE, (row,), _SO_FAR))),
    )
    *_, kept, held, place = references(counted)
    none_held = Call(_EQUAL, (held, Literal("0", BIGINT)), BOOLEAN, nullable=False)
    first = Call(_EQUAL, (place, Literal("1", BIGINT)), BOOLEAN, nullable=False)
    padded = Call(_AND, (none_held, first), BOOLEAN, nullable=False)
    left_over = Filter(counted, Call(_OR, (kept, padded), BOOLEAN, nullable=kept.nullable))
    return _shown(left_over, width, len(columns))


def _counted(
    counted: RowExpression, by: tuple[RowExpression, ...], frame: str | None
) -> WindowCall:
    return WindowCall(_COUNT, (counted,), by, (), frame, BIGINT, nullable=False)


def _named(columns: Sequence[ColumnReference]) -> tuple[tuple[str, RowExpression], ...]:
    return tuple((each.name, each) for each in columns)


def _shown(decided: Plan, width: int, end: int) -> Plan:
    """The columns before ``end``, which become null unless the column ``kept`` is true."""
    found = references(decided)
    kept = next(each for each in found if each.name == "kept" and each.index >= end)
    items = [
        (each.name, each if each.index < width else Case(((kept, each),), None, each.type))
        for each in found[:end]
    ]
    return Project(decided, tuple(items))
