"""Resolves casts: the converted value, and whether it may become null."""

from __future__ import annotations

from lakeschema.catalog.column_types import (
    DOUBLE,
    INT,
    ColumnType,
    DecimalType,
    map_type,
    print_type,
)
from lakeschema.translation.functions.casts import (
    can_cast,
    can_up_cast,
    may_turn_null,
    nullable_inside,
)
from lakeschema.translation.functions.coercion import (
    as_spark_reads,
    is_integer,
    is_interval,
    is_text,
)
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.model.errors import TypeMismatch
from lakeschema.translation.plan.expressions import Cast, Literal, RowExpression
from lakeschema.translation.resolution.calls import cast_by_format
from lakeschema.translation.resolution.timestamps import spark_type
from lakeschema.translation.syntax import tree


def cast(operand: RowExpression, node: tree.Cast, semantics: Semantics) -> RowExpression:
    """The cast of an operand. ``node`` describes the cast; its own operand is ignored."""
    target = node.type
    if semantics.is_spark:
        # Spark has no char or varchar in expressions: a cast to one is a cast to string.
        target = map_type(target, as_spark_reads)
        target = spark_type(target, node, operand, zoneless=semantics.zoneless)
    _require_castable(operand, target, node, semantics)
    if node.format is not None:
        return cast_by_format(operand, target, node.format)
    if not node.tolerant or can_up_cast(operand.type, target):
        target = nullable_inside(operand.type, target, semantics)
    if node.position is None and isinstance(operand, Literal):
        # DATE '…' and 10L are literals of another type, not conversions.
        return Literal(operand.value, target)
    return _converted(operand, target, semantics, tolerant=node.tolerant)


def convert(operand: RowExpression, target: ColumnType, semantics: Semantics) -> RowExpression:
    """The operand, converted as an engine does for a declared type, without a cast in the text."""
    node = tree.Cast(tree.NullLiteral(), target)
    target = map_type(target, as_spark_reads)
    if operand.type == target:
        return operand
    _require_castable(operand, target, node, semantics)
    return _converted(
        operand, nullable_inside(operand.type, target, semantics), semantics, tolerant=False
    )


def _require_castable(
    operand: RowExpression, target: ColumnType, node: tree.Cast, semantics: Semantics
) -> None:
    if not can_cast(operand.type, target, semantics):
        raise TypeMismatch(
            f"a value of type {print_type(operand.type)} cannot be cast to {print_type(target)}",
            position=node.position,
        )


def _converted(
    operand: RowExpression, target: ColumnType, semantics: Semantics, *, tolerant: bool
) -> RowExpression:
    if isinstance(operand, Literal) and operand.value is None:
        return Cast(operand, target, nullable=True)
    if _is_certain(operand, target):
        return Cast(operand, target, operand.nullable)
    nullable = (
        operand.nullable
        or (tolerant and not (is_text(target) or can_up_cast(operand.type, target)))
        or may_turn_null(operand.type, target, semantics)
    )
    return Cast(operand, target, nullable, tolerant=tolerant)


def _is_certain(operand: RowExpression, target: ColumnType) -> bool:
    """Whether a short integer literal is certain to fit the numeric type of its cast (``10L``)."""
    return (
        isinstance(operand, Literal)
        and operand.type == INT
        and (is_integer(target) or isinstance(target, DecimalType) or target == DOUBLE)
        and not is_interval(target)
        and operand.value is not None
        and len(operand.value) <= 2
    )
