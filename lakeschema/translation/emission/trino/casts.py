"""Writes Hive's and Spark's conversions for Trino. They must also fail if Spark fails in ANSI mode."""

from __future__ import annotations

from enum import Enum
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    INT,
    STRING,
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    IntervalType,
    MapType,
    StructType,
    VarcharType,
    print_type,
)
from lakeschema.translation.emission.rows import letter
from lakeschema.translation.emission.trino.text import fails, quoted, type_text
from lakeschema.translation.functions.coercion import is_narrower
from lakeschema.translation.functions.constants import BITS, SURE_DIGITS
from lakeschema.translation.model.errors import UnsupportedConstruct


class Mode(Enum):
    """The rules of a plan's calls and casts: Hive's, Spark's, or Spark's without ANSI mode."""

    HIVE = "hive"
    ANSI = "ansi"
    LEGACY = "legacy"

    @property
    def is_spark(self) -> bool:
        return self is not Mode.HIVE

    @property
    def is_lax(self) -> bool:
        """Whether failed conversions give null."""
        return self is not Mode.ANSI


_NUMBER = r"^\s*[+-]?(?:\d+\.?\d*|\.\d+)\s*$"
_DAY = r"^\s*(\d\d\d\d-\d{1,2}-\d{1,2})(?:[ T][\s\S]*)?$"
_TIME_OF_DAY = r"^\s*(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?\s*$"
# Spark reads a year, or a year and month, as their first day.
_MONTH_AND_DAY = r"(?:-(\d{1,2})(?:-(\d{1,2})"
_SPARKS_DAY = rf"^\s*(\d\d\d\d){_MONTH_AND_DAY}(?:[ T][\s\S]*)?)?)?\s*$"
_FAR_DAY = r"^\s*(?:[+-]\d{4,7}|\d{5,7})(?:-\d{1,2}(?:-\d{1,2}(?:[ T][\s\S]*)?)?)?\s*$"
_SPARKS_MOMENT = rf"^\s*(\d\d\d\d){_MONTH_AND_DAY}(?:[ T](?:(\d{{1,2}})(?::(\d{{1,2}})(?::(\d{{1,2}}(?:\.\d{{1,6}})?))?)?)?)?)?)?\s*$"
_OTHER_MOMENT = (
    r"^\s*(?:[+-]?\d{4,7}(?:-\d{1,2}){1,2}[ T]\s*\S|T?\d{1,2}:\d|[+-]\d\d\d\d|\d{5,7}(?:-|\s*$))"
)
_FIRST = "m[1] || '-' || coalesce(m[2], '1') || '-' || coalesce(m[3], '1')"


def _sparks_date() -> str:
    made = f"TRY_CAST(regexp_replace({{0}}, '{_SPARKS_DAY}', m -> {_FIRST}) AS date)"
    far = fails("a date beyond the years of four digits", "date")
    return (
        f"CASE WHEN regexp_like({{0}}, '{_SPARKS_DAY}') THEN {made}"
        f" WHEN regexp_like({{0}}, '{_FAR_DAY}') THEN {far} END"
    )


def _sparks_moment() -> str:
    """The template for Spark's moments; texts with a zone, or without a date, fail at run time."""
    time = " || ':' || ".join(f"coalesce(m[{place}], '0')" for place in (4, 5, 6))
    whole = f"{_FIRST} || ' ' || {time}"
    made = f"TRY_CAST(regexp_replace({{0}}, '{_SPARKS_MOMENT}', m -> {whole}) AS timestamp(6))"
    other = fails("a text with a moment of another form", "timestamp(6)")
    return (
        f"CASE WHEN regexp_like({{0}}, '{_SPARKS_MOMENT}') THEN {made}"
        f" WHEN regexp_like({{0}}, '{_OTHER_MOMENT}') THEN {other} END"
    )


