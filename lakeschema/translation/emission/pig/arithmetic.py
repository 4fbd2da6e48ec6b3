"""Writes arithmetic that agrees with Hive: integers wrap around, and a division by zero is null."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    TINYINT,
    ColumnType,
    DecimalType,
    print_type,
)
from lakeschema.translation.emission.pig.texts import null
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import Call, Cast, Literal, RowExpression

MAX_DIGITS: Final = 38
_BINARY: Final = 2
DIGITS: Final[Mapping[ColumnType, int]] = MappingProxyType(
    {TINYINT: 3, SMALLINT: 5, INT: 10, BIGINT: 19}
)
_PLAIN: Final[Mapping[str, str]] = MappingProxyType(
    {"+": "({0} + {1})", "-": "({0} - {1})", "*": "({0} * {1})"}
)
_UNARY: Final[Mapping[str, str]] = MappingProxyType({"negative": "(-{0})", "positive": "{0}"})
_REMAINDERS: Final[Mapping[str, str]] = MappingProxyType(
    {"%": "({0} % {1})", "mod": "({0} % {1})", "pmod": "((({0} % {1}) + {1}) % {1})"}
)
_BITS: Final = frozenset({"&", "|", "^", "~"})
_HIVES: Final = frozenset({"div", *_BITS})
_WRAPPED: Final[Mapping[ColumnType, str]] = MappingProxyType(
    {TINYINT: "@tinyint({})", SMALLINT: "@smallint({})"}
)
OPERATORS: Final = frozenset({*_PLAIN, *_UNARY, "/", *_REMAINDERS, *_HIVES})


def keeps_argument(name: str) -> bool:
    """Whether the operator returns its argument unchanged."""
    return name == "positive"


def computed_type(result: ColumnType) -> ColumnType:
    """The type in which Pig computes a result."""
    return INT if result in {TINYINT, SMALLINT} else result


def template(name: str, call: Call) -> str:
    """The form of a unary or binary operator on operands of the computed type.

    Raises:
        UnsupportedConstruct: Pig computes it differently.
    """
    type_ = call.type
    if isinstance(type_, DecimalType):
        return _of_decimals(name, call, type_)
    if type_ not in {TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE}:
        raise UnsupportedConstruct(f"{name} of {print_type(type_)} for Pig")
    if name == "/":
        return _quotient(call)
    if name in _REMAINDERS:
        return _remainder(name, call)
    if name == "div" and type_ in {INT, BIGINT}:
        if _is_zero(call.arguments[1]):
            return null(type_)
        return f"({{1}} == 0 ? {null(type_)} : {{0}} / {{1}})"
    if name in _BITS and type_ in {INT, BIGINT}:
        return f"@{name}({{*}})"
    if name in _HIVES:
        raise UnsupportedConstruct(f"{name} for Pig")
    text = _PLAIN.get(name) or _UNARY[name]
    return _WRAPPED[type_].format(text) if type_ in _WRAPPED else text


def decimal_of(operand: RowExpression) -> DecimalType | None:
    """The operand's type in decimal arithmetic; None if it is not an exact number."""
    if isinstance(operand, Literal) and operand.value is not None and operand.type in DIGITS:
        return DecimalType(len(operand.value.lstrip("+-0")) or 1, 0)
    if operand.type in DIGITS:
        return DecimalType(DIGITS[operand.type], 0)
    return operand.type if isinstance(operand.type, DecimalType) else None


def _quotient(call: Call) -> str:
    if _is_not_zero(call.arguments[1]):
        return "({0} / {1})"
    zero = "0.0F" if call.type == FLOAT else "0.0"
    # In Pig's comparison -0.0 differs from 0.0.
    return f"(({{1}} + {zero}) == {zero} ? {null(call.type)} : {{0}} / {{1}})"


def _remainder(name: str, call: Call) -> str:
    type_ = call.type
    if type_ in {FLOAT, DOUBLE}:
        raise UnsupportedConstruct(f"{name} of {print_type(type_)} for Pig")
    if _is_zero(call.arguments[1]):
        return null(type_)
    text = _REMAINDERS[name]
    return text if _is_not_zero(call.arguments[1]) else f"({{1}} == 0 ? {null(type_)} : {text})"


def _is_zero(divisor: RowExpression) -> bool:
    """Whether a divisor is a literal zero: Pig would divide by it while reading the script."""
    match divisor:
        case Cast(operand=operand, implicit=True):
            return _is_zero(operand)
        case Literal(str()):
            return not _is_not_zero(divisor)
        case _:
            return False


def _is_not_zero(divisor: RowExpression) -> bool:
    """Whether a divisor is a literal number other than zero."""
    match divisor:
        case Cast(operand=operand, implicit=True):
            return _is_not_zero(operand)
        case Literal(str(value)):
            return any(digit in "123456789" for digit in value.lower().partition("e")[0])
        case _:
            return False


def _of_decimals(name: str, call: Call, type_: DecimalType) -> str:
    """The form for decimals. Pig keeps all digits, so results that Hive would round are refused."""
    if name in _UNARY:
        return _UNARY[name]
    operands = [decimal_of(argument) for argument in call.arguments]
    if name not in _PLAIN or len(operands) != _BINARY:
        raise UnsupportedConstruct(f"{name} of decimals for Pig")
    left, right = operands
    if left is None or right is None:
        raise UnsupportedConstruct(f"{name} of decimals for Pig")
    if name == "*":
        scale, precision = left.scale + right.scale, left.precision + right.precision + 1
    else:
        scale = max(left.scale, right.scale)
        whole = max(left.precision - left.scale, right.precision - right.scale)
        precision = whole + scale + 1
    if precision > MAX_DIGITS or type_ != DecimalType(precision, scale):
        raise UnsupportedConstruct(f"{name} of decimals whose result is rounded, for Pig")
    return _PLAIN[name]
