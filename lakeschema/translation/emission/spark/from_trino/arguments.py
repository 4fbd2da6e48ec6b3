"""What is written as the argument of a call: a text, a number."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.expressions import Call, Literal, RowExpression, converted_from

Write: TypeAlias = Callable[[Call, Sequence[str]], str]
"""A call's text, of the call and the texts of its arguments."""


def written(expression: RowExpression) -> str | None:
    """The text of a literal, below the conversions around it; None of anything else."""
    found = converted_from(expression)
    return found.value if isinstance(found, Literal) else None


def whole(expression: RowExpression) -> int | None:
    """A whole number that is written, with its sign."""
    if isinstance(expression, Call) and expression.operator.name == "negative":
        found = whole(expression.arguments[0])
        return None if found is None else -found
    text = written(expression)
    return int(text) if text is not None and re.fullmatch(r"-?[0-9]+", text) else None


def refused(what: str) -> UnsupportedConstruct:
    return UnsupportedConstruct(f"{what} for Spark")
