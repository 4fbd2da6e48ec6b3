"""How Hive's functions are written for Spark; those that cannot be written are in ``missing``.

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
        # Hive's are null if any argument is; Spark's leave nulls out.
        "greatest": "if({*null}, NULL, greatest({*}))",
        "least": "if({*null}, NULL, least({*}))",
        # Hive answers false where Spark, for a null among the elements, does not know.
        "array_contains": "coalesce(array_contains({*}), false)",
        # From a month's last day Hive goes to a month's last day.
        "add_months": (
            "if(to_date({0}) = last_day({0}), last_day(add_months({0}, {1})), add_months({0}, {1}))"
        ),
        "approx_distinct": "approx_count_distinct({*})",
        "grouping__id": "grouping_id()",
        "current_catalog": "'hive'",
        # What they are given they do not look at.
        "current_database": "current_database()",
        "current_schema": "current_database()",
        "bucket_number": "CAST(NULL AS STRING)",
        # Hive takes Java's first mode of the cipher, and has nothing to say of a key of another length.
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
        # What is no number Hive calls null.
        **{
            name: f"if(isnan({{0}}), {{0}}, nanvl({name}({{0}}), NULL))"
            for name in ("acos", "asin", "sqrt")
        },
        # In Spark these names mean what is estimated of a sample.
        "stddev_pop": _STD,
        "var_pop": _VARIANCE,
        # Empty where there is no text.
        "str_to_map": "coalesce(str_to_map({*}), map())",
        # The first byte, with its sign.
        "ascii": ("if({0} = '', 0, CAST(CAST(conv(left(hex({0}), 2), 16, 10) AS INT) AS TINYINT))"),
        # Of Spark's, these answer although they are not told something.
        "locate": _LOCATE,
        "map_keys": "coalesce(map_keys({*}), array())",
        "map_values": "coalesce(map_values({*}), array())",
        # As far below zero as the divisor is.
        "positive": "{0}",
        "pmod": "((({0} % {1}) + {1}) % {1})",
        "lpad": "if({2} = '', NULL, lpad({*}))",
        "rpad": "if({2} = '', NULL, rpad({*}))",
        # Of letters, and of none beyond A to Z.
        "soundex": (
            "if({0} RLIKE '[\\\\p{L}&&[^A-Za-z]]', NULL,"
            " soundex(regexp_replace({0}, '[^A-Za-z]', '')))"
        ),
        # Counted from zero; empty if it goes over the end.
        "array_slice": (
            "CASE WHEN {*null} THEN NULL WHEN {1} + {2} > size({0}) THEN slice({0}, 1, 0)"
            " ELSE slice({0}, {1} + 1, {2}) END"
        ),
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
        # Of what is left of a number in sixteen bits.
        "chr": "if({0} < 0, '', chr(CAST(CAST({0} AS BIGINT) AS SMALLINT)))",
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


_PAIRS: Final = "count(if({0} IS NULL, NULL, {1})){w}"
"""How many rows have both of two arguments."""

AGGREGATES: Final[Mapping[str, str]] = MappingProxyType(
    {
        # A single pair does not vary, whatever its numbers are.
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
"""Those that need several aggregate functions: ``{w}`` is OVER, behind each."""


def _of_distances(value: str, computed: str, alone: str | None = None) -> str:
    """Hive adds squares of distances row by row: an infinity that comes first and alone stays one."""
    infinite = "double('Infinity')"
    # NaN is above infinity.
    is_alone = f"count(if(abs({value}) >= {infinite}, 1, NULL)){{w}} = 1"
    of_one = "" if alone is None else f"WHEN count({value}){{w}} = 1 THEN {alone} "
    several = "" if alone is not None else f"count({value}){{w}} > 1 AND "
    return (
        f"CASE {of_one}WHEN {several}abs(first({value}, true){{w}}) = {infinite} AND {is_alone}"
        f" THEN {infinite} ELSE {computed}{{w}} END"
    )


INFINITE_AGGREGATES: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{name: _of_distances("{0}", _STD, "0D") for name in ("stddev_pop",)},
        **{name: _of_distances("{0}", _VARIANCE, "0D") for name in ("var_pop",)},
        **{name: _of_distances("{0}", f"{name}({{0}})") for name in ("var_samp", "stddev_samp")},
        "regr_sxx": _of_distances("if({0} IS NULL, NULL, {1})", "regr_sxx({*})", "0D"),
        "regr_syy": _of_distances("if({1} IS NULL, NULL, {0})", "regr_syy({*})", "0D"),
    }
)
"""Those of numbers that can be infinite, as ``AGGREGATES``."""
SUM_OF_TEXTS: Final = "coalesce(sum({0}){w}, if(count({1}){w} > 0, 0D, NULL))"
"""Of a number and the text that it is made of: what is no number is left out, but is a row."""


def _grouping(texts: Sequence[str]) -> str:
    """Spark's GROUPING takes one key; of several, Hive's first one is the highest bit."""
    last = len(texts) - 1
    bits = (
        f"shiftleft(CAST(grouping({text}) AS BIGINT), {last - i})" for i, text in enumerate(texts)
    )
    return f"({' + '.join(bits)})"


def _parse_url(texts: Sequence[str]) -> str:
    """Of a text that names no protocol which Java knows, Hive says nothing."""
    url, *parts = texts
    known = f"if({url} RLIKE '(?i)^(https?|ftp|file|jar|mailto):', {url}, NULL)"
    return f"parse_url({', '.join((known, *parts))})"


def _parse_url_tuple(texts: Sequence[str]) -> str:
    url, *parts = texts
    fields = ", ".join(f"'c{i}', {_url_part(url, part)}" for i, part in enumerate(parts))
    return f"inline(array(named_struct({fields})))"


def _url_part(url: str, part: str) -> str:
    """``QUERY:key`` is the value of one key."""
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
    """Hive does not look at the upper bound if it does not know of the lower one."""
    value, low, high = texts
    text = f"({value} BETWEEN {low} AND {high})"
    return f"if({low} IS NULL, NULL, {text})" if "`" in low else text


def _matching(name: str) -> Callable[[Sequence[str]], str]:
    """To Hive nothing matches the empty pattern."""

    def write(texts: Sequence[str]) -> str:
        text, pattern = texts
        matches = f"({text} {name.upper()} {pattern})"
        if pattern.startswith("'") and pattern != "''":
            return matches
        return f"if({pattern} = '' AND {text} IS NOT NULL, false, {matches})"

    return write


def _array_join(texts: Sequence[str]) -> str:
    """Of an empty array it is null."""
    array, separator, *rest = texts
    joined = f"array_join({array}, {separator})"
    if rest:
        (instead,) = rest
        with_nulls = f"array_join({array}, {separator}, {instead})"
        joined = f"if({instead} IS NULL, {joined}, {with_nulls})"
    return f"if(size({array}) > 0, {joined}, NULL)"


def _substring(texts: Sequence[str]) -> str:
    """Before its beginning a text is empty, where Spark takes the whole."""
    whole = f"substring({', '.join(texts)})"
    text, start, *length = texts
    if start.isdigit():
        return whole
    none = "0" if not length else f"0 * {length[0]}"
    return f"if(length({text}) + {start} < 0, substring({text}, 1, {none}), {whole})"


def _trimmed(name: str, side: str) -> Callable[[Sequence[str]], str]:
    """Spark's function takes what is cut off first."""

    def write(texts: Sequence[str]) -> str:
        if len(texts) == 1:
            return f"{name}({texts[0]})"
        return f"trim({side} {texts[1]} FROM {texts[0]})"

    return write


