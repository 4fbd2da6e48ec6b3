"""Writes the parts of row expressions that all engines share; an ``Engine`` writes the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from lakeschema.translation.emission.engines import Engine
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    ColumnReference,
    Exists,
    FieldAccess,
    InSubquery,
    Lambda,
    LambdaVariable,
    Literal,
    OuterReference,
    RowExpression,
    ScalarSubquery,
    SortKey,
    Subscript,
    WindowCall,
)
from lakeschema.translation.plan.relations import Plan

_ORDINAL = re.compile("-?[0-9]+")

Columns: TypeAlias = Sequence[str]
"""The text of each input column."""

Subquery: TypeAlias = Callable[[Plan, "tuple[Columns, ...]"], str]
"""A query's text, given the columns of enclosing queries, nearest first."""


@dataclass(frozen=True, slots=True)
class ExpressionWriter:
    """Writes expressions over ``columns`` for ``engine``."""

    columns: Columns
    outer: tuple[Columns, ...]
    engine: Engine
    subquery: Subquery

    def typed(self, expression: RowExpression) -> str:
        """The text of an item of SELECT, which has the expression's type in the engine."""
        return self.engine.forms.typed(self, expression)

    def text(self, expression: RowExpression) -> str:
        forms = self.engine.forms
        match expression:
            case ColumnReference(index=index):
                return self.columns[index]
            case OuterReference(level=level, index=index):
                return self.outer[level - 1][index]
            case Literal(value, type_):
                return self.engine.literal(value, type_)
            case Call():
                return forms.call(self, expression)
            case Cast():
                return forms.cast(self, expression)
            case Case(branches, otherwise):
                return self._case(branches, otherwise)
            case FieldAccess():
                return forms.field(self, expression)
            case Subscript():
                return forms.subscript(self, expression)
            case AggregateCall():
                return forms.aggregate(self, expression)
            case WindowCall():
                return forms.window(self, expression)
            case ScalarSubquery(plan):
                return f"({self._query(plan)})"
            case Exists(plan):
                return f"EXISTS ({self._query(plan)})"
            case InSubquery():
                found = self.membership(expression)
                return f"coalesce({found}, false)" if self.engine.unknown_is_not_in else found
            case LambdaVariable(name=name):
                return self.engine.quoted(name)
            case Lambda((), body):
                return self.text(body)
            case Lambda(parameters, body):
                names = ", ".join(self.engine.quoted(parameter.name) for parameter in parameters)
                shown = names if len(parameters) == 1 else f"({names})"
                return f"{shown} -> {self.text(body)}"
            case _:
                assert_never(expression)

    def membership(self, asked: InSubquery) -> str:
        """The text of IN with a sub-query as a value, which may be null."""
        if self.engine.tuples_need_values and len(asked.operands) > 1:
            _require_values(asked.operands, asked.plan)
        left = ", ".join(map(self.text, asked.operands))
        return f"(({left}) IN ({self._query(asked.plan)}))"

    def condition(self, expression: RowExpression) -> str:
        """The text of a condition, where null counts as false.

        An IN at the top, or in an AND at the top, stays as it is: the engine can run it as a join.
        """
        match expression:
            case Call(operator, arguments) if operator.name == "and":
                return "(" + " AND ".join(map(self.condition, arguments)) + ")"
            case InSubquery():
                return self.membership(expression)
            case Call(operator, (InSubquery() as asked,)) if operator.name == "not":
                return f"(NOT {self.membership(asked)})"
            case _:
                return self.text(expression)

    def texts(self, expressions: Sequence[RowExpression]) -> list[str]:
        return [self.text(expression) for expression in expressions]

    def sort_keys(self, keys: Sequence[SortKey]) -> str:
        return ", ".join(map(self._sort_key, keys))

    def over(self, call: WindowCall) -> str:
        """The OVER clause of a window function."""
        parts = []
        if call.partition_by:
            keys = ((self.text(key), key.type) for key in call.partition_by)
            ordered = (self.engine.forms.ordered(text, type_) for text, type_ in keys)
            parts.append("PARTITION BY " + ", ".join(ordered))
        if call.order_by:
            parts.append("ORDER BY " + self.sort_keys(call.order_by))
        if call.frame:
            parts.append(call.frame)
        return f"OVER ({' '.join(parts)})"

    def group_key(self, key: RowExpression) -> str:
        return _no_ordinal(self.typed(key))

    def _sort_key(self, key: SortKey) -> str:
        direction = "DESC" if key.descending else "ASC"
        nulls = (
            "" if key.nulls_first is None else f" NULLS {'FIRST' if key.nulls_first else 'LAST'}"
        )
        text = self.engine.forms.ordered(self.text(key.expression), key.expression.type)
        return f"{_no_ordinal(text)} {direction}{nulls}"

    def _query(self, plan: Plan) -> str:
        return self.subquery(plan, (self.columns, *self.outer))

    def _case(
        self,
        branches: Sequence[tuple[RowExpression, RowExpression]],
        otherwise: RowExpression | None,
    ) -> str:
        whens = " ".join(f"WHEN {self.text(w)} THEN {self.text(t)}" for w, t in branches)
        last = "" if otherwise is None else f" ELSE {self.text(otherwise)}"
        return f"CASE {whens}{last} END"


def _require_values(operands: Sequence[RowExpression], plan: Plan) -> None:
    """Refuses IN of a tuple that may contain null: some engines never match such tuples."""
    if any(each.nullable for each in (*operands, *plan.columns)):
        raise UnsupportedConstruct("a tuple with possible nulls IN a sub-query")


def _no_ordinal(text: str) -> str:
    """The text, unless it is a bare number: ORDER BY would read that as a column's position."""
    return f"CAST({text} AS INT)" if _ORDINAL.fullmatch(text) else text
