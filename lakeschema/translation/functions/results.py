"""The result of a rule of the function tables: a call's type, and the casts of its arguments.

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
    """The result of a rule. The last three attributes replace the null behaviour in the table's row.

    Attributes:
        arguments: the type to which each argument is cast first; None leaves it as it is.
        may_be_null: the result may be null, for example after an overflow.
        total: the result is null only if an argument is null.
        null_with: the places of the arguments that alone decide whether the result may be null.
    """

    type: ColumnType
    arguments: tuple[ColumnType | None, ...] = ()
    may_be_null: bool = False
    total: bool = False
    null_with: tuple[int, ...] | None = None


Rule: TypeAlias = Callable[[Sequence[RowExpression], Semantics], CallResult | None]