EPOCH = "TIMESTAMP '1970-01-01 00:00:00.000000'"
SECONDS = f"date_diff('second', {EPOCH}, date_trunc('second', {{0}}))"
MILLIS = f"date_diff('millisecond', {EPOCH}, date_trunc('millisecond', {{0}}))"
# A double could not hold the values of distant years.
MICROS = f"({MILLIS} * 1000 + CAST(substr(CAST({{0}} AS varchar), -3) AS bigint))"
_UNIX_TIME = "to_unixtime(with_timezone({0}, 'UTC'))"
"""The template of a timestamp's seconds since 1970, with a fraction, as a double.

Hive and Spark also convert such a double to decimal.
"""
_JAVA_NUMBER = "trim(BOTH '\"' FROM json_format(CAST({0} AS json)))"


def cast_template(
    source: ColumnType, target: ColumnType, mode: Mode, *, tolerant: bool = False
) -> str:
    """The template of a conversion; ``tolerant``: TRY_CAST.

    Raises:
        UnsupportedConstruct: no conversion has the same result.
    """
    if source == target:
        return "{0}"
    made = _template(source, target, mode, tolerant=tolerant)
    if made is None:
        raise UnsupportedConstruct(
            f"a conversion of {print_type(source)} to {print_type(target)} for Trino"
        )
    return made


_PLAIN_SCALE: Final = 6
"""The largest scale at which Java writes every decimal without an exponent."""


def _java_decimal(source: DecimalType) -> str:
    """The template for text of a decimal as Java's ``BigDecimal.toString`` writes it.

    Spark does so without ANSI mode.
    """
    type_ = type_text(source)
    rest = "CASE WHEN m[4] = '' THEN '' ELSE '.' || m[4] END"
    exponent = "CAST(length(m[2]) + 1 AS varchar)"
    small = (
        "regexp_replace(CAST({0} AS varchar), '^(-?)0\\.(0*)(\\d)(\\d*)$',"
        f" m -> m[1] || m[3] || {rest} || 'E-' || {exponent})"
    )
    return (
        f"CASE WHEN {{0}} = CAST(0 AS {type_}) THEN '0E-{source.scale}'"
        f" WHEN abs({{0}}) < CAST('0.000001' AS {type_}) THEN {small} ELSE CAST({{0}} AS varchar) END"
    )


def _template(source: ColumnType, target: ColumnType, mode: Mode, *, tolerant: bool) -> str | None:
    lax = mode.is_lax or tolerant
    if (letter(source), letter(target)) in {("v", "v"), ("w", "w")}:
        return "{0}"
    if isinstance(target, (CharType, VarcharType)):
        text = cast_template(source, STRING, mode, tolerant=tolerant)
        # In Spark's expressions char and varchar are unlimited texts.
        return text if mode.is_spark else f"CAST({text} AS {type_text(target)})"
    plain = f"CAST({{0}} AS {type_text(target)})"
    match letter(source), letter(target):
        case "n", _:
            return plain
        case "x", "s" if mode is Mode.LEGACY and isinstance(source, DecimalType):
            return plain if source.scale <= _PLAIN_SCALE else _java_decimal(source)
        case ("i" | "x", "s"):
            return plain
        case "D", "s":
            # Other engines put a sign before a year of five digits.
            return r"regexp_replace(CAST({0} AS varchar), '^\d\d\d\d\d', '+$0')"
        case "o", "s":
            return "upper(CAST({0} AS varchar))" if mode is Mode.HIVE else plain
        case ("d" | "f", "s"):
            return _JAVA_NUMBER
        case "T", "s":
            return "trim(TRAILING '.' FROM trim(TRAILING '0' FROM CAST({0} AS varchar)))"
        case "t", "s":
            fraction = "trim(TRAILING '0' FROM CAST(CAST({0} AS time(6)) AS varchar))"
            return f"trim(TRAILING '.' FROM {fraction})"
        case "T", "t":
            return _time_of_day(target)
        case "t", "t":
            return plain if type_text(target) == "time(6)" else None
        case "w", "s" if source == IntervalType("day"):
            days = "CAST(to_milliseconds({0}) / 86400000 AS varchar)"
            return f"('INTERVAL ' || chr(39) || {days} || chr(39) || ' DAY')"
        case "b", "s":
            return "from_utf8({0})"
        case "s", "s":
            return _unpadded(mode) if isinstance(source, CharType) else "{0}"
        case "s", _:
            made = _of_text(target, mode, tolerant=tolerant)
            if made is None or not isinstance(source, CharType):
                return made
            # Trino's text functions do not accept char.
            return made.replace("{0}", _unpadded(mode))
        case "i", "i":
            return _integer(source, target, plain, lax=lax, tolerant=tolerant)
        case ("d" | "f", "i"):
            return _integer_of_double(target, lax=lax, tolerant=tolerant)
        case "x", "i" if mode is Mode.LEGACY and not tolerant and isinstance(source, DecimalType):
            return _low_bits_of_decimal(source, target)
        case "x", "i":
            return f"{'TRY_CAST' if lax else 'CAST'}(truncate({{0}}) AS {type_text(target)})"
        case ("d" | "f", "x") if mode.is_spark:
            # By the digits of a double; NaN is null in ANSI mode too.
            exact = plain if letter(source) == "d" else plain.replace("{0}", "CAST({0} AS double)")
            return f"TRY_{exact}" if lax else f"CASE WHEN is_finite({{0}}) THEN {exact} END"
        case ("i" | "d" | "f" | "x", "x"):
            return plain if not lax else f"TRY_{plain}"
        case ("i" | "d" | "f" | "x", "d" | "f"):
            return plain
        case ("o", "i" | "d" | "f" | "x") | ("i" | "d" | "f" | "x", "o"):
            return plain
        case ("D", "T") | ("T", "D"):
            return plain
        case "T", "T":
            return "{0}"
        case "T", "x":
            return f"{'TRY_CAST' if lax else 'CAST'}({_UNIX_TIME} AS {type_text(target)})"
        case "T", _:
            return _of_moment(target, mode)
        case (_, "T"):
            return _moment(letter(source), mode, lax=lax)
        case ("a", "a") | ("m", "m") | ("r", "r"):
            return _nested(source, target, mode, tolerant=tolerant)
        case _:
            return None


