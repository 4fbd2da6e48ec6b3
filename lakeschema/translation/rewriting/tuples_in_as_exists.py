"""Writes a tuple IN a sub-query as EXISTS, for engines whose IN mishandles nulls in tuples.

filter (k, d) in (sub-query)        →    filter exists (sub-query)
  (sub-query)                              (sub-query)
    scan r (k, d)                            filter ((k = k) and (d = d))        of l, a query around
  scan l                                       scan r
                                           scan l

The view's engine uses semi joins: an unknown IN counts as false, and NOT IN keeps a row if each
tuple of the sub-query certainly differs from it.
"""

from __future__ import annotations

from lakeschema.catalog.column_types import BOOLEAN, INT
from lakeschema.translation.plan.expressions import (
    Call,
    ColumnReference,
    Exists,
    InSubquery,
    Literal,
    RowExpression,
    rebuild,
    subqueries,
)
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import Filter, Plan, Project, expressions, references
from lakeschema.translation.plan.rewriting import lift, rebuild_node
from lakeschema.translation.rewriting.nodes import rewriting

_AND = Operator("and", NullClass.TOTAL)
_EQUAL = Operator("=", NullClass.TOTAL)
_COALESCE = Operator("coalesce", NullClass.ABSORBING)
_NOT = Operator("not", NullClass.TOTAL)


@rewriting(InSubquery)
def tuples_in_as_exists(plan: Plan) -> Plan:
    """The plan in which tuples IN sub-queries have no nulls."""
    if not any(isinstance(each, InSubquery) for each in subqueries(expressions(plan))):
        return plan
    return rebuild_node(plan, lambda below: below, _changed)


def _changed(part: RowExpression) -> RowExpression:
    match part:
        case Call(operator, (InSubquery() as asked,)) if operator.name == "not":
            if not _may_have_nulls(asked):
                return rebuild(part, _changed)
            return Call(_NOT, (_exists(asked, unless_other=True),), BOOLEAN, False)
        case InSubquery() if _may_have_nulls(part):
            return _exists(part, unless_other=False)
        case _:
            return rebuild(part, _changed)


def _exists(asked: InSubquery, *, unless_other: bool) -> Exists:
    operands = (lift(_changed(each), 1) for each in asked.operands)
    pairs = zip(operands, references(asked.plan), strict=True)
    equal = tuple(_equal(one, other, unless_other) for one, other in pairs)
    kept = Filter(asked.plan, Call(_AND, equal, BOOLEAN, any(each.nullable for each in equal)))
    return Exists(Project(kept, (("found", Literal("1", INT)),)))


def _may_have_nulls(asked: InSubquery) -> bool:
    return len(asked.operands) > 1 and asked.nullable


def _equal(one: RowExpression, other: ColumnReference, unless_other: bool) -> RowExpression:
    """The comparison of two values; with ``unless_other``, an unknown result counts as equal."""
    found = Call(_EQUAL, (one, other), BOOLEAN, one.nullable or other.nullable)
    if not unless_other or not found.nullable:
        return found
    return Call(_COALESCE, (found, Literal("true", BOOLEAN)), BOOLEAN, nullable=False)
