"""Writes functions of dates and times, with Java's date patterns.

Trino's formatter is Joda. Patterns that Joda would print differently are refused.
"""

from __future__ import annotations

import re

from lakeschema.catalog.column_types import DATE
from lakeschema.translation.emission.rows import classes_of, letter
from lakeschema.translation.emission.trino.casts import MICROS, SECONDS, Mode, moment_of, or_fail
from lakeschema.translation.emission.trino.given import Given
from lakeschema.translation.emission.trino.text import fails, string

_PARTS = re.compile(r"'(?:[^']|'')*'|([a-zA-Z])\1*|[^a-zA-Z']+|'")
_MOST = {"y": 4, "M": 4, "d": 2, "H": 2, "h": 2, "m": 2, "s": 2, "a": 1, "E": 4, "D": 3}
_DIGITS = {
    "yyyy": r"\d\d\d\d",
    "MM": r"\d\d",
    "dd": r"\d\d",
    "HH": r"\d\d",
    "mm": r"\d\d",
    "ss": r"\d\d",
}
DEFAULT = "yyyy-MM-dd HH:mm:ss"
_UNITS = {
    **dict.fromkeys(("year", "yyyy", "yy"), "year"),
    "quarter": "quarter",
    **dict.fromkeys(("month", "mon", "mm"), "month"),
    "week": "week",
    **dict.fromkeys(("day", "dd"), "day"),
    "hour": "hour",
    "minute": "minute",
    "second": "second",
    "millisecond": "millisecond",
}
_OF_DATES = frozenset({"year", "quarter", "month", "week"})
_WEEK = ("mo", "tu", "we", "th", "fr", "sa", "su")
_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MICROS = {"second": 10**6, "minute": 60 * 10**6, "hour": 3600 * 10**6}
_CALENDAR = frozenset({"year", "quarter", "month"})


def make_date(given: Given) -> str:
    cast = "TRY_CAST" if given.mode.is_lax else "CAST"
    return given.fill(
        "CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL AND {2} IS NOT NULL"
        f" THEN {cast}(format('%04d-%02d-%02d', {{0}}, {{1}}, {{2}}) AS date) END"
    )


def shown(given: Given, moment: str, pattern: str) -> str:
    """A timestamp's text by a pattern.

    More than three fractional digits come from the timestamp's plain text.

    Trino first rounds a timestamp to milliseconds, and writes a year of five digits without its
    sign.
    """
    is_exact = letter(given.arguments[0].type) in "iD"
    cut = moment if is_exact else f"date_trunc('millisecond', {moment})"
    chunks: list[str] = []
    shared = ""
    for found in _PARTS.finditer(pattern):
        part = found[0]
        is_fine = found[1] == "S" and len(part) > 3
        if is_fine or part == "yyyy":
            chunks += [f"format_datetime({cut}, {string(shared)})"] if shared else []
            shared = ""
        if part == "yyyy":
            chunks.append(f"IF(year({moment}) > 9999, '+', '')")
        if is_fine:
            if len(part) > 6:
                raise given.unsupported(f"pattern {pattern!r:.40}")
            chunks.append(f"substr(CAST({moment} AS varchar), -6, {len(part)})")
            continue
        limit = 3 if found[1] == "S" else _MOST.get(found[1] or "", 0)
        if (found[1] and len(part) > limit) or part == "'":
            raise given.unsupported(
                f"pattern {pattern!r:.40} has letters that Trino prints differently"
            )
        shared += part
    if shared or not chunks:
        chunks.append(f"format_datetime({cut}, {string(shared)})")
    return " || ".join(chunks) if len(chunks) == 1 else f"({' || '.join(chunks)})"


def date_format(given: Given) -> str:
    return given.fill(shown(given, "{T0}", given.text_constant(1, "a pattern")))


def day_name(given: Given) -> str:
    return given.fill(shown(given, "{T0}", "EEE" if given.name == "dayname" else "MMM"))


def from_unixtime(given: Given) -> str:
    pattern = given.text_constant(1, "a pattern") if len(given.arguments) > 1 else DEFAULT
    return given.fill(shown(given, "from_unixtime({0}, 'UTC')", pattern))


