"""Values of constant expressions, such as ``1 + 1``, on which a result type depends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from operator import add, mul, sub
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import BIGINT, INT, SMALLINT, STRING, TINYINT, VOID, ColumnType
from lakeschema.translation.functions.coercion import is_text
from lakeschema.translation.plan.expressions import Call, Cast, Literal, RowExpression

BITS: Final[Mapping[ColumnType, int]] = MappingProxyType(
    {TINYINT: 8, SMALLINT: 16, INT: 32, BIGINT: 64}
)
SURE_DIGITS: Final[Mapping[ColumnType, int]] = MappingProxyType(
    {TINYINT: 2, SMALLINT: 4, INT: 9, BIGINT: 18}
)
"""The number of digits for which every integer with so many digits fits the type."""
_MAX_DIGITS: Final = 40
"""The maximum number of digits to compute with: 1E9999999 in full would take minutes.

No type has so many digits.
"""
_OPERATORS: Final[Mapping[str, Callable[[int, int], int]]] = MappingProxyType(
    {"+": add, "-": sub, "*": mul}
)


def constant_int(expression: RowExpression) -> int | None:
    """The value of an integer literal or of arithmetic on literals; otherwise None."""
    match expression:
        case Literal(str(text)):
            try:
                return int(text)
            except ValueError:
                return None
        case Cast(operand, type_) if type_ in BITS:
            return _fitting(_whole_part(operand), type_)
        case Call(operator, (operand,), type_) if operator.name == "negative":
            inner = constant_int(operand)
            return None if inner is None else _fitting(-inner, type_)
        case Call(operator, (one, other), type_) if operator.name in _OPERATORS:
            left, right = constant_int(one), constant_int(other)
            if left is None or right is None:
                return None
            return _fitting(_OPERATORS[operator.name](left, right), type_)
        case _:
            return None


def constant_text(expression: RowExpression) -> str | None:
    """The value of a text literal or of concatenated literals; otherwise None."""
    match expression:
        case Literal(str(text), type_) if is_text(type_):
            return text
        case Cast(operand, type_) if type_ == STRING:
            return constant_text(operand)
        case Call(operator, parts) if operator.name in {"concat", "||"}:
            texts = [constant_text(part) for part in parts]
            return None if None in texts else "".join(text or "" for text in texts)
        case _:
            return None


def is_null(expression: RowExpression) -> bool:
    """Whether the expression is NULL, or a cast of NULL."""
    match expression:
        case Literal(None):
            return True
        case Cast(operand):
            return is_null(operand)
        case _:
            return expression.type == VOID


def _whole_part(expression: RowExpression) -> int | None:
    match expression:
        case Literal(str(text)):
            try:
                number = Decimal(text)
                return int(number) if number.adjusted() < _MAX_DIGITS else None
            except (InvalidOperation, ValueError, OverflowError):
                return None
        case _:
            return constant_int(expression)


def _fitting(value: int | None, type_: ColumnType) -> int | None:
    """The value if it fits the type. Otherwise None: some dialects wrap around, other dialects fail."""
    bits = BITS.get(type_)
    if value is None or bits is None:
        return None
    return value if -(1 << (bits - 1)) <= value < 1 << (bits - 1) else None
