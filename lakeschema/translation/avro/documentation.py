"""What a derived field is documented as: its expression and the columns that it reads."""

from __future__ import annotations

from collections.abc import Mapping

from lakeschema.translation.interface import SourceColumn
from lakeschema.translation.plan.expression_text import source_text
from lakeschema.translation.plan.expressions import RowExpression, ScalarSubquery

MAX_LENGTH = 240


def derived_documentation(
    expression: RowExpression, calls: Mapping[int, str], sources: tuple[SourceColumn, ...]
) -> str | None:
    """``upper(Name), from db.member.Name``; long expressions are cut. None if that says nothing.

    ``calls``: as of ``source_text``.
    """
    text = source_text(expression, calls)
    if len(text) > MAX_LENGTH:
        text = text[: MAX_LENGTH - 1] + "…"
    if not sources:
        return None if isinstance(expression, ScalarSubquery) else f"Computed as {text}"
    names = [".".join((str(s.relation), s.column, *s.path)) for s in sources]
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return f"Computed as {text}, from {shown}"
