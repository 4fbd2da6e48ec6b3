"""The answer of a rule of the function tables: the type of a call, and the casts of its arguments.

A rule gets the arguments; it returns None if the dialect refuses them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from lakeschema.catalog.column_types import ColumnType
from lakeschema.translation.functions.semantics import Semantics
from lakeschema.translation.plan.expressions import RowExpression


@dataclass(frozen=True, slots=True)
class CallResult:
    """``arguments``: the type each argument is cast to first; None leaves it as it is.

    ``may_be_null``: null is possible though the table's row says total (decimal overflow).
    ``total``: null only if an argument is null, though the row says that null is always possible.
    ``null_with``: places of the arguments that alone decide about null; None leaves it to the row.
    """

    type: ColumnType
    arguments: tuple[ColumnType | None, ...] = ()
    may_be_null: bool = False
    total: bool = False
    null_with: tuple[int, ...] | None = None


Rule: TypeAlias = Callable[[Sequence[RowExpression], Semantics], CallResult | None]
