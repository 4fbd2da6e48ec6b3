"""Writes a converted literal as a literal of the target type, instead of a cast."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal
from typing import Final

from lakeschema.catalog.column_types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    STRING,
    TIMESTAMP,
    ColumnType,
    DecimalType,
)
from lakeschema.translation.emission.hive.text import literal
from lakeschema.translation.emission.rows import letter
from lakeschema.translation.functions.coercion import is_integer, is_text
from lakeschema.translation.functions.constants import BITS
from lakeschema.translation.plan.expressions import Literal

_INTEGER: Final = re.compile(r"-?[0-9]{1,19}")
_EXACT: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT: Final = re.compile(_DAY.pattern + r" [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?")


def converted(operand: Literal, target: ColumnType) -> str | None:
    """The converted value as a literal of the target type; None if a cast must be written."""
    value, source = operand.value, operand.type
    if value is None:
        return literal(None, target)
    if is_text(source) and is_text(target):
        return literal(value, STRING)
    if is_integer(source) and is_integer(target):
        return _integer(value, target)
    if is_integer(source) and letter(target) in "dx":
        return literal(value, target)
    if letter(source) == "x" and letter(target) == "d":
        return literal(value, target)
    return _of_text(value.strip(" "), target) if is_text(source) else None


def _integer(value: str, target: ColumnType) -> str | None:
    bits = BITS.get(target)
    fits = bits is not None and -(2 ** (bits - 1)) <= int(value) < 2 ** (bits - 1)
    return literal(value, target) if fits else None


def _of_text(text: str, target: ColumnType) -> str | None:
    if is_integer(target):
        return _integer(text, target) if _INTEGER.fullmatch(text) else None
    if target == BOOLEAN:
        return text.lower() if text.lower() in ("true", "false") else None
    if target == DOUBLE:
        return literal(text, target) if _EXACT.fullmatch(text) else None
    if isinstance(target, DecimalType):
        return _decimal(text, target) if _EXACT.fullmatch(text) else None
    try:
        if target == DATE and _DAY.fullmatch(text):
            return literal(date.fromisoformat(text).isoformat(), DATE)
        if target == TIMESTAMP and _MOMENT.fullmatch(text):
            datetime.fromisoformat(text)
            return literal(text, TIMESTAMP)
    except ValueError:
        return None
    return None


def _decimal(text: str, target: DecimalType) -> str | None:
    """The decimal literal; None if a digit would be rounded away."""
    number = Decimal(text)
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    fits = -exponent <= target.scale and len(digits) + exponent <= target.precision - target.scale
    return literal(text, target) if fits else None
