"""Untrusted text → text that a terminal shows and does not obey."""

from __future__ import annotations


def printable(text: str) -> str:
    """One line: control and direction characters and lone surrogates stand as escapes."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
