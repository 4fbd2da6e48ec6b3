"""Writes Hive's functions for Spark; ``missing`` lists the functions without an equivalent.

``emission.spark.functions`` explains forms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from lakeschema.translation.emission.spark.from_hive import masks as hive_masks

_LOCATE: Final = "if({0} IS NULL OR {1} IS NULL, NULL, locate({*}))"

_STD: Final = "stddev_pop({*})"
_VARIANCE: Final = "var_pop({*})"

FORMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        # Hive's are null if any argument is null; Spark's ignore nulls.
        "greatest": "if({*null}, NULL, greatest({*}))",
        "least": "if({*null}, NULL, least({*}))",
        # If an element is null, Hive's result is false and Spark's is unknown.
        "array_contains": "coalesce(array_contains({*}), false)",
        # From the last day of a month, Hive goes to the last day of a month.
        "add_months": (
            "if(to_date({0}) = last_day({0}), last_day(add_months({0}, {1})), add_months({0}, {1}))"
        ),
        "approx_distinct": "approx_count_distinct({*})",
        "grouping__id": "grouping_id()",
        "current_catalog": "'hive'",
        # They ignore their arguments.
        "current_database": "current_database()",
        "current_schema": "current_database()",
        "bucket_number": "CAST(NULL AS STRING)",
        # Hive uses Java's default mode of the cipher, and returns null for other key lengths.
        "aes_encrypt": (
            "if(octet_length({1}) IN (16, 24, 32), aes_encrypt({*}, 'ECB', 'PKCS'), NULL)"
        ),
        "aes_decrypt": "try_aes_decrypt({*}, 'ECB', 'PKCS')",
        "enforce_constraint": "if({0}, true, raise_error('constraint violated'))",
        "sq_count_check": "if({0} > 1, raise_error('more than one row'), true)",
        "cardinality_violation": "raise_error('cardinality violation')",
        "sha1": "sha1({*})",
        "mod": "({0} % {1})",
        "index": "{0}[{1}]",
        # Hive returns null where the result is not a number.
        **{
            name: f"if(isnan({{0}}), {{0}}, nanvl({name}({{0}}), NULL))"
            for name in ("acos", "asin", "sqrt")
        },
        # In Spark these names mean sample estimates.
        "stddev_pop": _STD,
        "var_pop": _VARIANCE,
        # Empty for null.
        "str_to_map": "coalesce(str_to_map({*}), map())",
        # The first byte, signed.
        "ascii": ("if({0} = '', 0, CAST(CAST(conv(left(hex({0}), 2), 16, 10) AS INT) AS TINYINT))"),
        # Unlike these, Spark's return a value although an argument is null.
        "locate": _LOCATE,
        "map_keys": "coalesce(map_keys({*}), array())",
        "map_values": "coalesce(map_values({*}), array())",
        # ``pmod`` is negative if the divisor is negative.
        "positive": "{0}",
        "pmod": "((({0} % {1}) + {1}) % {1})",
        "lpad": "if({2} = '', NULL, lpad({*}))",
        "rpad": "if({2} = '', NULL, rpad({*}))",
        # Null for letters beyond A to Z.
        "soundex": (
            "if({0} RLIKE '[\\\\p{L}&&[^A-Za-z]]', NULL,"
            " soundex(regexp_replace({0}, '[^A-Za-z]', '')))"
        ),
        # Counts from zero; empty if it exceeds the end.
        "array_slice": (
            "CASE WHEN {*null} THEN NULL WHEN {1} + {2} > size({0}) THEN slice({0}, 1, 0)"
            " ELSE slice({0}, {1} + 1, {2}) END"
        ),
        "percentile_cont": "percentile_cont({1}) WITHIN GROUP (ORDER BY {0})",
        "percentile_cont descending": "percentile_cont({1}) WITHIN GROUP (ORDER BY {0} DESC)",
        # Between two values Hive takes the later one, Spark the earlier.
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
        # Null if any pattern is null; NOT negates the whole.
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
        # Of the number's lowest sixteen bits.
        "chr": "if({0} < 0, '', chr(CAST(CAST({0} AS BIGINT) AS SMALLINT)))",
        "to_epoch_milli": "unix_millis({0})",
        # Hive skips invalid characters, accepts both alphabets, and drops an incomplete byte.
        "unbase64": (
            "unbase64(regexp_replace(regexp_replace(translate(substring_index({0}, '=', 1),"
            " '-_', '+/'), '[^A-Za-z0-9+/]', ''), '^((?:....)*).$', '$1'))"
        ),
        # Hive omits nodes without text.
        "xpath": "filter(xpath({*}), e -> e IS NOT NULL)",
        **{
            f"floor_{unit}": f"date_trunc('{unit.upper()}', {{0}})"
            for unit in ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
        },
    }
)


_PAIRS: Final = "count(if({0} IS NULL, NULL, {1})){w}"
"""The number of rows in which both arguments are not null."""

AGGREGATES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # A single pair has no variance, whatever its numbers.
        **{
            name: f"if({_PAIRS} = 1, 0D, {name}({{*}}){{w}})"
            for name in ("covar_pop", "regr_sxx", "regr_syy", "regr_sxy")
        },
        **{
            name: f"if({_PAIRS} = 1, NULL, {name}({{*}}){{w}})"
            for name in ("regr_slope", "regr_intercept", "regr_r2")
        },
    }
)
"""Aggregates that need several of Spark's; ``{w}`` is OVER, after each."""


