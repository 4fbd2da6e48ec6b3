"""What Hive computes while it reads a query: numbers, and conditions that choose among them.

Its types of decimals depend on the digits of what is computed. (Hive 4.0.1, asked.)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Context, Decimal, DecimalException, localcontext
from functools import lru_cache
from itertools import product
from operator import eq, ge, gt, le, lt, ne
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from lakeschema.catalog.column_types import (
    BIGINT,
    BOOLEAN,
    ArrayType,
    ColumnType,
    DecimalType,
    MapType,
    StructType,
)
from lakeschema.translation.functions.coercion import is_float, is_text
from lakeschema.translation.functions.constants import BITS, constant_text
from lakeschema.translation.functions.hive_arithmetic import (
    ARITIES,
    COMPUTED,
    Null,
    Value,
    as_type,
    wrapped,
)
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
    children,
    walk,
)
from lakeschema.translation.plan.operators import NullClass

_READING: Final = (
    *(ColumnReference, OuterReference, AggregateCall, WindowCall, LambdaVariable),
    *(ScalarSubquery, Exists, InSubquery, FieldAccess),
)
_NOT_COMPUTED: Final = (ArrayType, MapType, StructType)
_NUMBER: Final = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?\s*", re.ASCII)
_EXACT: Final = Context(prec=100)

TO_WHOLE: Final = frozenset({"floor", "ceil", "ceiling"})

_OPERATORS: Final = frozenset({"+", "-", "*", "/", "%"})
"""Of which NULL is seen beside what rows hold."""

_REMEMBERED: Final = 256
"""Expressions: what stands in each other is asked for again from each place around it."""

Truth: TypeAlias = bool | None
_ANY: Final[frozenset[Truth]] = frozenset({True, False, None})
_ORDERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = MappingProxyType(
    {"=": eq, "==": eq, "<>": ne, "!=": ne, "<": lt, "<=": le, ">": gt, ">=": ge}
)
NULL_TESTS: Final = MappingProxyType(
    {"is null": True, "isnull": True, "is not null": False, "isnotnull": False}
)

_TRUTH_TESTS: Final[Mapping[str, tuple[bool, bool]]] = MappingProxyType(
    {
        "is true": (True, True),
        "istrue": (True, True),
        "is false": (False, True),
        "isfalse": (False, True),
        "isnottrue": (True, False),
        "isnotfalse": (False, False),
    }
)
"""Of which truth they are, and what they are of it."""


def name_of(expression: RowExpression) -> str:
    """Of the engine's own function that is called; empty for a user's, and for what is no call."""
    if not isinstance(expression, Call) or expression.operator.udf is not None:
        return ""
    return expression.operator.name


def without_cast(expression: RowExpression) -> RowExpression:
    """What is written, without the casts that make types meet and plus signs, which are left out."""
    while True:
        if isinstance(expression, Cast) and expression.implicit:
            expression = expression.operand
        elif isinstance(expression, Call) and name_of(expression) == "positive":
            expression = expression.arguments[0]
        else:
            return expression


def is_constant(expression: RowExpression) -> bool:
    """Whether nothing of it is read of rows; Hive computes nothing of collections and structs."""
    return not any(
        isinstance(part, _READING) or isinstance(part.type, _NOT_COMPUTED)
        for part in walk(expression)
    )


def written_integer(expression: RowExpression) -> int | None:
    """A whole number that stands in the text, also cast from type to type."""
    match expression:
        case Literal(str(text), type_) if type_ in BITS:
            return int(text)
        case Call(arguments=(Literal(str(text), type_),)) if name_of(expression) == "negative":
            return -int(text) if type_ in BITS else None
        case Cast(Literal() | Cast() as operand, type_) if type_ in BITS:
            if isinstance(operand, Cast) and operand.type not in BITS:
                return None
            value = _value(expression)
            return int(value) if isinstance(value, Decimal) else None
        case _:
            return None


def is_written(expression: RowExpression) -> bool:
    """As a literal, perhaps cast to the type that it has."""
    while isinstance(expression, Cast) and expression.operand.type == expression.type:
        expression = expression.operand
    return isinstance(expression, Literal)


def known_number(expression: RowExpression) -> Decimal | None:
    """The exact number that an expression always is.

    None if there is none, or if it is the result of a function that is not computed here, or of a
    choice whose conditions are not known.
    """
    value = _value(expression)
    return value if isinstance(value, Decimal) else None


def is_known(expression: RowExpression) -> bool:
    """Whether it is one value whatever a row holds."""
    return is_constant(expression) or known_number(expression) is not None


def possible_truths(condition: RowExpression) -> frozenset[Truth]:
    """What a condition can be for any row, None for NULL; more of it if Hive does not see better."""
    match condition:
        case Literal(value, type_) if value is None or type_ == BOOLEAN:
            return frozenset({None if value is None else value == "true"})
        case Cast(operand) if _value(operand) is Null.NULL:
            return frozenset({None})
        case Cast(operand, type_) if operand.type == type_:
            return possible_truths(operand)
        case Case() | Call():
            return _remembered_truths(condition)
        case _:
            return _ANY


@lru_cache(_REMEMBERED)
def _remembered_truths(condition: Case | Call) -> frozenset[Truth]:
    match condition:
        case Case(branches, otherwise):
            return _chosen_truths(branches, otherwise)
        case Call(operator, arguments) if operator.udf is None:
            return _called_truths(operator.name, arguments, operator.nulls)
        case _:
            return _ANY


def may_be_known(condition: RowExpression) -> bool:
    """Whether Hive computes a part of a condition that is not known here."""
    return any(
        part.type == BOOLEAN and is_folded(part) and len(possible_truths(part)) > 1
        for part in walk(condition)
    )


def _chosen_truths(
    branches: Sequence[tuple[RowExpression, RowExpression]], otherwise: RowExpression | None
) -> frozenset[Truth]:
    found: frozenset[Truth] = frozenset()
    for condition, value in branches:
        truths = possible_truths(condition)
        if True in truths:
            found |= possible_truths(value)
        if truths == {True}:
            return found
    return found | ({None} if otherwise is None else possible_truths(otherwise))


def _called_truths(
    name: str, arguments: Sequence[RowExpression], nulls: NullClass
) -> frozenset[Truth]:
    if name in {"and", "or"}:
        return _connected(map(possible_truths, arguments), decisive=name == "or")
    if name in {"not", "!"}:
        (inner,) = arguments
        if name_of(inner) in NULL_TESTS and isinstance(inner, Call):
            asks_for_null = not NULL_TESTS[name_of(inner)]
            return _null_test(inner.arguments[0], asks_for_null=asks_for_null)
        return frozenset(None if t is None else not t for t in possible_truths(inner))
    if name in NULL_TESTS:
        return _null_test(arguments[0], asks_for_null=NULL_TESTS[name])
    if name in _TRUTH_TESTS:
        asked, if_so = _TRUTH_TESTS[name]
        return frozenset(if_so == (truth is asked) for truth in possible_truths(arguments[0]))
    if name == "if":
        condition, one, other = arguments
        return _chosen_truths([(condition, one)], other)
    if name in {"coalesce", "nvl"}:
        return _first_truths(arguments)
    if name in _ORDERS:
        return _compared(name, arguments, [_value(part) for part in arguments])
    if name in {"between", "in"}:
        return _within(name, arguments, [_value(part) for part in arguments])
    if nulls is NullClass.TOTAL and any(_value(part) is Null.NULL for part in arguments):
        return frozenset({None})
    return _ANY


def _within(
    name: str, arguments: Sequence[RowExpression], values: Sequence[Value]
) -> frozenset[Truth]:
    """BETWEEN and IN."""

    def compared(order: str, one: int, other: int) -> frozenset[Truth]:
        return _compared(order, (arguments[one], arguments[other]), (values[one], values[other]))

    if name == "in":
        places = range(1, len(arguments))
        return _connected((compared("=", 0, place) for place in places), decisive=True)
    if compared("<", 2, 1) == {True}:
        return frozenset({False, None})
    return _connected((compared(">=", 0, 1), compared("<=", 0, 2)), decisive=False)


def _connected(parts: Iterable[frozenset[Truth]], *, decisive: bool) -> frozenset[Truth]:
    """AND, or OR where ``decisive`` is true."""
    found: frozenset[Truth] = frozenset({not decisive})
    for part in parts:
        found = frozenset(
            decisive if decisive in {one, other} else None if None in {one, other} else not decisive
            for one, other in product(found, part)
        )
    return found


def _first_truths(arguments: Sequence[RowExpression]) -> frozenset[Truth]:
    found: frozenset[Truth] = frozenset()
    for argument in arguments:
        truths = possible_truths(argument)
        found |= truths - {None}
        if None not in truths:
            return found
    return found | {None}


def _null_test(tested: RowExpression, *, asks_for_null: bool) -> frozenset[Truth]:
    value = _value(tested)
    if value is Null.NULL:
        return frozenset({asks_for_null})
    if isinstance(value, Decimal) or isinstance(tested, Literal):
        return frozenset({not asks_for_null})
    if is_coalesced(tested):
        return _ANY - {None} if asks_for_null else frozenset({True})
    if tested.type == BOOLEAN and None not in possible_truths(tested):
        return frozenset({not asks_for_null})
    return _ANY - {None}


def is_coalesced(tested: RowExpression) -> bool:
    """Whether it is a COALESCE that is never null, whatever its parts are cast to."""
    if not isinstance(tested, Call) or name_of(tested) != "coalesce":
        return False
    return any(
        isinstance(_value(part), Decimal) or not part.nullable
        for part in map(without_cast, tested.arguments)
    )


def _compared(
    name: str, parts: Sequence[RowExpression], values: Sequence[Value]
) -> frozenset[Truth]:
    """Of two parts, whose ``values`` are looked up once: they may be as deep as a query."""
    if Null.NULL in values:
        return frozenset({None})
    one, other = parts
    if one == other and not is_constant(one) and not _is_varying(one):
        return frozenset({name in {"=", "==", "<=", ">="}, None})
    return _ordered(_ORDERS[name], values, parts)


def _ordered(
    order: Callable[[Any, Any], bool],
    values: Sequence[Value],
    texts: Sequence[RowExpression],
) -> frozenset[Truth]:
    """Of numbers that are known, or of texts that are."""
    if None not in values:
        return frozenset({order(*values)})
    one, other = map(constant_text, texts)
    return _ANY if one is None or other is None else frozenset({order(one, other)})


def is_folded(expression: RowExpression) -> bool:
    """Whether Hive computes it while it reads the query."""
    if isinstance(expression, ColumnReference) or not is_constant(expression):
        return False
    return not _is_varying(expression)


def _is_varying(expression: RowExpression) -> bool:
    """Whether it may be another value each time."""
    return any(isinstance(part, Call) and _varies(part) for part in walk(expression))


def holds_computed(expression: RowExpression) -> bool:
    """Whether the optimiser computes a part of it; not so in a struct."""
    if isinstance(expression, FieldAccess) or is_written(expression):
        return False
    if isinstance(expression, Cast) and expression.implicit:
        return holds_computed(expression.operand)
    return is_folded(expression) or any(map(holds_computed, children(expression)))


def is_uncomputed(expression: RowExpression) -> bool:
    """Whether Hive computes a constant while it reads the query, and its value is not known here."""
    return _value(expression) is None and is_folded(expression)


def _varies(call: Call) -> bool:
    is_now = call.operator.name == "unix_timestamp" and not call.arguments
    return is_now or not call.operator.deterministic


def _value(expression: RowExpression) -> Value:
    if isinstance(expression, ColumnReference):
        return expression.constant
    try:
        with localcontext(_EXACT):
            return _computed(expression)
    except (DecimalException, ValueError, OverflowError):
        return None


def _computed(expression: RowExpression) -> Value:
    match expression:
        case Literal(None):
            return Null.NULL
        case ColumnReference(constant=known):
            return known
        case Literal(str(text), type_) if type_ in BITS or isinstance(type_, DecimalType):
            return Decimal(text)
        case Cast(operand, type_):
            return _cast(operand, type_)
        case Case() | Call():
            return _remembered_value(expression)
        case _:
            return None


@lru_cache(_REMEMBERED)
def _remembered_value(expression: Case | Call) -> Value:
    match expression:
        case Case(branches, otherwise):
            return _chosen(branches, otherwise)
        case Call(operator, arguments, type_) if operator.udf is None:
            value = _called(operator.name, arguments, type_)
            is_strict = operator.nulls is NullClass.TOTAL and is_constant(expression)
            if value is None and is_strict and Null.NULL in map(_computed, arguments):
                return Null.NULL
            return value
        case _:
            return None


def _cast(operand: RowExpression, type_: ColumnType) -> Value:
    if type_ not in BITS and not isinstance(type_, DecimalType):
        return Null.NULL if _computed(operand) is Null.NULL else None
    if isinstance(operand, Literal) and operand.value is not None:
        if operand.type == BOOLEAN:
            return as_type(Decimal(operand.value == "true"), type_)
        if is_float(operand.type):
            # What does not fit is bounded, or wraps round.
            value = _read(operand.value, type_)
            return None if value is Null.NULL else value
        if is_text(operand.type):
            return _read(operand.value, type_)
    text = constant_text(operand)
    if text is not None:
        return _read(text, type_)
    value = _computed(operand)
    if not isinstance(value, Decimal):
        return value
    if type_ in BITS and operand.type in BITS:
        return Decimal(wrapped(int(value), type_))
    return as_type(value, type_)


def _read(text: str, type_: ColumnType) -> Value:
    """What is no number is null."""
    return as_type(Decimal(text), type_) if _NUMBER.fullmatch(text) else Null.NULL


def _chosen(
    branches: Sequence[tuple[RowExpression, RowExpression]], otherwise: RowExpression | None
) -> Value:
    """Of a choice that is known without a row."""
    for condition, value in branches:
        truths = possible_truths(condition)
        if truths == {True}:
            return _computed(value)
        if True in truths:
            return None
    return Null.NULL if otherwise is None else _computed(otherwise)


def _called(name: str, arguments: Sequence[RowExpression], type_: ColumnType) -> Value:
    if name == "length":
        text = constant_text(arguments[0])
        return None if text is None else Decimal(len(text))
    if name == "if":
        condition, one, other = arguments
        return _chosen([(condition, one)], other)
    if name == "coalesce":
        return _first_value(map(_computed, arguments))
    if name == "nvl":
        found = [_computed(argument) for argument in arguments]
        return None if None in found else _first_value(found)
    if name == "nullif":
        left, right = map(_computed, arguments)
        return None if left is None or right is None else Null.NULL if left == right else left
    if len(arguments) not in ARITIES.get(name, ()):
        return None
    if name in TO_WHOLE and not is_constant(arguments[0]):
        # Under it nothing is followed that a row could decide.
        return None
    values = [_computed(argument) for argument in arguments]
    if Null.NULL in values and (name in _OPERATORS or None not in values):
        return Null.NULL
    numbers = [value for value in values if isinstance(value, Decimal)]
    if len(numbers) < len(values):
        return None
    number = Decimal(COMPUTED[name](*numbers))
    if name in TO_WHOLE and type_ == BIGINT:
        number = _by_double(number)
    value = as_type(number, type_)
    # What is too large for a whole number wraps round.
    return None if value is Null.NULL and type_ in BITS else value


def _by_double(number: Decimal) -> Decimal:
    """So does Hive's FLOOR with longs, and ends at the greatest and the least of them."""
    return Decimal(min(max(int(float(number)), -(2**63)), 2**63 - 1))


def _first_value(values: Iterable[Value]) -> Value:
    return next((value for value in values if value is not Null.NULL), Null.NULL)
