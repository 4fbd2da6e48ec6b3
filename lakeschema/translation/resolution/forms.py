"""Expressions with special syntax, made from parts that are already typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lakeschema.catalog.column_types import (
    VOID,
    ArrayType,
    ColumnType,
    IntervalType,
    MapType,
    StructField,
    StructType,
    print_type,
)
from lakeschema.translation.functions.binding import implicit_cast
from lakeschema.translation.functions.coercion import Use, common_type, is_integer, is_text
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.model.errors import TypeMismatch, UnsupportedConstruct
from lakeschema.translation.plan.expressions import (
    Call,
    Cast,
    ColumnReference,
    FieldAccess,
    InSubquery,
    LambdaVariable,
    Literal,
    OuterReference,
    RowExpression,
    Subscript,
    written_name,
)
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.plan.relations import Plan
from lakeschema.translation.resolution import intervals
from lakeschema.translation.resolution.fields import field_of, nothing_of
from lakeschema.translation.syntax import tree


def interval(
    node: tree.IntervalLiteral, value: RowExpression, semantics: Semantics
) -> RowExpression:
    """The expression for ``INTERVAL value UNIT``; Hive's ``value`` may be any expression."""
    if semantics.is_spark:
        if not isinstance(value, Literal):
            raise UnsupportedConstruct("an interval of a computed number")
        return intervals.spark_literal(node, value, legacy=semantics.legacy_intervals)
    type_ = IntervalType(intervals.kind_of(node.unit))
    if isinstance(value, Literal):
        known = value.value is not None
        text = intervals.normalise(str(value.value), node.unit) if known else None
        return Literal(text, type_)
    return Call(Operator("interval", NullClass.TOTAL), (value,), type_, value.nullable)


def in_common_type(values: Sequence[RowExpression], semantics: Semantics) -> list[RowExpression]:
    """The values of a CASE's branches, cast to the type that all have in common."""
    met = values[0].type
    for value in values[1:]:
        common = common_type(met, value.type, Use.BRANCH, semantics)
        if common is None:
            raise TypeMismatch(
                "the branches of CASE have incompatible types:"
                f" {print_type(met)} and {print_type(value.type)}"
            )
        met = common
    return [implicit_cast(value, met, semantics) for value in values]


def subscript(base: RowExpression, index: RowExpression, semantics: Semantics) -> RowExpression:
    """The expression for ``base[index]``: an array's element, a map's value, or a struct's field."""
    match base.type:
        case ArrayType(element):
            if not is_integer(index.type):
                raise TypeMismatch(f"expected an integer array index, got {print_type(index.type)}")
            return Subscript(base, index, element)
        case MapType(key, value):
            if common_type(key, index.type, Use.COMPARISON, semantics) is None:
                raise TypeMismatch(
                    f"expected a map key of type {print_type(key)}, got {print_type(index.type)}"
                )
            return Subscript(base, implicit_cast(index, key, semantics), value)
        case _ if base.type == VOID and semantics.is_spark:
            return nothing_of(base)
        case StructType() if isinstance(index, Literal) and is_text(index.type):
            found = field_of(base, index.value or "", None)
            return replace(found, written=index.value) if isinstance(found, FieldAccess) else found
        case _:
            raise TypeMismatch(f"a value of type {print_type(base.type)} has no elements")


def in_query(operands: tuple[RowExpression, ...], plan: Plan, semantics: Semantics) -> InSubquery:
    """The expression for ``operands IN (query)``; the query must have as many columns as operands."""
    for value, column in zip(operands, plan.columns, strict=True):
        if common_type(value.type, column.type, Use.COMPARISON, semantics) is None:
            raise TypeMismatch(
                f"IN cannot compare {print_type(value.type)} with {print_type(column.type)}"
            )
    return InSubquery(operands, plan)


def struct(parts: Sequence[tuple[str | None, RowExpression]]) -> RowExpression:
    """A struct of the values; fields without a name are ``col1``, ``col2`` … by position."""
    fields = tuple(
        StructField(name or f"col{number}", value.type, value.nullable)
        for number, (name, value) in enumerate(parts, 1)
    )
    values = tuple(value for _, value in parts)
    return Call(Operator("struct", NullClass.NEVER), values, StructType(fields), nullable=False)


def field_name(node: tree.Expression, value: RowExpression) -> str | None:
    """Spark's name for a field of ``struct(…)`` with this value; None means ``col1``, ``col2`` …."""
    match value:
        case ColumnReference() | OuterReference() | FieldAccess() | LambdaVariable():
            return written_name(value)
        case Subscript(index=Literal(key, type_)) if is_text(type_):
            return key
        case _:
            # The name of a column of FULL JOIN … USING, which is a call on two columns; or CURRENT_DATE.
            return node.parts[-1] if isinstance(node, tree.Name) else None


def widened(expression: RowExpression, type_: ColumnType) -> RowExpression:
    """The expression, cast if its type is not ``type_``."""
    if expression.type == type_:
        return expression
    return Cast(expression, type_, expression.nullable, implicit=True)


def as_written(expression: RowExpression, parts: tuple[str, ...]) -> RowExpression:
    """A column or field that keeps its name as in the text."""
    match expression:
        case _ if not parts:
            return expression
        case FieldAccess(base=base):
            return replace(expression, base=as_written(base, parts[:-1]), written=parts[-1])
        case ColumnReference() | OuterReference() | LambdaVariable():
            return replace(expression, written=parts[-1])
        case _:
            return expression
