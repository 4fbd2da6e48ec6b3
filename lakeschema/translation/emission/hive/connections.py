"""Rewrites AND and OR of two comparisons with one value, which Hive turns into a wrong BETWEEN.

Hive's BETWEEN is null if either bound is null, even if the other comparison decides: in Hive 4.0.1
``a < NULL OR a > 1`` is null for every ``a``. The emitted text counts the comparisons instead.
"""

from __future__ import annotations

from collections.abc import Sequence

from lakeschema.translation.emission.hive.given import require_repeatable
from lakeschema.translation.plan.expressions import Call, RowExpression

_BOUNDS = frozenset({"<", "<=", ">", ">="})


def is_mistaken(parts: Sequence[RowExpression]) -> bool:
    """Whether Hive would turn the parts into a BETWEEN that is wrongly null."""
    operands: list[RowExpression] = []
    for part in map(_unnegated, parts):
        if isinstance(part, Call) and part.operator.name in _BOUNDS:
            operands += dict.fromkeys(part.arguments)
    shared = any(operands.count(operand) > 1 for operand in operands)
    return shared and any(operand.nullable for operand in operands)


def _unnegated(expression: RowExpression) -> RowExpression:
    while isinstance(expression, Call) and expression.operator.name == "not":
        (expression,) = expression.arguments
    return expression


def counted(name: str, parts: Sequence[RowExpression], texts: Sequence[str]) -> str:
    """The AND or OR, written as a count of the comparisons that decide it."""
    for part in parts:
        require_repeatable("{0}{0}", name, (part,))
    decides = "NOT {}" if name == "and" else "{}"
    number = " + ".join(f"if({decides.format(text)}, 1, 0)" for text in texts)
    unknown = " OR ".join(f"{text} IS NULL" for text in texts)
    decided, otherwise = ("false", "true") if name == "and" else ("true", "false")
    return f"CASE WHEN ({number}) > 0 THEN {decided} WHEN {unknown} THEN NULL ELSE {otherwise} END"
