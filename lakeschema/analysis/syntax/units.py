"""Finds units of time among a call's arguments: bare words that are not columns."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.syntax import tree

_OF_THREE: Final = frozenset(
    {
        *("DATEADD", "DATEDIFF", "DATEDIFF_BIG", "DATE_BUCKET", "TIMEADD", "TIMEDIFF"),
        *("TIMESTAMPADD", "TIMESTAMPDIFF", "DATETIMEDIFF"),
    }
)
_OF_TWO: Final = frozenset({"DATEPART", "DATE_PART", "DATENAME", "DATETRUNC", "DATE_TRUNC"})
_LAST: Final = frozenset(
    {
        *("DATE_TRUNC", "DATETIME_TRUNC", "TIMESTAMP_TRUNC", "TIME_TRUNC", "DATE_DIFF"),
        *("DATETIME_DIFF", "TIMESTAMP_DIFF", "TIME_DIFF", "LAST_DAY"),
    }
)
CALLS_WITH_UNITS: Final = _OF_THREE | _OF_TWO | _LAST

_LONG: Final = frozenset(
    {
        *("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND", "DECADE"),
        *("MILLISECOND", "MICROSECOND", "NANOSECOND", "DAYOFYEAR", "DAYOFWEEK", "WEEKDAY"),
        *("ISO_WEEK", "ISOWEEK", "ISOYEAR", "DAYOFWEEKISO", "YEAROFWEEK", "YEAROFWEEKISO"),
        *("EPOCH", "EPOCH_SECOND", "EPOCH_MILLISECOND", "EPOCH_MICROSECOND", "CENTURY", "TZOFFSET"),
        *("YEARS", "QUARTERS", "MONTHS", "WEEKS", "DAYS", "HOURS", "MINUTES", "SECONDS"),
        *("DAYOFMONTH", "DOW", "DOY", "WEEKISO", "WEEKOFYEAR", "TIMEZONE_HOUR", "TIMEZONE_MINUTE"),
    }
)
_SHORT: Final = _LONG | {
    *("YY", "YYYY", "QQ", "Q", "MM", "M", "DY", "Y", "DD", "D", "WK", "WW", "DW", "W", "HH"),
    *("MI", "N", "SS", "S", "MS", "MCS", "NS", "ISOWK", "ISOWW", "TZ", "QTR", "MON", "YR", "HR"),
    *("MIN", "SEC", "US", "DAYOFYEAR"),
}


def without_units(name: str, arguments: tuple[tree.Expression, ...]) -> tuple[tree.Expression, ...]:
    """The arguments of the call without its unit; ``name`` is in upper case."""
    if len(arguments) > 1 and name in _LAST and _is_unit(arguments[-1]):
        return arguments[:-1]
    words = _LONG if name in _LAST else _SHORT
    least = 3 if name in _OF_THREE else 2
    if name not in _LAST - _OF_TWO and len(arguments) >= least and _is_word_of(arguments[0], words):
        return arguments[1:]
    return arguments


def _is_word_of(argument: tree.Expression, words: frozenset[str]) -> bool:
    return isinstance(argument, tree.Name) and (
        len(argument.parts) == 1 and argument.parts[0].upper() in words
    )


def _is_unit(argument: tree.Expression) -> bool:
    """Whether an argument is a unit, such as ``MONTH`` or ``WEEK(MONDAY)``."""
    if isinstance(argument, tree.Call):
        return argument.name.upper() == "WEEK"
    return _is_word_of(argument, _LONG)
