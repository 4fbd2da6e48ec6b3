"""What the SQL of an engine has of its own; what engines share is in ``selects`` and ``sql_expressions``."""

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
    """A FROM clause that ends with a generator, and the text of each column that it makes."""

    source: str
    items: tuple[str, ...]


class Forms(Protocol):
    """How an engine writes the expressions in which engines differ, for one query.

    Each is given the writer of the expressions inside. All raise ``Unsupported`` errors for what the
    engine cannot do.
    """

    def call(self, writer: ExpressionWriter, call: Call) -> str: ...

    def cast(self, writer: ExpressionWriter, cast: Cast) -> str: ...

    def ordered(self, text: str, type_: ColumnType) -> str:
        """A key of ORDER BY as a value that the engine orders so."""

    def field(self, writer: ExpressionWriter, access: FieldAccess) -> str: ...

    def subscript(self, writer: ExpressionWriter, subscript: Subscript) -> str: ...

    def aggregate(self, writer: ExpressionWriter, call: AggregateCall) -> str: ...

    def window(self, writer: ExpressionWriter, call: WindowCall) -> str: ...

    def typed(self, writer: ExpressionWriter, expression: RowExpression) -> str:
        """The text of a SELECT's item, with the type that the plan has for it."""

    def output(self, item: str, type_: ColumnType) -> str:
        """An item of the outermost SELECT, with the names and types that the view's columns have."""

    def generated(
        self, writer: ExpressionWriter, plan: Generate, source: str, fresh: Callable[[], str]
    ) -> Generated:
        """``source`` with the generator; ``fresh`` makes an alias that is not taken."""


JOINS: Final[Mapping[JoinKind, str]] = MappingProxyType(
    {
        JoinKind.INNER: "INNER",
        JoinKind.LEFT: "LEFT",
        JoinKind.RIGHT: "RIGHT",
        JoinKind.FULL: "FULL",
        JoinKind.CROSS: "CROSS",
    }
)
"""The words before JOIN in standard SQL, which has none for the others."""


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine's SQL.

    Attributes:
        quoted: an identifier with any characters.
        literal: a literal of exactly its type, None for null.
        joins: the words before JOIN; kinds without words must not be in the plan.
        values: a table of ``rows`` under an ``alias`` with ``names``.
        row: a row in it; ``value``: one of a single value.
        grouping_sets: what follows GROUP BY where there are ``sets`` of ``keys``.
        joined_functions: table functions that are joined to what stands before them, which a LATERAL VIEW must not end.
        lateral_views_of_one: no generator stands behind a join, or before an order or a condition with a sub-query.
        offset_first: OFFSET stands before LIMIT.
        always_on: a join but CROSS needs a condition, and LATERAL a query.
        groups_by_names: a key of GROUP BY has to be a column.
        correlates_by_names: what a sub-query reads of a query around it has to be a column.
        tuples_need_values: a tuple with a null is IN no sub-query for certain, where it is not known.
        unknown_is_not_in: the values of IN a sub-query and of NOT IN are false where they are not known.
        max_recursion: steps of a recursive query beyond which the engine refuses; None if the text says it.
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
    """The names of a sub-query's columns."""
    return [f"c{index}" for index in range(number)]
