"""What Hive's ``from_utc_timestamp`` and ``to_utc_timestamp`` take, as Spark's take it.

Hive has whole numbers as milliseconds and others as seconds, and a zone that it does not know is
UTC; Spark takes timestamps, and refuses such a zone.
"""

from __future__ import annotations

import re

from lakeschema.catalog.column_types import BOOLEAN, DOUBLE, FLOAT, ColumnType, DecimalType
from lakeschema.translation.functions.coercion import is_integer
from lakeschema.translation.plan.expressions import Literal, RowExpression

_MAX_MILLISECONDS = 9_223_372_036_854_775
"""Spark counts microseconds in 64 bits."""

_OFFSET = re.compile(r"[+-].*|UTC?[+-].*", re.IGNORECASE)
"""Java's TimeZone knows offsets from GMT alone; Spark all of these."""


def instant(text: str, type_: ColumnType) -> str:
    """The timestamp that Hive takes a value for; null beyond the years that Spark has."""
    if is_integer(type_) or type_ == BOOLEAN:
        number = f"CAST({text} AS BIGINT)"
        within = f"{number} BETWEEN -{_MAX_MILLISECONDS} AND {_MAX_MILLISECONDS}"
        return f"if({within}, timestamp_millis({number}), NULL)"
    if type_ in {FLOAT, DOUBLE} or isinstance(type_, DecimalType):
        return f"CAST({text} AS TIMESTAMP)"
    return text


def zone_for_spark(zone: RowExpression, text: str) -> str:
    known = not (isinstance(zone, Literal) and _OFFSET.fullmatch(zone.value or ""))
    return text if known else "'UTC'"
