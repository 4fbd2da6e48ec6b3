"""Finds how each column of a plan is made: its expression as text, and its kind of transformation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from lakeschema.translation.model.interface import Transformation
from lakeschema.translation.plan.expression_text import source_text
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Cast,
    ColumnReference,
    FieldAccess,
    RowExpression,
    walk,
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

MAX_TEXT = 1_000
"""The maximum length of an expression's text, in characters."""


@dataclass(frozen=True, slots=True)
class Origin:
    """How a column is made. ``text`` is "" for a column that is copied."""

    text: str = ""
    transformation: Transformation = Transformation.IDENTITY


_AS_IT_IS = Origin()
_Texts: TypeAlias = Mapping[int, str]
_ORDER = tuple(Transformation)


class Origins:
    """Finds origins; caches results, so that shared sub-plans are walked once."""

    def __init__(self) -> None:
        # The values keep the plans alive: the keys are ids, which Python reuses after an object's end.
        self._found: dict[tuple[int, int], tuple[Plan, Origin]] = {}
        self._made: dict[int, tuple[Plan, _Texts]] = {}

    def of(self, plan: Plan, index: int) -> Origin:
        plan, index = _made_at(plan, index)
        if isinstance(plan, Scan | Values | RecursiveScan):
            return _AS_IT_IS
        key = (id(plan), index)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = (plan, self._of(plan, index))
        return found[1]

    def _of(self, plan: Plan, index: int) -> Origin:
        match plan:
            case Project(below, items):
                return self._expression(items[index][1], below)
            case Aggregate(below, keys, aggregates):
                made = (*(key for _, key in keys), *(call for _, call in aggregates))
                return self._expression(made[index], below)
            case Window(below, calls):
                return self._expression(calls[index - len(below.columns)][1], below)
            case Generate(below, call):
                return self._expression(call, below)
            case SetOperation(
                operator=SetOperator.EXCEPT | SetOperator.EXCEPT_ALL, inputs=branches
            ):
                return self.of(branches[0], index)
            case SetOperation(inputs=branches):
                return _united(self.of(branch, index) for branch in branches)
            case Recursion(anchor=anchor):
                return self.of(anchor, index)
            case _:
                raise AssertionError(f"{plan.__class__.__name__} makes no column")

    def _expression(self, expression: RowExpression, below: Plan) -> Origin:
        while isinstance(expression, Cast) and expression.implicit:
            expression = expression.operand
        if isinstance(expression, ColumnReference):
            return self.of(below, expression.index)
        text = _cut(source_text(expression, self._texts(below)))
        return Origin(text, self._transformation(expression, below))

    def _transformation(self, expression: RowExpression, below: Plan) -> Transformation:
        found = [Transformation.IDENTITY]
        for part in walk(expression):
            match part:
                case ColumnReference(index=index):
                    found.append(self.of(below, index).transformation)
                case AggregateCall():
                    return Transformation.AGGREGATION
                case FieldAccess():
                    pass
                case _:
                    found.append(Transformation.TRANSFORMATION)
        return _strongest(found)

    def _texts(self, plan: Plan) -> _Texts:
        """The texts of groups' keys and of calls, which have names only in the plan."""
        found = self._made.get(id(plan))
        if found is None:
            found = self._made[id(plan)] = (plan, self._texts_of(plan))
        return found[1]

    def _texts_of(self, plan: Plan) -> _Texts:
        match plan:
            case Filter(input=below) | Sort(input=below) | Limit(input=below) | Distinct(below):
                return self._texts(below)
            case Aggregate() | Window():
                origins = (self.of(plan, index) for index in range(len(plan.columns)))
                return {index: origin.text for index, origin in enumerate(origins) if origin.text}
            case _:
                return {}


def _made_at(plan: Plan, index: int) -> tuple[Plan, int]:
    """The node that computes a column, and the column's index there; other nodes pass it on."""
    while True:
        match plan:
            case Filter(input=below) | Sort(input=below) | Limit(input=below) | Distinct(below):
                plan = below
            case Project(below, items) if isinstance(made := items[index][1], ColumnReference):
                plan, index = below, made.index
            case Join(left, right):
                width = len(left.columns)
                plan, index = (left, index) if index < width else (right, index - width)
            case Window(below) | Generate(below) if index < len(below.columns):
                plan = below
            case _:
                return plan, index


def _united(origins: Iterable[Origin]) -> Origin:
    found = list(origins)
    texts = dict.fromkeys(origin.text for origin in found if origin.text)
    return Origin(_cut("; ".join(texts)), _strongest(origin.transformation for origin in found))


def _strongest(transformations: Iterable[Transformation]) -> Transformation:
    return max(transformations, key=_ORDER.index)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
