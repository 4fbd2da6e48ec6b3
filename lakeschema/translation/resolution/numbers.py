"""Finds the type of a number literal."""

from __future__ import annotations

from decimal import Decimal

from lakeschema.catalog.column_types import BIGINT, DOUBLE, INT, DecimalType
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import Literal

_INT_LIMIT = 2**31
_BIGINT_LIMIT = 2**63
_MAX_DIGITS = 38


def number(text: str, semantics: Semantics) -> Literal:
    """The literal. An integer's type depends on its size; fractions are decimals, exponents doubles.

    ``text`` includes a sign. Hive chooses an integer's type without the sign.
    """
    lower = text.lower()
    if "e" in lower:
        return _exponent(text) if semantics.decimal_exponents else Literal(text, DOUBLE)
    if "." in text:
        return _fraction(text, semantics)
    try:
        value = int(text)
    except ValueError:
        raise UnsupportedConstruct(f"the number {text[:40]}") from None
    size = -value - 1 if value < 0 and not semantics.is_hive else abs(value)
    if size < _INT_LIMIT:
        return Literal(text, INT)
    if size < _BIGINT_LIMIT:
        return Literal(text, BIGINT)
    digits = len(str(abs(value)))
    if digits > _MAX_DIGITS:
        raise UnsupportedConstruct(f"a number of more than {_MAX_DIGITS} digits")
    return Literal(text, DecimalType(digits, 0))


def _exponent(text: str) -> Literal:
    """The decimal that Java's BigDecimal reads, with a scale of at least 0."""
    digits = Decimal(text).as_tuple()
    scale = max(0, -int(digits.exponent))
    precision = max(len(digits.digits) + max(0, int(digits.exponent)), scale)
    if precision > _MAX_DIGITS:
        raise UnsupportedConstruct(f"a number of more than {_MAX_DIGITS} digits")
    return Literal(text, DecimalType(precision, scale))


def _fraction(text: str, semantics: Semantics) -> Literal:
    whole, _, fraction = text.lstrip("-").partition(".")
    if semantics.is_hive:
        # In Hive 1.50 has the type of 1.5.
        fraction = fraction.rstrip("0")
    digits = len(whole.lstrip("0"))
    precision, scale = max(digits + len(fraction), 1), len(fraction)
    if precision > _MAX_DIGITS:
        return Literal(text, DOUBLE)
    return Literal(text, DecimalType(precision, scale))
