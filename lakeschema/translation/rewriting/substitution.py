"""Rewrites expressions over a projection as expressions over the projection's input.

(total + 1) over project sum as total        →    (sum + 1)
"""

from __future__ import annotations

from collections.abc import Sequence

from lakeschema.translation.model.errors import TooLarge
from lakeschema.translation.plan.expressions import (
    ColumnReference,
    OuterReference,
    RowExpression,
)
from lakeschema.translation.plan.rewriting import Rewriter, lift, size

MAX_SIZE = 20_000
"""The maximum number of nodes in one query's expressions."""


def substituted(expression: RowExpression, items: Sequence[RowExpression]) -> RowExpression:
    """The expression with columns replaced by ``items``, by index."""

    def change(part: RowExpression, depth: int) -> RowExpression | None:
        match part:
            case ColumnReference(index=index) if depth == 0:
                return items[index]
            case OuterReference(level=level, index=index) if depth and level == depth:
                # A sub-query of the expression reads the column.
                return lift(items[index], depth)
            case _:
                return None

    return Rewriter(change).expression(expression)


def substituted_all(
    expressions: Sequence[RowExpression], items: Sequence[RowExpression]
) -> tuple[RowExpression, ...]:
    """Each of the expressions after ``substituted``.

    Raises:
        TooLarge: the expressions become too large, because items are read repeatedly.
    """
    found = tuple(substituted(expression, items) for expression in expressions)
    if sum(map(size, found)) > MAX_SIZE:
        raise TooLarge("its expressions, written into each other, are too large")
    return found
