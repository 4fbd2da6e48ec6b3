"""The types of decimals in Hive before its optimiser, and where it computes nothing.

The first type is that of a query as it is written: a written number counts as many digits as its type
has in CASE, IF and COALESCE (an int ten), and its own in sums. Under FLOOR, and in what windows are
computed of, an addend counts as its type. (Hive 4.0.1, asked.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import reduce
from typing import Final

from lakeschema.catalog.column_types import (
    VOID,
    ArrayType,
    ColumnType,
    DecimalType,
    MapType,
    StructType,
)
from lakeschema.translation.functions import decimals
from lakeschema.translation.functions.coercion import is_integer
from lakeschema.translation.functions.hive_constants import (
    TO_WHOLE,
    is_constant,
    is_written,
    known_number,
    without_cast,
    written_integer,
)
from lakeschema.translation.functions.hive_optimiser import (
    CHOICES,
    choice_of,
    is_decided,
    kept_in_coalesce,
)
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Case,
    ColumnReference,
    FieldAccess,
    RowExpression,
    Subscript,
    WindowCall,
    values,
)

BIGINT_DIGITS: Final = 19
MEETING: Final = CHOICES | {"nvl", "greatest", "least"}
ROUNDING: Final = TO_WHOLE | {"round", "bround"}
KEEPING_ONE: Final = ROUNDING | {"negative", "positive", "abs", "nullif"}
_KEEPING: Final = KEEPING_ONE | {"sum", "min", "max", "first_value", "last_value", "lag", "lead"}
"""Of more whole digits if their first argument has more."""

STRUCTS: Final = frozenset({"struct", "named_struct"})
_OF_ELEMENTS: Final = frozenset({"array_max", "array_min"})
_OF_THE_SAME: Final = frozenset({"array_distinct", "array_slice", "sort_array"})


def first_type(expression: RowExpression) -> ColumnType:
    """The type before the optimiser; another one of decimals only, and of what holds them."""
    type_ = expression.type
    if isinstance(expression, Call) and expression.operator.udf is not None:
        return type_
    if not isinstance(type_, DecimalType):
        return _of_parts(expression, first_type)
    match expression:
        case ColumnReference(first=known) if known is not None:
            return known
        case Case():
            return _met(values(expression), type_, first_type)
        case Call(operator) if operator.name in MEETING:
            return _met(values(expression), type_, first_type)
        case Call(operator, (one, other)) if operator.name in {"+", "-"}:
            return decimals.plus(counted(as_written(one)), counted(as_written(other)))
        case (
            Call(operator, (kept, *_))
            | AggregateCall(operator, (kept, *_))
            | WindowCall(operator, (kept, *_))
        ) if operator.name in _KEEPING:
            now = unfolded_type(kept) if operator.name in TO_WHOLE else kept.type
            return changed_alike(type_, operator.name, now, first_type(without_cast(kept)))
        case _:
            return _of_parts(expression, first_type)


def unfolded_type(expression: RowExpression) -> ColumnType:
    """The type if addends count as their types: under FLOOR, and of what a window is computed of."""
    type_ = expression.type
    if isinstance(expression, Call) and expression.operator.udf is not None:
        return type_
    if not isinstance(type_, DecimalType):
        return _of_parts(expression, unfolded_type)
    match expression:
        case Call(operator, (one, other)) if operator.name in {"+", "-"}:
            if is_constant(expression):
                return type_
            return decimals.plus(counted(unfolded_type(one)), counted(unfolded_type(other)))
        case Call(operator, (kept, *_)) if operator.name in _KEEPING - TO_WHOLE:
            return changed_alike(type_, operator.name, kept.type, unfolded_type(without_cast(kept)))
        case Case():
            return _met_unfolded(expression, type_, is_choice=True)
        case Call(operator) if operator.name in MEETING:
            return _met_unfolded(expression, type_, is_choice=operator.name in CHOICES)
        case _:
            return _of_parts(expression, unfolded_type)


def as_written(expression: RowExpression) -> ColumnType:
    """The first type, and of a written whole number, also a cast one, its digits."""
    number = written_integer(expression)
    return first_type(expression) if number is None else decimals.of_number(Decimal(number))


def digits(expression: RowExpression) -> ColumnType:
    number = known_number(expression)
    return expression.type if number is None else decimals.of_number(number)


def met_decimal(types: Iterable[ColumnType]) -> DecimalType:
    decided = [counted(type_) for type_ in types if type_ != VOID]
    return reduce(decimals.wider_keeping_whole, decided) if decided else DecimalType(1, 0)


def counted(type_: ColumnType) -> DecimalType:
    return decimals.decimal_of(type_, BIGINT_DIGITS) or DecimalType(decimals.MAX_PRECISION, 0)


def changed_alike(
    type_: DecimalType, name: str, now: ColumnType, before: ColumnType
) -> DecimalType:
    """The result of a function whose argument has another type."""
    if not isinstance(before, DecimalType) or not isinstance(now, DecimalType):
        return type_
    scale = type_.scale if name in ROUNDING else type_.scale + before.scale - now.scale
    whole = _whole(type_) + _whole(before) - _whole(now)
    if name in ROUNDING - TO_WHOLE:
        # It adds a digit where it rounds.
        whole += (scale < before.scale) - (scale < now.scale)
    return decimals.bounded(whole + scale, scale)


def _of_parts(
    expression: RowExpression, typed: Callable[[RowExpression], ColumnType]
) -> ColumnType:
    """Of a struct or a collection that is written, or of a part of one, if its parts have those types."""
    match expression:
        case FieldAccess(Call() as base, index):
            struct = typed(base)
            return struct.fields[index].type if isinstance(struct, StructType) else expression.type
        case Subscript(Call() as base):
            return _element(typed(base), expression.type)
        case Call(operator, (collection, *_)) if operator.name in _OF_ELEMENTS:
            return _element(typed(collection), expression.type)
        case Call(operator, (collection,), ArrayType() as array) if operator.name == "map_values":
            return replace(array, element=_element(typed(collection), array.element))
        case Call(operator, (collection, *_)) if operator.name in _OF_THE_SAME:
            return typed(collection)
        case Call(operator, parts, StructType(fields)) if operator.name in STRUCTS:
            kept = parts[1::2] if operator.name == "named_struct" else parts
            types = [typed(without_cast(part)) for part in kept]
            return StructType(
                tuple(replace(f, type=type_) for f, type_ in zip(fields, types, strict=True))
            )
        case Call(operator, parts, ArrayType() as array) if operator.name == "array":
            return replace(array, element=_met(parts, array.element, typed))
        case Call(operator, parts, MapType() as map_) if operator.name == "map":
            return replace(map_, value=_met(parts[1::2], map_.value, typed))
        case _:
            return expression.type


def _element(collection: ColumnType, otherwise: ColumnType) -> ColumnType:
    match collection:
        case ArrayType(element) | MapType(value=element):
            return element
        case _:
            return otherwise


def _met(
    branches: Sequence[RowExpression],
    type_: ColumnType,
    typed: Callable[[RowExpression], ColumnType],
) -> ColumnType:
    """What the types of the branches meet in, ``type_`` among them."""
    if not isinstance(type_, DecimalType):
        found = {typed(without_cast(branch)) for branch in branches}
        return found.pop() if len(found) == 1 else type_
    met = type_
    for branch in branches:
        inner = without_cast(branch)
        if inner.type != VOID:
            known = decimals.decimal_of(typed(inner), BIGINT_DIGITS)
            met = met if known is None else decimals.wider_keeping_whole(met, known)
    return met


def _met_unfolded(choice: Case | Call, type_: DecimalType, *, is_choice: bool) -> DecimalType:
    """``is_choice``: written whole numbers count their digits there, computed ones do not."""
    branches = [without_cast(value) for value in values(choice)]
    if is_choice and is_constant(choice):
        return type_
    found = choice_of(choice)
    is_left = found is None and is_choice and len(kept_in_coalesce(branches)) < len(branches)
    is_followed = found is not None and is_decided(found)
    if is_left or is_followed or (found is not None and found.is_of_constants):
        # Nothing is followed there: it is as if no condition were known.
        types: list[ColumnType] = []
        for branch in branches:
            if is_integer(branch.type) and is_written(branch):
                types.append(digits(branch))
                continue
            types.append(unfolded_type(branch))
            if is_followed:
                types.append(first_type(branch))
        return met_decimal(types)
    met = type_
    for branch in branches:
        is_counted = is_choice and is_integer(branch.type) and is_written(branch)
        if branch.type != VOID and not is_counted:
            met = decimals.wider_keeping_whole(met, counted(unfolded_type(branch)))
    return met


def _whole(type_: DecimalType) -> int:
    return type_.precision - type_.scale
