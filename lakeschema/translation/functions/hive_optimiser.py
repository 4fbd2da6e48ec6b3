"""What Hive's optimiser makes of choices and conditions, as far as the types of decimals depend on it.

(Hive 4.0.1, asked.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    TINYINT,
    ColumnType,
    DecimalType,
)
from lakeschema.translation.functions.coercion import is_text, is_time
from lakeschema.translation.functions.constants import is_null
from lakeschema.translation.functions.hive_constants import is_constant, known_number
from lakeschema.translation.plan.expressions import (
    Call,
    Case,
    Cast,
    Literal,
    RowExpression,
    Subscript,
    values,
)

CHOICES: Final = frozenset({"if", "coalesce"})
_SEEN_TO_BE_NULL: Final = frozenset(
    {"+", "-", "*", "/", "negative", "floor", "ceil", "ceiling", "if", "coalesce"}
)
"""Of which the optimiser asks for their arguments where one asks whether they are null."""

_COMPARING: Final = frozenset({"=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>", "in"})
_NULL_TESTS: Final = frozenset({"is null", "isnull", "is not null", "isnotnull"})
_LOGIC: Final = frozenset({"and", "or", "not", "!"})
_KINDS: Final = (TINYINT, SMALLINT, INT, BIGINT, DecimalType, FLOAT, DOUBLE)


def is_seen_to_be_null(branch: RowExpression) -> bool:
    """Whether the question if it is null becomes one of its parts."""
    if isinstance(branch, Call):
        return branch.operator.name in _SEEN_TO_BE_NULL
    return isinstance(branch, Case)


def is_made_simpler(
    branches: Sequence[RowExpression], conditions: Sequence[RowExpression], *, is_searched: bool
) -> bool:
    """Whether the branches are computed, or left, before their types meet a second time.

    ``is_searched``: it is no CASE of a value; without conditions it is a COALESCE.
    """
    if any(map(_is_decided, conditions)):
        return True
    if not conditions:
        # COALESCE goes no further than the first value that is never null.
        return any(is_null(b) or _is_never_null(b) for b in branches[:-1])
    if not all(map(is_constant, branches)):
        return False
    written = all(isinstance(branch, Literal) for branch in branches)
    return not written or (is_searched and any(map(_compares_with_a_constant, conditions)))


def _is_decided(condition: RowExpression) -> bool:
    """Whether a part of it is known without a row."""
    if isinstance(condition, Call) and condition.operator.name in _LOGIC:
        return any(map(_is_decided, condition.arguments))
    if isinstance(condition, Call) and condition.operator.name in _COMPARING:
        is_same = len({*condition.arguments}) == 1 and condition.operator.name != "<=>"
        return is_same or is_constant(condition)
    if isinstance(condition, Call) and condition.operator.name in _NULL_TESTS:
        return _is_never_null_for_a_test(condition.arguments[0])
    return is_constant(condition)


def _is_never_null_for_a_test(tested: RowExpression) -> bool:
    if not isinstance(tested, Call):
        return is_constant(tested)
    name, fixed = tested.operator.name, tested.operator.deterministic
    is_value = name in _NULL_TESTS or (name == "coalesce" and not tested.nullable)
    return is_value or (fixed and is_constant(tested))


def _is_never_null(branch: RowExpression) -> bool:
    """As far as the optimiser sees it."""
    if isinstance(branch, (Case, Call)) and not (
        isinstance(branch, Call) and branch.operator.name not in CHOICES
    ):
        return all(map(_is_never_null, values(branch)))
    inner = without_cast(branch)
    return is_constant(inner) and (not inner.nullable or known_number(inner) is not None)


def _compares_with_a_constant(condition: RowExpression) -> bool:
    """Of what is no text; of what a function returns only if the constant is cast to its type."""
    if not isinstance(condition, Call):
        return False
    name = condition.operator.name
    if name in {"not", "!"}:
        (inner,) = condition.arguments
        negated = isinstance(inner, Call) and inner.operator.name in _COMPARING
        return negated or _compares_with_a_constant(inner)
    if name in _LOGIC:
        return any(map(_compares_with_a_constant, condition.arguments))
    if name == "coalesce":
        return any(map(is_constant, condition.arguments))
    if name not in _COMPARING and name != "between":
        return False
    compared = [without_cast(argument) for argument in condition.arguments]
    constants = [part for part in compared if is_constant(part)]
    others = [part for part in compared if not is_constant(part)]
    return any(
        _is_converted(constant.type, other.type)
        or (name != "between" and not is_text(other.type) and not _is_of_a_function(other))
        for constant in constants
        for other in others
    )


def _is_of_a_function(expression: RowExpression) -> bool:
    """An element's place is one of its arguments."""
    if isinstance(expression, Call):
        return expression.operator.name not in CHOICES
    return isinstance(expression, Subscript)


def _is_converted(constant: ColumnType, other: ColumnType) -> bool:
    """Whether a constant is cast where it is compared, decimals of all digits being of one kind."""
    if constant == BOOLEAN or is_text(constant):
        return not is_text(other) and (constant == BOOLEAN or is_time(other))
    kinds = [DecimalType if isinstance(t, DecimalType) else t for t in (constant, other)]
    if kinds[0] not in _KINDS:
        return False
    return is_text(other) or (
        kinds[1] in _KINDS and _KINDS.index(kinds[0]) < _KINDS.index(kinds[1])
    )


def without_cast(expression: RowExpression) -> RowExpression:
    """What is written, without the casts that make types meet."""
    while isinstance(expression, Cast) and expression.implicit:
        expression = expression.operand
    return expression
