"""Spark's functions of times of day, and its windows of time (Spark 4.3)."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.functions.signature import NEVER, PARTIAL, TOTAL, Row

# fmt: off
ROWS: Final = (
    Row("current_time localtime", "int?", "@time_now", NEVER),
    # NaN seconds give null.
    Row("make_time", "int, int, double", "time", PARTIAL),
    Row("to_time", "string, string?", "time", TOTAL),
    Row("try_to_time", "string, string?", "time", PARTIAL),
    Row("time", "any", "@time", TOTAL),
    Row("time_diff", "string, time, time", "bigint", TOTAL),
    Row("time_trunc", "string, time", "@time_truncated", TOTAL),
    Row("time_from_seconds", "number", "time", PARTIAL),
    Row("time_from_millis time_from_micros", "bigint", "time", TOTAL),
    Row("time_to_seconds", "time", "decimal(14,6)", TOTAL),
    Row("time_to_millis time_to_micros", "time", "bigint", TOTAL),
    Row("time_bucket", "any, any, any?", "@time_bucket", TOTAL),
    Row("hour minute second", "moment", "@part_of_day", TOTAL),

    # Rows without a time are left out of the query.
    Row("window", "any, string, string?, string?", "@window", NEVER),
    Row("session_window", "any, any", "@window", NEVER),
    Row("window_time", "any", "@window_time", PARTIAL),
)
# fmt: on
