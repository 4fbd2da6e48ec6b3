"""Makes untrusted text safe for a terminal and for markup."""

from __future__ import annotations


def printable(text: str) -> str:
    """Escapes control and direction characters and lone surrogates, so that the text is one line."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
