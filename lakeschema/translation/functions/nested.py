"""Result types of functions of arrays, maps, structs and uniontypes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lakeschema.catalog.column_types import (
    INT,
    STRING,
    VOID,
    ArrayType,
    ColumnType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    Uniontype,
)
from lakeschema.translation.functions.coercion import Use, common_type, is_integer, is_text
from lakeschema.translation.functions.constants import constant_text
from lakeschema.translation.functions.results import CallResult
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.plan.expressions import RowExpression


def common(values: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    types = [value.type for value in values]
    found: ColumnType | None = types[0]
    for type_ in types[1:]:
        found = None if found is None else common_type(found, type_, Use.BRANCH, semantics)
    return None if found is None else CallResult(found, (found,) * len(types))


def with_element(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """The type of an array with an added value: Spark casts both to the tightest type for both.

    For a decimal and a whole number, this is the decimal, if it has enough digits. Two decimals
    have no such type.
    """
    array, value = (argument.type for argument in arguments)
    if not isinstance(array, ArrayType):
        return None
    element = array.element
    if value in (element, VOID):
        return CallResult(array)
    found = _tightest(element, value, semantics)
    if found is None:
        return None
    wider = ArrayType(found, array.element_nullable)
    return CallResult(wider, (wider, found))


def united(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """The union of two arrays, in the tightest type that holds the elements of both."""
    one, other = (argument.type for argument in arguments)
    if VOID in (one, other):
        return CallResult(other if one == VOID else one)
    if not (isinstance(one, ArrayType) and isinstance(other, ArrayType)):
        return None
    found = _tightest(one.element, other.element, semantics)
    if found is None:
        return None
    made = ArrayType(found, one.element_nullable or other.element_nullable)
    return CallResult(made, (made, made))


def _tightest(one: ColumnType, other: ColumnType, semantics: Semantics) -> ColumnType | None:
    """Spark's ``findTightestCommonType``; for an int and a float it is float, also in ANSI mode."""
    if is_text(one) != is_text(other) and VOID not in (one, other):
        return None
    found = common_type(one, other, Use.BRANCH, replace(semantics, ansi=False))
    if one != other and (isinstance(one, DecimalType) or isinstance(other, DecimalType)):
        whole = is_integer(one) or is_integer(other)
        return found if whole and found in (one, other) else None
    return found


def size(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """SIZE of null is -1 outside ANSI mode, unless a setting says otherwise."""
    return CallResult(INT, may_be_null=not semantics.size_of_null and arguments[0].nullable)


def array(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    if not arguments:
        text = not semantics.is_spark or semantics.empty_is_text
        return CallResult(ArrayType(STRING if text else VOID, False))
    found = common(arguments, semantics)
    if found is None:
        return None
    if found.type == VOID and not semantics.is_spark:
        return CallResult(ArrayType(STRING), (STRING,) * len(arguments))
    return CallResult(ArrayType(found.type, any(a.nullable for a in arguments)), found.arguments)


def map_of(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    # Hive makes a key or value of unknown type a string.
    unknown = VOID if semantics.is_spark else STRING
    if not arguments:
        return CallResult(MapType(unknown, unknown, False))
    if len(arguments) % 2:
        return None
    keys = common(arguments[::2], semantics)
    values = common(arguments[1::2], semantics)
    if keys is None or values is None:
        return None
    nullable = any(a.nullable for a in arguments[1::2])
    key, value = (unknown if met.type == VOID else met.type for met in (keys, values))
    return CallResult(MapType(key, value, nullable), (key, value) * (len(arguments) // 2))


def named_struct(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    if len(arguments) % 2:
        return None
    fields: list[StructField] = []
    for written, value in zip(arguments[::2], arguments[1::2], strict=True):
        name = constant_text(written)
        if name is None:
            return None
        fields.append(StructField(name, value.type, value.nullable))
    return CallResult(StructType(tuple(fields)))


def struct(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """STRUCT: fields are named by position; Spark names a plain reference by its column."""
    fields = []
    for number, argument in enumerate(arguments, 1):
        name = getattr(argument, "name", None) if semantics.is_spark else None
        fields.append(StructField(name or f"col{number}", argument.type, argument.nullable))
    return CallResult(StructType(tuple(fields)))


def map_values(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    type_ = arguments[0].type
    return (
        CallResult(ArrayType(type_.value, type_.value_nullable))
        if isinstance(type_, MapType)
        else None
    )


def element(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    match arguments[0].type:
        case ArrayType(element):
            return CallResult(element)
        case MapType(_, value):
            return CallResult(value)
        case _:
            return None


def collected(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    return CallResult(ArrayType(arguments[0].type, False))


def extract_union(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """A uniontype as a struct of ``tag_0``, ``tag_1`` …, as LinkedIn's libraries and Trino show it."""
    return CallResult(_union_struct(arguments[0].type))


def _union_struct(type_: ColumnType) -> ColumnType:
    match type_:
        case Uniontype(branches):
            fields = (StructField(f"tag_{i}", _union_struct(b)) for i, b in enumerate(branches))
            return StructType(tuple(fields))
        case StructType(fields):
            return StructType(
                tuple(
                    StructField(f.name, _union_struct(f.type), f.nullable, f.comment)
                    for f in fields
                )
            )
        case ArrayType(element, nullable):
            return ArrayType(_union_struct(element), nullable)
        case MapType(key, value, nullable):
            return MapType(key, _union_struct(value), nullable)
        case _:
            return type_
