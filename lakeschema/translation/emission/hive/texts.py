"""Writes Spark's functions on strings and dates for Hive."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

from lakeschema.catalog.column_types import DATE, STRING, ArrayType, ColumnType, StructType
from lakeschema.translation.emission.hive.casts import cast_template
from lakeschema.translation.emission.hive.given import HiveCall, require_repeatable, require_short
from lakeschema.translation.emission.hive.text import refused, string, type_text
from lakeschema.translation.emission.rows import letter

Writer: TypeAlias = Callable[[HiveCall], str]

_LAST_OF_PLANE: Final = 0xFFFF
_MOST_DIGITS: Final = 15
LATIN: Final = (
    "CASE WHEN {0} < 0 THEN '' ELSE decode(unhex(lpad(hex({0} & 255L), 2, '0')), 'ISO-8859-1') END"
)
CODE_POINT: Final = (
    "CASE WHEN {0} = '' THEN 0"
    " ELSE CAST(conv(substr(hex(encode({0}, 'UTF-32BE')), 1, 8), 16, 10) AS INT) END"
)
CONTAINS: Final = "CASE WHEN {1} = '' AND {0} IS NOT NULL THEN true ELSE (instr({0}, {1}) > 0) END"
_SAME_LETTERS: Final = frozenset({"yyyy", "MM", "dd", "HH", "mm", "ss"})
"""Letters of date patterns with the same meaning in both engines."""
_PATTERN: Final = re.compile(r"(?:([A-Za-z])\1*+|[-/:. _,])+")
_CATEGORY: Final = re.compile(r"\\[pP]\{\w+\}")
HAS_NULL: Final = "size({0}) > 0 AND sort_array({0})[0] IS NULL"
# In Spark a start before the first character counts the missing characters.
_BEFORE: Final = "{1} < 0 AND length({0}) + {1} < 0"


def _part(length: str) -> str:
    left = f"{length} + length({{0}}) + {{1}}"
    return f"CASE WHEN {_BEFORE} THEN substr({{0}}, 1, CAST(if({left} < 0, 0, {left}) AS INT))"


REST: Final = f"{_part('2147483647L')} ELSE substr({{0}}, {{1}}) END"
PART: Final = f"{_part('CAST({2} AS BIGINT)')} ELSE substr({{0}}, {{1}}, {{2}}) END"
CONTAINED: Final = (
    "CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN array_contains({0}, {1}) THEN true"
    f" WHEN {HAS_NULL} THEN NULL ELSE false END"
)


_BEYOND_PLANE: Final = r"{0} RLIKE '[\\x{10000}-\\x{10FFFF}]'"


def of_plane(form: str, places: Sequence[int] = (0,)) -> Writer:
    """Writes functions of texts.

    Characters beyond U+FFFF, which Hive counts twice, fail at run time.
    """

    def write(call: HiveCall) -> str:
        failed = refused("characters beyond U+FFFF", call.type)
        beyond = " OR ".join(_BEYOND_PLANE.replace("{0}", f"{{{place}}}") for place in places)
        return call.fill(f"CASE WHEN {beyond} THEN {failed} ELSE {form} END")

    return write


def rlike(call: HiveCall) -> str:
    """Writes RLIKE; in Hive no text matches an empty pattern."""
    _check_pattern(call)
    return call.fill("CASE WHEN {1} = '' AND {0} IS NOT NULL THEN true ELSE ({0} RLIKE {1}) END")


def of_pattern(form: str) -> Writer:
    """Writes a call whose second argument is a regular expression."""

    def write(call: HiveCall) -> str:
        _check_pattern(call)
        return call.fill(form)

    return write


def _check_pattern(call: HiveCall) -> None:
    """Checks a pattern. An invalid pattern fails Hive's whole query, but only some of Spark's rows."""
    found = call.constant(1)
    if found is None:
        return
    try:
        re.compile(_CATEGORY.sub("x", found))
    except re.error:
        raise call.unsupported("an invalid pattern") from None


def regexp_extract(call: HiveCall) -> str:
    """Writes ``regexp_extract``; Hive returns null for a group that does not exist."""
    group = call.digits(2, "1")
    if not call.constant(1):
        raise call.unsupported("the pattern must be a constant")
    _check_pattern(call)
    found = f"regexp_extract({{0}}, {{1}}, {group})"
    return call.fill(f"CASE WHEN {{0}} IS NOT NULL THEN coalesce({found}, '') END")


def converted(call: HiveCall) -> str:
    """Writes a call that converts its argument like a cast."""
    form = cast_template(call.arguments[0].type, call.type, ansi=call.ansi)
    require_repeatable(form, call.name, call.arguments)
    require_short(form, call.texts)
    # Patterns in the form contain braces themselves.
    return form.replace("{0}", call.texts[0])


def made_date(call: HiveCall) -> str:
    """Writes ``make_date``; an invalid date gives null, or an error in ANSI mode."""
    digits = (
        f"lpad(CAST({{{place}}} AS STRING), {width}, '0')" for place, width in enumerate((4, 2, 2))
    )
    made = f"CAST(concat_ws('-', {', '.join(digits)}) AS DATE)"
    in_range = "{0} BETWEEN 1 AND 9999 AND {1} BETWEEN 1 AND 12 AND {2} BETWEEN 1 AND 31"
    far = refused("a year beyond four digits", call.type)
    found = f"CASE WHEN {{0}} > 9999 OR {{0}} < 1 THEN {far} WHEN {in_range} THEN {made} END"
    if call.ansi:
        nulls = "{0} IS NULL OR {1} IS NULL OR {2} IS NULL"
        found = f"CASE WHEN {nulls} OR ({found}) IS NOT NULL THEN {found} ELSE {{raised}} END"
    return call.fill(found)


_TRUNCATED: Final[Mapping[str, str]] = {
    "year": "yyyy-01-01 00:00:00",
    "month": "yyyy-MM-01 00:00:00",
    "day": "yyyy-MM-dd 00:00:00",
    "hour": "yyyy-MM-dd HH:00:00",
    "minute": "yyyy-MM-dd HH:mm:00",
    "second": "yyyy-MM-dd HH:mm:ss",
}
_PARTS: Final = frozenset(
    {"year", "quarter", "month", "day", "hour", "minute", "dayofweek", "weekofyear"}
)


def date_trunc(call: HiveCall) -> str:
    pattern_ = _TRUNCATED.get((call.constant(0) or "").lower())
    if pattern_ is None:
        raise call.unsupported("the unit must be a constant unit of the calendar")
    return call.fill(f"CAST(date_format({{1}}, '{pattern_}') AS TIMESTAMP)")


def extract(call: HiveCall) -> str:
    part = (call.constant(0) or "").lower()
    is_day = letter(call.arguments[1].type) == "D"
    if part not in _PARTS or (is_day and part in ("hour", "minute")):
        raise call.unsupported("this part")
    return call.fill(f"CAST({part}({{1}}) AS {type_text(call.type)})")


def size(call: HiveCall) -> str:
    return call.fill(
        "size({0})" if call.size_of_null else "CASE WHEN {0} IS NOT NULL THEN size({0}) END"
    )


def of_plain_elements(form: str) -> Writer:
    """Writes functions of arrays whose elements have the same order in both engines."""

    def write(call: HiveCall) -> str:
        type_ = call.arguments[0].type
        if not isinstance(type_, ArrayType) or letter(type_.element) not in "isD":
            raise call.unsupported("unsupported element type")
        return call.fill(f"CASE WHEN {{0}} IS NOT NULL THEN {form} END")

    return write


def elt(call: HiveCall) -> str:
    if not call.ansi:
        return call.fill("elt({*})")
    last = len(call.arguments) - 1
    return call.fill(
        f"CASE WHEN {{0}} IS NULL OR ({{0}} >= 1 AND {{0}} <= {last}) THEN elt({{*}}) ELSE {{raised}} END"
    )


def substring_index(call: HiveCall) -> str:
    """Writes ``substring_index``; Hive finds overlapping occurrences differently."""
    found = call.constant(1)
    if found is None or len(found) != 1:
        raise call.unsupported("the delimiter must be a constant of one character")
    return call.fill("substring_index({*})")


_UNITS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("year", "yyyy", "yy"), "YYYY"),
    **dict.fromkeys(("month", "mon", "mm"), "MM"),
}


def trunc(call: HiveCall) -> str:
    unit = _UNITS.get((call.constant(1) or "").lower())
    if unit is None:
        raise call.unsupported("the unit must be the constant year or month")
    return call.fill(f"CAST(trunc({{0}}, '{unit}') AS DATE)")


_WEEKDAYS: Final = re.compile(
    r"(?i)mo(n(day)?)?|tu(e(sday)?)?|we(d(nesday)?)?|th(u(rsday)?)?|fr(i(day)?)?|sa(t(urday)?)?|su(n(day)?)?"
)


def next_day(call: HiveCall) -> str:
    """Writes ``next_day``; for an invalid weekday Spark returns null, in ANSI mode an error."""
    if call.ansi and not _WEEKDAYS.fullmatch(call.constant(1) or ""):
        raise call.unsupported("the day of the week must be a constant")
    return call.fill("CAST(next_day({0}, {1}) AS DATE)")


def like(form: str) -> Writer:
    """Writes LIKE with constant patterns; Hive reads patterns with escapes differently."""

    def write(call: HiveCall) -> str:
        found = call.constant(1)
        if found is None or "\\" in found or not _is_of_plane(found):
            raise call.unsupported("the pattern must be a constant without escapes")
        return of_plane(form)(call) if "_" in found else call.fill(form)

    return write


def _is_of_plane(text: str) -> bool:
    return all(ord(character) <= _LAST_OF_PLANE for character in text)


def padded(call: HiveCall) -> str:
    """Writes ``lpad`` and ``rpad`` with a constant length and a constant padding."""
    length, by = call.digits(1, ""), call.constant(2) if len(call.arguments) > 2 else " "
    if not by or not _is_of_plane(by) or length.startswith("-"):
        raise call.unsupported(
            "the length and the padding must be constants, and the padding not empty"
        )
    return of_plane(f"{call.name}({{0}}, {length}, {string(by)})")(call)


def located_from(call: HiveCall) -> str:
    """Writes ``locate``; for a null position Spark returns 0, and Hive returns null."""
    if not call.constant(0):
        raise call.unsupported("the text to find may be empty")
    return of_plane("CASE WHEN {2} IS NULL THEN 0 ELSE locate({*}) END", (1,))(call)


def format_number(call: HiveCall) -> str:
    digits = call.digits(1, "0")
    if digits.startswith("-") or int(digits) > _MOST_DIGITS:
        raise call.unsupported("too many digits")
    return call.fill(f"format_number({{0}}, {digits})")


def split(call: HiveCall) -> str:
    if not call.constant(1):
        raise call.unsupported("the pattern may be empty")
    _check_pattern(call)
    return call.fill("split({0}, {1})")


def from_unixtime(call: HiveCall) -> str:
    written = "yyyy-MM-dd HH:mm:ss" if len(call.arguments) == 1 else pattern(call, 1)
    far = refused("a time beyond the years of four digits", STRING)
    return call.fill(
        "CASE WHEN {0} < (-62135596800L) OR {0} > 253402300799L"
        f" THEN {far} ELSE from_unixtime({{0}}, '{written}') END"
    )


def months_later(call: HiveCall) -> str:
    far = refused("a day of thousands of years away", call.type)
    made = by_one_calendar("{0} + INTERVAL ({1}) MONTH", call.type)
    return call.fill(
        f"CASE WHEN {{0}} IS NOT NULL AND ({{1}} > 96000 OR {{1}} < -96000) THEN {far} ELSE {made} END"
    )


def by_one_calendar(form: str, type_: ColumnType) -> str:
    """The form for counting months; fails before 1583, where Hive uses another calendar."""
    first = "DATE '1583-01-01'" if type_ == DATE else "TIMESTAMP '1583-01-01 00:00:00'"
    failed = refused("months before the year 1583", type_)
    return f"CASE WHEN {{0}} < {first} OR ({form}) < {first} THEN {failed} ELSE {form} END"


def encoded(call: HiveCall) -> str:
    found = call.constant(1)
    if found is None or found.lower() != "utf-8":
        raise call.unsupported("the character set must be UTF-8")
    return call.fill("CAST({0} AS BINARY)")


def date_format(call: HiveCall) -> str:
    return call.fill(f"date_format({{0}}, '{pattern(call, 1)}')")


def pattern(call: HiveCall, index: int) -> str:
    """A constant date pattern with the same meaning in both engines."""
    found = call.constant(index)
    letters = [run[0] for run in re.finditer(r"([A-Za-z])\1*", found or "")]
    if not found or not _PATTERN.fullmatch(found) or not _SAME_LETTERS.issuperset(letters):
        raise call.unsupported("Hive may read the pattern differently")
    return found


def joined(call: HiveCall) -> str:
    type_ = call.arguments[0].type
    if not isinstance(type_, ArrayType) or type_.element != STRING:
        raise call.unsupported("the arguments must be strings")
    # Hive fails on null.
    joined_ = "coalesce(array_join({0}, {1}), '')"
    return call.fill(f"CASE WHEN {{0}} IS NOT NULL AND {{1}} IS NOT NULL THEN {joined_} END")


def with_constant(form: str, places: Sequence[int] = (1,)) -> Writer:
    """Writes a call that requires some constant arguments."""

    def write(call: HiveCall) -> str:
        if None in map(call.constant, places):
            raise call.unsupported("the argument must be a constant")
        return call.fill(form)

    return write


def struct(call: HiveCall) -> str:
    type_ = call.type
    if not isinstance(type_, StructType):
        raise call.unsupported("the elements must be structs")
    parts = (f"{string(f.name)}, {text}" for f, text in zip(type_.fields, call.texts, strict=True))
    return f"named_struct({', '.join(parts)})"


def map_of(call: HiveCall) -> str:
    """Writes ``map``. Keys that may be null or equal are refused, since only Spark fails on them."""
    keys = call.arguments[::2]
    if any(key.nullable for key in keys):
        raise call.unsupported("a key may be null")
    values = [call.constant(place) for place in range(0, len(call.arguments), 2)]
    if len(keys) > 1 and (None in values or len(set(values)) < len(values)):
        raise call.unsupported("keys may be repeated")
    return call.fill("map({*})")


def array_contains(call: HiveCall) -> str:
    type_ = call.arguments[0].type
    if not isinstance(type_, ArrayType) or type_.element != call.arguments[1].type:
        raise call.unsupported("the value has another type")
    if letter(type_.element) not in "isxoDTb":
        raise call.unsupported("unsupported element type")
    return call.fill(CONTAINED)
