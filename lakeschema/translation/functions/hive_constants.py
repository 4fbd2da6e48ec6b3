"""The numbers that Hive computes while it reads a query, on whose digits its types of decimals depend."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import (
    ROUND_HALF_UP,
    Context,
    Decimal,
    DecimalException,
    DivisionByZero,
    Inexact,
    InvalidOperation,
    localcontext,
)
from enum import Enum
from operator import add, mod, mul, neg, pos, sub
from types import MappingProxyType
from typing import Final, TypeAlias

from lakeschema.catalog.column_types import (
    BOOLEAN,
    ColumnType,
    DecimalType,
)
from lakeschema.translation.functions.coercion import is_float, is_text
from lakeschema.translation.functions.constants import BITS, constant_text
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Cast,
    ColumnReference,
    Exists,
    FieldAccess,
    InSubquery,
    LambdaVariable,
    Literal,
    OuterReference,
    RowExpression,
    ScalarSubquery,
    WindowCall,
    walk,
)

_READING: Final = (
    *(ColumnReference, OuterReference, AggregateCall, WindowCall, LambdaVariable),
    *(ScalarSubquery, Exists, InSubquery, FieldAccess),
)
_NUMBER: Final = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?\s*", re.ASCII)
_EXACT: Final = Context(prec=100)
_MAX_WHOLE_DIGITS: Final = 40
"""More than any type holds."""


class _Null(Enum):
    NULL = "null"


_Value: TypeAlias = Decimal | _Null | None
"""None: it is not known here."""


def is_constant(expression: RowExpression) -> bool:
    """Whether nothing of it is read of rows."""
    return not any(isinstance(part, _READING) for part in walk(expression))


def written_integer(expression: RowExpression) -> int | None:
    """A whole number that stands in the text, also cast from type to type."""
    match expression:
        case Literal(str(text), type_) if type_ in BITS:
            return int(text)
        case Cast(Literal() | Cast() as operand, type_) if type_ in BITS:
            if isinstance(operand, Cast) and operand.type not in BITS:
                return None
            value = _value(expression)
            return int(value) if isinstance(value, Decimal) else None
        case _:
            return None


def known_number(expression: RowExpression) -> Decimal | None:
    """The exact number that an expression always is.

    None if there is none, or if it is the result of a condition, or of a function that is not
    computed here.
    """
    value = _value(expression)
    return value if isinstance(value, Decimal) else None


def is_uncomputed(expression: RowExpression) -> bool:
    """Whether Hive computes a constant while it reads the query, and its value is not known here."""
    if isinstance(expression, ColumnReference) or not is_constant(expression):
        return False
    calls = [part for part in walk(expression) if isinstance(part, Call)]
    return _value(expression) is None and not any(map(_varies, calls))


def _varies(call: Call) -> bool:
    is_now = call.operator.name == "unix_timestamp" and not call.arguments
    return is_now or not call.operator.deterministic


def _value(expression: RowExpression) -> _Value:
    if isinstance(expression, ColumnReference):
        return expression.constant
    try:
        with localcontext(_EXACT):
            return _computed(expression)
    except (DecimalException, ValueError, OverflowError):
        return None


def _computed(expression: RowExpression) -> _Value:
    match expression:
        case Literal(None):
            return _Null.NULL
        case ColumnReference(constant=known):
            return known
        case Literal(str(text), type_) if type_ in BITS or isinstance(type_, DecimalType):
            return Decimal(text)
        case Cast(operand, type_):
            return _cast(operand, type_)
        case Call(operator, arguments, type_) if operator.udf is None:
            return _called(operator.name, arguments, type_)
        case _:
            return None


def _cast(operand: RowExpression, type_: ColumnType) -> _Value:
    if type_ not in BITS and not isinstance(type_, DecimalType):
        return _Null.NULL if _computed(operand) is _Null.NULL else None
    if isinstance(operand, Literal) and operand.value is not None:
        if operand.type == BOOLEAN:
            return _as_type(Decimal(operand.value == "true"), type_)
        if is_float(operand.type):
            # What does not fit is bounded, or wraps round.
            value = _read(operand.value, type_)
            return None if value is _Null.NULL else value
        if is_text(operand.type):
            return _read(operand.value, type_)
    text = constant_text(operand)
    if text is not None:
        return _read(text, type_)
    value = _computed(operand)
    if not isinstance(value, Decimal):
        return value
    if type_ in BITS and operand.type in BITS:
        return Decimal(_wrapped(int(value), type_))
    return _as_type(value, type_)


def _read(text: str, type_: ColumnType) -> _Value:
    """What is no number is null."""
    return _as_type(Decimal(text), type_) if _NUMBER.fullmatch(text) else _Null.NULL


def _called(name: str, arguments: Sequence[RowExpression], type_: ColumnType) -> _Value:
    if name == "length":
        text = constant_text(arguments[0])
        return None if text is None else Decimal(len(text))
    if name in {"coalesce", "nvl"}:
        for argument in arguments:
            value = _computed(argument)
            if value is not _Null.NULL:
                return value
        return _Null.NULL
    if len(arguments) not in _ARITIES.get(name, ()):
        return None
    numbers: list[Decimal] = []
    for argument in arguments:
        value = _computed(argument)
        if not isinstance(value, Decimal):
            return value
        numbers.append(value)
    return _as_type(Decimal(_COMPUTED[name](*numbers)), type_)


def _quotient(one: Decimal, other: Decimal) -> Decimal:
    """Only one that ends: how many digits Hive keeps of another is not known."""
    with localcontext(Context(prec=100, traps=[Inexact, DivisionByZero, InvalidOperation])):
        return one / other


def _modulus(one: Decimal, other: Decimal) -> Decimal:
    return (one % other + other) % other


def _rounded(value: Decimal, places: Decimal = Decimal(0)) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-int(places)), ROUND_HALF_UP)


_OF_TWO: Final[Mapping[str, Callable[..., Decimal | int]]] = MappingProxyType(
    {
        "+": add,
        "-": sub,
        "*": mul,
        "/": _quotient,
        "%": mod,
        "pmod": _modulus,
        "div": lambda one, other: int(one / other),
        "greatest": max,
        "least": min,
    }
)
_OF_ONE: Final[Mapping[str, Callable[..., Decimal | int]]] = MappingProxyType(
    {
        "negative": neg,
        "positive": pos,
        "abs": abs,
        "round": _rounded,
        "floor": math.floor,
        "ceil": math.ceil,
        "ceiling": math.ceil,
    }
)
_COMPUTED: Final = MappingProxyType({**_OF_TWO, **_OF_ONE})
_ARITIES: Final[Mapping[str, Sequence[int]]] = MappingProxyType(
    {**dict.fromkeys(_OF_TWO, (2,)), **dict.fromkeys(_OF_ONE, (1,)), "round": (1, 2)}
)


def _as_type(value: Decimal, type_: ColumnType) -> _Value:
    """Null where there is no room; None for a type of numbers that are not exact."""
    if value.adjusted() > _MAX_WHOLE_DIGITS:
        return _Null.NULL
    if type_ in BITS:
        return Decimal(int(value)) if int(value) == _wrapped(int(value), type_) else _Null.NULL
    if not isinstance(type_, DecimalType):
        return None
    fitting = value.quantize(Decimal(1).scaleb(-type_.scale), ROUND_HALF_UP)
    return fitting if len(fitting.as_tuple().digits) <= type_.precision else _Null.NULL


def _wrapped(value: int, type_: ColumnType) -> int:
    half = 1 << (BITS[type_] - 1)
    return (value + half) % (2 * half) - half
