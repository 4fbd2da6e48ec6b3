"""Result types of sums, products and roundings of numbers, dates and intervals, by dialect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TypeAlias

from lakeschema.catalog.column_types import (
    BIGINT,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    INTERVAL,
    STRING,
    TIMESTAMP,
    TINYINT,
    VOID,
    ColumnType,
    DecimalType,
    IntervalType,
)
from lakeschema.translation.functions import (
    constants,
    decimals,
    intervals,
)
from lakeschema.translation.functions.coercion import (
    Use,
    common_type,
    is_float,
    is_integer,
    is_interval,
    is_numeric,
    is_text,
    is_time,
    united_interval,
)
from lakeschema.translation.functions.results import CallResult
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.plan.expressions import Literal, RowExpression

_DecimalRule: TypeAlias = Callable[[DecimalType, DecimalType, decimals.Fit], DecimalType]


def plus(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    left, right = (a.type for a in arguments)
    if semantics.is_spark and intervals.concerns(left, right):
        return intervals.plus(left, right)
    if is_time(left) or is_time(right) or is_interval(left) or is_interval(right):
        return _time_plus(left, right) or _time_plus(right, left)
    return _arithmetic(arguments, semantics, decimals.plus)


def minus(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    left, right = (a.type for a in arguments)
    if semantics.is_spark and intervals.concerns(left, right):
        return intervals.minus(left, right, semantics)
    if is_time(left) and (is_time(right) or is_text(right)):
        return CallResult(IntervalType("day to second"))
    if is_time(left) or is_interval(left) or is_interval(right):
        return _time_plus(left, right)
    return _arithmetic(arguments, semantics, decimals.plus)


def _time_plus(left: ColumnType, right: ColumnType) -> CallResult | None:
    """The type of Hive's sum of a time or an interval and another value."""
    if is_interval(left) and is_interval(right):
        met = united_interval(left, right)
        return None if met is None else CallResult(met)
    if VOID in (left, right):
        return CallResult(VOID)
    if left == DATE and right == INT:
        return CallResult(DATE)
    if not is_interval(right) or not (is_time(left) or is_text(left)):
        return None
    if is_text(left):
        return CallResult(TIMESTAMP, (TIMESTAMP, None), may_be_null=True)
    if left != DATE:
        return CallResult(left)
    # A date plus days or months is a date; a date plus hours is a timestamp.
    whole = isinstance(right, IntervalType) and right.unit in _WHOLE_DAYS
    return CallResult(DATE if whole else TIMESTAMP)


_WHOLE_DAYS = {"day", "year", "month", "year to month"}


def _arithmetic(
    arguments: Sequence[RowExpression], semantics: Semantics, rule: _DecimalRule
) -> CallResult | None:
    left, right = (_number(a.type, arguments, semantics) for a in arguments)
    if left is None or right is None or _is_only_text(arguments, semantics):
        return None
    if VOID in (left, right):
        other = right if left == VOID else left
        if isinstance(other, DecimalType) and semantics.is_spark:
            fit = decimals.bounded if semantics.keeps_all_digits else decimals.adjusted
            return CallResult(rule(other, other, fit), may_be_null=True)
        if other == VOID and semantics.is_hive:
            return CallResult(VOID)
        # Hive's optimiser gives a NULL next to a decimal the type double.
        return CallResult(DOUBLE if other == VOID or isinstance(other, DecimalType) else other)
    if is_float(left) or is_float(right):
        return _floating(left, right, semantics)
    if isinstance(left, DecimalType) or isinstance(right, DecimalType):
        if semantics.is_hive and rule is not decimals.plus:
            # In Hive a literal factor always has the precision of its digits.
            semantics = replace(semantics, full_literals=False)
        a, b = _exact(arguments[0], left, semantics), _exact(arguments[1], right, semantics)
        fit = decimals.bounded if semantics.keeps_all_digits else decimals.adjusted
        return CallResult(rule(a, b, fit), (None, None), may_be_null=not semantics.ansi)
    common = common_type(left, right, Use.COMPARISON, semantics)
    return None if common is None else CallResult(common, (common, common))


