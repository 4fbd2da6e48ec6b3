"""Finds where constructs of a text can still end.

Many SQL constructs search the rest of the text for their end. In a text with many openings and no
end, each search would scan all the rest. A lexer asks here first whether an end exists.
"""

from __future__ import annotations

import re


class Ends:
    """The last end of each kind, found once for a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last: dict[str, int] = {}
        self._last_of: dict[re.Pattern[str], dict[str, int]] = {}

    def last(self, end: str) -> int:
        """The last place of the end; -1 if it does not occur."""
        found = self._last.get(end)
        if found is None:
            found = self._last[end] = self._text.rfind(end)
        return found

    def last_unescaped(self, quote: str) -> int:
        """Like ``last``, for ends that no backslash escapes."""
        key = f"\\{quote}"
        if key not in self._last:
            position = self._text.rfind(quote)
            while position >= 0 and self._is_escaped(position):
                position = self._text.rfind(quote, 0, position)
            self._last[key] = position
        return self._last[key]

    def after(self, end: str, position: int, kind: re.Pattern[str]) -> int:
        """The next place of the end at or after ``position``; -1 if no end follows.

        ``kind`` matches every end of that kind; there may be as many as the text has characters.
        """
        last = self._last_of.get(kind)
        if last is None:
            last = {each[1]: each.start() for each in kind.finditer(self._text)}
            self._last_of[kind] = last
        return self._text.find(end, position) if position <= last.get(end, -1) else -1

    def _is_escaped(self, position: int) -> bool:
        start = position
        while start > 0 and self._text[start - 1] == "\\":
            start -= 1
        return (position - start) % 2 == 1