def _time_of_day(target: ColumnType) -> str | None:
    """The template for a time of day; it cuts digits where Trino would round."""
    match type_text(target):
        case "time(6)":
            return "CAST({0} AS time(6))"
        case "time(3)":
            return "CAST(date_trunc('millisecond', {0}) AS time(3))"
        case "time(0)":
            return "CAST(date_trunc('second', {0}) AS time(0))"
        case _:
            return None


def _unpadded(mode: Mode) -> str:
    """The template for a char as text: padded for Spark, as in Trino, but not for Hive."""
    return "CAST({0} AS varchar)" if mode.is_spark else "rtrim(CAST({0} AS varchar))"


def or_fail(value: str, argument: str, type_: str, what: str) -> str:
    """The ``value``, with an error if it is null although the argument is not."""
    return (
        f"coalesce({value}, CASE WHEN {argument} IS NOT NULL"
        f" THEN CAST(fail('{what}') AS {type_}) END)"
    )


_SPARKS_FLOAT = (
    "regexp_replace(regexp_replace(trim({0}), '(?i)^([+-]?)inf(inity)?$', '$1Infinity'),"
    " '(?i)^nan$', 'NaN')"
)
"""The template of a text in which NaN and infinity, in any letter case or abbreviated, are spelled out."""


def _of_text(target: ColumnType, mode: Mode, *, tolerant: bool) -> str | None:
    lax = mode.is_lax or tolerant
    as_type = type_text(target)
    trimmed = f"{'TRY_CAST' if lax else 'CAST'}(trim({{0}}) AS {as_type})"
    match letter(target):
        case "b":
            return "to_utf8({0})"
        case "i":
            if tolerant or not lax:
                return trimmed
            # This is the integer part of a number of any size; '.5' gives 0.
            digits = rf"regexp_replace(regexp_extract({{0}}, '{_NUMBER}'), '^\s*([+-]?)(\d*)[\s\S]*$', m -> m[1] || '0' || m[2])"
            return f"TRY_CAST({digits} AS {as_type})"
        case "d" | "f" if mode.is_spark:
            return trimmed.replace("trim({0})", _SPARKS_FLOAT)
        case "d" | "f" | "x":
            return trimmed
        case "o":
            return _truth(mode, lax=lax)
        case "D":
            day = _sparks_date() if mode.is_spark else _hives_date()
            return day if lax else or_fail(day, "{0}", "date", "not a date")
        case "T":
            made = _sparks_moment() if mode.is_spark else _hives_moment()
            return made if lax else or_fail(made, "{0}", "timestamp(6)", "not a timestamp")
        case _:
            return None


