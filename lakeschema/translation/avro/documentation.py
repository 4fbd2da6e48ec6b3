"""Writes the documentation of a computed field: its expression, and a comment on its values."""

from __future__ import annotations

from collections.abc import Mapping

from lakeschema.translation.model.interface import SourceColumn
from lakeschema.translation.plan.expression_text import source_text
from lakeschema.translation.plan.expressions import RowExpression, ScalarSubquery

MAX_LENGTH = 240
_COMPUTED = "Computed as "


def derived_documentation(
    expression: RowExpression,
    calls: Mapping[int, str],
    sources: tuple[SourceColumn, ...],
    comment: str | None = None,
) -> str | None:
    """The documentation of a computed field; None if neither expression nor comment helps.

    Examples: ``max(time): When it was.`` and ``upper(name), from db.member.name``.

    Long expressions are cut. ``calls`` is the same as in ``source_text``. ``comment`` is the comment
    of the column whose values the expression returns. A comment on a computation is left out.
    """
    text = source_text(expression, calls)
    if len(text) > MAX_LENGTH:
        text = text[: MAX_LENGTH - 1] + "…"
    if comment and not comment.startswith(_COMPUTED):
        return f"{_COMPUTED}{text}: {comment}"
    if not sources:
        return None if isinstance(expression, ScalarSubquery) else f"{_COMPUTED}{text}"
    names = [".".join((str(s.relation), s.column, *s.path)) for s in sources]
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return f"{_COMPUTED}{text}, from {shown}"


def comment_behind(text: str, documentation: str | None) -> str | None:
    """The comment in a field's documentation, which follows the expression's text.

    For ``max(time)`` and the documentation ``max(time): When it was.`` it is ``When it was.``
    """
    told = f"{_COMPUTED}{text}: "
    return documentation[len(told) :] if documentation and documentation.startswith(told) else None
