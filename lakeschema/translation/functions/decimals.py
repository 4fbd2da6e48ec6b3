"""The rules for decimals' precision, which Hive and Spark both took from SQL Server."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import TypeAlias

from lakeschema.catalog.column_types import (
    BIGINT,
    INT,
    SMALLINT,
    TINYINT,
    ColumnType,
    DecimalType,
)

Fit: TypeAlias = Callable[[int, int], DecimalType]
"""Returns the decimal type that a dialect uses for a precision and scale that may be too large."""

MAX_PRECISION = 38
MINIMUM_KEPT_SCALE = 6
SUMMED_DIGITS = 28
"""The number of digits for which a sum of fewer than 10^10 decimals fits 38 digits."""

_OF_INTEGERS: Mapping[ColumnType, DecimalType] = {
    TINYINT: DecimalType(3, 0),
    SMALLINT: DecimalType(5, 0),
    INT: DecimalType(10, 0),
}


def decimal_of(type_: ColumnType, bigint_digits: int) -> DecimalType | None:
    """The decimal that holds every value of an integer type; None if the type is not an exact number.

    Spark counts 20 digits of a bigint, Hive 19.
    """
    if isinstance(type_, DecimalType):
        return type_
    if type_ == BIGINT:
        return DecimalType(bigint_digits, 0)
    return _OF_INTEGERS.get(type_)


def of_number(number: Decimal) -> DecimalType:
    """The smallest decimal type that can hold the number."""
    # ``abs`` would round to the digits of the context.
    whole, _, fraction = f"{number.copy_abs():f}".partition(".")
    scale = len(fraction.rstrip("0"))
    return bounded(max(1, len(whole.lstrip("0")) + scale), scale)


def shown(number: Decimal) -> str:
    """All digits of the number, without zeros at the end of the fraction."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def holds(type_: DecimalType, number: Decimal) -> bool:
    """Whether the type holds the number without rounding."""
    needed = of_number(number)
    whole = needed.precision - needed.scale
    return needed.scale <= type_.scale and whole <= type_.precision - type_.scale


def adjusted(precision: int, scale: int) -> DecimalType:
    """The type with a smaller scale if the precision exceeds the maximum.

    The scale keeps at least six digits.
    """
    if precision <= MAX_PRECISION:
        return DecimalType(precision, scale)
    whole = precision - scale
    kept = max(MAX_PRECISION - whole, min(scale, MINIMUM_KEPT_SCALE))
    return DecimalType(MAX_PRECISION, kept)


def bounded(precision: int, scale: int) -> DecimalType:
    return DecimalType(min(precision, MAX_PRECISION), min(scale, MAX_PRECISION))


def plus(a: DecimalType, b: DecimalType, fit: Fit = adjusted) -> DecimalType:
    scale = max(a.scale, b.scale)
    whole = max(a.precision - a.scale, b.precision - b.scale)
    return fit(whole + scale + 1, scale)


def times(a: DecimalType, b: DecimalType, fit: Fit = adjusted) -> DecimalType:
    return fit(a.precision + b.precision + 1, a.scale + b.scale)


def divided(a: DecimalType, b: DecimalType, fit: Fit = adjusted) -> DecimalType:
    whole = a.precision - a.scale + b.scale
    scale = max(MINIMUM_KEPT_SCALE, a.scale + b.precision + 1)
    if fit is bounded:
        # If the two do not fit together, both shrink (Spark's ``Divide``).
        whole, scale = min(whole, MAX_PRECISION), min(scale, MAX_PRECISION)
        excess = whole + scale - MAX_PRECISION
        if excess > 0:
            scale -= excess // 2 + 1
            whole = MAX_PRECISION - scale
    return fit(whole + scale, scale)


def remainder(a: DecimalType, b: DecimalType, fit: Fit = adjusted) -> DecimalType:
    scale = max(a.scale, b.scale)
    return fit(min(a.precision - a.scale, b.precision - b.scale) + scale, scale)


def averaged(type_: DecimalType) -> DecimalType:
    """The type of Hive's AVG."""
    whole = type_.precision - type_.scale
    scale = min(type_.scale + 4, MAX_PRECISION - whole)
    return DecimalType(min(whole + scale, MAX_PRECISION), scale)


def wider(a: DecimalType, b: DecimalType, _: Fit = adjusted) -> DecimalType:
    """The decimal that holds both types without loss, if the maximum precision suffices.

    If it does not, the scale is kept (a legacy setting of Spark).
    """
    scale = max(a.scale, b.scale)
    whole = max(a.precision - a.scale, b.precision - b.scale)
    return bounded(whole + scale, scale)


def wider_keeping_whole(a: DecimalType, b: DecimalType) -> DecimalType:
    """The decimal that holds both types without loss, if the maximum precision suffices.

    If it does not, the digits before the point are kept.
    """
    scale = max(a.scale, b.scale)
    whole = max(a.precision - a.scale, b.precision - b.scale)
    lost = max(0, whole + scale - MAX_PRECISION)
    return bounded(whole + scale, max(0, scale - lost))
