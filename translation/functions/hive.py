"""Functions whose Hive form differs from Spark's, or that only Hive has."""

from __future__ import annotations

from typing import Final

from translation.functions.signature import ABSORBING, NEVER, PARTIAL, TOTAL, Kind, Row

_AGGREGATE = Kind.AGGREGATE

# fmt: off
ROWS: Final = (
    Row("abs", "number", "@absolute", TOTAL),
    Row("sign", "number", "@hive_sign", TOTAL),
    Row("pmod", "any, any", "@positive_remainder", PARTIAL),
    Row("array", "any...", "@array", NEVER, merges=0),
    Row("positive", "any", "@same", TOTAL),
    Row("greatest least", "compared, compared...", "@same", TOTAL),
    Row("upper ucase lower lcase", "text_or_binary", "@same_case", TOTAL),
    Row("size cardinality", "collection", "int", NEVER),
    Row("to_date", "any", "date", PARTIAL),
    Row("trunc", "any, any?", "@truncated", PARTIAL),
    Row("add_months", "any, int, string?", "string", PARTIAL),
    Row("last_day", "any", "string", PARTIAL),
    Row("next_day", "any, string", "string", PARTIAL),
    Row("date_add date_sub", "any, int", "date", PARTIAL),
    Row("datediff date_diff", "any, any", "int", PARTIAL),
    Row("year quarter month day dayofmonth weekofyear dayofweek hour minute second", "any", "int", PARTIAL),
    Row("date_format", "any, string", "string", PARTIAL),
    Row("months_between", "any, any, boolean?", "double", PARTIAL),
    Row("current_timestamp", "int?", "timestamp", NEVER),
    Row("from_unixtime", "bigint, string?", "string", PARTIAL),
    Row("unix_timestamp", "any?, string?", "bigint", PARTIAL),
    Row("from_utc_timestamp to_utc_timestamp", "any, string", "timestamp", PARTIAL),
    Row("substr substring", "text_or_binary, int, int?", "@same_text", TOTAL),
    Row("concat_ws", "string, any...", "string", PARTIAL),
    Row("reverse", "string", "string", TOTAL),
    Row("extract", "string, any", "int", PARTIAL),
    Row("power pow", "double, double", "double", TOTAL),
    Row("map_keys", "map<K,V>", "array<K>", TOTAL),
    Row("split", "string, string", "array<string>", TOTAL),
    Row("regexp_extract", "string, string, int?", "string", PARTIAL),
    Row("array_contains", "array<T>, any", "boolean", TOTAL),
    Row("sort_array", "array<T>", "@same", TOTAL, keeps=0),
    Row("struct", "any...", "@struct", NEVER),
    Row("nvl2", "any, T, T", "T", ABSORBING, merges=1),
    Row("hash", "any...", "int", NEVER),
    Row("conv", "any, int, int", "string", PARTIAL),
    Row("extract_union", "any", "@extract_union", TOTAL),
    Row("first last", "T, boolean?", "T", TOTAL, _AGGREGATE, keeps=0),
    Row("percentile", "any, any", "@percentile", PARTIAL, _AGGREGATE),
    Row("percentile_approx", "any, any, int?", "@percentile", PARTIAL, _AGGREGATE),
    Row("ndv approx_distinct", "any", "bigint", NEVER, _AGGREGATE),
    Row("grouping__id", "", "bigint", NEVER),
    Row("xpath", "string, string", "array<string>", PARTIAL),
    Row("xpath_string", "string, string", "string", PARTIAL),
    Row("xpath_boolean", "string, string", "boolean", PARTIAL),
    Row("xpath_int", "string, string", "int", PARTIAL),
    Row("xpath_short", "string, string", "smallint", PARTIAL),
    Row("xpath_long", "string, string", "bigint", PARTIAL),
    Row("xpath_float", "string, string", "float", PARTIAL),
    Row("xpath_double xpath_number", "string, string", "double", PARTIAL),
    Row("reflect java_method", "string, string, any...", "string", PARTIAL, deterministic=False),
    Row("logged_in_user", "", "string", NEVER),
    Row("sha1 sha", "text_or_binary", "string", TOTAL),
    Row("format_number", "number, any", "string", PARTIAL),
)
# fmt: on
