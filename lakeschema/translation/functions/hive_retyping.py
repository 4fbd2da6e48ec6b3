"""Hive types a query twice: as it is written, and again as its optimiser writes it.

Where decimals meet whole numbers in CASE, IF and COALESCE, a written number counts as many digits as
its type has the first time (an int ten), and its own the second time; and only if the optimiser has
not made something simpler of the choice before. A number that the optimiser computes counts its own
digits as well the second time, without zeros behind the point (``CAST(0 AS DECIMAL(20,5))`` is a 0):
in sums, in such choices, and as an argument of functions that make one value of their arguments. A
column has the second type, but products, quotients, remainders and averages are of the first types of
what is in them. (Hive 4.0.1, asked.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from lakeschema.catalog.column_types import (
    VOID,
    ColumnType,
    DecimalType,
    StructType,
)
from lakeschema.translation.functions import decimals
from lakeschema.translation.functions.coercion import is_integer
from lakeschema.translation.functions.constants import is_null
from lakeschema.translation.functions.hive_constants import (
    TO_WHOLE,
    holds_computed,
    is_constant,
    is_known,
    is_uncomputed,
    is_written,
    known_number,
    name_of,
    without_cast,
)
from lakeschema.translation.functions.hive_first_types import (
    BIGINT_DIGITS,
    KEEPING_ONE,
    MEETING,
    STRUCTS,
    as_written,
    changed_alike,
    counted,
    digits,
    first_type,
    met_decimal,
)
from lakeschema.translation.functions.hive_optimiser import (
    CHOICES,
    Choice,
    choice_of,
    flattened,
    is_never_null,
    is_seen_to_be_null,
    kept_in_coalesce,
    reductions,
)
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import (
    Call,
    Case,
    Cast,
    RowExpression,
    values,
)

_COLLECTIONS: Final = frozenset({"array", "map"})
_TYPED_BY_ARGUMENTS: Final = (
    STRUCTS
    | _COLLECTIONS
    | {"greatest", "least", "nvl"}
    # A plus sign is left out.
    | KEEPING_ONE - TO_WHOLE - {"positive"}
)


def branch_types(
    branches: Sequence[RowExpression],
    conditions: Sequence[RowExpression],
    *,
    is_complete: bool,
    is_searched: bool = True,
) -> Sequence[ColumnType]:
    """Types that meet in what a choice is of the second time, one for each branch.

    ``is_complete``: it has an ELSE, or needs none; ``is_searched``: it is no CASE of a value.
    """
    types = [branch.type for branch in branches]
    if not any(isinstance(type_, DecimalType) for type_ in types) or not all(
        type_ == VOID or decimals.decimal_of(type_, BIGINT_DIGITS) for type_ in types
    ):
        return types
    written = [without_cast(branch) for branch in branches]
    choice = flattened(Choice(written, conditions, is_complete, is_searched))
    found, *others = [_types_left(choice, left) for left in reductions(choice)]
    if any(met_decimal(other) != met_decimal(found) for other in others):
        raise _unknown_digits()
    met = met_decimal(found)
    return [met, *[VOID] * (len(branches) - 1)]


def _types_left(choice: Choice, left: Choice) -> Sequence[ColumnType]:
    """``choice`` as it is written, ``left`` as the optimiser has it."""
    if not choice.conditions:
        return _in_coalesce(choice.branches)
    first = [first_type(branch) for branch in choice.branches]
    if left.is_reduced and left.branches and all(b == left.branches[0] for b in left.branches):
        # One value, which is cast if the choice has another first type.
        only = left.branches[0]
        is_cast = first_type(only) != met_decimal(first)
        return first if is_cast or not left.is_complete else [only.type]
    if _has_cast_integers(left.branches):
        return _with_cast_integers(first, left.branches)
    has_null = any(map(is_null, left.branches)) or not left.is_complete
    if len(left.conditions) == 1 and has_null:
        return first
    if not has_null and left.is_made_simpler():
        return first
    types = [_in_choice(branch) for branch in left.branches]
    _require_known_digits(left.branches, types)
    nulls = _nulls(choice) if has_null else []
    is_left = left.is_reduced and _is_left([*map(first_type, left.branches), *nulls], types, first)
    return first if is_left else [*types, *nulls]


def _is_left(
    before: Sequence[ColumnType], now: Sequence[ColumnType], first: Sequence[ColumnType]
) -> bool:
    """Whether a choice of which parts are left out keeps its ``first`` type.

    It does if what is kept met in another type ``before``, to which all is cast then, and if it meets
    in the same type ``now``. Whole numbers among decimals were cast to the first type.
    """
    has_integer = any(map(is_integer, before))
    met = met_decimal(first if has_integer else before)
    return met != met_decimal(first) or met == met_decimal(now)


def _nulls(choice: Choice) -> Sequence[ColumnType]:
    """What its NULLs count as, whose types are those of other branches as they are written."""
    met = met_decimal(map(first_type, choice.branches))
    return [
        first_type(branch) if isinstance(branch.type, DecimalType) else met
        for branch in choice.shown_to_null
    ]


def _in_coalesce(branches: Sequence[RowExpression]) -> Sequence[ColumnType]:
    if len(branches) == 1:
        return [branch.type for branch in branches]
    first = [first_type(branch) for branch in branches]
    kept = kept_in_coalesce(branches)
    is_reduced = len(kept) < len(branches)
    is_cast = met_decimal(map(first_type, kept)) != met_decimal(first)
    if len(kept) < 2:
        has_typed_null = any(is_null(branch) and branch.type != VOID for branch in branches)
        is_left = has_typed_null or any(choice_of(part) is not None for part in kept)
        return [part.type for part in kept] if is_left and not is_cast else first
    if _has_cast_integers(kept):
        return _with_cast_integers(first, kept)
    asked = [part for part in kept[:-1] if is_seen_to_be_null(part) and not is_constant(part)]
    if asked:
        types = [digits(part) if choice_of(part) is None else _in_choice(part) for part in kept]
        _require_known_digits(kept, types)
        is_left = is_reduced and _is_left([*map(first_type, kept)], types, first)
        return first if is_left else types
    if not is_never_null(kept[-1]):
        return first if is_cast else [part.type for part in kept]
    if is_reduced or any(map(holds_computed, kept)):
        return first
    return [digits(part) if is_written(part) else part.type for part in kept]


def _in_choice(branch: RowExpression) -> ColumnType:
    """The second type of a branch: one of which something is left out keeps its own."""
    return branch.type if _is_reduced(branch) and not is_known(branch) else _computed(branch)


def _is_reduced(branch: RowExpression) -> bool:
    if name_of(branch) == "coalesce":
        return len(kept_in_coalesce(values(branch))) < len(values(branch))
    choice = choice_of(branch)
    return choice is not None and any(left.is_reduced for left in reductions(choice))


def _with_cast_integers(
    first: Sequence[ColumnType], branches: Sequence[RowExpression]
) -> Sequence[ColumnType]:
    """They are cast to what all meet in the first time; the others are as they are."""
    return [*first, *(b.type for b in branches if isinstance(b.type, DecimalType))]


def in_sum(one: RowExpression, other: RowExpression) -> tuple[ColumnType, ColumnType]:
    """What two exact numbers count as in their sum or difference."""
    unknown = [part for part in (one, other) if known_number(part) is None]
    if all(map(is_constant, unknown)):
        return in_product(one, other)
    types = _computed(one), _computed(other)
    if any(map(is_constant, unknown)):
        _require_known_digits((one, other), types)
    return types


def in_product(one: RowExpression, other: RowExpression) -> tuple[ColumnType, ColumnType]:
    """What two exact numbers count as in their product, quotient and remainder."""
    return as_written(one), as_written(other)


def _require_known_digits(parts: Sequence[RowExpression], types: Sequence[ColumnType]) -> None:
    """Refuses what has other digits in Hive, by a number that it computes and we do not."""
    for place, part in enumerate(parts):
        own = decimals.decimal_of(types[place], BIGINT_DIGITS)
        if own is None or not is_constant(part) or not is_uncomputed(part):
            continue
        met = met_decimal([*types[:place], *types[place + 1 :]])
        if decimals.wider_keeping_whole(met, own) != met:
            raise _unknown_digits()


def _unknown_digits() -> UnsupportedConstruct:
    return UnsupportedConstruct(
        "a decimal beside a constant whose digits decide the type",
        hint="write the number that it is, rather than how it is computed",
    )


def structs_retyped(
    branches: Sequence[RowExpression], *, is_complete: bool
) -> Sequence[RowExpression]:
    """The branches of a choice; beside NULL structs are of the types that they have first."""
    if is_complete and not any(map(is_null, branches)):
        return branches
    return [
        with_type(branch, first_type(branch)) if isinstance(branch.type, StructType) else branch
        for branch in branches
    ]


def arguments_retyped(name: str, arguments: Sequence[RowExpression]) -> Sequence[RowExpression]:
    """The arguments of a function whose type theirs decide, as the optimiser hands them on."""
    if name == "if" and len(arguments) > 1:
        return [arguments[0], *structs_retyped(arguments[1:], is_complete=True)]
    if name not in _TYPED_BY_ARGUMENTS:
        return arguments
    if not any(isinstance(argument.type, DecimalType) for argument in arguments):
        return arguments
    types = [argument.type for argument in arguments]
    if name in STRUCTS or not all(map(is_known, arguments)):
        types = [_computed_decimal(argument) for argument in arguments]
        if any(isinstance(a.type, DecimalType) and is_uncomputed(a) for a in arguments):
            raise _unknown_digits()
    elif name in _COLLECTIONS:
        types = [_in_collection(argument) for argument in arguments]
    return brought_to(arguments, types)


def _in_collection(constant: RowExpression) -> ColumnType:
    """There no more than the parts of a sum are computed."""
    if not isinstance(constant.type, DecimalType):
        return constant.type
    if isinstance(constant, Cast | Case) or name_of(constant) in CHOICES:
        return _computed(constant)
    name = name_of(constant)
    if not isinstance(constant, Call) or not name:
        return constant.type
    if name in {"+", "-"}:
        one, other = [
            digits(part) if is_integer(part.type) else _in_collection(part)
            for part in constant.arguments
        ]
        return decimals.plus(counted(one), counted(other))
    if name in KEEPING_ONE - TO_WHOLE:
        kept = without_cast(constant.arguments[0])
        return changed_alike(constant.type, name, kept.type, _in_collection(kept))
    if name in MEETING:
        return met_decimal(_in_collection(without_cast(part)) for part in constant.arguments)
    return constant.type


def brought_to(
    arguments: Sequence[RowExpression], types: Sequence[ColumnType]
) -> list[RowExpression]:
    """The arguments, cast where the optimiser hands them on with other digits."""
    return [with_type(one, type_) for one, type_ in zip(arguments, types, strict=True)]


def with_type(expression: RowExpression, type_: ColumnType) -> RowExpression:
    """With other digits; of a struct that is written, the parts that have others are cast alone."""
    if expression.type == type_:
        return expression
    if (
        isinstance(expression, Call)
        and isinstance(type_, StructType)
        and name_of(expression) in STRUCTS
    ):
        parts = list(expression.arguments)
        step = 2 if name_of(expression) == "named_struct" else 1
        for place, field in zip(range(step - 1, len(parts), step), type_.fields, strict=True):
            parts[place] = with_type(parts[place], field.type)
        return replace(expression, arguments=tuple(parts), type=type_)
    return Cast(expression, type_, expression.nullable, implicit=True)


def _computed(expression: RowExpression) -> ColumnType:
    """The second type of a part: of a number that is known, its digits."""
    if name_of(expression) == "positive":
        return _computed(without_cast(expression))
    if isinstance(expression, Call) and name_of(expression) == "coalesce":
        return _inner_coalesce(expression)
    choice = choice_of(expression)
    if choice is not None and isinstance(expression.type, DecimalType):
        choice = flattened(choice)
        (left, *others) = reductions(choice)
        has_null = any(map(is_null, left.branches)) or not left.is_complete
        is_left = left.is_reduced and bool(left.conditions)
        if not others and (is_left or (left.is_of_constants and not has_null)):
            types = [_computed(branch) for branch in left.branches]
            _require_known_digits(left.branches, types)
            return met_decimal([*types, *(_nulls(choice) if has_null else ())])
    return digits(expression)


def _computed_decimal(expression: RowExpression) -> ColumnType:
    is_decimal = isinstance(expression.type, DecimalType)
    return _computed(expression) if is_decimal else expression.type


def _inner_coalesce(choice: Call) -> ColumnType:
    """Inside of another function COALESCE counts the digits of its numbers, whatever it chooses of."""
    branches = [without_cast(value) for value in choice.arguments]
    kept = kept_in_coalesce(branches)
    if not isinstance(choice.type, DecimalType) or not kept:
        return digits(choice)
    if len(kept) < 2:
        is_cast = first_type(kept[0]) != met_decimal(map(first_type, branches))
        is_left = choice_of(kept[0]) is not None and not is_cast
        return _computed(kept[0]) if is_left else digits(choice)
    if _has_cast_integers(kept) or all(map(is_constant, kept)):
        return digits(choice)
    types = [_computed(branch) for branch in kept]
    _require_known_digits(kept, types)
    return met_decimal(types)


def _has_cast_integers(branches: Sequence[RowExpression]) -> bool:
    """Whether a whole number that rows have is cast, in writing, to what all meet in the first time."""
    return any(
        is_integer(b.type) and not is_constant(b) and known_number(b) is None for b in branches
    )
