"""Resolves Spark's functions that take lambdas: the lambdas' parameters, and the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    BOOLEAN,
    INT,
    ArrayType,
    ColumnType,
    MapType,
    StructType,
    map_type,
    print_type,
)
from lakeschema.translation.functions.binding import implicit_cast
from lakeschema.translation.functions.coercion import Use, common_type, equal_apart_from_nulls
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.model.errors import TypeMismatch, UnsupportedConstruct
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
"""Functions that take lambdas; ``array_sort`` also works without a lambda."""


_BEFORE_LAMBDAS: Final[Mapping[str, int]] = MappingProxyType(
    {
        **dict.fromkeys(HIGHER_ORDER, 1),
        **dict.fromkeys(("zip_with", "map_zip_with", "aggregate", "reduce"), 2),
    }
)
"""The number of values before the lambdas."""


def with_lambdas(node: tree.Call) -> tree.Call:
    """The call with lambdas in all places for lambdas: ``transform(a, 0)`` means ``x -> 0``."""
    values = _BEFORE_LAMBDAS.get(node.name.lower())
    if values is None or node.qualifier or len(node.arguments) <= values:
        return node
    arguments = tuple(
        argument
        if place < values or isinstance(argument, tree.Lambda)
        else tree.Lambda((), argument)
        for place, argument in enumerate(node.arguments)
    )
    return replace(node, arguments=arguments)


def higher_order(
    node: tree.Call, resolve: Resolve, resolve_lambda: ResolveLambda, semantics: Semantics
) -> RowExpression:
    """A call whose last arguments are lambdas.

    Raises:
        UnsupportedConstruct: the function takes no lambda there.
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
        case "map_zip_with", [MapType(_, left), MapType(_, right)], [one]:
            key, values = _with_common_keys(node, values, semantics)
            made = resolve_lambda(one, ((key, False), (left, True), (right, True)))
            return _call(name, values, made, MapType(key, made.type, made.nullable))
        case (("aggregate" | "reduce"), [ArrayType() as array, _], [merge, *finish]) if (
            len(finish) <= 1
        ):
            return _aggregated(node, values, array, (merge, *finish), resolve_lambda)
        case _:
            raise UnsupportedConstruct(f"a lambda in {node.name}", position=node.position)


def _with_common_keys(
    node: tree.Call, maps: Sequence[RowExpression], semantics: Semantics
) -> tuple[ColumnType, list[RowExpression]]:
    """The common type of two maps' keys, and the maps converted to it."""
    types = [each.type for each in maps if isinstance(each.type, MapType)]
    key = common_type(types[0].key, types[1].key, Use.BRANCH, semantics)
    if key is None:
        shown = " and ".join(print_type(each.key) for each in types)
        raise TypeMismatch(f"{node.name} has keys of types {shown}", position=node.position)
    return key, [
        implicit_cast(each, replace(type_, key=key), semantics)
        for each, type_ in zip(maps, types, strict=True)
    ]


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
    # To Spark, an accumulator is always nullable.
    accumulator = (values[1].type, True)
    element = (array.element, array.element_nullable)
    merge = resolve_lambda(lambdas[0], (accumulator, element))
    if not equal_apart_from_nulls(_unnamed(merge.type), _unnamed(values[1].type)):
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


def _unnamed(type_: ColumnType) -> ColumnType:
    """The type with numbers for the names of fields, to compare types that differ only in names."""

    def without(part: ColumnType) -> ColumnType:
        if not isinstance(part, StructType):
            return part
        return StructType(tuple(replace(f, name=str(i)) for i, f in enumerate(part.fields)))

    return map_type(type_, without)


def _call(
    name: str,
    values: Sequence[RowExpression],
    made: Lambda,
    type_: ColumnType,
    keeps: int | None = None,
) -> Call:
    operator = Operator(name, NullClass.TOTAL, keeps=keeps)
    return Call(operator, (*values, made), type_, any(value.nullable for value in values))
