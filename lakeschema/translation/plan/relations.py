"""Relational algebra: a closed set of immutable nodes, which know their columns.

``columns`` is computed once, when a node is made. A sub-plan may be shared by several parents (a
CTE read twice); it is then the same object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TypeAlias, assert_never

from lakeschema.catalog.column_types import BOOLEAN, VOID, ColumnType
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.errors import InvalidPlan
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    ColumnReference,
    RowExpression,
    SortKey,
    WindowCall,
    subqueries,
    walk,
)

UNNAMED = "\x00unnamed"
"""The prefix of the name that Spark generates for a column; a view must not show such a name."""


@dataclass(frozen=True, slots=True)
class PlanColumn:
    """A column of a plan.

    ``name`` has the letter case of the text, or of the copied base column.
    """

    name: str
    type: ColumnType
    nullable: bool

    def as_nullable(self) -> PlanColumn:
        return self if self.nullable else replace(self, nullable=True)


Columns: TypeAlias = tuple[PlanColumn, ...]


class SetOperator(Enum):
    UNION_ALL = "union all"
    UNION = "union"
    INTERSECT = "intersect"
    INTERSECT_ALL = "intersect all"
    EXCEPT = "except"
    EXCEPT_ALL = "except all"


@dataclass(frozen=True, slots=True)
class Scan:
    """Reads a relation; the plan knows only the relation's columns."""

    relation: RelationName
    columns: Columns


@dataclass(frozen=True, slots=True)
class Values:
    rows: tuple[tuple[RowExpression, ...], ...]
    columns: Columns

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise InvalidPlan("VALUES with rows of different width")


@dataclass(frozen=True, slots=True)
class Project:
    """Computes columns. ``items`` are (name, expression).

    An item that is only a reference keeps the column's whole schema.
    """

    input: Plan
    items: tuple[tuple[str, RowExpression], ...]
    columns: Columns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check(self.input.columns, (expression for _, expression in self.items))
        columns = tuple(PlanColumn(n, e.type, e.nullable) for n, e in self.items)
        object.__setattr__(self, "columns", columns)


@dataclass(frozen=True, slots=True)
class Filter:
    input: Plan
    condition: RowExpression
    columns: Columns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.condition.type not in {BOOLEAN, VOID}:
            raise InvalidPlan("a filter's condition is boolean")
        _check(self.input.columns, (self.condition,))
        object.__setattr__(self, "columns", self.input.columns)


@dataclass(frozen=True, slots=True)
class Join:
    """Joins two plans: left columns, then right columns. Semi and anti joins keep only the left columns.

    ``lateral``: the right side may refer to the left by ``OuterReference``s of level 1.
    """

    left: Plan
    right: Plan
    kind: JoinKind
    condition: RowExpression | None = None
    lateral: bool = False
    columns: Columns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        left, right = self.left.columns, self.right.columns
        if self.condition is not None:
            if self.condition.type not in {BOOLEAN, VOID}:
                raise InvalidPlan("a join's condition is boolean")
            _check((*left, *right), (self.condition,))
        object.__setattr__(self, "columns", self._joined(left, right))

    def _joined(self, left: Columns, right: Columns) -> Columns:
        if self.kind in {JoinKind.SEMI, JoinKind.ANTI}:
            return left
        if self.kind in {JoinKind.RIGHT, JoinKind.FULL}:
            # Unmatched rows of the other side have nulls here.
            left = tuple(column.as_nullable() for column in left)
        if self.kind in {JoinKind.LEFT, JoinKind.FULL}:
            right = tuple(column.as_nullable() for column in right)
        return (*left, *right)


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Groups rows: the keys, then the aggregates.

    ``sets`` are the grouping sets, as indices of ``keys``; None means one set with all keys. A key
    that a grouping set lacks is nullable.
    """

    input: Plan
    keys: tuple[tuple[str, RowExpression], ...]
    aggregates: tuple[tuple[str, AggregateCall], ...]
    sets: tuple[tuple[int, ...], ...] | None = None
    columns: Columns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check(self.input.columns, (e for _, e in (*self.keys, *self.aggregates)))
        count = len(self.keys)
        if self.sets is not None and any(not 0 <= k < count for s in self.sets for k in s):
            raise InvalidPlan("a grouping set of keys that do not exist")
        keys = tuple(
            PlanColumn(name, key.type, key.nullable or self._absent_somewhere(index))
            for index, (name, key) in enumerate(self.keys)
        )
        calls = tuple(PlanColumn(n, call.type, call.nullable) for n, call in self.aggregates)
        object.__setattr__(self, "columns", (*keys, *calls))

    def _absent_somewhere(self, key: int) -> bool:
        return self.sets is not None and any(key not in chosen for chosen in self.sets)


@dataclass(frozen=True, slots=True)
class Window:
    """Adds a column for each window call to the input's columns."""

    input: Plan
    calls: tuple[tuple[str, WindowCall], ...]
    columns: Columns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check(self.input.columns, (call for _, call in self.calls))
        calls = tuple(PlanColumn(n, call.type, call.nullable) for n, call in self.calls)
        object.__setattr__(self, "columns", (*self.input.columns, *calls))


@dataclass(frozen=True, slots=True)
class SetOperation:
    """Combines branches by position, with equal column types.

    The first branch names the columns.
    """

    operator: SetOperator
    inputs: tuple[Plan, ...]
    columns: Columns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        first, *others = (plan.columns for plan in self.inputs)
        if any(len(columns) != len(first) for columns in others):
            raise InvalidPlan("a set operation over branches of different width")
        merged = tuple(
            PlanColumn(column.name, column.type, self._nullable(index))
            for index, column in enumerate(first)
        )
        object.__setattr__(self, "columns", merged)

    def _nullable(self, index: int) -> bool:
        each = [plan.columns[index].nullable for plan in self.inputs]
        match self.operator:
            case SetOperator.UNION | SetOperator.UNION_ALL:
                return any(each)
            case SetOperator.INTERSECT | SetOperator.INTERSECT_ALL:
                return all(each)
            case SetOperator.EXCEPT | SetOperator.EXCEPT_ALL:
                return each[0]


