"""Splits expressions with aggregates into an Aggregate node and references to its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from lakeschema.translation.model.errors import TypeMismatch
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Cast,
    ColumnReference,
    Exists,
    InSubquery,
    Literal,
    RowExpression,
    ScalarSubquery,
    WindowCall,
    children,
    rebuild,
    walk,
)
from lakeschema.translation.plan.operators import NullClass
from lakeschema.translation.plan.relations import Aggregate, Plan, Window
from lakeschema.translation.plan.rewriting import Rewriter, lift, lower


class AggregateCollector:
    """Collects the aggregates of one SELECT while its expressions are rewritten over the groups."""

    def __init__(
        self, input_: Plan, keys: Sequence[RowExpression], sets: tuple[tuple[int, ...], ...] | None
    ) -> None:
        self._input = input_
        self._keys = {key: index for index, key in reversed(tuple(enumerate(keys)))}
        self._named_keys = tuple((_name(key, f"key{i}"), key) for i, key in enumerate(keys))
        self._sets = sets
        self._key_columns = Aggregate(input_, self._named_keys, (), sets).columns
        self._calls: dict[AggregateCall, int] = {}

    def rewrite(self, expression: RowExpression) -> RowExpression:
        """The expression over the groups' columns.

        Raises:
            TypeMismatch: the expression reads a column that is neither grouped nor aggregated.
        """
        index = self._keys.get(expression)
        if index is not None and not isinstance(expression, Literal):
            column = self._key_columns[index]
            return ColumnReference(index, column.name, column.type, column.nullable)
        if isinstance(expression, AggregateCall):
            position = self._calls.setdefault(expression, len(self._calls))
            at = len(self._named_keys) + position
            name = expression.operator.spelling
            return ColumnReference(at, name, expression.type, expression.nullable)
        if isinstance(expression, ColumnReference):
            raise TypeMismatch(
                f"column {expression.name} is neither in GROUP BY nor inside an aggregate",
                hint="group by it, or aggregate it",
            )
        if isinstance(expression, (ScalarSubquery, Exists, InSubquery)):
            return Rewriter(partial(self._inside, expression)).expression(expression)
        rebuilt = rebuild(expression, self.rewrite)
        return rebuilt if self._sets is None else _padded(expression, rebuilt)

    def _inside(
        self, query: RowExpression, part: RowExpression, depth: int
    ) -> RowExpression | None:
        """Rewrites a part of a sub-query that is a key or an aggregate of the outer query."""
        if depth == 0:
            return None if part is query else self.rewrite(part)
        below = lower(part, depth)
        if below is None:
            return None
        is_key = below in self._keys and not isinstance(below, Literal)
        if is_key or isinstance(below, (AggregateCall, ColumnReference)):
            return lift(self.rewrite(below), depth)
        return None

    def plan(self) -> Aggregate:
        calls = tuple((call.operator.spelling, call) for call in self._calls)
        return Aggregate(self._input, self._named_keys, calls, self._sets)


def columns_read(keys: Sequence[RowExpression]) -> frozenset[int]:
    """The indices of the input's columns that the keys read."""
    return frozenset(
        part.index for key in keys for part in walk(key) if isinstance(part, ColumnReference)
    )


def _padded(before: RowExpression, after: RowExpression) -> RowExpression:
    """The rewritten expression, which is nullable if it calls a function on a key that may be null.

    A key is null in a grouping set that lacks it, even if the key's column is never null.
    """
    if not isinstance(after, (Call, Cast)) or after.nullable:
        return after
    if isinstance(after, Call) and after.operator.nulls is NullClass.NEVER:
        return after
    pairs = zip(children(before), children(after), strict=True)
    return replace(after, nullable=any(n.nullable and not o.nullable for o, n in pairs))


class WindowCollector:
    """Collects the window calls of one SELECT. If the SELECT has groups, the calls read the groups."""

    def __init__(self, input_: Plan) -> None:
        self._input = input_
        self._calls: dict[WindowCall, int] = {}

    def rewrite(self, expression: RowExpression) -> RowExpression:
        if isinstance(expression, WindowCall):
            position = self._calls.setdefault(expression, len(self._calls))
            at = len(self._input.columns) + position
            name = expression.operator.spelling
            return ColumnReference(at, name, expression.type, expression.nullable)
        return rebuild(expression, self.rewrite)

    def plan(self) -> Plan:
        if not self._calls:
            return self._input
        return Window(self._input, tuple((call.operator.spelling, call) for call in self._calls))


def has_aggregate(expression: RowExpression) -> bool:
    return any(isinstance(part, AggregateCall) for part in walk(expression))


def _name(key: RowExpression, otherwise: str) -> str:
    return key.name if isinstance(key, ColumnReference) else otherwise
