"""The forms for Trino of functions that only Hive has, or that differ from Spark's."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.emission.rows import Row, Unsupported, table
from lakeschema.translation.emission.trino import aggregates, collections, dates, strings

_LETTERS: Final = (
    "regexp_replace(translate(regexp_extract({0}, '^[^=]*'), '-_', '+/'), '[^A-Za-z0-9+/]', '')"
)
_OF_BASE64: Final = f"regexp_replace({_LETTERS}, '^((?:....)*).$', '$1')"
"""The part of a text that Hive decodes: before '=', in either alphabet, without a single last letter."""
_FIRST_BYTE: Final = "from_base(to_hex(substr(to_utf8({0}), 1, 1)), 16)"
# The covariance of a single pair is zero.
_COVARIANCE: Final = (
    f"CASE WHEN {aggregates.PAIRS} = 1 THEN 0e0 ELSE covar_pop({{q}}{{*}}){{w}} END"
)
_HIVE_ALONE: Final = Unsupported("it depends on Hive's session or planner")
_SKETCH: Final = Unsupported("Trino's sketches and approximations give other values")

# fmt: off
HIVE: Final = table((
    # For NaN the result is NaN.
    Row("sqrt", "d", "CASE WHEN NOT ({0} < 0e0) THEN sqrt({0}) END"),
    Row("acos asin", "d", "CASE WHEN NOT (abs({0}) > 1e0) THEN {f}({0}) END"),
    Row("log", "dd", "CASE WHEN NOT ({0} <= 1e0) AND NOT ({1} <= 0e0) THEN ln({1}) / ln({0}) END"),
    Row("log", "d", "CASE WHEN NOT ({0} <= 0e0) THEN ln({0}) END"),
    # Hive uses only the number's lowest sixteen bits.
    Row("chr", "i", "CASE WHEN {0} < 0 OR {0} % 65536 >= 32768 THEN '' ELSE chr({0} % 256) END"),
    # NaN counts as less than zero.
    Row("sign", "[fd]", "CASE WHEN {0} = 0e0 THEN 0e0 WHEN {0} > 0e0 THEN 1e0 WHEN {0} IS NOT NULL THEN -1e0 END"),
    Row("covar_pop", "dd", aggregates.of_powers(_COVARIANCE)),
    Row("replace", "sss", "replace({0}, {1}, {2})"),
    Row("char_length", "b", Unsupported("Hive counts what earlier rows left in its buffer")),
    Row("unhex", "s", strings.hives_bytes),
    Row("levenshtein", "ss", strings.hives_distance),
    Row("initcap", "s", r"regexp_replace(lower({0}), '(^|\s)(\S)', x -> x[1] || upper(x[2]))"),
    Row("ascii", "s", f"CASE WHEN {{0}} = '' THEN 0 ELSE {_FIRST_BYTE} - CASE WHEN {_FIRST_BYTE} > 127 THEN 256 ELSE 0 END END", cast=True),
    Row("base64", "b", "to_base64({0})"),
    Row("unbase64", "s", f"from_base64({_OF_BASE64})"),
    Row("field", "ss+", "coalesce(array_position(ARRAY[{1*}], {0}), 0)", cast=True),
    Row("field", "ii+", "coalesce(array_position(ARRAY[{1*}], {0}), 0)", cast=True),
    Row("mask_hash", "s", "lower(to_hex(sha256(to_utf8({0}))))"),
    Row("reverse", "s", "reverse({0})"),
    Row("add_months", "[DTs]i", "CAST(CASE WHEN {D0} = last_day_of_month({D0}) THEN last_day_of_month(date_add('month', {1}, {D0})) ELSE date_add('month', {1}, {D0}) END AS varchar)"),
    Row("last_day", "[DTs]", "CAST(last_day_of_month({D0}) AS varchar)"),
    Row("from_utc_timestamp to_utc_timestamp", "is", dates.in_zone),
    Row("extract_union", "[ur]", collections.extract_union),
    Row("floor_year floor_quarter floor_month floor_week floor_day floor_hour floor_minute floor_second", "[DT]", dates.floor_to),
    Row("to_epoch_milli", "T", "date_diff('millisecond', TIMESTAMP '1970-01-01 00:00:00.000', date_trunc('millisecond', {0}))"),
    Row("map_keys map_values", "m", "coalesce({f}({0}), CAST(ARRAY[] AS {t}))"),
    Row("index", "ai", "CASE WHEN {1} >= 0 THEN element_at({0}, CAST({1} AS bigint) + 1) END"),
    Row("index", "m.", collections.value_of_key),
    Row("array_slice", "aii", collections.array_slice),
    Row("approx_distinct", ".", "approx_distinct({q}{0}){w}"),
    Row("percentile_cont percentile_disc", None, Unsupported("Trino has no exact percentiles in an order")),
    Row("percentile_approx", None, _SKETCH),
    Row("nth_value", ".i", aggregates.nth_value),
    Row("grouping", ".+", "grouping({*})", cast=True),
    Row("logged_in_user current_authorizer current_groups bucket_number surrogate_key get_sql_schema in_file", None, _HIVE_ALONE),
))
# fmt: on
