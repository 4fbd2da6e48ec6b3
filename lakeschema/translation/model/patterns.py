"""Matches names against patterns in which ``*`` stands for any characters."""

from __future__ import annotations

from collections.abc import Mapping


def match_pattern(pattern: str, text: str) -> Mapping[str, str] | None:
    """The text that each ``*`` matched, numbered from "1"; None without a match.

    Each text is as short as possible. One pass over the text is enough for any pattern.
    """
    first, *rest = pattern.split("*")
    if not rest:
        return {} if pattern == text else None
    last = rest.pop()
    end = len(text) - len(last)
    if not text.startswith(first) or not text.endswith(last) or end < len(first):
        return None
    stars: list[str] = []
    place = len(first)
    for literal in rest:
        found = text.find(literal, place, end)
        if found < 0:
            return None
        stars.append(text[place:found])
        place = found + len(literal)
    stars.append(text[place:end])
    return {str(number): star for number, star in enumerate(stars, 1)}
