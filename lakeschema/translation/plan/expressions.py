"""Row expressions: a closed set of immutable nodes that know their type and nullability.

A ``ColumnReference`` names a column of its node's input by its index. In a join, the left columns come
before the right columns. An ``OuterReference`` names a column of an enclosing query by its index;
``level`` 1 is the nearest query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias, assert_never

from lakeschema.catalog.column_types import (
    BOOLEAN,
    ArrayType,
    ColumnType,
    MapType,
    StructType,
)
from lakeschema.translation.plan.errors import InvalidPlan
from lakeschema.translation.plan.operators import Operator

if TYPE_CHECKING:
    from lakeschema.translation.plan.relations import Plan


@dataclass(frozen=True, slots=True)
class ColumnReference:
    """A column of the node's input.

    Attributes:
        written: the column's name as a Spark text writes it; Spark gives this name to an item of
            SELECT without an alias.
    """

    index: int
    name: str = field(compare=False)
    type: ColumnType
    nullable: bool
    written: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class OuterReference:
    """A column of an enclosing query. ``written`` is the same as in ``ColumnReference``."""

    level: int
    index: int
    name: str = field(compare=False)
    type: ColumnType
    nullable: bool
    written: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Literal:
    """A literal. ``value`` is its text; None is NULL."""

    value: str | None
    type: ColumnType

    @property
    def nullable(self) -> bool:
        return self.value is None


@dataclass(frozen=True, slots=True)
class Call:
    operator: Operator
    arguments: tuple[RowExpression, ...]
    type: ColumnType
    nullable: bool


@dataclass(frozen=True, slots=True)
class Cast:
    """A value converted to another type.

    Attributes:
        implicit: whether the dialect added the cast to unify types, so that the text has no cast.
        tolerant: whether a value that cannot be converted gives null instead of an error (TRY_CAST).
        by_name: whether structs' fields are matched by name; fields that the operand lacks are null.
    """

    operand: RowExpression
    type: ColumnType
    nullable: bool
    implicit: bool = False
    tolerant: bool = False
    by_name: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """A CASE. Branches are (condition, value) of one type.

    If no condition is true, the value is ``otherwise``; None means NULL.
    """

    branches: tuple[tuple[RowExpression, RowExpression], ...]
    otherwise: RowExpression | None
    type: ColumnType

    @property
    def nullable(self) -> bool:
        return (
            self.otherwise is None
            or self.otherwise.nullable
            or any(value.nullable for _, value in self.branches)
        )


@dataclass(frozen=True, slots=True)
class FieldAccess:
    """A struct's field; for an array of structs, the array of this field's values.

    ``written`` is the same as in ``ColumnReference``.
    """

    base: RowExpression
    index: int
    name: str
    type: ColumnType
    nullable: bool
    written: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        base = self.base.type
        struct = base.element if isinstance(base, ArrayType) else base
        if not isinstance(struct, StructType) or not 0 <= self.index < len(struct.fields):
            raise InvalidPlan(f"field {self.name} of something without such a field")


@dataclass(frozen=True, slots=True)
class Subscript:
    """An array's element or a map's value; null if there is no such element."""

    base: RowExpression
    index: RowExpression
    type: ColumnType

    def __post_init__(self) -> None:
        if not isinstance(self.base.type, (ArrayType, MapType)):
            raise InvalidPlan("a subscript of a value that is neither array nor map")

    @property
    def nullable(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class SortKey:
    expression: RowExpression
    descending: bool = False
    nulls_first: bool | None = None


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """A call of an aggregate function. ``order_by`` has the keys of WITHIN GROUP.

    For functions that aggregate the key itself (``VALUE_IN_ORDER``), it is also the first argument.
    ``ignores_nulls``: None if the call has neither IGNORE NULLS nor RESPECT NULLS.
    """

    operator: Operator
    arguments: tuple[RowExpression, ...]
    type: ColumnType
    nullable: bool
    distinct: bool = False
    filter: RowExpression | None = None
    order_by: tuple[SortKey, ...] = ()
    ignores_nulls: bool | None = None


@dataclass(frozen=True, slots=True)
class WindowCall:
    """A ranking or aggregate function over a window; ``frame`` is the dialect's own text.

    ``within`` has the keys of WITHIN GROUP.
    """

    operator: Operator
    arguments: tuple[RowExpression, ...]
    partition_by: tuple[RowExpression, ...]
    order_by: tuple[SortKey, ...]
    frame: str | None
    type: ColumnType
    nullable: bool
    filter: RowExpression | None = None
    within: tuple[SortKey, ...] = ()
    ignores_nulls: bool | None = None
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class ScalarSubquery:
    """A sub-query with one column and at most one row; null without a row."""

    plan: Plan

    def __post_init__(self) -> None:
        if len(self.plan.columns) != 1:
            raise InvalidPlan("a scalar sub-query has one column")

    @property
    def type(self) -> ColumnType:
        return self.plan.columns[0].type

    @property
    def nullable(self) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Exists:
    plan: Plan

    @property
    def type(self) -> ColumnType:
        return BOOLEAN

    @property
    def nullable(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class InSubquery:
    operands: tuple[RowExpression, ...]
    plan: Plan

    def __post_init__(self) -> None:
        if len(self.operands) != len(self.plan.columns):
            raise InvalidPlan("IN compares as many values as the sub-query has columns")

    @property
    def type(self) -> ColumnType:
        return BOOLEAN

    @property
    def nullable(self) -> bool:
        return any(e.nullable for e in self.operands) or any(c.nullable for c in self.plan.columns)


@dataclass(frozen=True, slots=True)
class LambdaVariable:
    """A variable of a lambda. ``written`` is the same as in ``ColumnReference``."""

    name: str
    type: ColumnType
    nullable: bool
    written: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Lambda:
    """``x -> body``, an argument of a higher-order call; it has its body's type."""

    parameters: tuple[LambdaVariable, ...]
    body: RowExpression

    @property
    def type(self) -> ColumnType:
        return self.body.type

    @property
    def nullable(self) -> bool:
        return self.body.nullable


