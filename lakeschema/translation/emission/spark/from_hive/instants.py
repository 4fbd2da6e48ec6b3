"""Conversions for Hive's functions on instants.

Hive's ``from_utc_timestamp`` and ``to_utc_timestamp`` read integers as milliseconds and other
numbers as seconds, and an unknown zone as UTC. Spark's take timestamps and refuse an unknown zone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from lakeschema.catalog.column_types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    ColumnType,
    DecimalType,
)
from lakeschema.translation.functions.coercion import is_integer
from lakeschema.translation.plan.expressions import Literal, RowExpression

_MAX_MILLISECONDS = 9_223_372_036_854_775
"""Spark counts microseconds in 64 bits."""

_OFFSET = re.compile(r"[+-].*|UTC?[+-].*", re.IGNORECASE)
"""Java's TimeZone only knows offsets from GMT; Spark knows all of these."""
_NAMED = re.compile(r"\w+/[\w/+-]+|[A-Z]{3}", re.ASCII)
"""Common forms of zones' names."""


def instant(text: str, type_: ColumnType) -> str:
    """The timestamp that Hive reads from a value; null beyond Spark's range of years."""
    if is_integer(type_) or type_ == BOOLEAN:
        number = f"CAST({text} AS BIGINT)"
        within = f"{number} BETWEEN -{_MAX_MILLISECONDS} AND {_MAX_MILLISECONDS}"
        return f"if({within}, timestamp_millis({number}), NULL)"
    if type_ in {FLOAT, DOUBLE} or isinstance(type_, DecimalType):
        within = f"abs({text}) <= {_MAX_MILLISECONDS // 1000}"
        return f"if({within}, CAST({text} AS TIMESTAMP), NULL)"
    return text


def zone_for_spark(zone: RowExpression, text: str) -> str:
    """A zone for Spark. To test whether Spark knows the zone, the text parses it after a time of day."""
    if isinstance(zone, Literal):
        written = zone.value or ""
        if _NAMED.fullmatch(written) or zone.value is None:
            return text
        if _OFFSET.fullmatch(written):
            return "'UTC'"
    is_name = f"{text} RLIKE '^[A-Za-z][A-Za-z0-9/_+:-]*$' AND NOT {text} RLIKE '(?i)^UTC?[+-]'"
    is_known = f"TRY_CAST(concat('2000-01-01 00:00:00 ', {text}) AS TIMESTAMP) IS NOT NULL"
    return f"if({text} IS NULL OR ({is_name} AND {is_known}), {text}, 'UTC')"


_GREGORIAN: Final = "1582-10-15"
_JULIAN: Final = (
    *(("1500-03-11", -10), ("1400-03-10", -9), ("1300-03-09", -8), ("1100-03-08", -7)),
    *(("1000-03-07", -6), ("0900-03-06", -5), ("0700-03-05", -4), ("0600-03-04", -3)),
    *(("0500-03-03", -2), ("0300-03-02", -1), ("0200-03-01", 0), ("0100-02-28", 1)),
)
"""The days from which the Julian calendar differs from ours by a number of days."""
_AT_FIRST: Final = 2


def legacy_calendar(texts: Sequence[str], types: Sequence[ColumnType]) -> str:
    """The date in the calendar of its time: Julian before Gregorian."""
    (text,), type_ = texts, types[0]
    word = "DATE" if type_ == DATE else "TIMESTAMP"
    whens = [f"WHEN {text} >= {word} '{_GREGORIAN}' THEN {text}"]
    whens += (f"WHEN {text} >= {word} '{day}' THEN {_ahead(text, n, word)}" for day, n in _JULIAN)
    return f"CASE {' '.join(whens)} ELSE {_ahead(text, _AT_FIRST, word)} END"


def _ahead(text: str, days: int, word: str) -> str:
    if word == "DATE":
        return f"date_add({text}, {days})"
    return f"({text} + INTERVAL '{days}' DAY)"
