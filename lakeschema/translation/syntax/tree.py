"""What a query's text says, before any name has a meaning: immutable, closed, free of the parser.

Operators are ``Call``s named by their symbol, so that one operator table answers for all of them.
Only nodes that an error can point at carry a ``position``, which is not part of their equality.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from lakeschema.catalog.column_types import ColumnType
from lakeschema.translation.model.errors import Position
from lakeschema.translation.model.joins import JoinKind


@dataclass(frozen=True, slots=True)
class Name:
    """A column, with optional qualifiers before and nested fields after: ``a.b.c``."""

    parts: tuple[str, ...]
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Star:
    """``*``, ``t.*``, ``* EXCEPT (a, s.x)``, ``f(x).*``.

    Attributes:
        base: the struct whose fields are meant, where it is not a name.
        replaced: columns that get another value in their place, as ``|> SET`` says.
        renamed: columns that get another name in their place, as other engines' RENAME says.
        like: a pattern that the names of the columns meet, as other engines' ILIKE says.
    """

    qualifier: tuple[str, ...] = ()
    excluded: tuple[tuple[str, ...], ...] = ()
    position: Position | None = field(default=None, compare=False)
    base: Expression | None = None
    replaced: tuple[tuple[str, Expression], ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    like: str | None = None


@dataclass(frozen=True, slots=True)
class StringLiteral:
    value: str


@dataclass(frozen=True, slots=True)
class NumberLiteral:
    """``text`` as written, with its minus if any, without a type suffix (a suffix is a cast)."""

    text: str


@dataclass(frozen=True, slots=True)
class BooleanLiteral:
    value: bool


@dataclass(frozen=True, slots=True)
class NullLiteral:
    pass


@dataclass(frozen=True, slots=True)
class BinaryLiteral:
    hexadecimal: str


@dataclass(frozen=True, slots=True)
class IntervalLiteral:
    """``unit`` is lower-case: ``day``, ``year to month``; ``value`` any expression.

    ``amounts`` are the months, days and microseconds of a literal of Spark, whose unit may be empty:
    then it has fields of both kinds, as only a calendar interval has.
    """

    value: Expression
    unit: str
    amounts: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A function or operator. ``name`` as written; operators by symbol (``+``, ``and``, ``is null``).

    ``and`` and ``or`` take any number of arguments, so that a long chain is not a deep tree.

    Attributes:
        named: arguments written ``name => value``, names in lower case.
        order_by: of WITHIN GROUP.
        ignores_nulls: None where the text says neither IGNORE NULLS nor RESPECT NULLS.
    """

    name: str
    arguments: tuple[Expression, ...]
    position: Position | None = field(default=None, compare=False)
    distinct: bool = False
    filter: Expression | None = None
    qualifier: tuple[str, ...] = ()
    named: tuple[tuple[str, Expression], ...] = ()
    order_by: tuple[SortKey, ...] = ()
    ignores_nulls: bool | None = None


@dataclass(frozen=True, slots=True)
class Cast:
    """``tolerant``: written TRY_CAST, null instead of an error in every mode.

    ``format``: how the text of a date is written, of Hive's ``CAST(x AS DATE FORMAT '…')``.
    """

    operand: Expression
    type: ColumnType
    tolerant: bool = False
    position: Position | None = field(default=None, compare=False)
    format: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """``branches`` are (when, then); ``operand`` is the simple form's subject."""

    operand: Expression | None
    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression | None


@dataclass(frozen=True, slots=True)
class FieldOf:
    base: Expression
    name: str
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Subscript:
    base: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class VariantPath:
    """``v:a.b``: a call of VARIANT_GET that Spark names after the path's last field.

    ``name`` is empty where the path has none.
    """

    call: Call
    name: str


@dataclass(frozen=True, slots=True)
class InList:
    operand: Expression
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class InQuery:
    operand: Expression
    query: Query


@dataclass(frozen=True, slots=True)
class Exists:
    query: Query


@dataclass(frozen=True, slots=True)
class ScalarQuery:
    query: Query


@dataclass(frozen=True, slots=True)
class Tuple:
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class StructLiteral:
    """Spark's ``struct(a AS x, b)``; a field's name is None where none is written."""

    fields: tuple[tuple[str | None, Expression], ...]


