"""Splits conditions at AND, and joins them again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lakeschema.catalog.column_types import BOOLEAN
from lakeschema.translation.plan.expressions import (
    Call,
    ColumnReference,
    OuterReference,
    RowExpression,
    connected,
    rebuild,
    walk,
)
from lakeschema.translation.plan.operators import NullClass, Operator

_AND = Operator("and", NullClass.PARTIAL)


def split(condition: RowExpression | None) -> tuple[RowExpression, ...]:
    """The parts of the condition, left to right; empty for None."""
    return () if condition is None else connected(condition, "and")


def together(parts: Sequence[RowExpression]) -> RowExpression | None:
    """All parts connected by AND; None for no parts."""
    if len(parts) < 2:
        return parts[0] if parts else None
    return Call(_AND, tuple(parts), BOOLEAN, any(part.nullable for part in parts))


def places(expression: RowExpression) -> frozenset[int]:
    """The places of the columns that an expression reads."""
    return frozenset(p.index for p in walk(expression) if isinstance(p, ColumnReference))


def reads_outside(expressions: Iterable[RowExpression]) -> bool:
    return any(isinstance(part, OuterReference) for e in expressions for part in walk(e))


def shifted(expression: RowExpression, by: int) -> RowExpression:
    """The expression with its columns moved to the right."""
    if isinstance(expression, ColumnReference):
        return ColumnReference(
            expression.index + by, expression.name, expression.type, expression.nullable
        )
    return rebuild(expression, lambda part: shifted(part, by))