def _of_distances(value: str, computed: str, alone: str | None = None) -> str:
    """Writes sums of squared distances; Hive adds them row by row.

    So if only the first row has an infinity, the result is infinite.
    """
    infinite = "double('Infinity')"
    # NaN is greater than infinity.
    is_alone = f"count(if(abs({value}) >= {infinite}, 1, NULL)){{w}} = 1"
    of_one = "" if alone is None else f"WHEN count({value}){{w}} = 1 THEN {alone} "
    several = "" if alone is not None else f"count({value}){{w}} > 1 AND "
    return (
        f"CASE {of_one}WHEN {several}abs(first({value}, true){{w}}) = {infinite} AND {is_alone}"
        f" THEN {infinite} ELSE {computed}{{w}} END"
    )


INFINITE_AGGREGATES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "stddev_pop": _of_distances("{0}", _STD, "0D"),
        "var_pop": _of_distances("{0}", _VARIANCE, "0D"),
        **{name: _of_distances("{0}", f"{name}({{0}})") for name in ("var_samp", "stddev_samp")},
        "regr_sxx": _of_distances("if({0} IS NULL, NULL, {1})", "regr_sxx({*})", "0D"),
        "regr_syy": _of_distances("if({1} IS NULL, NULL, {0})", "regr_syy({*})", "0D"),
    }
)
"""Like ``AGGREGATES``, for numbers that may be infinite."""
SUM_OF_TEXTS: Final = "coalesce(sum({0}){w}, if(count({1}){w} > 0, 0D, NULL))"
"""``{0}`` is the number from the text ``{1}``: other texts are not added, but count as rows."""


def _grouping(texts: Sequence[str]) -> str:
    """Writes GROUPING.

    Spark's takes one key; with several, Hive's first key is the highest bit.
    """
    last = len(texts) - 1
    bits = (
        f"shiftleft(CAST(grouping({text}) AS BIGINT), {last - i})" for i, text in enumerate(texts)
    )
    return f"({' + '.join(bits)})"


def _parse_url(texts: Sequence[str]) -> str:
    """Writes PARSE_URL; Hive returns null for URLs whose protocol Java does not know."""
    url, *parts = texts
    known = f"if({url} RLIKE '(?i)^(https?|ftp|file|jar|mailto):', {url}, NULL)"
    return f"parse_url({', '.join((known, *parts))})"


def _parse_url_tuple(texts: Sequence[str]) -> str:
    url, *parts = texts
    fields = ", ".join(f"'c{i}', {_url_part(url, part)}" for i, part in enumerate(parts))
    return f"inline(array(named_struct({fields})))"


def _url_part(url: str, part: str) -> str:
    """The text of a part of a URL; the part ``QUERY:key`` is the value of one key."""
    if part.startswith("'QUERY:"):
        return _parse_url((url, "'QUERY'", f"'{part.removeprefix(_QUERY)}"))
    if part.startswith("'"):
        return _parse_url((url, part))
    of_key = _parse_url((url, "'QUERY'", f"substring({part}, 7)"))
    return f"if({part} LIKE 'QUERY:%', {of_key}, {_parse_url((url, part))})"


_QUERY: Final = "'QUERY:"


def _replicate_rows(texts: Sequence[str]) -> str:
    fields = ", ".join(f"'col{i}', {text}" for i, text in enumerate(texts))
    return f"inline(array_repeat(named_struct({fields}), CAST({texts[0]} AS INT)))"


def _between(texts: Sequence[str]) -> str:
    """Writes BETWEEN; Hive ignores the upper bound if the lower one is null."""
    value, low, high = texts
    text = f"({value} BETWEEN {low} AND {high})"
    return f"if({low} IS NULL, NULL, {text})" if "`" in low else text


def _matching(name: str) -> Callable[[Sequence[str]], str]:
    """Writes the matching of patterns; in Hive nothing matches the empty pattern."""

    def write(texts: Sequence[str]) -> str:
        text, pattern = texts
        matches = f"({text} {name.upper()} {pattern})"
        if pattern.startswith("'") and pattern != "''":
            return matches
        return f"if({pattern} = '' AND {text} IS NOT NULL, false, {matches})"

    return write


