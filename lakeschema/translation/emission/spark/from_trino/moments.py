"""Writes Trino's dates and timestamps for Spark, in a session with the zone UTC."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import DATE
from lakeschema.catalog.trino_types import moment_of
from lakeschema.translation.emission.spark.from_trino.arguments import Write, written
from lakeschema.translation.emission.spark.from_trino.types import ZONE
from lakeschema.translation.emission.spark.text import string
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import Call, RowExpression

_UNITS: Final = frozenset(
    {
        *("year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond"),
    }
)
_JODA: Final = re.compile(
    r"(?:'[^'a-zA-Z]*'|'[a-zA-Z]*'|[^'a-zA-Z]|y+|M+|d+|D+|H+|h+|m+|s+|a|E+|S{1,3}(?!S))*"
)
"""Patterns whose letters mean the same in Joda and Spark."""
_MYSQL: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Y": "yyyy",
        "y": "yy",
        "m": "MM",
        "c": "M",
        "d": "dd",
        "e": "d",
        "H": "HH",
        "k": "H",
        "h": "hh",
        "I": "hh",
        "l": "h",
        "i": "mm",
        "s": "ss",
        "S": "ss",
        "f": "SSSSSS",
        "p": "a",
        "M": "MMMM",
        "b": "MMM",
        "W": "EEEE",
        "a": "EEE",
        "j": "DDD",
        "T": "HH:mm:ss",
        "r": "hh:mm:ss a",
        "%": "%",
    }
)


def in_utc(expression: RowExpression) -> bool:
    """Whether a timestamp with a zone is certain to be in UTC."""
    match expression:
        case Call(operator, (_, zone)) if operator.name in {
            *("from_unixtime", "with_timezone", "at_timezone"),
        }:
            return written(zone) == ZONE
        case _:
            return False


def _plain(call: Call, place: int) -> None:
    """Refuses a call if the parts of its timestamp depend on an unknown zone."""
    argument = call.arguments[place]
    moment = moment_of(argument.type)
    if moment is not None and (moment[0] == "time" or (moment[2] and not in_utc(argument))):
        raise UnsupportedConstruct(f"{call.operator.name} of a time with a zone for Spark")


def check_parts(call: Call) -> None:
    """Refuses a function of a timestamp's parts if the zone is unknown."""
    for place in range(len(call.arguments)):
        _plain(call, place)


def _unit(call: Call) -> str:
    unit = (written(call.arguments[0]) or "").lower()
    if unit not in _UNITS:
        raise UnsupportedConstruct(f"{call.operator.name} by this unit for Spark")
    return unit


def _date_add(call: Call, texts: Sequence[str]) -> str:
    unit = _unit(call)
    _plain(call, 2)
    if call.type == DATE:
        if unit in {"day", "week"}:
            count = f"CAST({texts[1]} AS INT)" + (" * 7" if unit == "week" else "")
            return f"date_add({texts[2]}, {count})"
        months = {"month": "", "quarter": " * 3", "year": " * 12"}.get(unit)
        if months is None:
            raise UnsupportedConstruct("date_add by this unit for Spark")
        return f"add_months({texts[2]}, CAST({texts[1]} AS INT){months})"
    return f"timestampadd({unit.upper()}, {texts[1]}, {texts[2]})"


def _date_diff(call: Call, texts: Sequence[str]) -> str:
    unit = _unit(call)
    _plain(call, 1)
    _plain(call, 2)
    if call.arguments[1].type == DATE and unit == "day":
        return f"datediff({texts[2]}, {texts[1]})"
    return f"timestampdiff({unit.upper()}, {texts[1]}, {texts[2]})"


def _date_trunc(call: Call, texts: Sequence[str]) -> str:
    unit = _unit(call)
    _plain(call, 1)
    found = f"date_trunc('{unit.upper()}', {texts[1]})"
    return f"CAST({found} AS DATE)" if call.type == DATE else found


def _format_datetime(call: Call, texts: Sequence[str]) -> str:
    _plain(call, 0)
    pattern = written(call.arguments[1])
    if pattern is None or not _JODA.fullmatch(pattern):
        raise UnsupportedConstruct("this format of dates for Spark")
    return f"date_format({texts[0]}, {string(pattern)})"


def _mysqls(call: Call) -> str:
    pattern = written(call.arguments[1])
    if pattern is None:
        raise UnsupportedConstruct("a computed format of dates for Spark")
    parts: list[str] = []
    for letter, other in re.findall(r"%(.)|([^%]+)", pattern, re.DOTALL):
        if letter and letter not in _MYSQL:
            raise UnsupportedConstruct(f"%{letter} in a format of dates for Spark")
        if letter:
            parts.append(_MYSQL[letter])
        else:
            parts.append(re.sub("[A-Za-z]+", lambda found: f"'{found[0]}'", other))
    return string("".join(parts))


def _date_format(call: Call, texts: Sequence[str]) -> str:
    _plain(call, 0)
    return f"date_format({texts[0]}, {_mysqls(call)})"


def _with_timezone(call: Call, texts: Sequence[str]) -> str:
    if written(call.arguments[1]) == ZONE:
        return texts[0]
    return f"to_utc_timestamp({texts[0]}, {texts[1]})"


def _at_timezone(call: Call, texts: Sequence[str]) -> str:
    moment = moment_of(call.arguments[0].type)
    if moment is None or moment[0] == "time" or not moment[2]:
        raise UnsupportedConstruct("AT TIME ZONE of a time without a zone for Spark")
    # The instant is unchanged; its local time is taken from the call itself.
    return texts[0]


def _from_unixtime(call: Call, texts: Sequence[str]) -> str:
    if len(call.arguments) > 2:
        raise UnsupportedConstruct("from_unixtime with an offset for Spark")
    return f"timestamp_millis(CAST(round({texts[0]} * 1000) AS BIGINT))"


def clock_in_zone(expression: RowExpression, text: str) -> str | None:
    """A timestamp with a zone as its local time; None if the zone is unknown."""
    match expression:
        case Call(operator, (_, zone)) if operator.name in {"with_timezone", "at_timezone"}:
            shown = written(zone)
            if shown is None:
                return None
            return text if shown == ZONE else f"from_utc_timestamp({text}, {string(shown)})"
        case _:
            return text if in_utc(expression) else None


MOMENTS: Final[Mapping[str, Write]] = MappingProxyType(
    {
        "date_add": _date_add,
        "date_diff": _date_diff,
        "date_trunc": _date_trunc,
        "format_datetime": _format_datetime,
        "date_format": _date_format,
        "with_timezone": _with_timezone,
        "at_timezone": _at_timezone,
        "from_unixtime": _from_unixtime,
    }
)

OF_PARTS: Final = frozenset(
    {
        *("year", "quarter", "month", "day", "day_of_month", "day_of_week", "dow", "day_of_year"),
        *("doy", "week", "week_of_year", "year_of_week", "yow", "hour", "minute", "second"),
        *("date", "last_day_of_month"),
    }
)
"""Functions of the local time."""
