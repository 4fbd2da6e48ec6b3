"""Expressions over a projection as expressions over what is below it.

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
"""Nodes of the expressions of one query."""


def substituted(expression: RowExpression, items: Sequence[RowExpression]) -> RowExpression:
    """The expression with ``items`` in place of the columns that it reads, by index."""

    def change(part: RowExpression, depth: int) -> RowExpression | None:
        match part:
            case ColumnReference(index=index) if depth == 0:
                return items[index]
            case OuterReference(level=level, index=index) if depth and level == depth:
                # From a sub-query of the expression.
                return lift(items[index], depth)
            case _:
                return None

    return Rewriter(change).expression(expression)


def substituted_all(
    expressions: Sequence[RowExpression], items: Sequence[RowExpression]
) -> tuple[RowExpression, ...]:
    """Each of the expressions, ``substituted``.

    Raises:
        TooLarge: items that are read again and again make them so.
    """
    found = tuple(substituted(expression, items) for expression in expressions)
    if sum(map(size, found)) > MAX_SIZE:
        raise TooLarge("its expressions, written into each other, are too large")
    return found
