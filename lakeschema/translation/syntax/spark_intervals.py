"""Reads Spark's interval literals: their normal spelling, and the amounts that they stand for.

``INTERVAL 3 DAY 1 SECOND`` becomes ``3 00:00:01`` with the unit ``day to second``. The unit spans
the longest to the shortest field written. The months, days and microseconds are the amounts of a
calendar interval.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType

from lakeschema.translation.syntax.cursor import Cursor
from lakeschema.translation.syntax.lexing import NUMBER, STRING

_MONTH_FIELDS = ("year", "month")
_TIME_FIELDS = ("day", "hour", "minute", "second")
_MICROSECONDS: Mapping[str, int] = MappingProxyType(
    {
        "hour": 3_600_000_000,
        "minute": 60_000_000,
        "second": 1_000_000,
        "millisecond": 1_000,
        "microsecond": 1,
    }
)
_DAY = 24 * _MICROSECONDS["hour"]
_FIELD_OF: Mapping[str, str] = MappingProxyType(
    {
        **{field: field for field in (*_MONTH_FIELDS, *_TIME_FIELDS)},
        "week": "day",
        "millisecond": "second",
        "microsecond": "second",
    }
)
_NUMBER = re.compile(r"\s*([+-]?)\s*([0-9]{0,18})(?:\.([0-9]{0,9}))?\s*")
_YEARS_TO_MONTHS = re.compile(r"\s*([+-]?)([0-9]{1,9})-([0-9]{1,2})\s*")
_DAYS_TO_SECONDS = re.compile(
    r"\s*([+-]?)(?:([0-9]{1,9}) )?([0-9]{1,13}(?::[0-9]{1,2}){0,2})(?:\.([0-9]{1,9}))?\s*"
)


@dataclass(frozen=True, slots=True)
class IntervalText:
    """An interval. ``unit`` is, for example, ``day to second``.

    It is empty for a calendar interval with fields of both kinds.
    """

    unit: str
    months: int = 0
    days: int = 0
    microseconds: int = 0

    @property
    def text(self) -> str:
        """The value in Spark's spelling, without the unit."""
        first, _, last = self.unit.partition(" to ")
        if not self.unit:
            return ""
        if first in _MONTH_FIELDS:
            return _months(self.months, first, last or first)
        return _time(self.days * _DAY + self.microseconds, first, last or first)


def spark_interval(cursor: Cursor) -> IntervalText | None:
    """Reads a literal, beginning at its first value; None if Spark has no such literal."""
    start = cursor.index
    found = _read(cursor)
    if found is None:
        cursor.back_to(start)
    return found


def _read(cursor: Cursor) -> IntervalText | None:
    parts: list[tuple[str, str]] = []
    while True:
        before = cursor.index
        text = _value(cursor)
        unit = None if text is None else _unit(cursor)
        if text is None or unit is None:
            cursor.back_to(before)
            return _of_parts(parts) if parts else _in_words(cursor)
        if cursor.word == "TO" and not parts:
            cursor.advance()
            last = _unit(cursor)
            return None if last is None else _of_both_ends(text, unit, last)
        parts.append((text, unit))


def _in_words(cursor: Cursor) -> IntervalText | None:
    """Reads ``INTERVAL '1 day 2 hours'``."""
    if cursor.at.kind != STRING:
        return None
    words = cursor.advance().text.lower().split()
    if words[:1] == ["interval"]:
        words = words[1:]
    if not words or len(words) % 2:
        return None
    parts = [
        (text, word.removesuffix("s")) for text, word in zip(words[::2], words[1::2], strict=True)
    ]
    return _of_parts(parts) if all(unit in _FIELD_OF for _, unit in parts) else None


def _value(cursor: Cursor) -> str | None:
    """Reads a number or string, with its sign."""
    sign = cursor.take_one_of("-", "+")
    if cursor.at.kind not in {NUMBER, STRING}:
        return None
    text = cursor.advance().text.strip()
    if sign == "-":
        return ("" if text[:1] == "-" else "-") + text.lstrip("+-")
    return text


