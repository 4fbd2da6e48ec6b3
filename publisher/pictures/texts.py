"""Cleans untrusted texts for a picture: one line, no control or direction characters, bounded length."""

from __future__ import annotations

import unicodedata
from typing import Final

from publisher.printable import printable

MAX_LABEL: Final = 34
"""The limit, in letters, of a box's first line."""
MAX_NOTE: Final = 40
MAX_EDGE_LABEL: Final = 32
_MAX_WHOLE: Final = 4_000
_ELLIPSIS: Final = "…"
_WIDE: Final = 1.7
"""The width of an East Asian letter, relative to a Latin one of the same monospaced font."""


def whole(text: str) -> str:
    """The text for a tooltip: the whole text, unless it is so long that the page would grow."""
    if len(text) <= _MAX_WHOLE and text.isprintable() and "  " not in text:
        return text
    shown = printable(" ".join(text.split()))
    return shown if len(shown) <= _MAX_WHOLE else shown[: _MAX_WHOLE - 1] + _ELLIPSIS


def shortened(text: str, limit: int) -> str:
    """The beginning and the end of a long text: similar names often differ only at the end."""
    shown = whole(text)
    if len(shown) <= limit:
        return shown
    end = (limit - 1) * 2 // 3
    return shown[: limit - 1 - end] + _ELLIPSIS + shown[-end:]


def letters(text: str) -> float:
    """The width of a text, in Latin letters of a monospaced font."""
    if text.isascii():
        return len(text)
    return sum(_WIDE if unicodedata.east_asian_width(c) in {"W", "F"} else 1.0 for c in text)