def parsed(given: Given, pattern: str) -> str:
    """The timestamp of a text that matches the pattern exactly; null for other texts."""
    expected, names = "", []
    for found in _PARTS.finditer(pattern):
        part = found[0]
        if found[1]:
            if part not in _DIGITS or part in names:
                raise given.unsupported(f"pattern {pattern!r:.40} for reading")
            names.append(part)
            expected += f"({_DIGITS[part]})"
        else:
            text = part[1:-1].replace("''", "'") if part.startswith("'") else part
            expected += re.escape(text)
    if "yyyy" not in names:
        raise given.unsupported(f"pattern {pattern!r:.40} without a year")

    def group(name: str, otherwise: str) -> str:
        return f"m[{names.index(name) + 1}]" if name in names else f"'{otherwise}'"

    date = " || '-' || ".join((group("yyyy", ""), group("MM", "01"), group("dd", "01")))
    time = " || ':' || ".join((group("HH", "00"), group("mm", "00"), group("ss", "00")))
    exact = string(f"^{expected}$")
    whole = f"regexp_replace({{0}}, {exact}, m -> {date} || ' ' || {time})"
    made = f"CASE WHEN regexp_like({{0}}, {exact}) THEN TRY_CAST({whole} AS timestamp(6)) END"
    if given.mode is Mode.ANSI and not given.name.startswith("try_"):
        return or_fail(made, "{0}", "timestamp(6)", "a text that does not have its pattern")
    return made


def _moment(given: Given) -> str:
    """The first argument as a timestamp, parsed by the pattern if it is a text."""
    if letter(given.arguments[0].type) != "s":
        return "{T0}"
    pattern = given.text_constant(1, "a pattern") if len(given.arguments) > 1 else DEFAULT
    return parsed(given, pattern)


# Hive reads the text only up to the seconds.
_HIVE_SECONDS = (
    "TRY_CAST(replace(regexp_extract({0}, '^\\d\\d\\d\\d-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d'),"
    " 'T', ' ') AS timestamp(6))"
)


def unix_timestamp(given: Given) -> str:
    if not given.arguments:
        raise given.unsupported("it depends on the time of the query")
    if given.mode is Mode.HIVE and classes_of(given.arguments) == "s":
        return given.fill(SECONDS.replace("{0}", _HIVE_SECONDS))
    if given.mode is Mode.HIVE or not _has_fraction(given):
        return given.fill(SECONDS.replace("{0}", _moment(given)))
    # Spark also truncates times before 1970 towards zero, not to the second before.
    whole = f"({MICROS.replace('{0}', 'm')} / 1000000)"
    return given.fill(f"element_at(transform(ARRAY[{_moment(given)}], m -> {whole}), 1)")


def _has_fraction(given: Given) -> bool:
    """Whether a timestamp may have fractional seconds."""
    if letter(given.arguments[0].type) == "s":
        return "S" in (given.constant(1) or "")
    return letter(given.arguments[0].type) == "T"


def to_date(given: Given) -> str:
    if len(given.arguments) > 1 and letter(given.arguments[0].type) == "s":
        return given.fill(f"CAST({_moment(given)} AS date)")
    return given.fill("{D0}")


def to_timestamp(given: Given) -> str:
    if len(given.arguments) > 1 and letter(given.arguments[0].type) == "s":
        return given.fill(_moment(given))
    return given.fill("{T0}")


def unit_of(given: Given, index: int) -> str:
    word = given.text_constant(index, "a unit")
    found = _UNITS.get(word.lower())
    if found is None:
        if given.mode is Mode.HIVE and word.lower() == "q":
            return "quarter"
        raise given.unsupported(f"unit {word!r:.20}")
    return found


def trunc(given: Given) -> str:
    if len(given.arguments) < 2 or letter(given.arguments[0].type) not in "sDT":
        raise given.unsupported("it truncates numbers")
    unit = unit_of(given, 1)
    if unit not in _OF_DATES or (unit == "week" and given.mode is Mode.HIVE):
        raise given.unsupported(f"unit {unit}")
    cut = given.fill(f"date_trunc('{unit}', {{D0}})")
    return f"CAST({cut} AS varchar)" if given.mode is Mode.HIVE else cut


