"""Spark's functions of dates and moments that Hive lacks, or that differ from Hive's (Spark 4.3)."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.functions.signature import PARTIAL, TOTAL, Row

_PARTS = "any, any?, any?, any?, any?, any?"

# fmt: off
ROWS: Final = (
    Row("dayname monthname", "date", "string", TOTAL),
    Row("date_from_unix_date", "int", "date", TOTAL),
    Row("unix_date", "date", "int", TOTAL),
    Row("try_to_date", "any, string?", "date", PARTIAL),
    Row("convert_timezone", "string, any, any?", "@in_other_zone", TOTAL),

    # made from parts, or from a date and a time
    Row("make_timestamp", f"{_PARTS}, string?", "@moment_of_parts", TOTAL),
    Row("make_timestamp_ltz", f"{_PARTS}, string?", "@instant_of_parts", TOTAL),
    Row("make_timestamp_ntz", _PARTS, "@zoneless_of_parts", TOTAL),
    Row("try_make_timestamp", f"{_PARTS}, string?", "@moment_of_parts", PARTIAL),
    Row("try_make_timestamp_ltz", f"{_PARTS}, string?", "@instant_of_parts", PARTIAL),
    Row("try_make_timestamp_ntz", _PARTS, "@zoneless_of_parts", PARTIAL),

    # intervals
    Row("make_interval", "int?, int?, int?, int?, int?, int?, decimal(18,6)?", "@interval_of_parts", TOTAL),
    Row("try_make_interval", "int?, int?, int?, int?, int?, int?, decimal(18,6)?", "interval", PARTIAL),
    Row("make_dt_interval", "int?, int?, int?, decimal(18,6)?", "interval day to second", TOTAL),
    Row("make_ym_interval", "int?, int?", "interval year to month", TOTAL),
)
# fmt: on
