"""The ``@rules`` of Spark's functions of arrays and maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lakeschema.catalog.column_types import (
    STRING,
    VOID,
    ArrayType,
    ColumnType,
    MapType,
    StructField,
    StructType,
)
from lakeschema.translation.functions import nested
from lakeschema.translation.functions.coercion import is_integer, is_interval, is_time
from lakeschema.translation.functions.results import CallResult, Rule
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.plan.expressions import (
    ColumnReference,
    FieldAccess,
    RowExpression,
    written_name,
)


def _with_added(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """ARRAY_APPEND is null only if the array is; a null value becomes an element."""
    value = arguments[1]
    met = nested.with_element(arguments, semantics)
    if met is None or not isinstance(met.type, ArrayType):
        return None
    nullable = met.type.element_nullable or value.nullable
    return CallResult(ArrayType(met.type.element, nullable), met.arguments, null_with=(0,))


def _with_inserted(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """ARRAY_INSERT beyond the end fills the gap with nulls."""
    array, _, value = arguments
    met = nested.with_element((array, value), semantics)
    if met is None or not isinstance(met.type, ArrayType):
        return None
    casts = met.arguments and (met.arguments[0], None, met.arguments[1])
    return CallResult(ArrayType(met.type.element, True), casts, null_with=(0, 1))


def _without_nulls(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    type_ = arguments[0].type
    return CallResult(ArrayType(type_.element, False)) if isinstance(type_, ArrayType) else None


def _repeated(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """ARRAY_REPEAT: a null value becomes an element; a null count makes the array null."""
    value, _count = arguments
    return CallResult(ArrayType(value.type, value.nullable), null_with=(1,))


def _zipped(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """ARRAYS_ZIP fills shorter arrays with nulls. A field has its column's name, or its position."""
    fields = []
    for number, argument in enumerate(arguments):
        element = _element(argument.type)
        if element is None:
            return None
        match argument:
            case ColumnReference() | FieldAccess():
                name = written_name(argument)
            case _:
                name = str(number)
        fields.append(StructField(name, element))
    return CallResult(ArrayType(StructType(tuple(fields)), False))


def _element(type_: ColumnType) -> ColumnType | None:
    if isinstance(type_, ArrayType):
        return type_.element
    return VOID if type_ == VOID else None


def _flattened(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """FLATTEN is null if one of the inner arrays is null."""
    match arguments[0].type:
        case ArrayType(ArrayType() as inner, nullable):
            return CallResult(inner, may_be_null=nullable)
        case _:
            return None


def _sequence(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    ends = arguments[:2]
    met = nested.common(ends, semantics)
    if met is None or not (is_integer(met.type) or is_time(met.type)):
        return None
    casts: tuple[ColumnType | None, ...] = (met.type, met.type)
    if len(arguments) == 3:
        step = arguments[2].type
        if is_integer(met.type):
            both = nested.common((*ends, arguments[2]), semantics)
            if both is None or not is_integer(both.type):
                return None
            return CallResult(ArrayType(both.type, False), both.arguments)
        if not is_interval(step) and step != VOID:
            return None
        casts = (*casts, None)
    return CallResult(ArrayType(met.type, False), casts)


def _entries(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    type_ = arguments[0].type
    if not isinstance(type_, MapType):
        return None
    key = StructField("key", type_.key, False)
    value = StructField("value", type_.value, type_.value_nullable)
    return CallResult(ArrayType(StructType((key, value)), False))


def _map_of_entries(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """MAP_FROM_ENTRIES is null if one of the entries is null."""
    match arguments[0].type:
        case ArrayType(StructType((key, value)), nullable):
            return CallResult(MapType(key.type, value.type, value.nullable), may_be_null=nullable)
        case _:
            return None


def _map_of_arrays(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    match arguments[0].type, arguments[1].type:
        case ArrayType(key), ArrayType(value, nullable):
            return CallResult(MapType(key, value, nullable))
        case _:
            return None


def _maps_joined(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """MAP_CONCAT; without arguments it returns a map from text to text."""
    return CallResult(arguments[0].type if arguments else MapType(STRING, STRING))


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "@with_added": _with_added,
        "@with_inserted": _with_inserted,
        "@without_nulls": _without_nulls,
        "@repeated": _repeated,
        "@zipped": _zipped,
        "@flattened": _flattened,
        "@sequence": _sequence,
        "@entries": _entries,
        "@map_of_entries": _map_of_entries,
        "@map_of_arrays": _map_of_arrays,
        "@maps_joined": _maps_joined,
    }
)
