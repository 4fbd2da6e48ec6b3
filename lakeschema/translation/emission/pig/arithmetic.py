"""Arithmetic as Hive does it: integers wrap in their own width, a division by zero is null."""

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
from lakeschema.translation.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import Call, Cast, Literal, RowExpression

MAX_DIGITS: Final = 38
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
    """Whether an operand is computed with as it is."""
    return name == "positive"


def computed_type(result: ColumnType) -> ColumnType:
    """What Pig computes a result in."""
    return INT if result in {TINYINT, SMALLINT} else result


def template(name: str, call: Call) -> str:
    """The form of an operator with two operands of the computed type, or one.

    Raises:
        UnsupportedConstruct: Pig computes it otherwise.
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
        return "({1} == 0 ? null : {0} / {1})"
    if name in _BITS and type_ in {INT, BIGINT}:
        return f"@{name}({{*}})"
    if name in _HIVES:
        raise UnsupportedConstruct(f"{name} for Pig")
    text = _PLAIN.get(name) or _UNARY[name]
    return _WRAPPED[type_].format(text) if type_ in _WRAPPED else text


def _quotient(call: Call) -> str:
    if _is_not_zero(call.arguments[1]):
        return "({0} / {1})"
    zero = "0.0F" if call.type == FLOAT else "0.0"
    # To Pig's comparison the zero below zero is another number.
    return f"(({{1}} + {zero}) == {zero} ? null : {{0}} / {{1}})"


def _remainder(name: str, call: Call) -> str:
    type_ = call.type
    if type_ in {FLOAT, DOUBLE}:
        raise UnsupportedConstruct(f"{name} of {print_type(type_)} for Pig")
    text = _REMAINDERS[name]
    return text if _is_not_zero(call.arguments[1]) else f"({{1}} == 0 ? null : {text})"


def _is_not_zero(divisor: RowExpression) -> bool:
    """Whether it is a literal number other than zero."""
    match divisor:
        case Cast(operand=operand, implicit=True):
            return _is_not_zero(operand)
        case Literal(str(value)):
            return any(digit in "123456789" for digit in value.lower().partition("e")[0])
        case _:
            return False


def _of_decimals(name: str, call: Call, type_: DecimalType) -> str:
    """Only where no digit is rounded and none is lost: Pig keeps them all."""
    operands = [a.type for a in call.arguments if isinstance(a.type, DecimalType)]
    if name in _UNARY:
        return _UNARY[name]
    if name not in _PLAIN or len(operands) != len(call.arguments):
        raise UnsupportedConstruct(f"{name} of decimals for Pig")
    left, right = operands
    if name == "*":
        scale, precision = left.scale + right.scale, left.precision + right.precision + 1
    else:
        scale = max(left.scale, right.scale)
        whole = max(left.precision - left.scale, right.precision - right.scale)
        precision = whole + scale + 1
    if precision > MAX_DIGITS or type_ != DecimalType(precision, scale):
        raise UnsupportedConstruct(f"{name} of decimals whose result is rounded, for Pig")
    return _PLAIN[name]
