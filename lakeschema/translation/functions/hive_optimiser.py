"""What Hive's optimiser makes of choices and conditions, as far as the types of decimals depend on it.

(Hive 4.0.1, asked.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Final

from lakeschema.catalog.column_types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    TINYINT,
    VOID,
    ColumnType,
    DecimalType,
)
from lakeschema.translation.functions.coercion import is_integer, is_text, is_time
from lakeschema.translation.functions.constants import is_null
from lakeschema.translation.functions.hive_constants import (
    NULL_TESTS,
    holds_computed,
    is_coalesced,
    is_constant,
    is_known,
    is_written,
    known_number,
    may_be_known,
    name_of,
    possible_truths,
    without_cast,
)
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import (
    Call,
    Case,
    Cast,
    ColumnReference,
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

_MAX_WAYS: Final = 100
"""In which the conditions of one choice may turn out, as far as is known here."""

_MAX_FLATTENED: Final = 30
"""Choices in the ELSE of each other that are met as one: a chain of any length takes little time."""

_COMPARING: Final = frozenset({"=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>", "in"})
_LOGIC: Final = frozenset({"and", "or", "not", "!"})
_NULL_TESTED_INSIDE: Final = (
    _SEEN_TO_BE_NULL
    | _COMPARING
    | _LOGIC
    | {"like", "between", "extract", "year", "quarter", "month", "weekofyear", "day", "hour"}
    | {"minute", "second", "floor_year", "floor_quarter", "floor_month", "floor_week", "floor_day"}
    | {"floor_hour", "floor_minute", "floor_second"}
)
"""Of which IS NULL becomes a question of what is in them."""

_REWRITTEN: Final = frozenset({"is true", "istrue", "is false", "isfalse", "if"})
_KEPT_TESTS: Final = frozenset({"isnottrue", "isnotfalse"})
_KINDS: Final = (TINYINT, SMALLINT, INT, BIGINT, DecimalType, FLOAT, DOUBLE)


def is_seen_to_be_null(branch: RowExpression) -> bool:
    """Whether the question if it is null becomes one of its parts."""
    return isinstance(branch, Case) or name_of(branch) in _SEEN_TO_BE_NULL


@dataclass(frozen=True)
class Choice:
    """What is left of a choice when conditions that are known are followed.

    Attributes:
        is_complete: it has an ELSE, or needs none.
        is_searched: it is no CASE of a value, or that is not known; a COALESCE has no conditions.
        is_reduced: something was left out.
        held: the choices that stood in its ELSE.
        shown_to_null: the branches whose types its NULLs, also that of a missing ELSE, are of.
    """

    branches: Sequence[RowExpression]
    conditions: Sequence[RowExpression]
    is_complete: bool
    is_searched: bool
    is_reduced: bool = False
    held: Sequence[Choice] = ()
    shown_to_null: Sequence[RowExpression] = ()

    @property
    def is_of_constants(self) -> bool:
        """Whether a row only decides which of them it is, choices of constants among them."""
        return bool(self.conditions) and self.is_complete and self._inner is not None

    def is_made_simpler(self) -> bool:
        """Whether the branches are computed, or left, before their types meet a second time."""
        if not self.conditions:
            return any(map(holds_computed, self.branches))
        if not self.is_of_constants:
            return False
        if self._inner or self.held:
            return any(choice.is_made_simpler() for choice in self._inner or self.held)
        if self.is_reduced or not all(map(is_written, self.branches)):
            return True
        if any(map(_is_rewritten, self.conditions)):
            return True
        return self.is_searched and any(map(_compares_with_a_constant, self.conditions))

    @cached_property
    def _inner(self) -> Sequence[Choice] | None:
        """The choices of constants among its branches; None if another is no constant.

        A COALESCE with a constant is as one of them.
        """
        found: list[Choice] = []
        for branch in self.branches:
            if is_known(branch):
                continue
            if is_coalesced(branch):
                found.append(Choice(values(branch), (), is_complete=True, is_searched=False))
            else:
                choice = choice_of(branch)
                if choice is None or is_null(choice.branches[-1]) or not choice.is_of_constants:
                    return None
                found.append(choice)
        return found


def choice_of(expression: RowExpression) -> Choice | None:
    """A CASE or IF as it is written; None of anything else."""
    branches = [without_cast(value) for value in values(expression)]
    match expression:
        case Case(cases, otherwise):
            conditions = [condition for condition, _ in cases]
            return Choice(branches, conditions, otherwise is not None, is_searched=True)
        case Call(arguments=(condition, *_)) if name_of(expression) == "if":
            return Choice(branches, (condition,), is_complete=True, is_searched=True)
        case _:
            return None


def is_decided(choice: Choice) -> bool:
    """Whether Hive knows one of its conditions without a row."""
    return any(None not in _outcomes(condition) for condition in choice.conditions)


def flattened(choice: Choice, most: int = _MAX_FLATTENED) -> Choice:
    """With a choice that stands in its ELSE as more of its conditions."""
    shown = _shown_to_null(choice)
    last = without_cast(choice.branches[-1])
    is_met = choice.is_complete and most > 0 and not is_integer(last.type)
    inner = choice_of(last) if is_met else None
    if inner is None or not choice.conditions or is_decided(inner):
        return replace(choice, shown_to_null=shown)
    inner = flattened(inner, most - 1)
    nothing = () if inner.is_complete else (Literal(None, VOID),)
    return Choice(
        (*choice.branches[:-1], *inner.branches, *nothing),
        (*choice.conditions, *inner.conditions),
        is_complete=True,
        is_searched=choice.is_searched,
        held=(inner,),
        shown_to_null=(*shown, *inner.shown_to_null),
    )


def _shown_to_null(choice: Choice) -> Sequence[RowExpression]:
    """A written NULL is of the type of the first of the others, a missing ELSE of the last's.

    In CASE of a value a written NULL is of the type that the others meet in.
    """
    given = [branch for branch in choice.branches if not is_null(branch)]
    written = given[:1] if choice.is_searched else given
    has_null = len(given) < len(choice.branches)
    missing = () if choice.is_complete else choice.branches[-1:]
    return (*(written if has_null else ()), *missing)


def kept_in_coalesce(branches: Sequence[RowExpression]) -> Sequence[RowExpression]:
    """Up to the first value that is never null, without NULL and a column that stands there twice."""
    kept: list[RowExpression] = []
    for branch in branches:
        if not is_null(branch) and not (isinstance(branch, ColumnReference) and branch in kept):
            kept.append(branch)
        if is_never_null(branch):
            break
    return kept


def reductions(choice: Choice) -> list[Choice]:
    """What a choice may be made to: more than one if Hive knows of a condition what we do not."""
    ways = list(islice(_ways([_outcomes(c) for c in choice.conditions]), _MAX_WAYS + 1))
    if len(ways) > _MAX_WAYS:
        raise UnsupportedConstruct(
            "a choice of many conditions that Hive computes",
            hint="write the values that it compares, rather than how they are computed",
        )
    return [_reduced(choice, known) for known in ways]


def _ways(outcomes: Sequence[Sequence[bool | None]]) -> Iterator[tuple[bool | None, ...]]:
    """How conditions may turn out, one after the other; none is asked after one that holds."""
    if not outcomes:
        yield ()
        return
    first, *rest = outcomes
    for truth in first:
        if truth:
            yield (True, *(None for _ in rest))
        else:
            yield from ((truth, *after) for after in _ways(rest))


def _outcomes(condition: RowExpression) -> list[bool | None]:
    """Whether it holds; None if that depends on the row."""
    truths = possible_truths(condition)
    if True not in truths or truths == {True}:
        return [truths == {True}]
    if not may_be_known(condition):
        return [None]
    return [True, False] if is_constant(condition) else [True, False, None]


def _reduced(choice: Choice, known: Sequence[bool | None]) -> Choice:
    if not any(truth is not None for truth in known):
        return choice
    branches: list[RowExpression] = []
    conditions: list[RowExpression] = []
    is_complete = choice.is_complete
    for truth, condition, branch in zip(known, choice.conditions, choice.branches, strict=False):
        if truth is not False:
            branches.append(branch)
        if truth is None:
            conditions.append(condition)
        if truth is True:
            is_complete = True
            break
    else:
        branches += choice.branches[len(known) :]
    return Choice(branches, conditions, is_complete, choice.is_searched, is_reduced=True)


def _is_rewritten(condition: RowExpression) -> bool:
    """Whether a part of it is known without a row, or said in another way."""
    if holds_computed(condition):
        return True
    name = name_of(condition)
    if not isinstance(condition, Call) or not name or not condition.arguments:
        return isinstance(condition, Case) or is_constant(condition)
    tested, *_ = condition.arguments
    if _is_kept_test(condition):
        return _is_rewritten(tested.arguments[0]) if isinstance(tested, Call) else False
    if name in _LOGIC | _KEPT_TESTS:
        return any(map(_is_rewritten, condition.arguments))
    if name in _REWRITTEN:
        return True
    if name in _COMPARING:
        is_same = len({*condition.arguments}) == 1 and name != "<=>"
        return is_same or is_constant(condition)
    if name in NULL_TESTS and isinstance(tested, Call):
        is_fixed = tested.operator.deterministic and is_constant(tested)
        asks_inside = name_of(tested) in _NULL_TESTED_INSIDE or name_of(tested) in NULL_TESTS
        if name_of(tested) == "coalesce" and any(isinstance(a, Cast) for a in tested.arguments):
            asks_inside = False
        return is_fixed or is_coalesced(tested) or asks_inside
    if name in NULL_TESTS:
        return isinstance(tested, Case) or is_constant(tested)
    return is_constant(condition)


def _is_kept_test(condition: Call) -> bool:
    """IS NOT TRUE, IS NOT FALSE."""
    is_negated = name_of(condition) in {"not", "!"}
    return is_negated and name_of(condition.arguments[0]) in {"is true", "is false"}


def is_never_null(branch: RowExpression) -> bool:
    """As far as the optimiser sees it."""
    inner = without_cast(branch)
    if known_number(inner) is not None:
        return True
    if name_of(inner) == "coalesce":
        return any(map(is_never_null, values(inner)))
    choice = choice_of(inner)
    if choice is not None:
        return choice.is_complete and all(map(is_never_null, choice.branches))
    return is_constant(inner) and not inner.nullable


def _compares_with_a_constant(condition: RowExpression) -> bool:
    """Of what is no text; of what a function returns only if the constant is cast to its type."""
    name = name_of(condition)
    if not isinstance(condition, Call) or not name:
        return False
    if name in {"not", "!"}:
        (inner,) = condition.arguments
        if isinstance(inner, Call) and _is_kept_test(condition):
            return _compares_with_a_constant(inner.arguments[0])
        return name_of(inner) in _COMPARING or _compares_with_a_constant(inner)
    if name in _LOGIC | _KEPT_TESTS:
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
    while isinstance(expression, Cast) and expression.operand.type == expression.type:
        expression = expression.operand
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
