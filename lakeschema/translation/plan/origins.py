"""How each column of a plan is made: its expression as text, and what becomes of the values in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from lakeschema.translation.interface import Transformation
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
"""Characters of one expression."""


@dataclass(frozen=True, slots=True)
class Origin:
    """``text`` is "" of a column that is taken as it is."""

    text: str = ""
    transformation: Transformation = Transformation.IDENTITY


_AS_IT_IS = Origin()
_Texts: TypeAlias = Mapping[int, str]
_ORDER = tuple(Transformation)


class Origins:
    """Remembers what it has found, so that shared sub-plans are walked once."""

    def __init__(self) -> None:
        # With their plans: ids are only good while the objects live.
        self._found: dict[tuple[int, int], tuple[Plan, Origin]] = {}
        self._made: dict[int, tuple[Plan, _Texts]] = {}

    def of(self, plan: Plan, index: int) -> Origin:
        key = (id(plan), index)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = (plan, self._of(plan, index))
        return found[1]

    def _of(self, plan: Plan, index: int) -> Origin:
        match plan:
            case Scan() | Values() | RecursiveScan():
                return _AS_IT_IS
            case Filter(input=below) | Sort(input=below) | Limit(input=below) | Distinct(below):
                return self.of(below, index)
            case Project(below, items):
                return self._expression(items[index][1], below)
            case Join(left, right):
                width = len(left.columns)
                return self.of(left, index) if index < width else self.of(right, index - width)
            case Aggregate(below, keys, aggregates):
                made = (*(key for _, key in keys), *(call for _, call in aggregates))
                return self._expression(made[index], below)
            case Window(below, calls):
                width = len(below.columns)
                if index < width:
                    return self.of(below, index)
                return self._expression(calls[index - width][1], below)
            case Generate(below, call):
                is_below = index < len(below.columns)
                return self.of(below, index) if is_below else self._expression(call, below)
            case SetOperation(
                operator=SetOperator.EXCEPT | SetOperator.EXCEPT_ALL, inputs=branches
            ):
                return self.of(branches[0], index)
            case SetOperation(inputs=branches):
                return _united(self.of(branch, index) for branch in branches)
            case Recursion(anchor=anchor):
                return self.of(anchor, index)
            case _:
                assert_never(plan)

    def _expression(self, expression: RowExpression, below: Plan) -> Origin:
        while isinstance(expression, Cast) and expression.implicit:
            expression = expression.operand
        if isinstance(expression, ColumnReference):
            return self.of(below, expression.index)
        text = _cut(source_text(expression, self._texts(below)))
        return Origin(text, self._transformation(expression, below))

    def _transformation(self, expression: RowExpression, below: Plan) -> Transformation:
        parts = list(walk(expression))
        own = Transformation.TRANSFORMATION
        if all(isinstance(part, FieldAccess | ColumnReference) for part in parts):
            own = Transformation.IDENTITY
        if any(isinstance(part, AggregateCall) for part in parts):
            own = Transformation.AGGREGATION
        read = (part.index for part in parts if isinstance(part, ColumnReference))
        return _strongest((own, *(self.of(below, index).transformation for index in read)))

    def _texts(self, plan: Plan) -> _Texts:
        """What stands for columns that only the plan has a name for: groups' keys, calls."""
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


def _united(origins: Iterable[Origin]) -> Origin:
    found = list(origins)
    texts = dict.fromkeys(origin.text for origin in found if origin.text)
    return Origin(_cut("; ".join(texts)), _strongest(origin.transformation for origin in found))


def _strongest(transformations: Iterable[Transformation]) -> Transformation:
    return max(transformations, key=_ORDER.index)


def _cut(text: str) -> str:
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 1] + "…"
