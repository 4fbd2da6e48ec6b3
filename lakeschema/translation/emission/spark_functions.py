"""How calls are written for Spark: operators by symbol, and Hive's functions that Spark has otherwise.

A form is a template of the arguments, ``{0}``, ``{1}`` …, ``{*}`` for all. A function of Hive that
is in neither table is written by its own name, which is the same function in Spark.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

BINARY: Final = frozenset(
    {
        *("+", "-", "*", "/", "%", "=", "<>", "<", "<=", ">", ">=", "==", "<=>", "&", "|", "^"),
        *("||", "<<", ">>", "div", "like", "ilike", "rlike", "regexp"),
    }
)

TRYING: Final = frozenset({"try_add", "try_subtract", "try_multiply", "try_divide", "try_mod"})
"""Spark tries the conversions of their arguments too, as long as it makes them itself."""

FORMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "not": "(NOT {0})",
        "!": "(NOT {0})",
        "~": "(~ {0})",
        "negative": "(- {0})",
        "positive": "(+ {0})",
        "is null": "({0} IS NULL)",
        "is distinct from": "({0} IS DISTINCT FROM {1})",
        "is true": "({0} IS TRUE)",
        "is false": "({0} IS FALSE)",
        "between": "({0} BETWEEN {1} AND {2})",
        # Words that begin a quantified comparison as well.
        "any": "bool_or({*})",
        "some": "bool_or({*})",
    }
)
"""In both dialects."""

OF_HIVE: Final[Mapping[str, str]] = MappingProxyType(
    {
        # Hive's are null if any argument is; Spark's leave nulls out.
        "greatest": "if({*null}, NULL, greatest({*}))",
        "least": "if({*null}, NULL, least({*}))",
        # Hive answers false where Spark, for a null among the elements, does not know.
        "array_contains": "coalesce(array_contains({*}), false)",
        # From a month's last day Hive goes to a month's last day.
        "add_months": (
            "if(to_date({0}) = last_day({0}), last_day(add_months({0}, {1})), add_months({0}, {1}))"
        ),
        "ndv": "approx_count_distinct({*})",
        "approx_distinct": "approx_count_distinct({*})",
        "grouping__id": "grouping_id()",
        "logged_in_user": "session_user()",
        "sha": "sha1({*})",
        "mod": "({0} % {1})",
        "mid": "substring({*})",
        "istrue": "({0} IS TRUE)",
        "isfalse": "({0} IS FALSE)",
        "isnottrue": "({0} IS NOT TRUE)",
        "isnotfalse": "({0} IS NOT FALSE)",
        "to_epoch_milli": "unix_millis({0})",
        # Hive skips invalid characters, accepts both alphabets, and drops an incomplete byte.
        "unbase64": (
            "unbase64(regexp_replace(regexp_replace(translate(substring_index({0}, '=', 1),"
            " '-_', '+/'), '[^A-Za-z0-9+/]', ''), '^((?:....)*).$', '$1'))"
        ),
        # Hive leaves out what has no text of its own.
        "xpath": "filter(xpath({*}), e -> e IS NOT NULL)",
        **{
            f"floor_{unit}": f"date_trunc('{unit.upper()}', {{0}})"
            for unit in ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
        },
    }
)

MISSING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "hash": "Spark's hash returns different numbers",
        "murmur_hash": "Spark's hash returns different numbers",
        "aes_encrypt": "Spark's uses a different mode of the cipher",
        "aes_decrypt": "Spark's uses a different mode of the cipher",
        "version": "it returns Hive's own version",
        "buildversion": "it returns Hive's own version",
        "typeof": "Spark names types differently",
        "histogram_numeric": "the two engines approximate differently",
        "field": "Spark has no such function",
        **dict.fromkeys(
            ("mask_hash", "mask_first_n", "mask_last_n", "mask_show_first_n", "mask_show_last_n"),
            "Spark has no such function",
        ),
        "extract_union": "Spark has no uniontype",
    }
)
"""Hive's functions that Spark cannot give, and why."""
