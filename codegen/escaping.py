"""Writes untrusted text as one plain line, and as Markdown that shows exactly this text."""

from __future__ import annotations

_MARKUP = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]()<>#+-.!|~&@:/$^=\"'"})


def one_line(text: str) -> str:
    """The text without control characters and separators, which could end a line of a header."""
    if text.isprintable():
        return " ".join(text.split())
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def markdown(text: str) -> str:
    return text.translate(_MARKUP)
