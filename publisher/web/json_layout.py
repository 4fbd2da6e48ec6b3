"""Lays out JSON for readers: a value stays on one line if it fits; else each part gets its own line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

_WIDTH: Final = 92
_INDENT: Final = "  "


def lay_out_json(text: str) -> str:
    """The document laid out for readers. A text that is not JSON is returned unchanged."""
    try:
        return "".join(_pieces(json.loads(text), 0, 0))
    except (ValueError, RecursionError):
        return text


def _pieces(value: Any, depth: int, used: int) -> Iterator[str]:
    """The text of a value, in pieces. ``used`` is the number of other characters on its first line."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or len(flat) + len(_INDENT) * depth + used <= _WIDTH:
        yield flat
        return
    is_object = isinstance(value, dict)
    inside = "\n" + _INDENT * (depth + 1)
    yield "{" if is_object else "["
    for number, part in enumerate(value):
        yield f",{inside}" if number else inside
        key = f"{json.dumps(part, ensure_ascii=False)}: " if is_object else ""
        yield key
        yield from _pieces(value[part] if is_object else part, depth + 1, len(key) + 1)
    yield "\n" + _INDENT * depth + ("}" if is_object else "]")