def _floating(left: ColumnType, right: ColumnType, semantics: Semantics) -> CallResult | None:
    common = common_type(left, right, Use.COMPARISON, semantics)
    return None if common is None else CallResult(common, (common, common))


def _is_only_text(arguments: Sequence[RowExpression], semantics: Semantics) -> bool:
    """Whether both operands are text in ANSI mode, where neither is cast to a number."""
    return semantics.is_spark and semantics.ansi and all(is_text(a.type) for a in arguments)


def _number(
    type_: ColumnType, arguments: Sequence[RowExpression], semantics: Semantics
) -> ColumnType | None:
    """The numeric type of an operand; a text is cast to a number."""
    if is_numeric(type_) or type_ == VOID:
        return type_
    if not is_text(type_):
        return None
    if not (semantics.is_spark and semantics.ansi):
        return DOUBLE
    others = [a.type for a in arguments if not is_text(a.type)]
    return BIGINT if others and all(is_integer(other) for other in others) else DOUBLE


def _exact(expression: RowExpression, type_: ColumnType, semantics: Semantics) -> DecimalType:
    """The decimal type of an operand; an integer literal has the precision of its digits."""
    # Spark gives a tinyint literal its type's precision (``DecimalType.fromLiteral``).
    counted = is_integer(type_) and not (semantics.is_spark and type_ == TINYINT)
    counted = counted and not semantics.full_literals
    if isinstance(expression, Literal) and counted and expression.value is not None:
        return decimals.of_number(Decimal(expression.value))
    found = decimals.decimal_of(type_, semantics.bigint_digits)
    assert found is not None
    return found


