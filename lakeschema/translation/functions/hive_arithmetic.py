"""How Hive computes with numbers that are written in a query, null and what is not known included."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import (
    ROUND_HALF_UP,
    Context,
    Decimal,
    DivisionByZero,
    Inexact,
    InvalidOperation,
    localcontext,
)
from enum import Enum
from operator import add, mod, mul, neg, pos, sub
from types import MappingProxyType
from typing import Final, TypeAlias

from lakeschema.catalog.column_types import ColumnType, DecimalType
from lakeschema.translation.functions.constants import BITS

_MAX_WHOLE_DIGITS: Final = 40
"""More than any type holds."""


class Null(Enum):
    NULL = "null"


Value: TypeAlias = Decimal | Null | None
"""None: it is not known here."""


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
COMPUTED: Final = MappingProxyType({**_OF_TWO, **_OF_ONE})
ARITIES: Final[Mapping[str, Sequence[int]]] = MappingProxyType(
    {**dict.fromkeys(_OF_TWO, (2,)), **dict.fromkeys(_OF_ONE, (1,)), "round": (1, 2)}
)


def as_type(value: Decimal, type_: ColumnType) -> Value:
    """Null where there is no room; None for a type of numbers that are not exact."""
    if value.adjusted() > _MAX_WHOLE_DIGITS:
        return Null.NULL
    if type_ in BITS:
        return Decimal(int(value)) if int(value) == wrapped(int(value), type_) else Null.NULL
    if not isinstance(type_, DecimalType):
        return None
    fitting = value.quantize(Decimal(1).scaleb(-type_.scale), ROUND_HALF_UP)
    return fitting if len(fitting.as_tuple().digits) <= type_.precision else Null.NULL


def wrapped(value: int, type_: ColumnType) -> int:
    half = 1 << (BITS[type_] - 1)
    return (value + half) % (2 * half) - half