def _array_join(texts: Sequence[str]) -> str:
    """Writes ARRAY_JOIN, which is null for an empty array."""
    array, separator, *rest = texts
    joined = f"array_join({array}, {separator})"
    if rest:
        (instead,) = rest
        with_nulls = f"array_join({array}, {separator}, {instead})"
        joined = f"if({instead} IS NULL, {joined}, {with_nulls})"
    return f"if(size({array}) > 0, {joined}, NULL)"


def _substring(texts: Sequence[str]) -> str:
    """Writes SUBSTRING.

    A start before the beginning gives an empty text, where Spark returns the whole text.
    """
    whole = f"substring({', '.join(texts)})"
    text, start, *length = texts
    if start.isdigit():
        return whole
    none = "0" if not length else f"0 * {length[0]}"
    return f"if(length({text}) + {start} < 0, substring({text}, 1, {none}), {whole})"


def _trimmed(name: str, side: str) -> Callable[[Sequence[str]], str]:
    """Writes TRIM; in Spark's syntax the characters to trim come first."""

    def write(texts: Sequence[str]) -> str:
        if len(texts) == 1:
            return f"{name}({texts[0]})"
        return f"trim({side} {texts[1]} FROM {texts[0]})"

    return write


def _nvl(texts: Sequence[str]) -> str:
    """Writes NVL; Hive's takes more than two arguments."""
    return f"{'nvl' if len(texts) == 2 else 'coalesce'}({', '.join(texts)})"


def _log(texts: Sequence[str]) -> str:
    """Writes LOG; in Hive it is null for a base of at most 1."""
    text = f"log({', '.join(texts)})"
    return f"if({texts[0]} <= 1, NULL, {text})" if len(texts) == 2 else text


def _trunc(texts: Sequence[str]) -> str:
    """Writes TRUNC; Spark does not know ``Q`` for quarter."""
    day, unit = texts
    known = "'QUARTER'" if unit.upper() == "'Q'" else unit
    return f"trunc({day}, {known})"


def _instr(texts: Sequence[str]) -> str:
    """Writes INSTR; in Hive an empty text contains nothing, not even an empty text."""
    text, part = texts
    if part.startswith("'") and part != "''":
        return f"instr({text}, {part})"
    return f"if({text} = '' AND {part} IS NOT NULL, 0, instr({text}, {part}))"


def _tumbling_window(texts: Sequence[str]) -> str:
    """Writes TUMBLING_WINDOW.

    Windows count from an origin, in whole milliseconds, with the sign rules of Java's remainder.
    """
    moment, interval, *origin = texts
    length = f"unix_millis(timestamp_micros(0) + {interval})"
    now = f"unix_millis({moment})"
    past = f"{now} % {length}" + (f" - unix_millis({origin[0]}) % {length}" if origin else "")
    return f"timestamp_millis({now} - ({past}) - if({past} < 0, {length}, 0))"


def _sort_array_by(texts: Sequence[str]) -> str:
    """Writes SORT_ARRAY_BY: the array sorted by the fields in order, nulls first."""
    array, *words = texts
    names = [word.strip("'") for word in words]
    is_order = names[-1].upper() in {"ASC", "DESC"}
    fields = names[:-1] if is_order else names
    low, high = ("1", "-1") if is_order and names[-1].upper() == "DESC" else ("-1", "1")
    whens = " ".join(
        f"WHEN a.`{f}` IS NULL AND b.`{f}` IS NOT NULL OR a.`{f}` < b.`{f}` THEN {low}"
        f" WHEN b.`{f}` IS NULL AND a.`{f}` IS NOT NULL OR a.`{f}` > b.`{f}` THEN {high}"
        for f in fields
    )
    return f"array_sort({array}, (a, b) -> CASE {whens} ELSE 0 END)"


WRITERS: Final[Mapping[str, Callable[[Sequence[str]], str]]] = MappingProxyType(
    {
        **hive_masks.WRITERS,
        "array_join": _array_join,
        "between": _between,
        "grouping": _grouping,
        "instr": _instr,
        "log": _log,
        "mid": _substring,
        "substr": _substring,
        "substring": _substring,
        "parse_url": _parse_url,
        "parse_url_tuple": _parse_url_tuple,
        "regexp": _matching("regexp"),
        "replicate_rows": _replicate_rows,
        "rlike": _matching("rlike"),
        "sort_array_by": _sort_array_by,
        "tumbling_window": _tumbling_window,
        "nvl": _nvl,
        "trim": _trimmed("trim", "BOTH"),
        "ltrim": _trimmed("ltrim", "LEADING"),
        "rtrim": _trimmed("rtrim", "TRAILING"),
        "trunc": _trunc,
    }
)
"""Functions whose text depends on the number of arguments."""