def _unit(cursor: Cursor) -> str | None:
    plain = cursor.word.lower().removesuffix("s")
    if plain not in _FIELD_OF:
        return None
    cursor.advance()
    return plain


def _of_parts(parts: Sequence[tuple[str, str]]) -> IntervalText | None:
    months = days = microseconds = 0
    for text, unit in parts:
        amount = _number(text)
        if amount is None or (amount != int(amount) and unit != "second"):
            return None
        if unit in _MONTH_FIELDS:
            months += int(amount) * (12 if unit == "year" else 1)
        elif unit in {"day", "week"}:
            days += int(amount) * (7 if unit == "week" else 1)
        else:
            microseconds += int(amount * _MICROSECONDS[unit])
    return IntervalText(_span({_FIELD_OF[unit] for _, unit in parts}), months, days, microseconds)


def _span(fields: set[str]) -> str:
    """The unit from the longest to the shortest field; empty if fields of both kinds occur."""
    kind = _MONTH_FIELDS if fields & {*_MONTH_FIELDS} else _TIME_FIELDS
    if not fields <= {*kind}:
        return ""
    found = [field for field in kind if field in fields]
    return found[0] if len(found) == 1 else f"{found[0]} to {found[-1]}"


def _number(text: str) -> Decimal | None:
    match = _NUMBER.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        return None
    return Decimal(f"{match[1]}{match[2] or 0}.{match[3] or 0}")


def _of_both_ends(text: str, first: str, last: str) -> IntervalText | None:
    """Reads the text in ``'1-2' YEAR TO MONTH`` or ``'1 02:03' DAY TO MINUTE``."""
    if (first, last) == _MONTH_FIELDS:
        match = _YEARS_TO_MONTHS.fullmatch(text)
        if match is None:
            return None
        months = int(match[2]) * 12 + int(match[3])
        return IntervalText("year to month", -months if match[1] == "-" else months)
    if not {first, last} <= {*_TIME_FIELDS}:
        return None
    start, end = _TIME_FIELDS.index(first), _TIME_FIELDS.index(last)
    match = _DAYS_TO_SECONDS.fullmatch(text)
    if match is None or start >= end:
        return None
    numbers = [*([match[2]] if match[2] else []), *match[3].split(":")]
    fields = _TIME_FIELDS[start : end + 1]
    if len(numbers) != len(fields) or (match[4] and last != "second"):
        return None
    sign = -1 if match[1] == "-" else 1
    amounts = {f: sign * int(number) for f, number in zip(fields, numbers, strict=True)}
    days = amounts.pop("day", 0)
    microseconds = sum(amount * _MICROSECONDS[field] for field, amount in amounts.items())
    microseconds += sign * int((match[4] or "0").ljust(6, "0")[:6])
    return IntervalText(f"{first} to {last}", 0, days, microseconds)


def _months(months: int, first: str, last: str) -> str:
    sign, months = _signed(months)
    if first == last:
        return f"{sign}{months // 12 if first == 'year' else months}"
    return f"{sign}{months // 12}-{months % 12}"


def _time(microseconds: int, first: str, last: str) -> str:
    """The text of the fields from first to last.

    The first also has the amounts of longer fields.
    """
    sign, left = _signed(microseconds)
    start, end = _TIME_FIELDS.index(first), _TIME_FIELDS.index(last)
    text = ""
    for field in _TIME_FIELDS[start : end + 1]:
        amount, left = divmod(left, _DAY if field == "day" else _MICROSECONDS[field])
        separator = "" if field == first else " " if field == "hour" and first == "day" else ":"
        shown = str(amount) if field == first else f"{amount:02}"
        text += separator + shown
    fraction = f".{left:06}".rstrip("0") if last == "second" and left else ""
    return f"{sign}{text}{fraction}"


def _signed(number: int) -> tuple[str, int]:
    return ("-" if number < 0 else ""), abs(number)