@dataclass(frozen=True, slots=True)
class RecursiveScan:
    """Reads the present rows of the recursive table ``number``, in the step of its ``Recursion``."""

    name: str
    number: int
    columns: Columns


@dataclass(frozen=True, slots=True)
class Recursion:
    """WITH RECURSIVE: the anchor's rows, and the rows that each step makes from the rows before the step.

    It ends when the step makes no rows. Anchor and step have the table's types. ``columns`` are the
    columns of the ``RecursiveScan`` in the step. ``most`` limits the number of steps; None means the
    engine's limit.
    """

    name: str
    number: int
    anchor: Plan
    step: Plan
    columns: Columns
    most: int | None = None

    def __post_init__(self) -> None:
        for plan in (self.anchor, self.step):
            for column, made in zip(self.columns, plan.columns, strict=True):
                if made.type != column.type or (made.nullable and not column.nullable):
                    raise InvalidPlan(f"column {column.name} of {self.name} is made otherwise")


@dataclass(frozen=True, slots=True)
class Sort:
    """Sorts rows. ``total`` is true for ORDER BY, and false for Hive's SORT BY in each reducer."""

    input: Plan
    keys: tuple[SortKey, ...]
    total: bool = True
    columns: Columns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check(self.input.columns, (key.expression for key in self.keys))
        object.__setattr__(self, "columns", self.input.columns)


@dataclass(frozen=True, slots=True)
class Limit:
    """Keeps a limited number of rows, and with ``ties`` also rows with the last kept row's keys."""

    input: Plan
    limit: RowExpression | None
    offset: RowExpression | None = None
    ties: bool = False
    columns: Columns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", self.input.columns)


@dataclass(frozen=True, slots=True)
class Distinct:
    input: Plan
    columns: Columns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", self.input.columns)


@dataclass(frozen=True, slots=True)
class Generate:
    """Joins each input row to the rows that a table function makes of it (LATERAL VIEW).

    ``produced`` are the columns that the function makes. With ``outer``, an input row without
    generated rows is kept, and has nulls in these columns.
    """

    input: Plan
    call: Call
    produced: Columns
    outer: bool = False
    columns: Columns = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check(self.input.columns, (self.call,))
        if self.outer and not all(column.nullable for column in self.produced):
            raise InvalidPlan("OUTER pads with nulls")
        object.__setattr__(self, "columns", (*self.input.columns, *self.produced))


Plan: TypeAlias = (
    Scan
    | Values
    | Project
    | Filter
    | Join
    | Aggregate
    | Window
    | SetOperation
    | RecursiveScan
    | Recursion
    | Sort
    | Limit
    | Distinct
    | Generate
)


def _check(columns: Columns, expressions: Iterable[RowExpression]) -> None:
    """Checks that every reference names an existing input column and has its type."""
    for expression in expressions:
        for part in walk(expression):
            if isinstance(part, ColumnReference) and (
                not 0 <= part.index < len(columns) or columns[part.index].type != part.type
            ):
                raise InvalidPlan(f"no input column {part.index} of the type of {part.name}")


def references(plan: Plan) -> tuple[ColumnReference, ...]:
    """A reference to each of the plan's columns."""
    return tuple(ColumnReference(i, c.name, c.type, c.nullable) for i, c in enumerate(plan.columns))


def inputs(plan: Plan) -> tuple[Plan, ...]:
    """The plans directly below, left to right, without sub-queries in expressions."""
    match plan:
        case Scan() | Values() | RecursiveScan():
            return ()
        case Join(left, right) | Recursion(anchor=left, step=right):
            return (left, right)
        case SetOperation(inputs=branches):
            return branches
        case (
            Project(input=below)
            | Filter(input=below)
            | Aggregate(input=below)
            | Window(input=below)
            | Sort(input=below)
            | Limit(input=below)
            | Distinct(input=below)
            | Generate(input=below)
        ):
            return (below,)
        case _:
            assert_never(plan)


def expressions(plan: Plan) -> tuple[RowExpression, ...]:
    match plan:
        case Scan() | Distinct() | SetOperation() | RecursiveScan() | Recursion():
            return ()
        case Values(rows=rows):
            return tuple(value for row in rows for value in row)
        case Project(items=items):
            return tuple(expression for _, expression in items)
        case Filter(condition=condition):
            return (condition,)
        case Join(condition=on):
            return () if on is None else (on,)
        case Aggregate(keys=keys, aggregates=aggregates):
            return (*(e for _, e in keys), *(e for _, e in aggregates))
        case Window(calls=calls):
            return tuple(call for _, call in calls)
        case Sort(keys=sort_keys):
            return tuple(key.expression for key in sort_keys)
        case Limit(limit=limit, offset=offset):
            return tuple(e for e in (limit, offset) if e is not None)
        case Generate(call=call):
            return (call,)
        case _:
            assert_never(plan)


def plans_in(plan: Plan) -> tuple[Plan, ...]:
    """The ``inputs``, and the plans of sub-queries in the node's expressions."""
    return (*inputs(plan), *(each.plan for each in subqueries(expressions(plan))))


def plans_of(plan: Plan) -> Iterator[Plan]:
    """The plan and all plans below it, each once, including sub-queries' plans."""
    waiting: list[Plan] = [plan]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        waiting.extend(plans_in(node))