def _hives_date() -> str:
    return _not_of_today(f"TRY_CAST(regexp_extract({{0}}, '{_DAY}', 1) AS date)", "date")


def _hives_moment() -> str:
    made = "TRY_CAST(replace(trim({0}), 'T', ' ') AS timestamp(6))"
    return _not_of_today(made, "timestamp(6)")


def _not_of_today(form: str, type_: str) -> str:
    """The form, refused for a time of day, which Hive would read as a time of the current day."""
    refused = fails("a time of day, which is of today", type_)
    return f"CASE WHEN regexp_like({{0}}, '{_TIME_OF_DAY}') THEN {refused} ELSE {form} END"


def _truth(mode: Mode, *, lax: bool) -> str:
    if mode is Mode.HIVE:
        return "(lower({0}) NOT IN ('', '0', 'no', 'off', 'false'))"
    known = (
        "CASE WHEN lower(trim({0})) IN ('t', 'true', 'y', 'yes', '1') THEN true"
        " WHEN lower(trim({0})) IN ('f', 'false', 'n', 'no', '0') THEN false END"
    )
    return known if lax else or_fail(known, "{0}", "boolean", "not a boolean")


def _integer(
    source: ColumnType, target: ColumnType, plain: str, *, lax: bool, tolerant: bool
) -> str:
    if is_narrower(source, target) or not lax:
        return plain
    return f"TRY_{plain}" if tolerant else low_bits("{0}", target)


def low_bits(value: str, target: ColumnType) -> str:
    """The lowest bits of an integer, like Java's narrowing."""
    bits = BITS[target]
    all_, sign = 2**bits - 1, 2 ** (bits - 1)
    return (
        f"CAST(bitwise_and({value}, {all_}) - CASE WHEN bitwise_and({value}, {sign}) <> 0"
        f" THEN {all_ + 1} ELSE 0 END AS {type_text(target)})"
    )


def _low_bits_of_decimal(source: DecimalType, target: ColumnType) -> str:
    """The lowest bits of a decimal's integer part, like Java's narrowing."""
    digits = source.precision - source.scale
    whole = "CAST(truncate({0}) AS bigint)"
    if digits > SURE_DIGITS[BIGINT]:
        whole = wrapped_to_bigint("CAST(truncate({0}) AS decimal(38,0))")
    if target == BIGINT:
        return whole
    if digits <= SURE_DIGITS[target]:
        return f"CAST(truncate({{0}}) AS {type_text(target)})"
    return low_bits(whole, target)


def wrapped_to_bigint(exact: str) -> str:
    """The lowest 64 bits of a whole decimal."""
    low = f"(({exact} % DECIMAL '18446744073709551616' + DECIMAL '18446744073709551616') % DECIMAL '18446744073709551616')"
    return (
        f"element_at(transform(ARRAY[{low}], w -> CAST(CASE WHEN w > DECIMAL '9223372036854775807'"
        " THEN w - DECIMAL '18446744073709551616' ELSE w END AS bigint)), 1)"
    )


def _integer_of_double(target: ColumnType, *, lax: bool, tolerant: bool) -> str:
    if not lax:
        return f"CAST(truncate({{0}}) AS {type_text(target)})"
    if tolerant:
        return f"TRY_CAST(truncate({{0}}) AS {type_text(target)})"
    return saturated("{0}", target)


def saturated(value: str, target: ColumnType) -> str:
    """A double as an integer, as in Java: NaN becomes 0, and a number beyond the range the nearest bound."""
    if target == BIGINT:
        return (
            f"CASE WHEN is_nan({value}) THEN 0 WHEN {value} >= 9223372036854775807e0 THEN"
            f" 9223372036854775807 WHEN {value} <= -9223372036854775808e0 THEN"
            f" -9223372036854775807 - 1 ELSE CAST(truncate({value}) AS bigint) END"
        )
    whole = (
        f"CAST(CASE WHEN is_nan({value}) THEN 0e0 ELSE"
        f" greatest(least(truncate({value}), 2147483647e0), -2147483648e0) END AS integer)"
    )
    return whole if target == INT else low_bits(whole, target)


