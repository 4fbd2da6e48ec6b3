"""Finds which sides a join's condition reads, and moves a condition into the right side."""

from __future__ import annotations

from lakeschema.translation.plan.expressions import (
    ColumnReference,
    OuterReference,
    RowExpression,
    walk,
)
from lakeschema.translation.plan.rewriting import Rewriter


def sides(expression: RowExpression, width: int) -> set[int]:
    """The sides that an expression reads: 0 the left, 1 the right, 2 an enclosing query."""
    found = set()
    for part in walk(expression):
        if isinstance(part, ColumnReference):
            found.add(int(part.index >= width))
        elif isinstance(part, OuterReference):
            found.add(2)
    return found


def inside_right(condition: RowExpression, width: int) -> RowExpression:
    """The condition as the right side reads it; the ``width`` left columns are outer references."""

    def change(part: RowExpression, depth: int) -> RowExpression | None:
        match part:
            case ColumnReference(index, name, type_, nullable) if depth == 0:
                if index < width:
                    return OuterReference(1, index, name, type_, nullable)
                return ColumnReference(index - width, name, type_, nullable)
            case OuterReference(level, index, name, type_, nullable) if depth and level == depth:
                # A sub-query of the condition reads a column of the join.
                if index < width:
                    return OuterReference(level + 1, index, name, type_, nullable)
                return OuterReference(level, index - width, name, type_, nullable)
            case OuterReference(level, index, name, type_, nullable) if level > depth:
                return OuterReference(level + 1, index, name, type_, nullable)
            case _:
                return None

    return Rewriter(change).expression(condition)
