"""Resolves interval literals.

Hive's units form two kinds, each with one spelling. Spark keeps each unit.

``INTERVAL '25' HOUR`` is ``1 01:00:00`` of the day-time kind, ``INTERVAL '-14' MONTH`` is ``-1-2``
of the year-month kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from types import MappingProxyType

from lakeschema.catalog.column_types import INTERVAL, IntervalType
from lakeschema.translation.model.errors import TypeMismatch, UnsupportedConstruct
from lakeschema.translation.plan.expressions import Literal
from lakeschema.translation.syntax import tree

YEAR_MONTH, DAY_TIME = "year to month", "day to second"

_MONTHS: Mapping[str, int] = MappingProxyType({"year": 12, "quarter": 3, "month": 1})
_SECONDS: Mapping[str, int] = MappingProxyType(
    {"week": 604_800, "day": 86_400, "hour": 3_600, "minute": 60, "second": 1}
)


def kind_of(unit: str) -> str:
    """The kind of a unit: ``year to month`` or ``day to second``."""
    return YEAR_MONTH if unit.rpartition(" to ")[2] in _MONTHS else DAY_TIME


def normalise(text: str, unit: str) -> str:
    """Writes a number of one unit in the spelling of the unit's kind; another text stays as it is."""
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return text
    if unit in _MONTHS and number == int(number):
        months = int(number) * _MONTHS[unit]
        return f"{_sign(months)}{abs(months) // 12}-{abs(months) % 12}"
    if unit not in _SECONDS:
        return text
    seconds = number * _SECONDS[unit]
    minutes, left = divmod(abs(seconds), 60)
    hours, days = int(minutes) // 60 % 24, int(minutes) // 1440
    return f"{_sign(seconds)}{days} {hours:02}:{int(minutes) % 60:02}:{_pad(left)}"


def _sign(number: Decimal | int) -> str:
    return "-" if number < 0 else ""


def _pad(seconds: Decimal) -> str:
    whole, fraction = int(seconds), seconds - int(seconds)
    shown = f"{fraction.normalize():f}".removeprefix("0") if fraction else ""
    return f"{whole:02}{shown}"


def spark_literal(node: tree.IntervalLiteral, value: Literal, *, legacy: bool) -> Literal:
    """A literal of Spark's interval type with this unit, or a calendar interval if ``legacy``.

    Raises:
        TypeMismatch: the interval mixes months and days, and ``legacy`` is not set.
        UnsupportedConstruct: the spelling of the interval is not supported.
    """
    if node.amounts is None:
        raise UnsupportedConstruct("this spelling of an interval")
    if legacy:
        return Literal(_calendar_text(*node.amounts), INTERVAL)
    if not node.unit:
        raise TypeMismatch(
            "an interval mixes years or months with days or shorter units",
            hint="make_interval(…) makes such an interval",
        )
    return Literal(value.value, IntervalType(node.unit))


def _calendar_text(months: int, days: int, microseconds: int) -> str:
    seconds = Decimal(microseconds).scaleb(-6)
    return f"{months} months {days} days {seconds.normalize() + 0:f} seconds"
