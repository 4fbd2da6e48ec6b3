"""What a rule of the function tables says of a call: its type, and what its arguments become.

A rule gets the arguments and says the result, with the type each argument is brought to, or None
where the dialect refuses.
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
    ``total``: null only of null, though the row says that null is possible.
    ``null_with``: the arguments of which one is null where the result is; None leaves it to the row.
    """

    type: ColumnType
    arguments: tuple[ColumnType | None, ...] = ()
    may_be_null: bool = False
    total: bool = False
    null_with: tuple[int, ...] | None = None


Rule: TypeAlias = Callable[[Sequence[RowExpression], Semantics], CallResult | None]
