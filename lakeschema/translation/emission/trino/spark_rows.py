"""The forms of Spark's functions for Trino, unless they have the same form as Hive's."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.emission.rows import Row, Unsupported, table
from lakeschema.translation.emission.trino import (
    aggregates,
    collections,
    dates,
    letters,
    numbers,
    strings,
)
from lakeschema.translation.emission.trino.casts import MICROS, MILLIS, SECONDS, moment_of

# Spark breaks base64 into lines of 76 characters, as in MIME.
_LINES: Final = r"regexp_replace(to_base64({0}), '(.{76})(?=.)', m -> m[1] || chr(13) || chr(10))"
# These forms (W. Kahan's) are exact near zero, where 1 + x and exp(x) - 1 lose digits.
_LOG_OF_NEXT: Final = (
    "CASE WHEN {0} <= -1e0 THEN NULL WHEN 1e0 + {0} = 1e0 OR is_infinite({0}) THEN {0}"
    " ELSE ln(1e0 + {0}) * {0} / ((1e0 + {0}) - 1e0) END"
)
_EXP_LESS_ONE: Final = (
    "CASE WHEN exp({0}) = 1e0 THEN {0} WHEN exp({0}) - 1e0 = -1e0 OR is_infinite(exp({0}))"
    " THEN exp({0}) - 1e0 ELSE (exp({0}) - 1e0) * {0} / ln(exp({0})) END"
)
_LOG_OF_TWO: Final = "6.931471805599453e-1"
_LARGE: Final = "268435456e0"
"""2^28: from there on, a square plus one is the same double (Sun's fdlibm, which Spark follows)."""


def _log_next_to(text: str) -> str:
    """The text for the logarithm of the value plus one."""
    logarithm = _LOG_OF_NEXT.replace("{0}", "small")
    return f"element_at(transform(ARRAY[{text}], small -> {logarithm}), 1)"


_AREA_OF_COSINE: Final = (
    "CASE WHEN {0} < 1e0 THEN nan()"
    f" WHEN {{0}} > {_LARGE} THEN ln({{0}}) + {_LOG_OF_TWO}"
    f" ELSE {_log_next_to('{0} - 1e0 + sqrt(({0} - 1e0) * ({0} + 1e0))')} END"
)
_NEXT_OF_SINE: Final = "abs({0}) + {0} * {0} / (1e0 + sqrt(1e0 + {0} * {0}))"
_AREA_OF_SINE: Final = (
    f"CASE WHEN abs({{0}}) > {_LARGE} THEN sign({{0}}) * (ln(abs({{0}})) + {_LOG_OF_TWO})"
    f" WHEN abs({{0}}) < 1e0 / {_LARGE} THEN {{0}}"
    f" ELSE sign({{0}}) * {_log_next_to(_NEXT_OF_SINE)} END"
)
_TANGENTS_NEXT: Final = "2e0 * abs({0}) / (1e0 - abs({0}))"
_AREA_OF_TANGENT: Final = f"CASE WHEN abs({{0}}) > 1e0 THEN nan() ELSE 5e-1 * sign({{0}}) * {_log_next_to(_TANGENTS_NEXT)} END"
_GREATER: Final = "IF(abs({0}) < abs({1}), abs({1}), abs({0}))"
_LESS: Final = "IF(abs({0}) < abs({1}), abs({0}), abs({1}))"
_LENGTH: Final = (
    "CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL"
    " WHEN is_infinite({0}) OR is_infinite({1}) THEN infinity()"
    " WHEN is_nan({0}) OR is_nan({1}) THEN nan()"
    f" WHEN {_GREATER} = 0e0 THEN {_GREATER}"
    f" ELSE {_GREATER} * sqrt(1e0 + power({_LESS} / {_GREATER}, 2e0)) END"
)
_PAIRS: Final = f"CAST({aggregates.PAIRS} AS double)"
_TASK: Final = Unsupported("it depends on Spark's tasks")
_DOCUMENTS: Final = Unsupported("Trino reads and writes documents by other rules")

# fmt: off
SPARK: Final = table((
    Row("sqrt acos asin", "d", "{f}({0})"),
    Row("log", "d", "CASE WHEN NOT ({0} <= 0e0) THEN ln({0}) END"),
    Row("log", "dd", "CASE WHEN NOT ({0} <= 0e0) AND NOT ({1} <= 0e0) THEN ln({1}) / ln({0}) END"),
    Row("log1p", "d", _LOG_OF_NEXT),
    Row("expm1", "d", _EXP_LESS_ONE),
    Row("acosh", "d", _AREA_OF_COSINE),
    Row("asinh", "d", _AREA_OF_SINE),
    Row("atanh", "d", _AREA_OF_TANGENT),
    Row("cot", "d", "(1e0 / tan({0}))"),
    Row("csc", "d", "(1e0 / sin({0}))"),
    Row("sec", "d", "(1e0 / cos({0}))"),
    Row("hypot", "dd", _LENGTH),
    Row("rint", "d", numbers.HALF_EVEN),
    Row("nullifzero", "[ifdx]", "IF({0} = 0, NULL, {0})"),
    Row("zeroifnull", "[ifdx]", "CAST(coalesce({0}, 0) AS {t})"),
    Row("isnan", "[fd]", "coalesce(is_nan({0}), false)"),
    Row("nanvl", "[fd][fd]", "CASE WHEN is_nan({0}) THEN {1} ELSE {0} END"),
    Row("try_add try_subtract try_multiply", "ii|dd", numbers.tried),
    Row("try_divide", "dd", "IF({1} <> 0e0, {0} / {1})"),
    Row("try_mod", "ii", "IF({1} <> 0, {0} % {1})"),
    Row("initcap", "s", letters.titles),
    Row("ascii", "s", "CASE WHEN {0} = '' THEN 0 ELSE codepoint(CAST(substr({0}, 1, 1) AS varchar(1))) END", cast=True),
    Row("base64", "b", _LINES),
    Row("unbase64", "s", "from_base64(regexp_replace({0}, '[^A-Za-z0-9+/=]', ''))"),
    Row("overlay", "ssii?", strings.overlay),
    Row("startswith", "ss", "starts_with({0}, {1})"),
    Row("endswith", "ss", "(substr({0}, length({0}) - length({1}) + 1) = {1} AND length({0}) >= length({1}))"),
    Row("contains", "ss", "(strpos({0}, {1}) > 0)"),
    Row("split_part", "ssi", strings.split_part),
    Row("url_encode url_decode", "s", "{f}({0})"),
    Row("reverse", "[sa]", "reverse({0})"),
    Row("add_months", "Di", "date_add('month', {1}, {0})"),
    Row("last_day", "D", "last_day_of_month({0})"),
    Row("date_trunc", "s[DT]", dates.date_trunc),
    Row("dayname monthname", "[DT]", dates.day_name),
    Row("date_from_unix_date", "i", "date_add('day', {0}, DATE '1970-01-01')"),
    Row("unix_date", "D", "date_diff('day', DATE '1970-01-01', {0})", cast=True),
    Row("unix_seconds", "T", SECONDS),
    Row("unix_millis", "T", MILLIS),
    Row("unix_micros", "T", MICROS),
    Row("timestamp_seconds", "i", moment_of(1)),
    Row("timestamp_millis", "i", moment_of(1000)),
    Row("timestamp_micros", "i", moment_of(10**6)),
    Row("make_date", "iii", dates.make_date),
    Row("make_dt_interval", "i+", dates.interval_of_time),
    Row("try_to_time", "s", dates.time_of_text),
    Row("to_timestamp to_timestamp_ntz to_timestamp_ltz try_to_timestamp", "[DTs]s?", dates.to_timestamp),
    Row("timestampdiff", "s[DTs][DTs]", dates.timestampdiff),
    Row("timestampadd", "si[DTs]", dates.timestampadd),

    Row("map_keys map_values", "m", "{f}({0})"),
    Row("map_entries", "m", "map_entries({0})", cast=True),
    Row("map_from_arrays", "aa", "MAP({0}, {1})"),
    Row("map_from_entries", "a", "map_from_entries({0})"),
    Row("map_concat", "m+", collections.map_concat),
    Row("map_contains_key", "m.", "contains(map_keys({0}), {1})"),
    Row("element_at try_element_at", "[am].", collections.element_at),
    Row("get", "ai", "CASE WHEN {1} >= 0 THEN element_at({0}, CAST({1} AS bigint) + 1) END"),
    Row("array_size", "a", "cardinality({0})", cast=True),
    Row("array_position", "a[^armu]", "array_position({0}, {1})"),
    Row("array_sort", "al?", collections.array_sort),
    Row("array_compact", "a", "filter({0}, e -> e IS NOT NULL)"),
    Row("array_append", "a.", "concat({0}, CAST(ARRAY[{1}] AS {t}))"),
    Row("array_prepend", "a.", "concat(CAST(ARRAY[{1}] AS {t}), {0})"),
    Row("array_repeat", ".i", "repeat({0}, greatest({1}, 0))"),
    Row("arrays_overlap", "aa", "arrays_overlap({0}, {1})"),
    Row("arrays_zip", "a", "transform({0}, e -> ROW(e))", cast=True),
    Row("arrays_zip", "a{2,5}", "zip({*})", cast=True),
    Row("flatten", "a", collections.flatten),
    Row("slice", "aii", "slice({0}, {1}, {2})"),
    Row("sequence", "..i?", collections.sequence),
    Row("transform filter exists forall any_match all_match", "al", collections.higher_order),
    Row("map_filter transform_values transform_keys", "ml", "{f}({0}, {1})"),
    Row("map_zip_with", "mml", "map_zip_with({0}, {1}, {2})"),
    Row("zip_with", "aal", "zip_with({0}, {1}, {2})"),
    Row("aggregate reduce", "a.ll?", collections.reduce),

    Row("try_sum", "i", "TRY_CAST(sum({q}CAST({0} AS decimal(38,0))){w} AS {t})"),
    Row("try_sum", "[fd]", "sum({q}CAST({0} AS double)){w}"),
    Row("try_sum", "x", "TRY_CAST(sum({q}{0}){w} AS {t})"),
    Row("try_avg", "[ifd]", "avg({q}CAST({0} AS double)){w}"),
    Row("regr_avgx", ".[ifd]", "avg(CASE WHEN {0} IS NOT NULL THEN CAST({1} AS double) END){w}"),
    Row("regr_avgy", "[ifd].", "avg(CASE WHEN {1} IS NOT NULL THEN CAST({0} AS double) END){w}"),
    Row("regr_sxx", "dd", aggregates.of_powers(f"{_PAIRS} * var_pop(CASE WHEN {{0}} IS NOT NULL THEN {{1}} END){{w}}")),
    Row("regr_syy", "dd", aggregates.of_powers(f"{_PAIRS} * var_pop(CASE WHEN {{1}} IS NOT NULL THEN {{0}} END){{w}}")),
    Row("regr_sxy", "dd", aggregates.of_powers(f"{_PAIRS} * covar_pop({{0}}, {{1}}){{w}}")),
    Row("median", "[ifdx]", aggregates.percentile),
    Row("percentile_approx", "...?", aggregates.percentile_approx),
    Row("skewness kurtosis", "d", aggregates.shape),
    Row("bool_and", "[on]", "bool_and({0}){w}"),
    Row("bool_or", "[on]", "bool_or({0}){w}"),
    Row("bit_and", "i", "bitwise_and_agg({0}){w}", cast=True),
    Row("bit_or", "i", "bitwise_or_agg({0}){w}", cast=True),
    Row("bit_xor", "i", "bitwise_xor_agg({q}{0}){w}", cast=True),
    Row("count_if", "[on]", "count_if({q}{0}){w}"),
    Row("approx_count_distinct", ".", "approx_distinct({q}{0}){w}"),
    Row("max_by min_by", "..", aggregates.best),
    Row("nth_value", ".io?", aggregates.nth_value),
    Row("listagg", None, aggregates.listed),
    Row("monotonically_increasing_id spark_partition_id", None, _TASK),
    Row("from_json to_json schema_of_json from_csv to_csv schema_of_csv from_xml to_xml schema_of_xml", None, _DOCUMENTS),
))
# fmt: on