def date_trunc(given: Given) -> str:
    word = given.text_constant(0, "a unit").lower()
    if given.mode.is_spark and word not in _UNITS and word != "microsecond":
        # An unknown unit gives null.
        return given.fill("CAST(NULL AS {t})")
    return given.fill(f"date_trunc('{unit_of(given, 0)}', {{T1}})")


def floor_to(given: Given) -> str:
    return given.fill(f"date_trunc('{given.name.removeprefix('floor_')}', {{T0}})")


def next_day(given: Given) -> str:
    word = given.text_constant(1, "a day").lower()
    if word[:2] not in _WEEK or word not in {
        word[:2],
        *(n for n in _NAMES),
        *(n[:3] for n in _NAMES),
    }:
        raise given.unsupported(f"day {word!r:.20}")
    day = _WEEK.index(word[:2]) + 1
    made = given.fill(f"date_add('day', ({day} - day_of_week({{D0}}) + 6) % 7 + 1, {{D0}})")
    return f"CAST({made} AS varchar)" if given.mode is Mode.HIVE else made


_SAME_DAY = (
    "(day({T0}) = day({T1}) OR (day({T0}) = day(last_day_of_month({T0}))"
    " AND day({T1}) = day(last_day_of_month({T1}))))"
)
_MONTHS = "((year({T0}) - year({T1})) * 12 + month({T0}) - month({T1}))"


def _second_of_day(index: int) -> str:
    moment = f"{{T{index}}}"
    return f"(day({moment}) * 86400 + hour({moment}) * 3600 + minute({moment}) * 60 + second({moment}))"


def months_between(given: Given) -> str:
    """Writes MONTHS_BETWEEN.

    It is whole between equal days of a month, or between last days. Otherwise it has fractions of 31 days.
    """
    if len(given.arguments) > 2 and given.constant(2) != "true":
        raise given.unsupported("without rounding")
    parts = f"({_second_of_day(0)} - {_second_of_day(1)}) / 2678400e0"
    return given.fill(
        f"round(CASE WHEN {_SAME_DAY} THEN CAST({_MONTHS} AS double) ELSE {_MONTHS} + {parts} END, 8)"
    )


def timestampdiff(given: Given) -> str:
    unit = unit_of(given, 0)
    if unit in _CALENDAR:
        return given.fill(f"date_diff('{unit}', {{T1}}, {{T2}})")
    # Trino's function ignores microseconds.
    micros = _MICROS.get(unit) or {"day": 24, "week": 168}[unit] * 3600 * 10**6
    one, other = (MICROS.replace("{0}", f"{{T{i}}}") for i in (2, 1))
    return given.fill(f"(({one} - {other}) / {micros})")


def timestampadd(given: Given) -> str:
    moment = "{D2}" if given.type == DATE else "{T2}"
    return given.fill(f"date_add('{unit_of(given, 0)}', {{1}}, {moment})")


_FIELDS = {
    **dict.fromkeys(("year", "years", "y", "yr"), "year({T1})"),
    **dict.fromkeys(("quarter", "qtr"), "quarter({T1})"),
    **dict.fromkeys(("month", "months", "mon"), "month({T1})"),
    **dict.fromkeys(("week", "weeks", "w"), "week({T1})"),
    **dict.fromkeys(("day", "days", "d"), "day({T1})"),
    **dict.fromkeys(("doy",), "day_of_year({T1})"),
    **dict.fromkeys(("dayofweek", "dow"), "day_of_week({T1}) % 7 + 1"),
    **dict.fromkeys(("hour", "hours", "h"), "hour({T1})"),
    **dict.fromkeys(("minute", "minutes", "m"), "minute({T1})"),
}


_INTERVAL_FIELDS = {
    **dict.fromkeys(("day", "days", "d"), "to_milliseconds({1}) / 86400000"),
    **dict.fromkeys(("hour", "hours", "h"), "to_milliseconds({1}) / 3600000 % 24"),
    **dict.fromkeys(("minute", "minutes", "m"), "to_milliseconds({1}) / 60000 % 60"),
}


