"""Reads constant arguments of calls: texts and numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import Call, Literal, RowExpression, converted_from

Write: TypeAlias = Callable[[Call, Sequence[str]], str]
"""The text of a call, from the call and its arguments' texts."""


def written(expression: RowExpression) -> str | None:
    """The text of a literal inside its conversions; None for other expressions."""
    found = converted_from(expression)
    return found.value if isinstance(found, Literal) else None


def whole(expression: RowExpression) -> int | None:
    """A literal integer with its sign; None for other expressions."""
    if isinstance(expression, Call) and expression.operator.name == "negative":
        found = whole(expression.arguments[0])
        return None if found is None else -found
    text = written(expression)
    return int(text) if text is not None and re.fullmatch(r"-?[0-9]+", text) else None


def refused(what: str) -> UnsupportedConstruct:
    return UnsupportedConstruct(f"{what} for Spark")
