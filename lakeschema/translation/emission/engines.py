"""The parts of SQL in which engines differ.

``selects`` and ``sql_expressions`` write the parts that engines share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from lakeschema.catalog.column_types import ColumnType
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.plan.expressions import (
    AggregateCall,
    Call,
    Cast,
    FieldAccess,
    RowExpression,
    Subscript,
    WindowCall,
)
from lakeschema.translation.plan.relations import Generate

if TYPE_CHECKING:
    from lakeschema.translation.emission.sql_expressions import ExpressionWriter


@dataclass(frozen=True, slots=True)
class Generated:
    """A FROM clause that ends with a generator, and the text of each column that the generator makes."""

    source: str
    items: tuple[str, ...]


class Forms(Protocol):
    """How an engine writes the expressions in which engines differ, for one query.

    Each method gets the writer for nested expressions, and raises an ``Unsupported`` error for
    anything that the engine cannot do.
    """

    def call(self, writer: ExpressionWriter, call: Call) -> str: ...

    def cast(self, writer: ExpressionWriter, cast: Cast) -> str: ...

    def ordered(self, text: str, type_: ColumnType) -> str:
        """The text of a key of ORDER BY, changed so that the engine orders it as the plan does."""

    def field(self, writer: ExpressionWriter, access: FieldAccess) -> str: ...

    def subscript(self, writer: ExpressionWriter, subscript: Subscript) -> str: ...

    def aggregate(self, writer: ExpressionWriter, call: AggregateCall) -> str: ...

    def window(self, writer: ExpressionWriter, call: WindowCall) -> str: ...

    def typed(self, writer: ExpressionWriter, expression: RowExpression) -> str:
        """The text of an item of SELECT, which has the expression's type in the engine."""

    def output(self, item: str, type_: ColumnType) -> str:
        """An item of the outermost SELECT with the names and types of the view's columns."""

    def generated(
        self, writer: ExpressionWriter, plan: Generate, source: str, fresh: Callable[[], str]
    ) -> Generated:
        """The FROM clause ``source`` with the generator added; ``fresh`` makes an unused alias."""


JOINS: Final[Mapping[JoinKind, str]] = MappingProxyType(
    {
        JoinKind.INNER: "INNER",
        JoinKind.LEFT: "LEFT",
        JoinKind.RIGHT: "RIGHT",
        JoinKind.FULL: "FULL",
        JoinKind.CROSS: "CROSS",
    }
)
"""The words before JOIN in standard SQL, which lacks the other kinds of join."""


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine's SQL.

    Attributes:
        quoted: quotes an identifier with any characters.
        literal: a literal of exactly its type; None means null.
        joins: the words before JOIN by kind; the plan must not contain other kinds.
        values: the template of a table of ``rows`` under an ``alias`` with ``names``.
        row: the template of a row in ``values``.
        value: the template of a row with a single value.
        grouping_sets: the template of the text after GROUP BY for ``sets`` of ``keys``.
        joined_functions: the table functions that are joined to the FROM clause, instead of
            following it as LATERAL VIEW. The clause must not end with a LATERAL VIEW.
        lateral_views_of_one: no generator may follow a join, or precede an order or a condition
            with a sub-query.
        offset_first: OFFSET comes before LIMIT.
        always_on: every join except CROSS needs a condition, and LATERAL needs a query.
        groups_by_names: keys of GROUP BY must be columns.
        correlates_by_names: a sub-query may only read whole columns of an outer query.
        tuples_need_values: IN a sub-query is false, not unknown, for a tuple with a null.
        unknown_is_not_in: an unknown IN or NOT IN of a sub-query counts as false.
        max_recursion: the engine's limit on steps of a recursive query; None if the text sets it.
    """

    quoted: Callable[[str], str]
    literal: Callable[[str | None, ColumnType], str]
    joins: Mapping[JoinKind, str]
    values: str
    grouping_sets: str
    forms: Forms
    joined_functions: frozenset[str] = frozenset()
    row: str = "({})"
    value: str = "({})"
    lateral_views_of_one: bool = False
    offset_first: bool = False
    always_on: bool = False
    groups_by_names: bool = False
    correlates_by_names: bool = False
    tuples_need_values: bool = False
    unknown_is_not_in: bool = False
    max_recursion: int | None = None


def generic_names(number: int) -> list[str]:
    """Generic names for a sub-query's columns."""
    return [f"c{index}" for index in range(number)]
