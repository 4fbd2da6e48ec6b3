"""Writes Spark's type conversions for Hive. They must also fail if Spark fails in ANSI mode."""

from __future__ import annotations

from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    DATE,
    STRING,
    TIMESTAMP,
    ColumnType,
    DecimalType,
    print_type,
)
from lakeschema.translation.emission.hive.text import null, raised, refused, type_text
from lakeschema.translation.emission.rows import letter
from lakeschema.translation.functions.coercion import is_narrower
from lakeschema.translation.functions.constants import BITS, SURE_DIGITS
from lakeschema.translation.model.errors import UnsupportedConstruct

_PLAIN_SCALE: Final = 6
"""The largest scale at which Java writes every decimal without an exponent."""

_BLANKS: Final = r"^[\\x00-\\x20\\x7f]+|[\\x00-\\x20\\x7f]+$"
TRIMMED: Final = f"regexp_replace({{0}}, '{_BLANKS}', '')"
"""The template of a text without the blanks around it, which Spark's casts skip."""

NOT_FINITE: Final = "CAST({0} AS STRING) IN ('NaN', 'Infinity', '-Infinity')"
_WHOLE: Final = r"^[+-]?[0-9]+$"
_CUT: Final = r"^([+-]?)([0-9]*)(\\.[0-9]*)?$"
_REAL: Final = r"^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?[dDfF]?$"
_EXACT: Final = r"^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,3})?$"
_DAY: Final = r"^([0-9]{4})(-([0-9]{1,2})(-([0-9]{1,2})([ T].*)?)?)?$"
_FAR_DAY: Final = r"^([+-][0-9]{4,7}|[0-9]{5,7})(-[0-9]{1,2}(-[0-9]{1,2}([ T].*)?)?)?$"
_MOMENT: Final = (
    r"^([0-9]{4})(-([0-9]{1,2})(-([0-9]{1,2})([ T](([01]?[0-9]|2[0-3])(:([0-5]?[0-9])"
    r"(:([0-5]?[0-9])(\\.([0-9]{0,6})[0-9]*)?)?)?)?)?)?)?$"
)
_OTHER_MOMENT: Final = (
    r"^([+-]?[0-9]{4,7}(-[0-9]{1,2}){1,2}[ T] *[^ ].*|T?[0-9]{1,2}:[0-9].*|[+-][0-9]{4}.*"
    r"|[0-9]{5,7}(-.*)?)$"
)


def cast_template(
    source: ColumnType, target: ColumnType, *, ansi: bool, tolerant: bool = False
) -> str:
    """The template of a conversion, with ``{0}`` for the value's text. ``tolerant``: as TRY_CAST.

    Raises:
        UnsupportedConstruct: no conversion has the same result.
    """
    if source == target:
        return "{0}"
    raises = ansi and not tolerant
    made = _template(source, target, ansi=ansi, tolerant=tolerant)
    if made is None:
        raise UnsupportedConstruct(
            f"a conversion of {print_type(source)} to {print_type(target)} for Hive"
        )
    if raises and letter(source) in "fd" and letter(target) == "x":
        # In this mode too, Spark makes null of a text that is not a number.
        return f"CASE WHEN {NOT_FINITE} THEN {null(target)} ELSE {or_raise(made, target)} END"
    return or_raise(made, target) if raises and _may_fail(source, target) else made


def or_raise(made: str, type_: ColumnType) -> str:
    """The template ``made``, changed to fail if its result is null although ``{0}`` is not."""
    return f"CASE WHEN {{0}} IS NULL OR ({made}) IS NOT NULL THEN {made} ELSE {raised(type_)} END"


def _may_fail(source: ColumnType, target: ColumnType) -> bool:
    match letter(source), letter(target):
        case "s", "s" | "b":
            return False
        case "s", _:
            return True
        case ("i" | "x", "i"):
            return not is_narrower(source, target)
        case ("i", "x") | ("x", "x"):
            return not is_narrower(source, target)
        case ("f" | "d", "i"):
            return True
        case _:
            return False


def _template(source: ColumnType, target: ColumnType, *, ansi: bool, tolerant: bool) -> str | None:
    plain = f"CAST({{0}} AS {type_text(target)})"
    wraps = not (ansi or tolerant)
    match letter(source), letter(target):
        case "n", _:
            return plain
        case ("s", "s"):
            return "{0}"
        case ("s", _):
            return _of_text(target, cuts=wraps)
        case ("i" | "f" | "d" | "b" | "D", "s"):
            return plain
        case ("T", "s"):
            return _moment_as_text(plain)
        case ("o", "s"):
            return "lower(CAST({0} AS STRING))"
        case ("x", "s") if isinstance(source, DecimalType):
            return plain if ansi or source.scale <= _PLAIN_SCALE else None
        case ("i", "i"):
            return plain if wraps or is_narrower(source, target) else _in_range(target)
        case ("f" | "d", "i"):
            return plain if wraps else _in_range_of_double(target)
        case ("x", "i") if isinstance(source, DecimalType):
            sure = source.precision - source.scale <= SURE_DIGITS[target]
            # An overflow is null in Hive, and wraps to the lowest bits in Spark.
            return plain if sure or not wraps else None
        case ("i" | "x", "x" | "f" | "d") | ("f" | "d", "f" | "d"):
            return plain
        case ("f" | "d", "x"):
            # Hive returns null for numbers smaller than any decimal.
            exact = plain.replace("{0}", "CAST({0} AS DOUBLE)") if letter(source) == "f" else plain
            return f"CASE WHEN abs({{0}}) < 1e-39D THEN CAST(0 AS {type_text(target)}) ELSE {exact} END"
        case ("o", "i" | "f" | "d" | "x"):
            return f"CAST(if({{0}}, 1, if({{0}} IS NULL, NULL, 0)) AS {type_text(target)})"
        case ("i" | "f" | "d" | "x", "o"):
            return "({0} <> 0)"
        case ("D", "T") | ("T", "D"):
            return plain
        case _:
            return None