RowExpression: TypeAlias = (
    ColumnReference
    | OuterReference
    | Literal
    | Call
    | Cast
    | Case
    | FieldAccess
    | Subscript
    | AggregateCall
    | WindowCall
    | ScalarSubquery
    | Exists
    | InSubquery
    | LambdaVariable
    | Lambda
)


def children(expression: RowExpression) -> tuple[RowExpression, ...]:
    """The expressions directly inside, left to right, without those in a sub-query's plan."""
    match expression:
        case ColumnReference() | OuterReference() | Literal() | LambdaVariable():
            return ()
        case ScalarSubquery() | Exists():
            return ()
        case Call(arguments=arguments):
            return arguments
        case Cast(operand=operand):
            return (operand,)
        case Case(branches, otherwise):
            inner = tuple(part for branch in branches for part in branch)
            return inner if otherwise is None else (*inner, otherwise)
        case FieldAccess(base=base):
            return (base,)
        case Subscript(base, index):
            return (base, index)
        case AggregateCall(arguments=arguments, filter=condition, order_by=order):
            keys = tuple(key.expression for key in order)
            return (*arguments, *keys) if condition is None else (*arguments, *keys, condition)
        case WindowCall(arguments=arguments, partition_by=partition, order_by=order):
            over = (*partition, *(key.expression for key in (*expression.within, *order)))
            condition = expression.filter
            return (*arguments, *over) if condition is None else (*arguments, *over, condition)
        case InSubquery(operands=operands):
            return operands
        case Lambda(body=body):
            return (body,)
        case _:
            assert_never(expression)


_LEAVES = frozenset({ColumnReference, OuterReference, Literal, LambdaVariable})


