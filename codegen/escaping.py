"""Untrusted text as one plain line, and as Markdown that shows exactly that text."""

from __future__ import annotations

_MARKUP = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]()<>#+-.!|~&@:/$^=\"'"})


def one_line(text: str) -> str:
    """Without control characters and separators, which a header parser may read as a line end."""
    if text.isprintable():
        return " ".join(text.split())
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def markdown(text: str) -> str:
    return text.translate(_MARKUP)
