"""How Hive's functions are written for Spark, and which cannot be, and why.

A form is explained in ``spark_functions``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.translation.functions import hive_geometry, hive_sketches
from lakeschema.translation.functions.signature import Row

FORMS: Final[Mapping[str, str]] = MappingProxyType(
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
        "current_catalog": "'hive'",
        "sha": "sha1({*})",
        "mod": "({0} % {1})",
        "mid": "substring({*})",
        "index": "{0}[{1}]",
        "percentile_cont": "percentile_cont({1}) WITHIN GROUP (ORDER BY {0})",
        "percentile_cont descending": "percentile_cont({1}) WITHIN GROUP (ORDER BY {0} DESC)",
        # Between two values Hive takes the later one, Spark the earlier one.
        **{
            f"percentile_disc{word}": (
                f"sort_array(collect_list({{0}}){order})[CAST(ceil({{1}} * (count({{0}}) - 1)) AS INT)]"
            )
            for word, order in (("", ""), (" descending", ", false"))
        },
        "istrue": "({0} IS TRUE)",
        "isfalse": "({0} IS FALSE)",
        "isnottrue": "({0} IS NOT TRUE)",
        "isnotfalse": "({0} IS NOT FALSE)",
        "is_not_distinct_from": "({0} <=> {1})",
        # Null if any pattern is; NOT is of the whole.
        **{
            name: f"if({{*null}}, NULL, {negated}({{0}} LIKE {quantifier} ({{1*}})))"
            for name, negated, quantifier in (
                ("likeany", "", "ANY"),
                ("likeall", "", "ALL"),
                ("like any", "", "ANY"),
                ("like all", "", "ALL"),
                ("not like any", "NOT ", "ANY"),
                ("not like all", "NOT ", "ALL"),
            )
        },
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


def _grouping(texts: Sequence[str]) -> str:
    """Spark's GROUPING takes one key; of several, Hive's first one is the highest bit."""
    last = len(texts) - 1
    bits = (
        f"shiftleft(CAST(grouping({text}) AS BIGINT), {last - i})" for i, text in enumerate(texts)
    )
    return f"({' + '.join(bits)})"


def _parse_url_tuple(texts: Sequence[str]) -> str:
    url, *parts = texts
    fields = ", ".join(
        f"'c{i}', if({part} LIKE 'QUERY:%', parse_url({url}, 'QUERY', substring({part}, 7)),"
        f" parse_url({url}, {part}))"
        for i, part in enumerate(parts)
    )
    return f"inline(array(named_struct({fields})))"


def _replicate_rows(texts: Sequence[str]) -> str:
    fields = ", ".join(f"'col{i}', {text}" for i, text in enumerate(texts))
    return f"inline(array_repeat(named_struct({fields}), CAST({texts[0]} AS INT)))"


WRITERS: Final[Mapping[str, Callable[[Sequence[str]], str]]] = MappingProxyType(
    {
        "grouping": _grouping,
        "parse_url_tuple": _parse_url_tuple,
        "replicate_rows": _replicate_rows,
    }
)
"""Where the text depends on how many arguments there are."""


def _names(rows: Sequence[Row]) -> list[str]:
    return [name for row in rows for name in row.names.split()]


_NONE: Final = "Spark has no such function"
_CIPHER: Final = "Spark's uses a different mode of the cipher"
_NUMBERS: Final = "Spark's hash returns different numbers"
_RAISES: Final = "Hive's planner puts it where it checks rows, and Spark has no such check"
_APPROXIMATE: Final = "the two engines approximate differently"

MISSING: Final[Mapping[str, str]] = MappingProxyType(
    {
        "hash": _NUMBERS,
        "murmur_hash": _NUMBERS,
        "aes_encrypt": _CIPHER,
        "aes_decrypt": _CIPHER,
        "version": "it returns Hive's own version",
        "buildversion": "it returns Hive's own version",
        "typeof": "Spark names types differently",
        "histogram_numeric": _APPROXIMATE,
        **{
            f"hypothetical {name}{order}": "Spark ranks no value that is not there"
            for name in ("rank", "dense rank", "percent rank", "cume dist")
            for order in ("", " descending")
        },
        "ngrams": _NONE,
        "context_ngrams": _NONE,
        "field": _NONE,
        **dict.fromkeys(
            ("mask_hash", "mask_first_n", "mask_last_n", "mask_show_first_n", "mask_show_last_n"),
            _NONE,
        ),
        "extract_union": "Spark has no uniontype",
        "create_union": "Spark has no uniontype",
        **dict.fromkeys(_names(hive_sketches.ROWS), "Spark's sketches hold other bytes"),
        **dict.fromkeys(
            _names(hive_geometry.ROWS), "Spark's geometries are of a type of their own"
        ),
        "cast_format": "Spark has other patterns of dates",
        "json_read": "Spark reads JSON by other rules",
        "sort_array_by": _NONE,
        "tumbling_window": "Spark counts windows from another moment",
        "datetime_legacy_hybrid_calendar": "Spark has no Julian calendar",
        "deserialize": "Spark does not decompress",
        "in_file": "it reads a file of the machine that Hive runs on",
        "get_sql_schema": "it asks Hive's own compiler",
        **dict.fromkeys(
            ("input__file__name", "block__offset__inside__file", "row__offset__inside__block"),
            "Spark reads files in other pieces, and writes their names otherwise",
        ),
        "surrogate_key": "its numbers come from a write to a table of Hive",
        "bucket_number": "Hive's planner puts it where it writes buckets",
        "split_map_privs": "it is of Hive's own permissions",
        "current_authorizer": "it is of Hive's own permissions",
        "current_groups": "it is of Hive's own permissions",
        "restrict_information_schema": "it is of Hive's own permissions",
        **dict.fromkeys(
            (
                *("enforce_constraint", "cardinality_violation", "sq_count_check"),
                "validate_acid_sort_order",
            ),
            _RAISES,
        ),
    }
)
"""Functions that Spark cannot give, and why."""
