"""What every engine answers about a text: its columns, its rows, or ``Refused``.

Rows are values in the forms of ``compared_values``, so that one engine's can be compared with another's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from deploy.refused import Refused
from lakeschema.catalog.column_types import ColumnType, StructField
from lakeschema.translation.plan.relations import PlanColumn
from tests.judges.compared_values import Rows

Columns = tuple[StructField, ...]
"""A query's columns: name, type with the nullability of its parts, and whether null is possible."""

ReadAs = Sequence[StructField | PlanColumn]
AskedT = TypeVar("AskedT")
AnswerT = TypeVar("AnswerT")


class AnswersRows(Protocol):
    """An engine whose columns nobody asks for."""

    def rows(self, sql: str) -> Rows:
        """The rows, in the engine's order.

        Raises:
            Refused: the engine cannot compile or run the text.
        """


class Engine(AnswersRows, Protocol):
    def columns(self, sql: str) -> Columns:
        """The columns, without running the text; all nullable if the engine's types do not say it.

        Raises:
            Refused: the engine cannot compile the text.
        """

    def rows(self, sql: str, columns: ReadAs | None = None) -> Rows:
        """As above; ``columns``: those that values are read as, instead of the engine's own."""


def answer_or_refusal(ask: Callable[[AskedT], AnswerT], asked: AskedT) -> AnswerT | Refused:
    """For judges that compare refusals as they compare answers."""
    try:
        return ask(asked)
    except Refused as error:
        return error


def nullable(*columns: tuple[str, ColumnType]) -> Columns:
    return tuple(StructField(name, type_, nullable=True) for name, type_ in columns)
