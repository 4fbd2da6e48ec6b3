"""The numbers that Hive computes while it reads a query, on whose digits its types of decimals depend."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
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
from operator import add, mod, mul, neg, pos, sub
from types import MappingProxyType
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    BOOLEAN,
    INT,
    SMALLINT,
    TINYINT,
    ColumnType,
    DecimalType,
)
from lakeschema.translation.functions.constants import constant_text, is_null
from lakeschema.translation.plan.expressions import (
    Call,
    Case,
    Cast,
    ColumnReference,
    Literal,
    RowExpression,
    walk,
)

_BITS: Final[Mapping[ColumnType, int]] = MappingProxyType(
    {TINYINT: 8, SMALLINT: 16, INT: 32, BIGINT: 64}
)
_EXACT: Final = Context(prec=100)


def written_integer(expression: RowExpression) -> int | None:
    """A whole number that stands in the text, also cast; what a cast cannot hold wraps round."""
    match expression:
        case Literal(str(text), type_) if type_ in _BITS:
            return int(text)
        case Cast(Literal(str(text), source), type_) if type_ in _BITS:
            value = int(text == "true") if source == BOOLEAN else _whole_part(text)
        case Cast(operand, type_) if type_ in _BITS:
            value = written_integer(operand)
        case _:
            return None
    return None if value is None else _wrapped(value, type_)


def known_number(expression: RowExpression) -> Decimal | None:
    """The exact number that an expression always is.

    None if there is none, or if it is the result of a condition, or of a function that is not
    computed here: then the type is the one before Hive computed it.
    """
    try:
        with localcontext(_EXACT):
            return _number(expression)
    except (DecimalException, ValueError, OverflowError):
        return None


def is_uncomputed(expression: RowExpression) -> bool:
    """Whether Hive computes a constant while it reads the query, and its value is not known here."""
    calls = [part for part in walk(expression) if isinstance(part, (Call, Case))]
    unknown = [c for c in calls if not isinstance(c, Call) or c.operator.name not in _KNOWN]
    return (
        bool(unknown)
        and known_number(expression) is None
        and not any(isinstance(part, Literal) and part.value is None for part in walk(expression))
        and not any(isinstance(call, Call) and _varies(call) for call in calls)
    )


def _varies(call: Call) -> bool:
    return not call.operator.deterministic or (
        call.operator.name == "unix_timestamp" and not call.arguments
    )


def _number(expression: RowExpression) -> Decimal | None:
    whole = written_integer(expression)
    if whole is not None:
        return Decimal(whole)
    match expression:
        case ColumnReference(constant=known):
            return known
        case Literal(str(text), DecimalType()):
            return Decimal(text)
        case Cast(operand, type_):
            written = operand.value if isinstance(operand, Literal) else constant_text(operand)
            value = _number(operand) if written is None else Decimal(written)
            return None if value is None else _as_type(value, type_)
        case Call(operator, (measured,)) if operator.name == "length":
            written = constant_text(measured)
            return None if written is None else Decimal(len(written))
        case Call(operator, arguments) if operator.name in {"coalesce", "nvl"}:
            first = next((a for a in arguments if not is_null(a)), None)
            return None if first is None else _number(first)
        case Call(operator, arguments, type_) if operator.name in _COMPUTED:
            values = [_number(argument) for argument in arguments]
            if not all(isinstance(value, Decimal) for value in values):
                return None
            return _as_type(Decimal(_COMPUTED[operator.name](*values)), type_)
        case _:
            return None


def _quotient(one: Decimal, other: Decimal) -> Decimal:
    """Only one that ends: how many digits Hive keeps of another is not known."""
    with localcontext(Context(prec=100, traps=[Inexact, DivisionByZero, InvalidOperation])):
        return one / other


def _modulus(one: Decimal, other: Decimal) -> Decimal:
    return (one % other + other) % other


def _rounded(value: Decimal, places: Decimal = Decimal(0)) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-int(places)), ROUND_HALF_UP)


_COMPUTED: Final[Mapping[str, Callable[..., Decimal | int]]] = MappingProxyType(
    {
        "+": add,
        "-": sub,
        "*": mul,
        "/": _quotient,
        "%": mod,
        "pmod": _modulus,
        "div": lambda one, other: int(one / other),
        "negative": neg,
        "positive": pos,
        "abs": abs,
        "floor": math.floor,
        "ceil": math.ceil,
        "ceiling": math.ceil,
        "round": _rounded,
        "greatest": max,
        "least": min,
    }
)


_KNOWN: Final = (frozenset(_COMPUTED) | {"length", "coalesce", "nvl", "concat", "||"}) - {"/"}


def _as_type(value: Decimal, type_: ColumnType) -> Decimal | None:
    """None for a type of numbers that are not exact, and where there is no room."""
    if type_ in _BITS:
        return Decimal(_wrapped(int(value), type_))
    if not isinstance(type_, DecimalType):
        return None
    fitting = value.quantize(Decimal(1).scaleb(-type_.scale), ROUND_HALF_UP)
    return fitting if len(fitting.as_tuple().digits) <= type_.precision else None


def _whole_part(text: str) -> int | None:
    try:
        return int(Decimal(text))
    except (DecimalException, ValueError, OverflowError):
        return None


def _wrapped(value: int, type_: ColumnType) -> int:
    half = 1 << (_BITS[type_] - 1)
    return (value + half) % (2 * half) - half