def _nvl(texts: Sequence[str]) -> str:
    """Hive's takes more than two."""
    return f"{'nvl' if len(texts) == 2 else 'coalesce'}({', '.join(texts)})"


def _log(texts: Sequence[str]) -> str:
    """Of a base up to 1 Hive's is null."""
    text = f"log({', '.join(texts)})"
    return f"if({texts[0]} <= 1, NULL, {text})" if len(texts) == 2 else text


def _trunc(texts: Sequence[str]) -> str:
    """Spark does not know the shortest word for a quarter."""
    day, unit = texts
    known = "'QUARTER'" if unit.upper() == "'Q'" else unit
    return f"trunc({day}, {known})"


def _instr(texts: Sequence[str]) -> str:
    """Nothing is found in an empty text, not even the empty one."""
    text, part = texts
    if part.startswith("'") and part != "''":
        return f"instr({text}, {part})"
    return f"if({text} = '' AND {part} IS NOT NULL, 0, instr({text}, {part}))"


def _tumbling_window(texts: Sequence[str]) -> str:
    """Windows are counted from an origin, in whole milliseconds, by the signs of Java's remainders."""
    moment, interval, *origin = texts
    length = f"unix_millis(timestamp_micros(0) + {interval})"
    now = f"unix_millis({moment})"
    past = f"{now} % {length}" + (f" - unix_millis({origin[0]}) % {length}" if origin else "")
    return f"timestamp_millis({now} - ({past}) - if({past} < 0, {length}, 0))"


def _sort_array_by(texts: Sequence[str]) -> str:
    """By one field after the other, nulls first."""
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
"""Where the text depends on how many arguments there are."""