def _of_moment(target: ColumnType, mode: Mode) -> str | None:
    match letter(target):
        case "i":
            seconds = SECONDS
            if target == BIGINT:
                return seconds
            return f"{'TRY_CAST' if mode.is_lax else 'CAST'}({seconds} AS {type_text(target)})"
        case "d" if mode is Mode.HIVE:
            # The fraction of a second is dropped.
            return f"CAST({SECONDS} AS double)"
        case "d":
            return _UNIX_TIME
        case _:
            return None


def moment_of(parts: int) -> str:
    """The timestamp this many ``parts`` of a second after 1970.

    Trino's ``date_add`` accepts only an int.
    """
    nanos = f"CAST({{0}} AS decimal(38,0)) * {10**9 // parts}"
    return f"CAST(at_timezone(from_unixtime_nanos({nanos}), 'UTC') AS timestamp(6))"


def _moment(source: str, mode: Mode, *, lax: bool) -> str | None:
    match source:
        case "i":
            # Hive counts milliseconds.
            return moment_of(1000 if mode is Mode.HIVE else 1)
        case "d" | "f":
            # Hive's timestamps have nine fractional digits.
            cut = "round" if mode is Mode.HIVE else "truncate"
            made = _of_micros(f"CAST({cut}(CAST({{0}} AS double) * 1e6) AS bigint)")
            return f"CASE WHEN is_finite({{0}}) THEN {made} END" if lax else made
        case "x" if mode is Mode.HIVE:
            return _of_micros("CAST(round(CAST({0} AS double) * 1e6) AS bigint)")
        case "x":
            whole = "CAST(truncate({0}) AS bigint) * 1000000"
            part = "CAST(truncate(({0} - truncate({0})) * 1000000) AS bigint)"
            return _of_micros(f"({whole} + {part})")
        case _:
            return None


def _of_micros(text: str) -> str:
    return moment_of(10**6).replace("{0}", text)


def is_simple(source: ColumnType, target: ColumnType, mode: Mode, *, tolerant: bool) -> bool:
    """Whether Trino's CAST alone converts the value."""
    if source == target:
        return True
    made = _template(source, target, mode, tolerant=tolerant)
    return made in {f"CAST({{0}} AS {type_text(target)})", "{0}"}


def _nested(source: ColumnType, target: ColumnType, mode: Mode, *, tolerant: bool) -> str | None:
    """The text that converts parts one by one; None if Trino's CAST does the same."""

    def inner(one: ColumnType, other: ColumnType, value: str) -> str:
        return cast_template(one, other, mode, tolerant=tolerant).replace("{0}", value)

    plain = f"CAST({{0}} AS {type_text(target)})"
    match source, target:
        case ArrayType(one), ArrayType(other):
            if is_simple(one, other, mode, tolerant=tolerant):
                return plain
            return f"transform({{0}}, e -> {inner(one, other, 'e')})"
        case MapType(key, value), MapType(other_key, other_value):
            if not is_simple(key, other_key, mode, tolerant=tolerant):
                return None
            if is_simple(value, other_value, mode, tolerant=tolerant):
                return plain
            return f"CAST(transform_values({{0}}, (k, v) -> {inner(value, other_value, 'v')}) AS {type_text(target)})"
        case StructType(given), StructType(fields) if len(given) == len(fields):
            pairs = list(zip(given, fields, strict=True))
            if all(is_simple(g.type, f.type, mode, tolerant=tolerant) for g, f in pairs):
                return plain
            parts = ", ".join(inner(g.type, f.type, f"{{0}}.{quoted(g.name)}") for g, f in pairs)
            return f"IF({{0}} IS NULL, NULL, CAST(ROW({parts}) AS {type_text(target)}))"
        case _:
            return None
