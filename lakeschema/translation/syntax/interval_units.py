"""Reads the units of intervals."""

from __future__ import annotations

from typing import Final

from lakeschema.translation.syntax.cursor import Cursor

_UNITS: Final = frozenset(
    {
        *("year", "quarter", "month", "week", "day", "hour", "minute", "second"),
        *("millisecond", "microsecond", "nanosecond"),
    }
)


def unit_of(cursor: Cursor) -> str | None:
    """Reads a unit, singular and in lower case, such as ``day``; None if none comes next."""
    first = _singular(cursor.word)
    if first is None:
        return None
    cursor.advance()
    last = _singular(cursor.ahead().word) if cursor.word == "TO" else None
    if last is None:
        return first
    cursor.advance()
    cursor.advance()
    return f"{first} to {last}"


def _singular(word: str) -> str | None:
    lower = word.lower()
    for unit in (lower, lower.removesuffix("s")):
        if unit in _UNITS:
            return unit
    return None
