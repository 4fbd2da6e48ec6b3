"""Compares Hive's decimals with ours: if Hive folds literals, ours may have more digits (decision 014)."""

from __future__ import annotations

import re
from typing import Final

_DECIMAL: Final = re.compile(r"decimal\((\d+),(\d+)\)")
_LITERAL: Final = re.compile(r"\d|'|\b(?:true|false|null)\b", re.IGNORECASE)


def agree(ours: str, hives: str, expression: str) -> bool:
    """Whether an expression has Hive's type; with a literal in it, whether its decimals have room for Hive's."""
    return has_room(ours, hives) if _LITERAL.search(expression) else ours == hives


def has_room(ours: str, hives: str) -> bool:
    """Whether types differ in nothing but more digits of our decimals, before or behind the point."""
    if _DECIMAL.sub("decimal", ours) != _DECIMAL.sub("decimal", hives):
        return False
    pairs = zip(_DECIMAL.findall(ours), _DECIMAL.findall(hives), strict=True)
    return all(_holds(*map(int, (*one, *other))) for one, other in pairs)


def _holds(precision: int, scale: int, hives_precision: int, hives_scale: int) -> bool:
    return scale >= hives_scale and precision - scale >= hives_precision - hives_scale
