"""Result types of functions of times of day, and of Spark's time windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from lakeschema.catalog.column_types import (
    TIMESTAMP,
    TIMESTAMP_NTZ,
    VOID,
    ColumnType,
    DecimalType,
    IntervalType,
    StructField,
    StructType,
    time_digits,
    time_of_day,
)
from lakeschema.translation.functions.casts import can_cast, may_turn_null
from lakeschema.translation.functions.coercion import is_integer, is_text, is_time
from lakeschema.translation.functions.constants import constant_int
from lakeschema.translation.functions.results import CallResult, Rule
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.plan.expressions import RowExpression

_MICROSECONDS = 6


def plus(left: ColumnType, right: ColumnType) -> CallResult | None:
    """A time plus a day-time interval, in either order; Spark calls the sum nullable."""
    digits, interval = time_digits(left), right
    if digits is None:
        digits, interval = time_digits(right), left
    if digits is None:
        return None
    if interval == VOID:
        return CallResult(time_of_day(_MICROSECONDS), may_be_null=True)
    if not isinstance(interval, IntervalType) or interval.is_of_months:
        return None
    has_fraction = interval.unit.rpartition(" to ")[2] == "second"
    found = time_of_day(max(digits, _MICROSECONDS) if has_fraction else digits)
    return CallResult(found, may_be_null=True)


def _now(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    digits = constant_int(arguments[0]) if arguments else _MICROSECONDS
    return None if digits is None or not 0 <= digits <= 9 else CallResult(time_of_day(digits))


def _time(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """TIME(x) is a cast in the form of a call."""
    type_, made = arguments[0].type, time_of_day(_MICROSECONDS)
    if not can_cast(type_, made, semantics):
        return None
    return CallResult(made, may_be_null=may_turn_null(type_, made, semantics))


def _truncated(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    digits = time_digits(arguments[1].type)
    return CallResult(time_of_day(_MICROSECONDS if digits is None else digits))


def seconds(type_: ColumnType) -> ColumnType:
    """The type of EXTRACT(SECOND …) of a time or timestamp: seconds with a fraction."""
    digits = time_digits(type_)
    places = _MICROSECONDS if digits is None else digits
    return DecimalType(2 + places, places)


def _window(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """The struct of start and end of a row's time window.

    Spark leaves out rows without a time.
    """
    type_ = _moment(arguments[0].type)
    if type_ is None:
        return None
    ends = tuple(StructField(name, type_) for name in ("start", "end"))
    casts = (
        None if isinstance(arguments[0].type, StructType) else type_,
        *(None for _ in arguments[1:]),
    )
    return CallResult(StructType(ends), casts)


def _window_time(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    type_ = arguments[0].type
    moment = _moment(type_) if isinstance(type_, StructType) else None
    return None if moment is None else CallResult(moment, may_be_null=True)


def _moment(type_: ColumnType) -> ColumnType | None:
    match type_:
        case StructType((StructField("start", start), StructField("end", end))):
            return start if start == end and start in (TIMESTAMP, TIMESTAMP_NTZ) else None
        case _ if type_ == TIMESTAMP_NTZ:
            return TIMESTAMP_NTZ
        case _:
            given = is_time(type_) or is_text(type_) or time_digits(type_) is not None
            return TIMESTAMP if given or type_ == VOID else None


def _bucket(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    type_ = arguments[1].type
    if is_integer(type_):
        return None
    known = [a.type for a in arguments[1:] if a.type != VOID]
    return CallResult(TIMESTAMP_NTZ if known[:1] == [TIMESTAMP_NTZ] else TIMESTAMP)


RULES: Mapping[str, Rule] = MappingProxyType(
    {
        "@time_now": _now,
        "@time": _time,
        "@time_truncated": _truncated,
        "@window": _window,
        "@window_time": _window_time,
        "@time_bucket": _bucket,
    }
)
