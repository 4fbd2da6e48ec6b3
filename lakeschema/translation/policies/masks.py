"""Makes the type and the expression of a masked column, with operators that Hive and Spark share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from math import isfinite
from types import MappingProxyType
from typing import Final, assert_never

from lakeschema.catalog.column_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TINYINT,
    CharType,
    ColumnType,
    DecimalType,
    VarcharType,
    print_type,
)
from lakeschema.translation.plan.expressions import Call, Case, Cast, Literal, RowExpression
from lakeschema.translation.plan.operators import NullClass, Operator
from lakeschema.translation.policies.rules import (
    ConstantMask,
    ConstantValue,
    DroppedColumn,
    HashMask,
    Mask,
    NullMask,
    PartialMask,
)

COVER: Final = "****"
"""The text that replaces the hidden part of a value under a partial mask, whatever its length."""

_BITS: Final[Mapping[ColumnType, int]] = MappingProxyType(
    {TINYINT: 7, SMALLINT: 15, INT: 31, BIGINT: 63}
)
_SHA2: Final = Operator("sha2", NullClass.PARTIAL)
_CONCAT: Final = Operator("concat", NullClass.TOTAL)
_SUBSTRING: Final = Operator("substr", NullClass.TOTAL)
_LENGTH: Final = Operator("length", NullClass.TOTAL)
_AT_LEAST: Final = Operator(">=", NullClass.TOTAL)


def mask_problem(mask: Mask, type_: ColumnType) -> str | None:
    """Why the mask does not fit the column's type; None if it fits."""
    match mask:
        case NullMask() | DroppedColumn():
            return None
        case HashMask():
            # Engines differ in the texts for other types, such as the blanks of char.
            fits = _is_varying(type_) or type_ in {*_BITS, DATE}
            return None if fits else _no_mask("hash", type_)
        case PartialMask():
            return None if _is_varying(type_) else _no_mask("partial", type_)
        case ConstantMask(value):
            if _literal(value, type_) is not None:
                return None
            return f"{value!r:.100} is not a value of type {print_type(type_)}"
        case _:
            assert_never(mask)


def masked_type(mask: Mask, type_: ColumnType) -> ColumnType:
    """The type of a masked column; masked text has the type string."""
    match mask:
        case NullMask() | DroppedColumn():
            return type_
        case HashMask() | PartialMask():
            return STRING
        case ConstantMask():
            return STRING if _is_text(type_) else type_
        case _:
            assert_never(mask)


def masked_nullable(mask: Mask, *, nullable: bool) -> bool:
    match mask:
        case NullMask() | DroppedColumn():
            return True
        case HashMask() | PartialMask():
            return nullable
        case ConstantMask():
            return False
        case _:
            assert_never(mask)


def masked(mask: Mask, value: RowExpression) -> RowExpression:
    """The expression that replaces the value; requires that ``mask_problem`` finds no problem."""
    match mask:
        case NullMask() | DroppedColumn():
            return Literal(None, value.type)
        case HashMask(salt):
            text = _text(value)
            salted = _call(_CONCAT, STRING, Literal(salt, STRING), text) if salt else text
            return _call(_SHA2, STRING, salted, Literal("256", INT))
        case PartialMask(kept, last):
            return _partly(_text(value), kept, last=last)
        case ConstantMask(constant):
            found = _literal(constant, value.type)
            assert found is not None, "a constant of another type is refused before"
            return found
        case _:
            assert_never(mask)


def _partly(text: RowExpression, kept: int, *, last: bool) -> RowExpression:
    """The text under a partial mask; texts shorter than twice the shown part are hidden completely.

    Some engines count a UTF-16 pair as two characters.
    """
    ends = (Literal(str(-kept), INT),) if last else (Literal("1", INT), Literal(str(kept), INT))
    shown = _call(_SUBSTRING, STRING, text, *ends)
    # This is "" for every text, and null for null.
    nothing = _call(_SUBSTRING, STRING, text, Literal("1", INT), Literal("0", INT))
    length = _call(_LENGTH, INT, text)
    is_long = _call(_AT_LEAST, BOOLEAN, length, Literal(str(2 * kept), INT))
    return _call(
        _CONCAT, STRING, Literal(COVER, STRING), Case(((is_long, shown),), nothing, STRING)
    )


def _call(operator: Operator, type_: ColumnType, *arguments: RowExpression) -> Call:
    nullable = any(argument.nullable for argument in arguments)
    return Call(operator, arguments, type_, nullable)


def _text(value: RowExpression) -> RowExpression:
    return value if value.type == STRING else Cast(value, STRING, value.nullable)


def _is_text(type_: ColumnType) -> bool:
    return _is_varying(type_) or isinstance(type_, CharType)


def _is_varying(type_: ColumnType) -> bool:
    return type_ == STRING or isinstance(type_, VarcharType)


def _no_mask(name: str, type_: ColumnType) -> str:
    return f"type {print_type(type_)} has no {name} mask"


def _literal(value: ConstantValue, type_: ColumnType) -> Literal | None:
    """The constant as a value of exactly the type; None if it does not fit."""
    if isinstance(value, bool):
        return Literal(str(value).lower(), BOOLEAN) if type_ == BOOLEAN else None
    if _is_text(type_):
        return Literal(value, STRING) if isinstance(value, str) else None
    if type_ in _BITS and isinstance(value, int):
        fits = -(2 ** _BITS[type_]) < value < 2 ** _BITS[type_]
        return Literal(str(value), type_) if fits else None
    if type_ in {FLOAT, DOUBLE} and isinstance(value, int | float):
        return _real(float(value), type_) if abs(value) < 2**127 else None
    if isinstance(type_, DecimalType) and not isinstance(value, date):
        return _decimal(value, type_)
    if type_ == DATE:
        return _date(value)
    return None


def _real(value: float, type_: ColumnType) -> Literal | None:
    return Literal(repr(value), type_) if isfinite(value) else None


def _decimal(value: float | Decimal | str, type_: DecimalType) -> Literal | None:
    try:
        exact = Decimal(str(value))
    except InvalidOperation:
        return None
    if not exact.is_finite() or abs(exact) >= Decimal(10) ** (type_.precision - type_.scale):
        return None
    shown = f"{exact:.{type_.scale}f}"
    return Literal(shown, type_) if Decimal(shown) == exact else None


def _date(value: ConstantValue) -> Literal | None:
    try:
        found = date.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return None
    return Literal(found.isoformat(), DATE) if isinstance(found, date) else None
