"""Converts literals, and finds types for comparisons, before a script runs."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TIMESTAMP,
    TINYINT,
    VOID,
    ColumnType,
    DecimalType,
    VarcharType,
    print_type,
)
from lakeschema.translation.emission.pig.texts import scalar_type
from lakeschema.translation.functions.decimals import holds
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import Cast, Literal, RowExpression

MAX_DIGITS: Final = 38
_NUMBERS: Final = (TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE)
_ISO_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?=$| [0-9]{2}:[0-9]{2}:[0-9]{2}$)")


def bit_of(value: str) -> int:
    return 1 if value.lower() == "true" else 0


def is_exact(value: str, source: ColumnType, target: ColumnType) -> bool:
    """Whether the literal's digits, as written, are also the digits of the converted value."""
    if isinstance(source, DecimalType) and target == DOUBLE:
        return True
    if isinstance(target, DecimalType):
        is_number = source in {INT, BIGINT} or isinstance(source, DecimalType)
        return is_number and holds(target, Decimal(value))
    order = (INT, BIGINT, DOUBLE)
    return source in order and target in order and order.index(source) <= order.index(target)


def are_alike(source: ColumnType, target: ColumnType) -> bool:
    """Whether two nested types differ only in nullability."""
    return scalar_type(source) is None and print_type(source) == print_type(target)


def compared_type(left: ColumnType, right: ColumnType) -> ColumnType | None:
    """The type in which two values are compared; None if Pig would compare them unlike Hive."""
    if VOID in {left, right}:
        return right if left == VOID else left
    if isinstance(left, DecimalType) and isinstance(right, DecimalType):
        scale = max(left.scale, right.scale)
        whole = max(left.precision - left.scale, right.precision - right.scale)
        return DecimalType(min(MAX_DIGITS, whole + scale), scale)
    if is_text(left) and is_text(right):
        return STRING
    if left in _NUMBERS and right in _NUMBERS:
        return _wider(left, right)
    return left if left == right and scalar_type(left) is not None else None


def _wider(left: ColumnType, right: ColumnType) -> ColumnType:
    """The wider type of two numbers; Hive compares a float with integers as floats."""
    wider = max(left, right, key=_NUMBERS.index)
    return INT if wider in {TINYINT, SMALLINT} and left != right else wider


def written_instant(expression: RowExpression) -> str | None:
    """The text of a literal timestamp, or of a literal that is converted to one."""
    while isinstance(expression, Cast) and expression.type == TIMESTAMP:
        expression = expression.operand
    if not isinstance(expression, Literal) or expression.value is None:
        return None
    is_day = _ISO_DAY.fullmatch(expression.value) is not None
    return f"{expression.value} 00:00:00" if is_day else expression.value


def survives_cut(name: str, left: RowExpression, right: RowExpression) -> bool:
    """Whether cutting a value to milliseconds keeps the result of its comparison with a literal."""
    if written_instant(right) is not None:
        return name in {">=", "<"}
    return written_instant(left) is not None and name in {"<=", ">"}


def day_of(expression: Literal) -> str:
    """The date in a text that Hive would parse at run time."""
    try:
        return date.fromisoformat(str(expression.value)).isoformat()
    except ValueError:
        raise UnsupportedConstruct(f"the text {expression.value!r:.50} as a day for Pig") from None


def as_day(argument: RowExpression) -> RowExpression:
    """A date literal for a literal text with a date; another argument stays as it is."""
    if not isinstance(argument, Literal) or not is_text(argument.type) or argument.value is None:
        return argument
    found = _ISO_DAY.match(argument.value)
    return argument if found is None else Literal(day_of(Literal(found[0], STRING)), DATE)


def is_text(type_: ColumnType) -> bool:
    return type_ == STRING or isinstance(type_, VarcharType)