def extract(given: Given) -> str:
    word = given.text_constant(0, "a field").lower()
    if letter(given.arguments[1].type) == "w":
        part = _INTERVAL_FIELDS.get(word)
        if part is None:
            raise given.unsupported(f"field {word!r:.20} of an interval")
        return given.fill(f"CAST({part} AS {{t}})")
    if word in {"second", "seconds", "s"}:
        if given.mode is Mode.HIVE:
            return given.fill("CAST(second({T1}) AS integer)")
        return given.fill("CAST(substr(CAST({T1} AS varchar), -9) AS decimal(8,6))")
    form = _FIELDS.get(word)
    if form is None:
        raise given.unsupported(f"field {word!r:.20}")
    return given.fill(f"CAST({form} AS integer)")


_INTERVAL_UNITS = ("DAY", "HOUR", "MINUTE")


def interval_of_time(given: Given) -> str:
    """Writes MAKE_DT_INTERVAL without seconds, which Trino would truncate."""
    if not 0 < len(given.arguments) <= len(_INTERVAL_UNITS):
        raise given.unsupported("its arguments")
    parts = (
        f"CAST({text} AS bigint) * INTERVAL '1' {unit}"
        for text, unit in zip(given.texts, _INTERVAL_UNITS, strict=False)
    )
    return f"({' + '.join(parts)})"


def time_of_text(given: Given) -> str:
    """Writes null for a text that is certainly not a time of day; other texts fail at run time."""
    return given.fill(
        "CASE WHEN regexp_like({0}, '^\\s*T?\\d{1,2}:') THEN"
        f" {fails('a text with a time of day', '{t}')} END"
    )


_SHORT_ZONES = {
    "ACT": "Australia/Darwin",
    "AET": "Australia/Sydney",
    "ART": "Africa/Cairo",
    "AGT": "America/Argentina/Buenos_Aires",
    "AST": "America/Anchorage",
    "BET": "America/Sao_Paulo",
    "BST": "Asia/Dhaka",
    "CAT": "Africa/Harare",
    "CNT": "America/St_Johns",
    "CST": "America/Chicago",
    "CTT": "Asia/Shanghai",
    "EAT": "Africa/Addis_Ababa",
    "ECT": "Europe/Paris",
    "IST": "Asia/Kolkata",
    "IET": "America/Indiana/Indianapolis",
    "JST": "Asia/Tokyo",
    "MIT": "Pacific/Apia",
    "NET": "Asia/Yerevan",
    "NST": "Pacific/Auckland",
    "PLT": "Asia/Karachi",
    "PNT": "America/Phoenix",
    "PRT": "America/Puerto_Rico",
    "PST": "America/Los_Angeles",
    "SST": "Pacific/Guadalcanal",
    "VST": "Asia/Ho_Chi_Minh",
    "EST": "-05:00",
    "MST": "-07:00",
    "HST": "-10:00",
    "GMT": "UTC",
}
"""The zones of Java's ``ZoneId.SHORT_IDS``, which Hive and Spark accept."""

_MAX_MILLIS = 2**51 - 1
"""The limit of Trino's timestamps with a zone, in milliseconds from 1970."""


_ZONE = "UTC|[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_-]+)+"


def in_zone(given: Given) -> str:
    """Writes ``from_utc_timestamp`` and ``to_utc_timestamp``."""
    zone = given.constant(1)
    written = "{1}"
    if zone in _SHORT_ZONES:
        written = string(_SHORT_ZONES[zone])
    elif zone is not None and not re.fullmatch(_ZONE, zone):
        raise given.unsupported(f"zone {zone!r:.30}")
    elif zone is None:
        # Each engine reads other texts as zones.
        other = fails("a zone that is no region", "varchar")
        written = f"IF(NOT regexp_like({{1}}, '^(?:{_ZONE})$'), {other}, {{1}})"
    one, other = ("'UTC'", written) if given.name.startswith("from") else (written, "'UTC'")
    moment = _of_millis() if letter(given.arguments[0].type) == "i" else "{T0}"
    return given.fill(f"CAST(at_timezone(with_timezone({moment}, {one}), {other}) AS timestamp(6))")


def _of_millis() -> str:
    """Writes Hive's timestamp from an integer number of milliseconds."""
    beyond = fails("a time beyond the years of Trino", "timestamp(6)")
    outside = f"{{0}} NOT BETWEEN -{_MAX_MILLIS} AND {_MAX_MILLIS}"
    return f"CASE WHEN {outside} THEN {beyond} ELSE {moment_of(1000)} END"
