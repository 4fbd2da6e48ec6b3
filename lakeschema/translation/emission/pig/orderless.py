"""Finds collected arrays whose order of elements does not matter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from lakeschema.translation.plan.expressions import (
    Call,
    ColumnReference,
    RowExpression,
    children,
)
from lakeschema.translation.plan.relations import Aggregate, Filter, Project

_ORDERLESS: Final = frozenset({"sort_array", "size", "array_contains"})


def orderless_places(plan: Project) -> tuple[Aggregate, frozenset[int]] | None:
    """The aggregate below, and the places of aggregates whose order of elements does not matter.

    None if no aggregate is directly below, apart from filters.
    """
    read = [expression for _, expression in plan.items]
    below = plan.input
    while isinstance(below, Filter):
        read.append(below.condition)
        below = below.input
    if not isinstance(below, Aggregate):
        return None
    ordered = {index for expression in read for index in _looked_at(expression)}
    width = len(below.keys)
    places = range(len(below.aggregates))
    return below, frozenset(place for place in places if place + width not in ordered)


def _looked_at(expression: RowExpression) -> Iterator[int]:
    """The places of the columns whose order of elements matters."""
    if isinstance(expression, ColumnReference):
        yield expression.index
        return
    is_orderless = isinstance(expression, Call) and expression.operator.name in _ORDERLESS
    for place, child in enumerate(children(expression)):
        if not (is_orderless and place == 0 and isinstance(child, ColumnReference)):
            yield from _looked_at(child)
