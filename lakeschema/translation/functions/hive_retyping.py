"""Hive types a query twice: as it is written, and again as its optimiser writes it.

Where decimals meet whole numbers in CASE, IF and COALESCE, a written number counts as many digits as
its type has the first time (an int ten), and its own the second time; and only if the optimiser has
not made something simpler of the choice before. A column has the second type, but products, quotients,
remainders and averages are of the first types of what is in them. (Hive 4.0.1, asked.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lakeschema.catalog.column_types import VOID, ColumnType, DecimalType
from lakeschema.translation.functions import decimals
from lakeschema.translation.functions.coercion import is_integer, is_text
from lakeschema.translation.functions.constants import constant_int, is_null
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Case,
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
    values,
    walk,
)

BIGINT_DIGITS: Final = 19
CHOICES: Final = frozenset({"if", "coalesce"})
_MEETING: Final = CHOICES | {"nvl", "greatest", "least"}
_KEEPING: Final = frozenset(
    {
        *("negative", "positive", "abs", "round", "bround", "floor", "ceil", "ceiling"),
        *("sum", "min", "max", "first_value", "last_value", "lag", "lead", "nullif"),
    }
)
"""Of more whole digits if their first argument has more."""

_COMPARING: Final = frozenset({"=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>", "in"})
_LOGIC: Final = frozenset({"and", "or", "not", "!"})
_READING: Final = (
    *(ColumnReference, OuterReference, AggregateCall, WindowCall, LambdaVariable),
    *(ScalarSubquery, Exists, InSubquery, FieldAccess),
)


def branch_types(
    branches: Sequence[RowExpression],
    conditions: Sequence[RowExpression],
    *,
    is_complete: bool,
    is_searched: bool = True,
) -> Sequence[ColumnType]:
    """The types that meet in a choice, the second time.

    ``is_complete``: it has an ELSE, or needs none; ``is_searched``: it is no CASE of a value.
    """
    if not any(isinstance(branch.type, DecimalType) for branch in branches):
        return [branch.type for branch in branches]
    is_simpler = _is_made_simpler(branches, conditions, is_searched=is_searched)
    if is_complete and not is_simpler:
        return [_with_its_digits(branch, is_choice=bool(conditions)) for branch in branches]
    return [first_type(branch) for branch in branches]


def first_type(expression: RowExpression) -> ColumnType:
    """The type before the optimiser; another one of decimals only, and only in its whole digits."""
    type_ = expression.type
    if not isinstance(type_, DecimalType):
        return type_
    match expression:
        case ColumnReference(first=known) if known is not None:
            return known
        case Case():
            return _met(values(expression), type_)
        case Call(operator) if operator.name in _MEETING:
            return _met(values(expression), type_)
        case Call(operator, (one, other)) if operator.name in {"+", "-"}:
            return decimals.plus(_operand(one), _operand(other))
        case (
            Call(operator, (kept, *_))
            | AggregateCall(operator, (kept, *_))
            | WindowCall(operator, (kept, *_))
        ) if operator.name in _KEEPING:
            return _with_more_digits(type_, kept)
        case _:
            return type_


def _with_its_digits(branch: RowExpression, *, is_choice: bool) -> ColumnType:
    if isinstance(branch, Literal) and is_integer(branch.type):
        return written_digits(branch)
    computed = constant_int(branch) if is_choice and is_integer(branch.type) else None
    return branch.type if computed is None else written_digits(Literal(str(computed), branch.type))


def written_digits(number: Literal) -> DecimalType:
    digits = len((number.value or "").lstrip("+-").lstrip("0")) or 1
    return DecimalType(min(digits, decimals.MAX_PRECISION), 0)


def _is_made_simpler(
    branches: Sequence[RowExpression], conditions: Sequence[RowExpression], *, is_searched: bool
) -> bool:
    if any(map(_is_decided, conditions)):
        return True
    if not conditions:
        # COALESCE goes no further than the first value that is never null.
        return any(is_null(b) or _is_never_null(b) for b in branches[:-1])
    if not all(map(_is_constant, branches)):
        return False
    written = all(isinstance(branch, Literal) for branch in branches)
    return not written or (is_searched and any(map(_compares_with_a_constant, conditions)))


def _is_decided(condition: RowExpression) -> bool:
    """Whether a part of it is known without a row."""
    if isinstance(condition, Call) and condition.operator.name in _LOGIC:
        return any(map(_is_decided, condition.arguments))
    if isinstance(condition, Call) and condition.operator.name in _COMPARING:
        return len({*condition.arguments}) == 1 or _is_constant(condition)
    return _is_constant(condition)


def _is_constant(expression: RowExpression) -> bool:
    return not any(isinstance(part, _READING) for part in walk(expression))


def _is_never_null(branch: RowExpression) -> bool:
    """As far as the optimiser sees it."""
    if isinstance(branch, (Case, Call)) and not (
        isinstance(branch, Call) and branch.operator.name not in CHOICES
    ):
        return all(map(_is_never_null, values(branch)))
    inner = branch.operand if isinstance(branch, Cast) and branch.implicit else branch
    return _is_constant(inner) and not inner.nullable


def _compares_with_a_constant(condition: RowExpression) -> bool:
    """Of what is no text, and not what a function returns."""
    if not isinstance(condition, Call):
        return False
    name = condition.operator.name
    if name in _LOGIC and name not in {"not", "!"}:
        return any(map(_compares_with_a_constant, condition.arguments))
    if name == "coalesce":
        return any(map(_is_constant, condition.arguments))
    if name not in _COMPARING:
        return False
    others = [a for a in condition.arguments if not _is_constant(a)]
    return len(others) < len(condition.arguments) and any(
        not is_text(other.type)
        and not (isinstance(other, Call) and other.operator.name not in CHOICES)
        for other in others
    )


def _met(branches: Sequence[RowExpression], type_: DecimalType) -> DecimalType:
    met = type_
    for branch in branches:
        inner = branch.operand if isinstance(branch, Cast) and branch.implicit else branch
        if inner.type != VOID:
            known = decimals.decimal_of(first_type(inner), BIGINT_DIGITS)
            met = met if known is None else decimals.wider_keeping_whole(met, known)
    return met


def _operand(expression: RowExpression) -> DecimalType:
    if isinstance(expression, Literal) and is_integer(expression.type):
        return written_digits(expression)
    found = decimals.decimal_of(first_type(expression), BIGINT_DIGITS)
    return found or DecimalType(decimals.MAX_PRECISION, 0)


def _with_more_digits(type_: DecimalType, argument: RowExpression) -> DecimalType:
    before = first_type(argument)
    if not isinstance(before, DecimalType) or not isinstance(argument.type, DecimalType):
        return type_
    more = before.precision - argument.type.precision
    return DecimalType(min(type_.precision + more, decimals.MAX_PRECISION), type_.scale)
