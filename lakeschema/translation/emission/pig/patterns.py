"""Converts SQL's patterns to Java's regular expressions for the whole text."""

from __future__ import annotations

import re
from typing import Final

from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import Literal, RowExpression

_SHARED: Final = re.compile(
    r"(?:y{1,4}|M{1,4}|d{1,2}|H{1,2}|h{1,2}|m{1,2}|s{1,2}|a|E{3,4}|[^A-Za-z'])*"
)
_SPECIAL: Final = re.compile(r"[^A-Za-z0-9 ]")


def of_like(pattern: str) -> str:
    """The regular expression of a LIKE pattern, in which a backslash escapes the next character."""
    parts = ["(?s)"]
    characters = iter(pattern)
    for character in characters:
        if character == "%":
            parts.append(".*")
        elif character == "_":
            parts.append(".")
        elif character == "\\":
            parts.append(_plain(next(characters, "\\")))
        else:
            parts.append(_plain(character))
    return "".join(parts)


def _plain(character: str) -> str:
    if character == "$":
        return "[$]"  # Pig's preprocessor would interpret it after a backslash.
    if ord(character) < 128 and _SPECIAL.match(character):
        return "\\" + character
    return character


def check_of_days(pattern: RowExpression) -> None:
    """Raises ``UnsupportedConstruct`` unless Joda, which Pig uses, reads the pattern like Java."""
    if not isinstance(pattern, Literal) or _SHARED.fullmatch(pattern.value or "") is None:
        raise UnsupportedConstruct("date_format with letters that Pig reads differently")