def times(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    left, right = (a.type for a in arguments)
    if is_interval(left) or is_interval(right):
        return intervals.multiple(left, right)
    return _arithmetic(arguments, semantics, decimals.times)


def divide(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    if semantics.is_spark and is_interval(arguments[0].type):
        return intervals.quotient(arguments[0].type, arguments[1].type)
    left, right = (_number(a.type, arguments, semantics) for a in arguments)
    if left is None or right is None or _is_only_text(arguments, semantics):
        return None
    if isinstance(left, DecimalType) or isinstance(right, DecimalType):
        if is_float(left) or is_float(right):
            return CallResult(DOUBLE, (DOUBLE, DOUBLE))
        if VOID not in (left, right) or (semantics.is_spark and right == VOID):
            return _arithmetic(arguments, semantics, decimals.divided)
    return CallResult(DOUBLE, (DOUBLE, DOUBLE))


def try_divide(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    found = divide(arguments, semantics)
    return None if found is None else replace(found, total=False)


def remainder(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    return _arithmetic(arguments, semantics, decimals.remainder)


def integer_divide(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    types = [argument.type for argument in arguments]
    if semantics.is_spark and any(isinstance(type_, IntervalType) for type_ in types):
        common = common_type(types[0], types[1], Use.COMPARISON, semantics)
        return CallResult(BIGINT, (common, common)) if isinstance(common, IntervalType) else None
    left, right = (_number(a.type, arguments, semantics) for a in arguments)
    if left is None or right is None or _is_only_text(arguments, semantics):
        return None
    if semantics.is_spark and (is_float(left) or is_float(right)):
        return None
    return CallResult(BIGINT)


def wider(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    common = common_type(arguments[0].type, arguments[1].type, Use.BRANCH, semantics)
    if common == VOID and semantics.is_spark:
        common = INT
    return None if common is None else CallResult(common, (common, common))


def shifted(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """A shift of a bigint is a bigint; Spark casts any other number or text to int first."""
    type_ = arguments[0].type
    if type_ == BIGINT:
        return CallResult(BIGINT)
    if not semantics.is_spark:
        return CallResult(INT)
    accepted = is_numeric(type_) or is_text(type_) or type_ == VOID
    return CallResult(INT, (INT, None)) if accepted else None


def whole(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """CEIL and FLOOR of a decimal keep its digits before the point, plus one digit for a carry."""
    type_ = arguments[0].type
    if isinstance(type_, DecimalType):
        digits = max(1, type_.precision - type_.scale + 1)
        # Spark keeps the precision of a decimal that has no fraction.
        digits = type_.precision if semantics.is_spark and type_.scale == 0 else digits
        return CallResult(decimals.bounded(digits, 0))
    return CallResult(BIGINT)


def rounded(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    type_ = arguments[0].type
    if not isinstance(type_, DecimalType):
        return CallResult(DOUBLE if is_text(type_) else type_)
    places = constants.constant_int(arguments[1]) if len(arguments) > 1 else 0
    if places is None and semantics.is_spark and constants.is_null(arguments[1]):
        places = 0
    if places is None:
        return None if semantics.is_spark else CallResult(type_)
    whole = type_.precision - type_.scale + 1
    if places < 0:
        return CallResult(DecimalType(min(38, max(whole, 1 - places)), 0))
    if semantics.is_hive and places >= type_.scale:
        # No digit is rounded, so there is no carry; zeros fill the places.
        return CallResult(decimals.bounded(whole - 1 + places, places))
    scale = min(type_.scale, places)
    return CallResult(decimals.bounded(whole + scale, scale))


def absolute(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """Hive's ABS widens the small integers; text becomes double."""
    type_ = arguments[0].type
    if is_integer(type_):
        # -128 has no opposite in a tinyint.
        wide = BIGINT if type_ == BIGINT else INT
        return CallResult(wide, (wide,))
    return CallResult(DOUBLE if is_float(type_) or is_text(type_) else type_)


def hive_sign(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    type_ = arguments[0].type
    return CallResult(INT if isinstance(type_, DecimalType) else DOUBLE)


def float_or_double(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """Spark's NANVL: a float for floats, otherwise a double."""
    one, other = (argument.type for argument in arguments)
    type_ = FLOAT if one == FLOAT and other in (FLOAT, VOID) else DOUBLE
    return CallResult(type_, (type_, type_))


def positive_remainder(
    arguments: Sequence[RowExpression], semantics: Semantics
) -> CallResult | None:
    """PMOD in Hive: the result type has room for both operands.

    The type of ``%`` only fits the narrower operand.
    """
    return _arithmetic(arguments, semantics, decimals.wider)


def summed(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    type_ = arguments[0].type
    if isinstance(type_, DecimalType):
        type_of_sum = decimals.bounded(type_.precision + 10, type_.scale)
        return CallResult(type_of_sum, may_be_null=_sum_may_overflow(type_, semantics))
    if is_interval(type_):
        return CallResult(type_) if type_ != INTERVAL or not semantics.is_spark else None
    return CallResult(BIGINT if is_integer(type_) else DOUBLE)


def average(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    type_ = arguments[0].type
    if semantics.is_spark and is_interval(type_):
        return intervals.average(type_)
    if not isinstance(type_, DecimalType):
        return CallResult(DOUBLE)
    overflow = _sum_may_overflow(type_, semantics)
    if semantics.is_spark:
        average = decimals.bounded(type_.precision + 4, type_.scale + 4)
        return CallResult(average, may_be_null=overflow)
    return CallResult(decimals.averaged(type_), may_be_null=overflow)


def _sum_may_overflow(type_: DecimalType, semantics: Semantics) -> bool:
    """Whether a sum may overflow to null: ten more digits, for 10^10 rows, do not fit its type."""
    return not semantics.ansi and type_.precision + 10 > decimals.MAX_PRECISION


def second_average(arguments: Sequence[RowExpression], semantics: Semantics) -> CallResult | None:
    """REGR_AVGX: the average of the second argument in rows where neither argument is null."""
    return average(arguments[1:], semantics)


def truncated(arguments: Sequence[RowExpression], _: Semantics) -> CallResult | None:
    """Hive's TRUNC keeps a number's type; a truncated date is text."""
    type_ = arguments[0].type
    if isinstance(type_, DecimalType):
        places = None if len(arguments) == 1 else constants.constant_int(arguments[1])
        digits, scale = type_.precision - type_.scale, max(0, places or 0)
        return CallResult(decimals.bounded(max(1, digits + scale), scale))
    return CallResult(type_ if is_numeric(type_) else STRING)
