"""Finds the upstream columns that supply each output column's values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TypeAlias, assert_never

from lakeschema.catalog.column_types import ArrayType, ColumnType, MapType, StructType
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.interface import SourceColumn
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    ColumnReference,
    FieldAccess,
    Literal,
    OuterReference,
    RowExpression,
    ScalarSubquery,
    Subscript,
    WindowCall,
    children,
    values,
)
from lakeschema.translation.plan.relations import (
    Aggregate,
    Distinct,
    Filter,
    Generate,
    Join,
    Limit,
    Plan,
    Project,
    Recursion,
    RecursiveScan,
    Scan,
    SetOperation,
    SetOperator,
    Sort,
    Values,
    Window,
)

Sources: TypeAlias = tuple[SourceColumn, ...]
_Outer: TypeAlias = tuple[tuple[Sources, ...], ...]
_TraceKey: TypeAlias = tuple[int, tuple[int, ...]]


class Lineage:
    """Finds sources; caches results, so that shared sub-plans are traced once."""

    def __init__(
        self,
        recursive: Mapping[int, tuple[Sources, ...]] | None = None,
        *,
        with_conditions: bool = True,
    ) -> None:
        """Starts with an empty cache.

        Args:
            recursive: the known sources of recursive tables' columns, by the table's number.
            with_conditions: whether conditions that choose among values count as sources.
        """
        self._recursive = dict(recursive or {})
        self._with_conditions = with_conditions
        self.chooses = False
        """Whether any expression had a condition that chooses among values.

        If not, the results do not depend on ``with_conditions``.
        """
        self._types: dict[tuple[RelationName, str], ColumnType] = {}
        # The values keep the plans alive: the keys are ids, which Python reuses after an object's end.
        self._traced: dict[_TraceKey, tuple[Plan, _Outer, tuple[Sources, ...]]] = {}

    def columns(
        self, plan: Plan, outer: tuple[tuple[Sources, ...], ...] = ()
    ) -> tuple[Sources, ...]:
        """The sources of each column, in order of first mention."""
        key = (id(plan), tuple(map(id, outer)))
        found = self._traced.get(key)
        if found is None:
            found = self._traced[key] = (plan, outer, self._columns(plan, outer))
        return found[2]

    def expression(
        self,
        expression: RowExpression,
        columns: tuple[Sources, ...],
        outer: tuple[tuple[Sources, ...], ...] = (),
    ) -> Sources:
        """The sources of one expression; ``columns`` are the sources of its input's columns."""
        match expression:
            case ColumnReference(index=index):
                return columns[index]
            case Literal():
                return ()
            case OuterReference(level=level, index=index):
                return outer[level - 1][index] if level <= len(outer) else ()
            case FieldAccess() | Subscript():
                return self._path(expression, columns, outer)
            case ScalarSubquery(plan):
                return self.columns(plan, (columns, *outer))[0]
            case (
                WindowCall(arguments=arguments, filter=condition)
                | AggregateCall(arguments=arguments, filter=condition)
            ):
                # PARTITION BY and ORDER BY affect a window's values, but are not their source.
                chosen = arguments
                inner = arguments if condition is None else (*arguments, condition)
            case _:
                chosen, inner = values(expression), children(expression)
        if len(chosen) < len(inner):
            self.chooses = True
        read = inner if self._with_conditions else chosen
        return _united([self.expression(child, columns, outer) for child in read])

    def _path(
        self,
        expression: FieldAccess | Subscript,
        columns: tuple[Sources, ...],
        outer: tuple[tuple[Sources, ...], ...],
    ) -> Sources:
        """The sources of a nested field: the field's path, not the whole column."""
        if isinstance(expression, FieldAccess) and (made := made_field(expression)) is not None:
            return self.expression(made, columns, outer)
        base = self.expression(expression.base, columns, outer)
        if isinstance(expression, FieldAccess):
            if not _is_reference(expression.base):
                # The field belongs to a computed value; the columns that it is computed from lack it.
                return base
            name = expression.name
            return tuple(
                SourceColumn(s.relation, s.column, (*s.path, name)) if self._has(s, name) else s
                for s in base
            )
        return _united((base, self.expression(expression.index, columns, outer)))

    def _has(self, source: SourceColumn, field: str) -> bool:
        """Whether the source has the field.

        It may not: a struct that a sub-query computes has fields that the struct's sources lack.
        """
        type_ = self._types.get((source.relation, source.column))
        for name in (*source.path, field):
            while isinstance(type_, ArrayType | MapType):
                type_ = type_.element if isinstance(type_, ArrayType) else type_.value
            fields = type_.fields if isinstance(type_, StructType) else ()
            inner = [f.type for f in fields if f.name.lower() == name.lower()]
            if not inner:
                return False
            type_ = inner[0]
        return True

    def _columns(self, plan: Plan, outer: tuple[tuple[Sources, ...], ...]) -> tuple[Sources, ...]:
        match plan:
            case Scan(relation, columns):
                self._types.update(
                    ((relation, column.name), column.type)
                    for column in columns
                    if isinstance(column.type, ArrayType | MapType | StructType)
                )
                return tuple((SourceColumn(relation, column.name),) for column in columns)
            case Values(columns=columns):
                return tuple(() for _ in columns)
            case Project(below, items):
                inner = self.columns(below, outer)
                return tuple(self.expression(e, inner, outer) for _, e in items)
            case (
                Filter(input=below) | Sort(input=below) | Limit(input=below) | Distinct(input=below)
            ):
                return self.columns(below, outer)
            case Join(left, right, kind):
                first = self.columns(left, outer)
                if kind in {JoinKind.SEMI, JoinKind.ANTI}:
                    return first
                return (*first, *self.columns(right, (first, *outer) if plan.lateral else outer))
            case Aggregate(below, keys, aggregates):
                inner = self.columns(below, outer)
                return tuple(self.expression(e, inner, outer) for _, e in (*keys, *aggregates))
            case Window(below, calls):
                inner = self.columns(below, outer)
                return (*inner, *(self.expression(call, inner, outer) for _, call in calls))
            case RecursiveScan(number=number):
                return self._recursive[number]
            case Recursion():
                return self._recursion(plan, outer)
            case SetOperation(
                operator=SetOperator.EXCEPT | SetOperator.EXCEPT_ALL, inputs=branches
            ):
                # The other branches affect which rows stay, and no row comes from them.
                return self.columns(branches[0], outer)
            case SetOperation(inputs=branches):
                each = [self.columns(branch, outer) for branch in branches]
                return tuple(_united(column) for column in zip(*each, strict=True))
            case Generate(below, call, produced):
                inner = self.columns(below, outer)
                made = self.expression(call, inner, outer)
                return (*inner, *(made for _ in produced))
            case _:
                assert_never(plan)

    def _recursion(
        self, plan: Recursion, outer: tuple[tuple[Sources, ...], ...]
    ) -> tuple[Sources, ...]:
        """The sources of each column of a recursive query.

        The step reads the table and adds rows to it. So sources are added until nothing changes.
        """
        found = self.columns(plan.anchor, outer)
        while True:
            inside = Lineage(
                {**self._recursive, plan.number: found}, with_conditions=self._with_conditions
            )
            step = inside.columns(plan.step, outer)
            self.chooses = self.chooses or inside.chooses
            more = tuple(_united(column) for column in zip(found, step, strict=True))
            if more == found:
                # A later call may get the step without its recursion.
                self._recursive[plan.number] = found
                return found
            found = more


def made_field(access: FieldAccess) -> RowExpression | None:
    """The expression that a field's value is made of, if the base makes the struct; otherwise None."""
    match access.base:
        case Call(operator, arguments) if operator.udf is None:
            values = {"struct": arguments, "named_struct": arguments[1::2]}.get(operator.name, ())
            return values[access.index] if values else None
        case _:
            return None


def _is_reference(expression: RowExpression) -> bool:
    while isinstance(expression, FieldAccess | Subscript):
        expression = expression.base
    return isinstance(expression, ColumnReference | OuterReference)


def _united(parts: Sequence[Sources]) -> Sources:
    """The sources of all parts. It is fast if only one part has sources, which is common."""
    some = [part for part in parts if part]
    if len(some) <= 1:
        return some[0] if some else ()
    return tuple(dict.fromkeys(chain.from_iterable(some)))