@dataclass(frozen=True, slots=True)
class Lambda:
    parameters: tuple[str, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class SortKey:
    """ORDER BY ALL has a ``Star`` as its only key."""

    expression: Expression
    descending: bool = False
    nulls_first: bool | None = None


@dataclass(frozen=True, slots=True)
class WindowCall:
    """``window`` names one of the select's WINDOW clause; else the clause stands here."""

    call: Call
    partition_by: tuple[Expression, ...] = ()
    order_by: tuple[SortKey, ...] = ()
    frame: str | None = None
    window: str | None = None


@dataclass(frozen=True, slots=True)
class Transform:
    """What a script makes of rows: the whole list of a SELECT."""

    arguments: tuple[Expression, ...]
    columns: tuple[tuple[str, ColumnType], ...]
    position: Position | None = field(default=None, compare=False)


Expression: TypeAlias = (
    Name
    | Star
    | StringLiteral
    | NumberLiteral
    | BooleanLiteral
    | NullLiteral
    | BinaryLiteral
    | IntervalLiteral
    | Call
    | Cast
    | Case
    | FieldOf
    | Subscript
    | VariantPath
    | InList
    | InQuery
    | Exists
    | ScalarQuery
    | Tuple
    | StructLiteral
    | Lambda
    | Transform
    | WindowCall
)


@dataclass(frozen=True, slots=True)
class Sample:
    """TABLESAMPLE: how many of what: ``ROWS``, ``PERCENT``, ``BUCKET`` ("1/3"); "" for all others."""

    number: str
    unit: str


@dataclass(frozen=True, slots=True)
class TableName:
    parts: tuple[str, ...]
    alias: str | None = None
    columns: tuple[str, ...] = ()
    position: Position | None = field(default=None, compare=False)
    sample: Sample | None = None


@dataclass(frozen=True, slots=True)
class FromQuery:
    query: Query
    alias: str | None = None
    columns: tuple[str, ...] = ()
    sample: Sample | None = None


@dataclass(frozen=True, slots=True)
class FromFunction:
    """Spark's table function in FROM: ``explode(…) AS t(x)``, ``range(…)``."""

    call: Call
    alias: str | None = None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Join:
    left: FromItem
    right: FromItem
    kind: JoinKind
    condition: Expression | None = None
    using: tuple[str, ...] = ()
    natural: bool = False
    lateral: bool = False


@dataclass(frozen=True, slots=True)
class LateralView:
    input: FromItem
    call: Call
    outer: bool
    alias: str | None
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pivot:
    """``PIVOT (aggregates FOR keys IN (values))``: a column for each value and aggregate.

    Attributes:
        keys: columns, or fields of columns, whose values are compared.
        values: each one value or, of several keys, a ``Tuple``.
    """

    input: FromItem
    aggregates: tuple[SelectItem, ...]
    keys: tuple[tuple[str, ...], ...]
    values: tuple[SelectItem, ...]
    alias: str | None = None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnpivotColumns:
    """One of the columns, or several together, that become a row each."""

    paths: tuple[tuple[str, ...], ...]
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class Unpivot:
    """``UNPIVOT (values FOR name IN (columns))``: a row for each of the columns.

    Attributes:
        values: names of the columns that hold the values.
        name: of the column that says from which column a row's values come.
        with_nulls: keeps rows whose values are all null.
    """

    input: FromItem
    values: tuple[str, ...]
    name: str
    columns: tuple[UnpivotColumns, ...]
    with_nulls: bool
    alias: str | None = None
    names: tuple[str, ...] = ()


FromItem: TypeAlias = TableName | FromQuery | FromFunction | Join | LateralView | Pivot | Unpivot


@dataclass(frozen=True, slots=True)
class SelectItem:
    """``aliases`` has more than one only for a table-generating call.

    ``text`` is what was written, where a column may be named after it (PIVOT).
    """

    expression: Expression
    aliases: tuple[str, ...] = ()
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Grouping:
    """``sets`` index into ``keys``; None for a plain GROUP BY.

    ``of_all``: GROUP BY ALL, by every item of SELECT that does not aggregate.
    """

    keys: tuple[Expression, ...]
    sets: tuple[tuple[int, ...], ...] | None = None
    of_all: bool = False


@dataclass(frozen=True, slots=True)
class NamedWindow:
    """``window`` names the one that this one goes on from."""

    name: str
    partition_by: tuple[Expression, ...]
    order_by: tuple[SortKey, ...]
    frame: str | None = None
    window: str | None = None


@dataclass(frozen=True, slots=True)
class Select:
    items: tuple[SelectItem, ...]
    source: FromItem | None = None
    where: Expression | None = None
    grouping: Grouping | None = None
    having: Expression | None = None
    qualify: Expression | None = None
    windows: tuple[NamedWindow, ...] = ()
    distinct: bool = False


class SetOperator(Enum):
    UNION = "union"
    INTERSECT = "intersect"
    EXCEPT = "except"


@dataclass(frozen=True, slots=True)
class SetQuery:
    """Branches of one operator, associated to the left: 5,000 UNIONs are one node."""

    operator: SetOperator
    distinct: bool
    branches: tuple[Query, ...]


@dataclass(frozen=True, slots=True)
class ValuesQuery:
    rows: tuple[tuple[Expression, ...], ...]


@dataclass(frozen=True, slots=True)
class CommonTable:
    """``most``: of MAX RECURSION LEVEL."""

    name: str
    columns: tuple[str, ...]
    query: Query
    most: int | None = None


@dataclass(frozen=True, slots=True)
class With:
    """``recursive``: a table may read itself."""

    tables: tuple[CommonTable, ...]
    body: Query
    recursive: bool = False


@dataclass(frozen=True, slots=True)
class Ordered:
    """A query with ORDER BY (``global_``) or Hive's SORT BY, LIMIT, OFFSET.

    ``ties``: the limit keeps the rows that are ordered as its last one is.
    """

    body: Query
    order_by: tuple[SortKey, ...] = ()
    global_: bool = True
    limit: Expression | None = None
    offset: Expression | None = None
    ties: bool = False


Query: TypeAlias = Select | SetQuery | ValuesQuery | With | Ordered
