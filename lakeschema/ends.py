"""Where what opens in a text may still end.

Many a construct of SQL looks for its end in all of the rest. Whoever did so at each opening of a text that
has no such end would read that rest as often: a lexer asks here first, and nothing is sought twice in vain.
"""

from __future__ import annotations

import re


class Ends:
    """The last end of each kind, found once a text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last: dict[str, int] = {}
        self._last_of: dict[re.Pattern[str], dict[str, int]] = {}

    def last(self, end: str) -> int:
        """Where it stands for the last time; -1 if nowhere."""
        found = self._last.get(end)
        if found is None:
            found = self._last[end] = self._text.rfind(end)
        return found

    def last_unescaped(self, quote: str) -> int:
        """As ``last``, of those that no backslash escapes."""
        key = f"\\{quote}"
        if key not in self._last:
            position = self._text.rfind(quote)
            while position >= 0 and self._is_escaped(position):
                position = self._text.rfind(quote, 0, position)
            self._last[key] = position
        return self._last[key]

    def after(self, end: str, position: int, kind: re.Pattern[str]) -> int:
        """Where it stands next, from ``position`` on; -1 if nowhere.

        ``kind`` matches each end of that kind: there may be as many as the text has characters.
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