def values(expression: RowExpression) -> tuple[RowExpression, ...]:
    """The ``children`` without conditions that only choose among them."""
    match expression:
        case Case(branches, otherwise):
            chosen = tuple(value for _, value in branches)
            return chosen if otherwise is None else (*chosen, otherwise)
        case Call(operator, (_, *chosen)) if operator.name == "if" and operator.udf is None:
            return tuple(chosen)
        case _:
            return children(expression)


def unconverted(expression: RowExpression) -> RowExpression:
    """The expression inside the engine's implicit conversion, if there is one."""
    if isinstance(expression, Cast) and expression.implicit:
        return expression.operand
    return expression


def converted_from(expression: RowExpression) -> RowExpression:
    """The expression inside all conversions around it, including conversions in the text."""
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression


def connected(expression: RowExpression, name: str) -> tuple[RowExpression, ...]:
    """The parts that ``and`` or ``or`` connects, with nested calls of the same operator flattened."""
    if isinstance(expression, Call) and expression.operator.name == name:
        return tuple(part for each in expression.arguments for part in connected(each, name))
    return (expression,)


def asks(expression: RowExpression) -> bool:
    """Whether the expression contains a sub-query."""
    if isinstance(expression, ScalarSubquery | Exists | InSubquery):
        return True
    return any(map(asks, children(expression)))


def walk(expression: RowExpression) -> Iterator[RowExpression]:
    """The expression and all expressions inside it, outermost first, without sub-queries' plans."""
    stack = [expression]
    while stack:
        found = stack.pop()
        yield found
        if found.__class__ not in _LEAVES:
            stack.extend(reversed(children(found)))


def subqueries(read: Iterable[RowExpression]) -> Iterator[ScalarSubquery | Exists | InSubquery]:
    """The sub-queries in the expressions. Sub-queries that are nested in them are left out."""
    for expression in read:
        for part in walk(expression):
            if isinstance(part, ScalarSubquery | Exists | InSubquery):
                yield part


def written_name(
    reference: ColumnReference | OuterReference | FieldAccess | LambdaVariable,
) -> str:
    """The name that Spark gives the column or field: it keeps the text's letter case."""
    return reference.written or reference.name


def rebuild(
    expression: RowExpression, change: Callable[[RowExpression], RowExpression]
) -> RowExpression:
    """The same node over changed children; ``change`` does not get the node itself."""
    match expression:
        case ColumnReference() | OuterReference() | Literal() | LambdaVariable():
            return expression
        case ScalarSubquery() | Exists():
            return expression
        case Call(operator, arguments, type_, nullable):
            return Call(operator, tuple(map(change, arguments)), type_, nullable)
        case Cast(operand=operand):
            return replace(expression, operand=change(operand))
        case Case(branches, otherwise, type_):
            changed = tuple((change(when), change(then)) for when, then in branches)
            return Case(changed, None if otherwise is None else change(otherwise), type_)
        case FieldAccess(base=base):
            return replace(expression, base=change(base))
        case Subscript(base, index_expression, type_):
            return Subscript(change(base), change(index_expression), type_)
        case AggregateCall(arguments=arguments, filter=condition, order_by=order):
            return replace(
                expression,
                arguments=tuple(map(change, arguments)),
                filter=None if condition is None else change(condition),
                order_by=_changed(order, change),
            )
        case WindowCall(arguments=arguments, partition_by=partition, filter=condition):
            return replace(
                expression,
                arguments=tuple(map(change, arguments)),
                partition_by=tuple(map(change, partition)),
                order_by=_changed(expression.order_by, change),
                filter=None if condition is None else change(condition),
                within=_changed(expression.within, change),
            )
        case InSubquery(operands, plan):
            return InSubquery(tuple(map(change, operands)), plan)
        case Lambda(parameters, body):
            return Lambda(parameters, change(body))
        case _:
            assert_never(expression)


def _changed(
    keys: tuple[SortKey, ...], change: Callable[[RowExpression], RowExpression]
) -> tuple[SortKey, ...]:
    return tuple(replace(key, expression=change(key.expression)) for key in keys)
