"""Result types of Spark's arithmetic on dates, times and intervals (``BinaryArithmeticWithDatetimeResolver``).

An ANSI interval has either years and months, or days and shorter units. Its type names the first and
the last unit. A sum has the units of both operands; a multiple has all units of its kind. A calendar
interval (``INTERVAL``) has months, days and microseconds at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from lakeschema.catalog.column_types import (
    DATE,
    DOUBLE,
    INT,
    INTERVAL,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    TINYINT,
    VOID,
    ColumnType,
    DecimalType,
    IntervalType,
)
from lakeschema.translation.functions import clock
from lakeschema.translation.functions.coercion import (
    is_integer,
    is_interval,
    is_numeric,
    is_text,
    is_time,
    is_time_of_day,
    united_interval,
)
from lakeschema.translation.functions.results import CallResult
from lakeschema.translation.functions.semantics import Semantics

_DAY = IntervalType("day")
_DAY_TIME = IntervalType("day to second")
_YEAR_MONTH = IntervalType("year to month")
_TIME_OF_DAY = IntervalType("hour to second")
_SECONDS = DecimalType(8, 6)
_FIELDS: Mapping[str, str] = MappingProxyType(
    {
        word: field
        for field, words in (
            ("year", ("year", "years", "yr", "yrs", "y")),
            ("month", ("month", "months", "mon", "mons")),
            ("day", ("day", "days", "d")),
            ("hour", ("hour", "hours", "hr", "hrs", "h")),
            ("minute", ("minute", "minutes", "min", "mins", "m")),
            ("second", ("second", "seconds", "sec", "secs", "s")),
        )
        for word in words
    }
)


def concerns(*types: ColumnType) -> bool:
    """Whether one of the types is a date, time or interval, so that this module's rules apply."""
    return any(is_time(type_) or is_interval(type_) or is_time_of_day(type_) for type_ in types)


def plus(left: ColumnType, right: ColumnType) -> CallResult | None:
    if is_time_of_day(left) or is_time_of_day(right):
        return clock.plus(left, right)
    return _moved(left, right) or _moved(right, left)


def minus(left: ColumnType, right: ColumnType, semantics: Semantics) -> CallResult | None:
    if is_time_of_day(left) and is_interval(right):
        return clock.plus(left, right)
    if is_interval(right) or is_integer(right):
        return _moved(left, right)
    if is_interval(left):
        return CallResult(left, (None, left)) if right == VOID else None
    return _difference(left, right, semantics)


def _moved(moment: ColumnType, by: ColumnType) -> CallResult | None:
    """The type of a date, time or interval plus a number of days or an interval."""
    if is_interval(moment) and (is_interval(by) or by == VOID):
        met = moment if by == VOID else united_interval(moment, by)
        return None if met is None else CallResult(met, (met, met))
    if by == VOID and is_time(moment):
        type_ = TIMESTAMP if moment == DATE else moment
        return CallResult(type_, may_be_null=True)
    if moment == VOID and is_interval(by):
        return CallResult(by, may_be_null=True)
    if moment == DATE and is_integer(by):
        return CallResult(DATE)
    if not is_interval(by):
        return None
    if is_text(moment) and not _is_year_month(by):
        return CallResult(STRING, may_be_null=True)
    if moment == DATE:
        whole_days = by in {INTERVAL, _DAY} or _is_year_month(by)
        return CallResult(DATE if whole_days else TIMESTAMP)
    return CallResult(moment) if is_time(moment) else None


def _difference(left: ColumnType, right: ColumnType, semantics: Semantics) -> CallResult | None:
    """The type of a difference of two dates, timestamps or times of day; one operand may be text."""
    types = {left, right}
    moment = right if is_text(left) or left == VOID else left
    if types == {DATE, TIMESTAMP_NTZ}:
        moment = TIMESTAMP_NTZ
    converted = is_text if moment != TIMESTAMP_NTZ else lambda type_: type_ != TIMESTAMP
    casts = tuple(moment if converted(type_) else None for type_ in (left, right))
    if is_time_of_day(left) or is_time_of_day(right):
        known = all(is_time_of_day(t) or is_text(t) or t == VOID for t in types)
        return CallResult(_TIME_OF_DAY, casts, may_be_null=True) if known else None
    if not any(is_time(type_) for type_ in types):
        return None
    if not all(is_time(type_) or is_text(type_) or type_ == VOID for type_ in types):
        return None
    if semantics.legacy_intervals:
        return CallResult(INTERVAL, casts)
    return CallResult(_DAY_TIME if types & {TIMESTAMP, TIMESTAMP_NTZ} else _DAY, casts)


def multiple(left: ColumnType, right: ColumnType) -> CallResult | None:
    """The type of an interval times a number; Spark calls a multiple of a calendar interval nullable."""
    interval, factor = (left, right) if is_interval(left) else (right, left)
    if not (is_numeric(factor) or is_text(factor) or factor == VOID):
        return None
    casts = tuple(DOUBLE if is_text(type_) else None for type_ in (left, right))
    if not isinstance(interval, IntervalType):
        return CallResult(interval, casts, may_be_null=True)
    return CallResult(whole(interval), casts)


def quotient(left: ColumnType, right: ColumnType) -> CallResult | None:
    """The type of an interval divided by a number; division by zero fails in every mode."""
    found = multiple(left, right)
    return None if found is None else replace(found, total=not found.may_be_null)


def average(type_: ColumnType) -> CallResult | None:
    """The type of an average of intervals; None for calendar intervals, which have no average."""
    return CallResult(whole(type_)) if isinstance(type_, IntervalType) else None


def extracted(unit: str, type_: ColumnType) -> ColumnType | None:
    """The type of EXTRACT of a unit; an ANSI interval has only the units of its fields."""
    field = _FIELDS.get(unit)
    if field is None or not is_interval(type_):
        return None if is_interval(type_) else (clock.seconds(type_) if field == "second" else INT)
    if field == "second":
        return _SECONDS
    return INT if field in {"year", "day"} else TINYINT


def is_of_day(unit: str) -> bool:
    """Whether the unit is a part of the time of day."""
    return _FIELDS.get(unit.lower()) in {"hour", "minute", "second"}


def whole(type_: IntervalType) -> IntervalType:
    """The interval type with all fields of the same kind."""
    return _YEAR_MONTH if type_.is_of_months else _DAY_TIME


def _is_year_month(type_: ColumnType) -> bool:
    return isinstance(type_, IntervalType) and type_.is_of_months
