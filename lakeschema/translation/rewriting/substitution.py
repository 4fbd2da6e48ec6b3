"""Expressions over a projection as expressions over what is below it.

(total + 1) over project sum as total        →    (sum + 1)
"""

from __future__ import annotations

from collections.abc import Sequence

from lakeschema.translation.plan.expressions import (
    ColumnReference,
    OuterReference,
    RowExpression,
)
from lakeschema.translation.plan.rewriting import Rewriter, lift


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
