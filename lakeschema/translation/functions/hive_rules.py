"""The ``@rules`` of functions that only Hive has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lakeschema.catalog.column_types import (
    BINARY,
    INT,
    STRING,
    TIMESTAMP,
    TIMESTAMP_LOCAL,
    VOID,
    ArrayType,
    ColumnType,
    MapType,
    StructType,
    Uniontype,
    parse_type,
)
from lakeschema.catalog.errors import MalformedType
from lakeschema.translation.functions.coercion import is_integer, is_numeric, is_text, is_time
from lakeschema.translation.functions.constants import constant_text
from lakeschema.translation.functions.results import CallResult, Rule
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.plan.expressions import RowExpression

_NESTED = (ArrayType, MapType, StructType)


def _nullable(type_: ColumnType) -> Rule:
    """A rule for functions that may return null even without arguments."""

    def rule(_: Sequence[RowExpression], __: Semantics) -> CallResult | None:
        return CallResult(type_, may_be_null=True)

    return rule


def _floored(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """FLOOR … TO, or ``floor_day`` and similar, keep a timestamp's type; they refuse texts and dates."""
    match arguments[0].type:
        case type_ if type_ in {TIMESTAMP, TIMESTAMP_LOCAL}:
            return CallResult(type_)
        case _:
            return None


def _hexed(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """HEX shows whole numbers as numbers, bytes as bytes, and anything else as its text."""
    type_ = arguments[0].type
    kept = is_integer(type_) or is_text(type_) or type_ in (BINARY, VOID)
    return CallResult(STRING, (None if kept else STRING,))


def _united_by_tag(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """CREATE_UNION: the first argument is an index, which says which other argument is the value."""
    return CallResult(Uniontype(tuple(argument.type for argument in arguments[1:])))


def _of_type_text(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """JSON_READ returns the type that its second argument names, in Hive's syntax."""
    wanted = constant_text(arguments[1])
    if wanted is None:
        return None
    try:
        return CallResult(parse_type(wanted))
    except MalformedType:
        return None


def _extreme(arguments: Sequence[RowExpression], _: Semantics) -> CallResult:
    """The first type that is not VOID; arguments of other types were already cast to it."""
    known = [argument.type for argument in arguments if argument.type != VOID]
    return CallResult(known[0] if known else VOID)


def _extreme_of_group(arguments: Sequence[RowExpression], _: Semantics) -> CallResult:
    """MAX and MIN: Hive may return null for MAX of arrays even in a group that has an array."""
    type_ = arguments[0].type
    return CallResult(type_, may_be_null=isinstance(type_, _NESTED))


def _occurrence(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """INSTR is null if the wanted occurrence is below 1."""
    return CallResult(INT, may_be_null=len(arguments) > 2)


def _joined(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """ARRAY_JOIN: Hive may return null for nested arrays."""
    type_ = arguments[0].type
    nested = isinstance(type_, ArrayType) and isinstance(type_.element, _NESTED)
    return CallResult(STRING, may_be_null=nested)


def _of_another_row(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """LAG and LEAD: the default for a missing row is cast to the value's type."""
    type_ = arguments[0].type
    return CallResult(type_, (None, None, type_)[: len(arguments)])


def _kept_beside_its_kind(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """NULLIF refuses a text and a number, unlike ``=`` (the groups of ``GenericUDFNullif``)."""
    groups = {_group(argument.type) for argument in arguments if argument.type != VOID}
    return None if len(groups) > 1 else CallResult(arguments[0].type)


def _group(type_: ColumnType) -> str:
    if is_numeric(type_):
        return "number"
    if is_time(type_):
        return "time"
    return "text" if is_text(type_) else str(type_)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "@floored": _floored,
        "@hexed": _hexed,
        "@nothing": _nullable(VOID),
        "@null_text": _nullable(STRING),
        "@null_texts": _nullable(ArrayType(STRING)),
        "@united_by_tag": _united_by_tag,
        "@of_type_text": _of_type_text,
        "@occurrence": _occurrence,
        "@joined": _joined,
        "@extreme": _extreme,
        "@kept_beside_its_kind": _kept_beside_its_kind,
        "@of_another_row": _of_another_row,
        "@extreme_of_group": _extreme_of_group,
    }
)
