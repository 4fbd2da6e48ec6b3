"""Turns each field of an outer column that a sub-query reads into a column. Some engines require this.

filter exists (sub-query)                        →    project s
  (sub-query)                                           filter exists (sub-query)
    filter (k = s.f)    of s, a query around              (sub-query)
      scan r                                                filter (k = field0)
  scan l                                                      scan r
                                                          project s, s.f as field0
                                                            scan l
"""

from __future__ import annotations

from dataclasses import replace

from lakeschema.translation.plan.expressions import (
    ColumnReference,
    Exists,
    FieldAccess,
    InSubquery,
    OuterReference,
    RowExpression,
    ScalarSubquery,
    asks,
)
from lakeschema.translation.plan.relations import Filter, Join, Plan, Project, references
from lakeschema.translation.plan.rewriting import Rewriter
from lakeschema.translation.rewriting.nodes import rewriting


@rewriting(Join, Exists, InSubquery, ScalarSubquery)
def outer_fields_as_columns(plan: Plan) -> Plan:
    """The plan whose sub-queries in conditions and items read only whole columns of the outer query."""
    match plan:
        case Filter(below, condition) if asks(condition):
            fields = _Fields(len(below.columns))
            changed = fields.taken_from(condition)
            if not fields.found:
                return plan
            made = Filter(fields.added_to(below), changed)
            kept = references(made)[: len(below.columns)]
            return Project(made, tuple((each.name, each) for each in kept))
        case Project(below, items) if any(asks(item) for _, item in items):
            fields = _Fields(len(below.columns))
            changed_items = tuple((name, fields.taken_from(item)) for name, item in items)
            return Project(fields.added_to(below), changed_items) if fields.found else plan
        case Join(lateral=True):
            return _lateral(plan)
        case _:
            return plan


def _lateral(join: Join) -> Plan:
    """The lateral join, whose right side reads the left side like a sub-query."""
    width = len(join.left.columns)
    fields = _Fields(width)
    right = fields.taken_from_query(join.right)
    if not fields.found:
        return join
    added = len(fields.found)
    on = None if join.condition is None else _after(join.condition, width, added)
    made = Join(fields.added_to(join.left), right, join.kind, on, lateral=True)
    columns = references(made)
    kept = (*columns[:width], *columns[width + added :])
    return Project(made, tuple((each.name, each) for each in kept))


def _after(condition: RowExpression, width: int, added: int) -> RowExpression:
    """The condition of a join, after ``added`` columns were inserted after the ``width`` left columns."""

    def change(part: RowExpression, depth: int) -> RowExpression | None:
        match part:
            case ColumnReference(index=index) if depth == 0 and index >= width:
                return replace(part, index=index + added)
            case OuterReference(level, index) if 0 < depth == level and index >= width:
                return replace(part, index=index + added)
            case _:
                return None

    return Rewriter(change).expression(condition)


class _Fields:
    """The fields that sub-queries read; each becomes a column after the first ``width`` columns."""

    def __init__(self, width: int) -> None:
        self._width = width
        self.found: list[RowExpression] = []

    def taken_from(self, expression: RowExpression) -> RowExpression:
        return Rewriter(self._change).expression(expression)

    def taken_from_query(self, plan: Plan) -> Plan:
        return Rewriter(self._change).plan(plan, 1)

    def added_to(self, below: Plan) -> Plan:
        kept = tuple((each.name, each) for each in references(below))
        made = tuple((f"field{place}", field) for place, field in enumerate(self.found))
        return Project(below, (*kept, *made))

    def _change(self, part: RowExpression, depth: int) -> RowExpression | None:
        if depth == 0 or not isinstance(part, FieldAccess):
            return None
        field = _of_columns(part, depth)
        if field is None:
            return None
        if field not in self.found:
            self.found.append(field)
        number = self.found.index(field)
        return OuterReference(
            depth, self._width + number, f"field{number}", part.type, part.nullable
        )


def _of_columns(part: RowExpression, depth: int) -> RowExpression | None:
    """The field as seen outside the sub-query; None if it is not a field of a column there."""
    match part:
        case OuterReference(level, index, name, type_, nullable) if level == depth:
            return ColumnReference(index, name, type_, nullable)
        case FieldAccess(base=base):
            found = _of_columns(base, depth)
            return None if found is None else replace(part, base=found)
        case _:
            return None
