"""Writes Trino's functions for Spark in ANSI mode; ``templates`` explains forms.

Each form was compared with Trino. Functions in no table (here, ``writers``, ``aggregates``) are
refused, since Spark's function of the same name may differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_SAME: Final = (
    *("abs", "cbrt", "exp", "degrees", "radians", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "atan2", "sqrt", "round", "upper", "lower", "concat_ws", "translate"),
    *("nullif", "coalesce", "if", "array_distinct", "array_join", "array_except", "array_union"),
    *(
        "array_intersect",
        "array_remove",
        "array_sort",
        "arrays_overlap",
        "array_position",
        "shuffle",
    ),
    *("map_keys", "map_values", "map_filter", "transform_keys", "zip_with"),
    *("transform_values", "map_zip_with", "transform", "filter", "sequence", "crc32", "power"),
    *("map_from_entries", "regexp_count", "random", "rand", "pi", "e", "current_date", "uuid"),
)

FORMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{name: f"{name}({{*}})" for name in _SAME},
        "pow": "power({0}, {1})",
        "not": "(NOT {0})",
        "negative": "(- {0})",
        "positive": "{0}",
        "is null": "({0} IS NULL)",
        "isnull": "({0} IS NULL)",
        "is true": "({0} IS TRUE)",
        "is false": "({0} IS FALSE)",
        "<=>": "({0} <=> {1})",
        "is distinct from": "(NOT ({0} <=> {1}))",
        "between": "({0} BETWEEN {1} AND {2})",
        "nan": "CAST('NaN' AS DOUBLE)",
        "infinity": "CAST('Infinity' AS DOUBLE)",
        "is_nan": "if({0} IS NULL, NULL, isnan({0}))",
        "is_infinite": "(abs({0}) = CAST('Infinity' AS DOUBLE))",
        "is_finite": (
            "if({0} IS NULL, NULL, NOT isnan({0}) AND abs({0}) < CAST('Infinity' AS DOUBLE))"
        ),
        "greatest": "if({*null}, NULL, greatest({*}))",
        "least": "if({*null}, NULL, least({*}))",
        # Where Spark's logarithm is null, Trino's is NaN or infinite.
        **{
            name: (
                f"CASE WHEN {{0}} > 0 THEN {name}({{0}}) WHEN {{0}} = 0"
                " THEN CAST('-Infinity' AS DOUBLE) WHEN {0} < 0 THEN CAST('NaN' AS DOUBLE) END"
            )
            for name in ("ln", "log2", "log10")
        },
        "bitwise_and": "({0} & {1})",
        "bitwise_or": "({0} | {1})",
        "bitwise_xor": "({0} ^ {1})",
        "bitwise_not": "(~ {0})",
        # At the first of descending bounds Trino is before all buckets; without buckets it fails.
        "width_bucket": (
            "CASE WHEN {3} <= 0 OR {1} = {2} THEN raise_error('no buckets') WHEN {1} > {2} AND {0} = {1}"
            " AND {3} IS NOT NULL THEN 0 ELSE width_bucket({*}) END"
        ),
        # text
        "length": "length({0})",
        "reverse": "reverse({0})",
        "starts_with": "startswith({0}, {1})",
        "ends_with": "endswith({0}, {1})",
        "levenshtein_distance": "levenshtein({0}, {1})",
        "codepoint": "ascii({0})",
        "strpos": "instr({0}, {1})",
        "index": "instr({0}, {1})",
        "to_utf8": "CAST({0} AS BINARY)",
        "from_utf8": "make_valid_utf8(CAST({0} AS STRING))",
        "to_hex": "hex({0})",
        "from_hex": "unhex({0})",
        "to_base64": "base64({0})",
        "from_base64": "unbase64({0})",
        "md5": "unhex(md5({0}))",
        "sha1": "unhex(sha1({0}))",
        "sha256": "unhex(sha2({0}, 256))",
        "sha512": "unhex(sha2({0}, 512))",
        # moments
        "day_of_month": "day({0})",
        **{
            name: f"{name}({{0}})" for name in ("year", "quarter", "month", "day", "hour", "minute")
        },
        "second": "second({0})",
        "day_of_week": "(weekday({0}) + 1)",
        "dow": "(weekday({0}) + 1)",
        "day_of_year": "dayofyear({0})",
        "doy": "dayofyear({0})",
        "week": "weekofyear({0})",
        "week_of_year": "weekofyear({0})",
        "year_of_week": "extract(YEAROFWEEK FROM {0})",
        "yow": "extract(YEAROFWEEK FROM {0})",
        "last_day_of_month": "last_day({0})",
        "date": "CAST({0} AS DATE)",
        "current_timestamp": "current_timestamp()",
        "now": "current_timestamp()",
        "to_unixtime": "(CAST(unix_micros({0}) AS DOUBLE) / 1000000D)",
        # collections
        "cardinality": "size({0})",
        "contains": "array_contains({0}, {1})",
        "element_at": "try_element_at({0}, {1})",
        "[]": "element_at({0}, {1})",
        "any_match": "exists({0}, {1})",
        "all_match": "forall({0}, {1})",
        "none_match": "(NOT exists({0}, {1}))",
        "reduce": "aggregate({*})",
        # In Trino null if an element is null.
        "array_max": "if(exists({0}, e -> e IS NULL), NULL, array_max({0}))",
        "array_min": "if(exists({0}, e -> e IS NULL), NULL, array_min({0}))",
        "flatten": "flatten(filter({0}, e -> e IS NOT NULL))",
        "map_entries": "map_entries({0})",
        "zip": "arrays_zip({*})",
    }
)
"""Spark texts of the functions; their results are cast to Trino's types."""

TRIED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "+": "try_add({0}, {1})",
        "-": "try_subtract({0}, {1})",
        "*": "try_multiply({0}, {1})",
        "from_hex": "unhex({0})",
    }
)
"""Calls inside TRY: they return null instead of failing."""

BLANKS: Final = "[\\t-\\r\\x1c- \\u1680\\u2000-\\u2006\\u2008-\\u200a\\u2028\\u2029\\u205f\\u3000]"
"""The characters that TRIM removes by default, as a Java pattern."""
