"""Spark's functions that take lambdas: what their parameters are, and what they return."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from lakeschema.catalog.column_types import BOOLEAN, INT, ArrayType, ColumnType, MapType, print_type
from lakeschema.translation.errors import TypeMismatch, UnsupportedConstruct
from lakeschema.translation.functions.coercion import equal_apart_from_nulls
from lakeschema.translation.plan.expressions import Call, Lambda, RowExpression
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.syntax import tree

ParameterType = tuple[ColumnType, bool]
"""A parameter's type, and whether it may be null."""

ResolveLambda = Callable[[tree.Lambda, Sequence[ParameterType]], Lambda]
Resolve = Callable[[tree.Expression], RowExpression]


HIGHER_ORDER: Final = frozenset(
    {
        *("transform", "filter", "exists", "any_match", "forall", "all_match", "array_sort"),
        *("zip_with", "aggregate", "reduce"),
        *("transform_values", "transform_keys", "map_filter", "map_zip_with"),
    }
)
"""The functions that take lambdas; without one ``array_sort`` is an ordinary function, too."""


def higher_order(node: tree.Call, resolve: Resolve, resolve_lambda: ResolveLambda) -> RowExpression:
    """A call that has lambdas among its arguments; they come last.

    Raises:
        UnsupportedConstruct: no function of these takes a lambda there.
        TypeMismatch: an accumulator changes its type.
    """
    values = [resolve(a) for a in node.arguments if not isinstance(a, tree.Lambda)]
    lambdas = [a for a in node.arguments if isinstance(a, tree.Lambda)]
    name = node.name.lower()
    match name, [value.type for value in values], lambdas:
        case (
            ("transform" | "filter" | "exists" | "any_match" | "forall" | "all_match"),
            [ArrayType() as array],
            [one],
        ):
            made = resolve_lambda(one, ((array.element, array.element_nullable), (INT, False)))
            return _over_an_array(name, values[0], array, made)
        case "array_sort", [ArrayType() as array], [one]:
            element = (array.element, array.element_nullable)
            made = resolve_lambda(one, (element, element))
            return _call(name, values, made, array, keeps=0)
        case "zip_with", [ArrayType(left), ArrayType(right)], [one]:
            made = resolve_lambda(one, ((left, True), (right, True)))
            return _call(name, values, made, ArrayType(made.type, made.nullable))
        case (("transform_values" | "transform_keys" | "map_filter"), [MapType() as map_], [one]):
            made = resolve_lambda(one, ((map_.key, False), (map_.value, map_.value_nullable)))
            return _over_a_map(name, values, map_, made)
        case "map_zip_with", [MapType(key, left), MapType(_, right)], [one]:
            made = resolve_lambda(one, ((key, False), (left, True), (right, True)))
            return _call(name, values, made, MapType(key, made.type, made.nullable))
        case (("aggregate" | "reduce"), [ArrayType() as array, _], [merge, *finish]) if (
            len(finish) <= 1
        ):
            return _aggregated(node, values, array, (merge, *finish), resolve_lambda)
        case _:
            raise UnsupportedConstruct(f"a lambda in {node.name}", position=node.position)


def _over_an_array(name: str, value: RowExpression, array: ArrayType, made: Lambda) -> Call:
    if name == "transform":
        return _call(name, [value], made, ArrayType(made.type, made.nullable))
    if name == "filter":
        return _call(name, [value], made, array, keeps=0)
    call = _call(name, [value], made, BOOLEAN)
    return Call(call.operator, call.arguments, BOOLEAN, call.nullable or made.nullable)


def _over_a_map(name: str, values: Sequence[RowExpression], map_: MapType, made: Lambda) -> Call:
    if name == "map_filter":
        return _call(name, values, made, map_, keeps=0)
    if name == "transform_keys":
        return _call(name, values, made, MapType(made.type, map_.value, map_.value_nullable))
    return _call(name, values, made, MapType(map_.key, made.type, made.nullable))


def _aggregated(
    node: tree.Call,
    values: Sequence[RowExpression],
    array: ArrayType,
    lambdas: Sequence[tree.Lambda],
    resolve_lambda: ResolveLambda,
) -> Call:
    # Spark treats an accumulator as nullable for every start value.
    accumulator = (values[1].type, True)
    element = (array.element, array.element_nullable)
    merge = resolve_lambda(lambdas[0], (accumulator, element))
    if not equal_apart_from_nulls(merge.type, values[1].type):
        raise TypeMismatch(
            f"{node.name} starts with {print_type(values[1].type)} and continues with"
            f" {print_type(merge.type)}",
            position=node.position,
            hint="cast the start value to the type that the lambda returns",
        )
    made = [merge, *(resolve_lambda(finish, (accumulator,)) for finish in lambdas[1:])]
    nullable = values[0].nullable or len(made) == 1 or made[-1].nullable
    operator = Operator(node.name.lower(), NullClass.PARTIAL)
    return Call(operator, (*values, *made), made[-1].type, nullable)


def _call(
    name: str,
    values: Sequence[RowExpression],
    made: Lambda,
    type_: ColumnType,
    keeps: int | None = None,
) -> Call:
    operator = Operator(name, NullClass.TOTAL, keeps=keeps)
    return Call(operator, (*values, made), type_, any(value.nullable for value in values))
