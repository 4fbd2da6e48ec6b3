"""UNION, INTERSECT and EXCEPT as one plan, with common types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from types import MappingProxyType

from lakeschema.catalog.column_types import ColumnType, print_type
from lakeschema.translation.functions.binding import implicit_cast
from lakeschema.translation.functions.coercion import Use, common_type, is_primitive
from lakeschema.translation.functions.hive_constants import is_written, known_number
from lakeschema.translation.functions.hive_sets import Branch, common_first_type, reduced_type
from lakeschema.translation.model.errors import TypeMismatch
from lakeschema.translation.plan.expressions import Call, Cast, ColumnReference, RowExpression
from lakeschema.translation.plan.operators import Operator
from lakeschema.translation.plan.relations import (
    Aggregate,
    Plan,
    PlanColumn,
    Project,
    SetOperation,
    SetOperator,
    references,
)
from lakeschema.translation.resolution.context import Context
from lakeschema.translation.resolution.scopes import first_type_in, passed_from
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
    """Raises ``TypeMismatch`` if the branches differ in number of columns, or their types are incompatible."""
    width = len(branches[0].columns)
    for number, branch in enumerate(branches[1:], 2):
        if len(branch.columns) != width:
            raise TypeMismatch(
                f"branch {number} of {query.operator.value.upper()} has {len(branch.columns)}"
                f" columns, the first has {width}"
            )
    types = [
        _column_type([(branch, index) for branch in branches], query.operator, context)
        for index in range(width)
    ]
    coerced = tuple(_coerce(branch, types, context) for branch in branches)
    return SetOperation(_SET_OPERATORS[query.operator, query.distinct], coerced)


def _column_type(
    columns: Sequence[tuple[Plan, int]], operator: tree.SetOperator, context: Context
) -> ColumnType:
    now = [plan.columns[index] for plan, index in columns]
    if not context.semantics.is_hive:
        return _met([column.type for column in now], now[0], operator, context)
    first = [first_type_in(plan, index) for plan, index in columns]
    numbers = (_written(plan, index) for plan, index in columns)
    found = (Branch(c.type, f, n) for c, f, n in zip(now, first, numbers, strict=True))
    return reduced_type(_met(first, now[0], operator, context), tuple(found))


def _met(
    types: Sequence[ColumnType], column: PlanColumn, operator: tree.SetOperator, context: Context
) -> ColumnType:
    semantics = context.semantics
    met = types[0]
    for type_ in types[1:]:
        if semantics.is_hive:
            common = common_first_type(met, type_, semantics)
        else:
            common = common_type(met, type_, Use.SET_OPERATION, semantics)
        if common is None:
            raise TypeMismatch(
                f"column {column.name} of {operator.value.upper()} has incompatible types:"
                f" {print_type(met)} and {print_type(type_)}"
            )
        met = common
    return met


def _written(plan: Plan, index: int) -> Decimal | None:
    """The literal number that the text has for a column."""
    match plan:
        case Project(below, items):
            return _written_number(items[index][1], below)
        case Aggregate(below, keys) if index < len(keys):
            return _written_number(keys[index][1], below)
        case _:
            passed = passed_from(plan, index)
            return None if passed is None else _written(*passed)


def _written_number(expression: RowExpression, below: Plan) -> Decimal | None:
    match expression:
        case ColumnReference(index):
            return _written(below, index)
        case Call(Operator("negative"), (operand,)):
            number = _written_number(operand, below)
            return None if number is None else -number
        case _ if is_written(expression):
            return known_number(expression)
        case _:
            return None


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
