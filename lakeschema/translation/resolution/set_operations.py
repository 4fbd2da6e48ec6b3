"""Resolves UNION, INTERSECT and EXCEPT; casts their branches to common types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from lakeschema.catalog.column_types import TIMESTAMP, ColumnType, DecimalType, print_type
from lakeschema.translation.functions.binding import implicit_cast
from lakeschema.translation.functions.coercion import (
    Use,
    common_type,
    is_integer,
    is_primitive,
    is_time,
)
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.model.errors import TypeMismatch
from lakeschema.translation.plan.expressions import Cast, RowExpression
from lakeschema.translation.plan.relations import (
    Plan,
    PlanColumn,
    Project,
    SetOperation,
    SetOperator,
    references,
)
from lakeschema.translation.resolution.context import Context
from lakeschema.translation.syntax import tree

_SET_OPERATORS: Mapping[tuple[tree.SetOperator, bool], SetOperator] = MappingProxyType(
    {
        (tree.SetOperator.UNION, True): SetOperator.UNION,
        (tree.SetOperator.UNION, False): SetOperator.UNION_ALL,
        (tree.SetOperator.INTERSECT, True): SetOperator.INTERSECT,
        (tree.SetOperator.INTERSECT, False): SetOperator.INTERSECT_ALL,
        (tree.SetOperator.EXCEPT, True): SetOperator.EXCEPT,
        (tree.SetOperator.EXCEPT, False): SetOperator.EXCEPT_ALL,
    }
)


def set_operation(query: tree.SetQuery, branches: Sequence[Plan], context: Context) -> Plan:
    """The plan of a set operation.

    Raises ``TypeMismatch`` if the branches differ in number of columns, or their types are incompatible.
    """
    width = len(branches[0].columns)
    for number, branch in enumerate(branches[1:], 2):
        if len(branch.columns) != width:
            raise TypeMismatch(
                f"branch {number} of {query.operator.value.upper()} has {len(branch.columns)}"
                f" columns, the first has {width}"
            )
    types = [
        _column_type([branch.columns[index] for branch in branches], query.operator, context)
        for index in range(width)
    ]
    coerced = tuple(_coerce(branch, types, context) for branch in branches)
    return SetOperation(_SET_OPERATORS[query.operator, query.distinct], coerced)


def _column_type(
    columns: Sequence[PlanColumn], operator: tree.SetOperator, context: Context
) -> ColumnType:
    met = columns[0].type
    for column in columns[1:]:
        common = _common_type(met, column.type, context.semantics)
        if common is None:
            raise TypeMismatch(
                f"column {columns[0].name} of {operator.value.upper()} has incompatible types:"
                f" {print_type(met)} and {print_type(column.type)}"
            )
        met = common
    return met


def _common_type(left: ColumnType, right: ColumnType, semantics: Semantics) -> ColumnType | None:
    """The common type of two columns; in Hive, a decimal's own type next to an integer."""
    if semantics.is_hive:
        for one, other in ((left, right), (right, left)):
            if isinstance(one, DecimalType) and is_integer(other):
                return one
        if left != right and is_time(left) and is_time(right):
            return TIMESTAMP
    return common_type(left, right, Use.SET_OPERATION, semantics)


def fitted(plan: Plan, types: Sequence[ColumnType], context: Context) -> Plan:
    """The plan with columns cast to these types."""
    for column, type_ in zip(plan.columns, types, strict=True):
        if common_type(column.type, type_, Use.SET_OPERATION, context.semantics) is None:
            raise TypeMismatch(
                f"column {column.name} has type {print_type(column.type)}, expected"
                f" {print_type(type_)}"
            )
    return _coerce(plan, types, context)


def _coerce(branch: Plan, types: Sequence[ColumnType], context: Context) -> Plan:
    if all(c.type == type_ for c, type_ in zip(branch.columns, types, strict=True)):
        return branch
    items = tuple(
        (reference.name, _cast_for_branch(reference, type_, context))
        for reference, type_ in zip(references(branch), types, strict=True)
    )
    return Project(branch, items)


def _cast_for_branch(
    reference: RowExpression, type_: ColumnType, context: Context
) -> RowExpression:
    cast = implicit_cast(reference, type_, context.semantics)
    if isinstance(cast, Cast) and context.semantics.is_hive and not is_primitive(type_):
        return replace(cast, by_name=True)
    return cast
