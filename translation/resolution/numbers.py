"""The type of a number as it is written."""

from __future__ import annotations

from catalog.column_types import BIGINT, DOUBLE, INT, DecimalType
from translation.errors import UnsupportedConstruct
from translation.functions.semantics import Semantics
from translation.plan.expressions import Literal

_INT_LIMIT = 2**31
_BIGINT_LIMIT = 2**63
_MOST_DIGITS = 38


def number(text: str, semantics: Semantics) -> Literal:
    """Whole numbers by size, fractions as decimals, exponents as doubles: as both dialects do."""
    lower = text.lower()
    if "e" in lower:
        return Literal(text, DOUBLE)
    if "." in text:
        return _fraction(text, semantics)
    try:
        value = int(text)
    except ValueError:
        raise UnsupportedConstruct(f"the number {text[:40]}") from None
    if value < _INT_LIMIT:
        return Literal(text, INT)
    if value < _BIGINT_LIMIT:
        return Literal(text, BIGINT)
    if len(text) > _MOST_DIGITS:
        raise UnsupportedConstruct(f"a number of more than {_MOST_DIGITS} digits")
    return Literal(text, DecimalType(len(text.lstrip("0")) or 1, 0))


def _fraction(text: str, semantics: Semantics) -> Literal:
    whole, _, fraction = text.partition(".")
    if not semantics.is_spark:
        # To Hive 1.50 is 1.5: zeros at the end are no digits of its type.
        fraction = fraction.rstrip("0")
    digits = len(whole.lstrip("0"))
    precision, scale = max(digits + len(fraction), 1), len(fraction)
    if precision > _MOST_DIGITS:
        return Literal(text, DOUBLE)
    return Literal(text, DecimalType(precision, scale))