def _moment_as_text(plain: str) -> str:
    far = refused("a time beyond the years of four digits, as text", STRING)
    return f"CASE WHEN {{0}} > TIMESTAMP '9999-12-31 23:59:59.999999' THEN {far} ELSE {plain} END"


def _in_range(target: ColumnType) -> str:
    bound = 2 ** (BITS[target] - 1)
    return f"CASE WHEN {{0}} BETWEEN {-bound} AND {bound - 1} THEN CAST({{0}} AS {type_text(target)}) END"


def _in_range_of_double(target: ColumnType) -> str:
    """The condition that a number's integer part fits the target."""
    bound = 2 ** (BITS[target] - 1)
    low, high = (f"{-bound - 1}.0D", f"{bound}.0D")
    # The smallest long minus one is the same double.
    least = f">= {-bound}.0D" if target == BIGINT else f"> {low}"
    return f"CASE WHEN {{0}} {least} AND {{0}} < {high} THEN CAST({{0}} AS {type_text(target)}) END"


def _of_text(target: ColumnType, *, cuts: bool) -> str | None:
    """The template for text; ``cuts``: Spark uses the integer part of a text with a fraction."""
    as_type = type_text(target)
    match letter(target):
        case "b":
            return "CAST({0} AS BINARY)"
        case "i":
            return _whole(as_type, cuts=cuts)
        case "d" | "f":
            return _real(target)
        case "x":
            return f"CASE WHEN {TRIMMED} RLIKE '{_EXACT}' THEN CAST({TRIMMED} AS {as_type}) END"
        case "o":
            return (
                f"CASE WHEN lower({TRIMMED}) IN ('t', 'true', 'y', 'yes', '1') THEN true"
                f" WHEN lower({TRIMMED}) IN ('f', 'false', 'n', 'no', '0') THEN false END"
            )
        case "D":
            return _day()
        case "T":
            return _moment()
        case _:
            return None


def _whole(as_type: str, *, cuts: bool) -> str:
    # Numbers of more than 38 digits do not fit any integer type.
    exact = "CAST(CAST({} AS DECIMAL(38,0)) AS {})"
    if not cuts:
        made = exact.format(TRIMMED, as_type)
        return f"CASE WHEN {TRIMMED} RLIKE '{_WHOLE}' THEN {made} END"
    digits = f"regexp_replace({TRIMMED}, '{_CUT}', '$10$2')"
    made = exact.format(digits, as_type)
    return f"CASE WHEN {TRIMMED} RLIKE '{_CUT}' AND {TRIMMED} NOT IN ('', '+', '-') THEN {made} END"


def _real(target: ColumnType) -> str:
    as_type, word = type_text(target), f"lower({TRIMMED})"
    far = refused("a number in such a form", target)
    return (
        f"CASE WHEN {TRIMMED} RLIKE '{_REAL}' THEN CAST({TRIMMED} AS {as_type})"
        f" WHEN {word} = 'nan' THEN CAST('NaN' AS {as_type})"
        f" WHEN {word} IN ('inf', '+inf', 'infinity', '+infinity') THEN CAST('Infinity' AS {as_type})"
        f" WHEN {word} IN ('-inf', '-infinity') THEN CAST('-Infinity' AS {as_type})"
        f" WHEN {word} RLIKE '^[+-]?(0x|nan)' THEN {far} END"
    )


def _part(pattern: str, group: int) -> str:
    # Hive returns null for a group that does not match.
    return f"coalesce(regexp_extract({TRIMMED}, '{pattern}', {group}), '')"


def _two_digits(pattern: str, group: int, first: str) -> str:
    return f"lpad(if({_part(pattern, group)} = '', '{first}', {_part(pattern, group)}), 2, '0')"


def _date_text(pattern: str) -> str:
    month, day = _two_digits(pattern, 3, "1"), _two_digits(pattern, 5, "1")
    return f"concat({_part(pattern, 1)}, '-', {month}, '-', {day})"


def _day() -> str:
    """The template for days. A text may have only a year, or a year and month: it means the first day."""
    return (
        f"CASE WHEN {TRIMMED} RLIKE '{_DAY}' THEN CAST({_date_text(_DAY)} AS DATE)"
        f" WHEN {TRIMMED} RLIKE '{_FAR_DAY}' THEN {refused('a date beyond the years of four digits', DATE)} END"
    )


def _moment() -> str:
    """The template for moments; texts with a zone, or without a date, fail at run time."""
    hour, minute, second = (_two_digits(_MOMENT, group, "0") for group in (8, 10, 12))
    fraction = f"rpad({_part(_MOMENT, 14)}, 6, '0')"
    whole = (
        f"concat({_date_text(_MOMENT)}, ' ', {hour}, ':', {minute}, ':', {second}, '.', {fraction})"
    )
    return (
        f"CASE WHEN {TRIMMED} RLIKE '{_MOMENT}' THEN CAST({whole} AS TIMESTAMP)"
        f" WHEN {TRIMMED} RLIKE '{_OTHER_MOMENT}' THEN {refused('a text with a moment of another form', TIMESTAMP)} END"
    )
