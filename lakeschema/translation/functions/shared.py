"""Functions and operators that mean the same in Hive and Spark."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.functions.signature import (
    ABSORBING,
    NEVER,
    PARTIAL,
    TOTAL,
    Kind,
    Row,
)

_AGGREGATE, _WINDOW, _GENERATOR = Kind.AGGREGATE, Kind.WINDOW, Kind.GENERATOR

# fmt: off
ROWS: Final = (
    # logic and comparison
    Row("and or", "boolean...", "boolean", TOTAL),
    Row("not", "boolean", "boolean", TOTAL),
    Row("= <> < <= > >=", "compared, compared", "boolean", TOTAL),
    Row("<=>", "compared, compared", "boolean", NEVER),
    Row("is_distinct_from", "compared, compared", "boolean", NEVER),
    Row("is_null", "any", "boolean", NEVER),
    Row("isnotnull", "any", "boolean", NEVER),
    Row("is_true is_false", "boolean", "boolean", NEVER),
    Row("between", "compared, compared, compared", "boolean", TOTAL),
    Row("in", "compared, compared...", "boolean", TOTAL),
    Row("like ilike", "string, string, string?", "boolean", TOTAL),
    Row("rlike regexp regexp_like", "string, string", "boolean", TOTAL),
    Row("like_any like_all ilike_any ilike_all", "string, string...", "boolean", TOTAL),
    Row("not_like_any not_like_all not_ilike_any not_ilike_all", "string, string...", "boolean", TOTAL),

    # arithmetic
    Row("+", "any, any", "@plus", TOTAL),
    Row("-", "any, any", "@minus", TOTAL),
    Row("*", "any, any", "@times", TOTAL),
    Row("/", "any, any", "@divide", PARTIAL),
    Row("%", "any, any", "@remainder", PARTIAL),
    Row("mod pmod", "any, any", "@remainder", PARTIAL),
    Row("div", "any, any", "@integer_divide", PARTIAL),
    Row("negative", "number", "@same", TOTAL),
    Row("positive", "number", "@same", TOTAL, keeps=0),
    Row("& | ^", "integer, integer", "@wider", TOTAL),
    Row("~", "bits", "@same", TOTAL),
    Row("<< shiftleft >> shiftright", "integer, int", "@shifted", TOTAL),
    Row("ceil floor", "number", "@whole", PARTIAL),
    Row("round bround", "number, int?", "@rounded", PARTIAL),
    Row("sqrt ln log10 log2 log1p", "double", "double", PARTIAL),
    Row("log", "double, double?", "double", PARTIAL),
    Row("exp cbrt degrees radians sin cos tan atan sinh cosh tanh", "double", "double", PARTIAL),
    Row("asin acos", "double", "double", PARTIAL),
    Row("power", "double, double", "double", TOTAL),
    Row("atan2", "double, double", "double", TOTAL),
    Row("pi e", "", "double", NEVER),
    Row("rand", "bigint?", "double", NEVER, deterministic=False),
    Row("factorial", "int", "bigint", PARTIAL),
    Row("greatest least", "T, T...", "T", TOTAL),

    # null and choice
    Row("coalesce", "T...", "T", ABSORBING, merges=0),
    Row("nvl", "T, T", "T", ABSORBING, merges=0),
    Row("if", "boolean, T, T", "T", ABSORBING, merges=1),
    Row("nullif", "kept_compared, kept_compared", "@same", PARTIAL, keeps=0),

    # text
    Row("concat", "any...", "@concat", TOTAL),
    Row("||", "any, any", "@concat", TOTAL),
    Row("concat_ws", "string, any...", "string", TOTAL),
    Row("upper lower initcap soundex", "string", "string", TOTAL),
    Row("trim ltrim rtrim btrim", "string, string?", "string", TOTAL),
    Row("lpad rpad", "string, int, string?", "string", TOTAL),
    Row("substr substring", "text_or_binary, int, int?", "@same_text", TOTAL),
    Row("left", "string, int", "string", TOTAL),
    Row("right", "string, int", "string", PARTIAL),
    Row("substring_index", "string, string, int", "string", TOTAL),
    Row("length char_length octet_length bit_length", "text_or_binary", "int", TOTAL),
    Row("ascii", "string", "int", TOTAL),
    Row("chr", "bigint", "string", TOTAL),
    Row("instr", "string, string", "int", TOTAL),
    Row("locate", "string, string, int?", "int", TOTAL),
    Row("find_in_set", "string, string", "int", TOTAL),
    Row("levenshtein", "string, string", "int", TOTAL),
    Row("repeat", "string, int", "string", TOTAL),
    Row("space", "int", "string", TOTAL),
    Row("replace", "string, string, string?", "string", TOTAL),
    Row("translate", "string, string, string", "string", TOTAL),
    Row("regexp_replace", "string, string, string, int?", "string", TOTAL),
    Row("regexp_extract", "string, string, int?", "string", PARTIAL),
    Row("split", "string, string, int?", "array<string not null>", TOTAL),
    Row("get_json_object", "string, string", "string", PARTIAL),
    Row("parse_url", "string, string, string?", "string", PARTIAL),
    Row("format_number", "number, any", "string", PARTIAL),
    Row("printf", "string, any...", "string", TOTAL),
    Row("md5", "text_or_binary", "string", TOTAL),
    Row("sha1", "text_or_binary", "string", TOTAL),
    Row("sha2", "text_or_binary, int", "string", PARTIAL),
    Row("crc32", "text_or_binary", "bigint", TOTAL),
    Row("hex", "any", "string", TOTAL),
    Row("unhex", "string", "binary", PARTIAL),
    Row("base64", "binary", "string", TOTAL),
    Row("unbase64", "string", "binary", PARTIAL),
    Row("encode", "string, string", "binary", PARTIAL),
    Row("decode", "binary, string", "string", PARTIAL),
    Row("bin", "bigint", "string", TOTAL),
    Row("conv", "string, int, int", "string", PARTIAL),
    Row("hash", "any...", "int", NEVER),
    Row("uuid", "", "string", NEVER, deterministic=False),
    Row("current_user user current_database current_schema session_user", "", "string", NEVER),

    # dates
    Row("current_date", "", "date", NEVER),
    Row("current_timestamp now", "", "timestamp", NEVER),
    Row("year quarter month day weekofyear dayofweek", "date", "int", TOTAL),
    Row("hour minute", "timestamp", "int", TOTAL),
    Row("second", "timestamp", "int", TOTAL),
    Row("date_add date_sub", "date, int", "date", TOTAL),
    Row("datediff", "date, date", "int", TOTAL),
    Row("months_between", "timestamp, timestamp, boolean?", "double", TOTAL),
    Row("last_day", "date", "date", TOTAL),
    Row("next_day", "date, string", "date", PARTIAL),
    Row("date_format", "timestamp, string", "string", TOTAL),
    Row("from_unixtime", "bigint, string?", "string", PARTIAL),
    Row("unix_timestamp", "any?, string?", "bigint", PARTIAL),
    Row("to_unix_timestamp", "any, string?", "bigint", PARTIAL),
    Row("from_utc_timestamp to_utc_timestamp", "timestamp, string", "timestamp", TOTAL),

    # arrays, maps, structs
    Row("array", "T...", "@array", NEVER, merges=0),
    Row("map", "any...", "@map", NEVER),
    Row("named_struct", "any...", "@named_struct", NEVER),
    Row("map_keys", "map<K,V>", "array<K not null>", TOTAL),
    Row("map_values", "map<K,V>", "@map_values", TOTAL),
    Row("array_contains", "array<T>, any", "boolean", PARTIAL),
    Row("sort_array", "array<T>, boolean?", "@same", TOTAL, keeps=0),
    Row("str_to_map", "string, string?, string?", "map<string,string>", TOTAL),

    # XML and Java
    Row("xpath", "string, string", "array<string>", PARTIAL),
    Row("xpath_string", "string, string", "string", PARTIAL),
    Row("xpath_boolean", "string, string", "boolean", PARTIAL),
    Row("xpath_int", "string, string", "int", PARTIAL),
    Row("xpath_short", "string, string", "smallint", PARTIAL),
    Row("xpath_long", "string, string", "bigint", PARTIAL),
    Row("xpath_float", "string, string", "float", PARTIAL),
    Row("xpath_double xpath_number", "string, string", "double", PARTIAL),
    Row("reflect", "string, string, any...", "string", PARTIAL, deterministic=False),

    # aggregates
    Row("count", "any...", "bigint", NEVER, _AGGREGATE),
    Row("sum", "summed", "@sum", TOTAL, _AGGREGATE),
    Row("avg", "summed", "@average", TOTAL, _AGGREGATE),
    Row("min max", "T", "T", TOTAL, _AGGREGATE, keeps=0),
    Row("first_value last_value", "T, boolean?", "T", TOTAL, _AGGREGATE, keeps=0),
    Row("collect_set collect_list", "T", "@collected", NEVER, _AGGREGATE, merges=0),
    Row("stddev_pop var_pop", "double", "double", PARTIAL, _AGGREGATE),
    Row("var_samp stddev_samp", "double", "double", PARTIAL, _AGGREGATE),
    Row("corr covar_pop covar_samp", "double, double", "double", PARTIAL, _AGGREGATE),

    # windows
    Row("row_number rank dense_rank", "", "int", NEVER, _WINDOW),
    Row("percent_rank cume_dist", "", "double", NEVER, _WINDOW),
    Row("ntile", "int?", "int", NEVER, _WINDOW),
    Row("lag lead", "T, int?, T?", "T", PARTIAL, _WINDOW, keeps=0),

    # functions that make rows of one value
    Row("explode explode_outer posexplode posexplode_outer inline inline_outer stack json_tuple", "any...", "@rows", PARTIAL, _GENERATOR),
)
# fmt: on
