"""The raw tree of a query, before names are resolved: a closed set of immutable nodes.

Operators are ``Call``s named by their symbol, so that one operator table serves for all of them.
Only nodes that an error can point at have a ``position``, which equality ignores.
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
    """A column, with optional qualifiers before and nested fields after it: ``a.b.c``."""

    parts: tuple[str, ...]
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Star:
    """A star: ``*``, ``t.*``, ``* EXCEPT (a, s.x)`` or ``f(x).*``.

    Attributes:
        base: the struct whose fields the star stands for, if it is not given by a name.
        replaced: columns that get a new value, by ``|> SET``.
        renamed: columns that get a new name, by other engines' RENAME.
        like: a pattern for the columns' names, by other engines' ILIKE.
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
    """A number. ``text`` is as written, with any minus sign.

    A type suffix is not part of it, but a cast.
    """

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
    """An interval. ``unit`` is in lower case (``day``, ``year to month``).

    ``value`` is any expression.

    ``amounts`` are the months, days and microseconds of a Spark literal. Its unit is empty if it
    has fields of both kinds, as only a calendar interval can.
    """

    value: Expression
    unit: str
    amounts: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A function or operator. ``name`` is as written; operators have symbols (``+``, ``is null``).

    ``and`` and ``or`` take any number of arguments, so that a long chain is not a deep tree.

    Attributes:
        named: the arguments written as ``name => value``, with names in lower case.
        order_by: the keys of WITHIN GROUP.
        ignores_nulls: None if the text has neither IGNORE NULLS nor RESPECT NULLS.
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
    """A cast. ``tolerant``: TRY_CAST, which gives null instead of an error in every mode.

    ``format``: the date format of Hive's ``CAST(x AS DATE FORMAT '…')``.
    """

    operand: Expression
    type: ColumnType
    tolerant: bool = False
    position: Position | None = field(default=None, compare=False)
    format: str | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A CASE. ``branches`` are pairs (when, then); ``operand`` is the value of a simple CASE."""

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
    """A path ``v:a.b``, which calls VARIANT_GET; ``name`` is the path's last field, or empty."""

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
    """Spark's ``struct(a AS x, b)``; a field without a written name has None as its name."""

    fields: tuple[tuple[str | None, Expression], ...]


@dataclass(frozen=True, slots=True)
class Lambda:
    parameters: tuple[str, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class SortKey:
    """A key of ORDER BY; ORDER BY ALL has a ``Star`` as its only key."""

    expression: Expression
    descending: bool = False
    nulls_first: bool | None = None


@dataclass(frozen=True, slots=True)
class WindowCall:
    """A call over a window.

    ``window`` is the name of one in the WINDOW clause, or the window itself.
    """

    call: Call
    partition_by: tuple[Expression, ...] = ()
    order_by: tuple[SortKey, ...] = ()
    frame: str | None = None
    window: str | None = None


@dataclass(frozen=True, slots=True)
class Transform:
    """The rows that a script makes: the only item of a SELECT."""

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
    """TABLESAMPLE: a number of ``ROWS``, ``PERCENT`` or ``BUCKET`` ("1/3"); "" for other units."""

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
        values: each one value or, for several keys, a ``Tuple``.
    """

    input: FromItem
    aggregates: tuple[SelectItem, ...]
    keys: tuple[tuple[str, ...], ...]
    values: tuple[SelectItem, ...]
    alias: str | None = None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnpivotColumns:
    """A column, or a group of columns, from which UNPIVOT makes a row."""

    paths: tuple[tuple[str, ...], ...]
    alias: str | None = None


@dataclass(frozen=True, slots=True)
class Unpivot:
    """``UNPIVOT (values FOR name IN (columns))``: a row for each of the columns.

    Attributes:
        values: names of the columns that hold the values.
        name: the column that names the source column of a row's values.
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
    """An item of SELECT. ``aliases`` has more than one only for a table-generating call.

    ``text`` is the item as written; PIVOT names columns after it.
    """

    expression: Expression
    aliases: tuple[str, ...] = ()
    text: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Grouping:
    """A GROUP BY. ``sets`` are indices of ``keys``; None for a plain GROUP BY.

    ``of_all``: GROUP BY ALL, which means every item of SELECT that does not aggregate.
    """

    keys: tuple[Expression, ...]
    sets: tuple[tuple[int, ...], ...] | None = None
    of_all: bool = False


@dataclass(frozen=True, slots=True)
class NamedWindow:
    """A window of the WINDOW clause. ``window`` is the name of the window that it extends."""

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
    """A table of WITH. ``most`` is the number in MAX RECURSION LEVEL."""

    name: str
    columns: tuple[str, ...]
    query: Query
    most: int | None = None


@dataclass(frozen=True, slots=True)
class With:
    """A WITH. ``recursive``: whether a table may read itself."""

    tables: tuple[CommonTable, ...]
    body: Query
    recursive: bool = False


@dataclass(frozen=True, slots=True)
class Ordered:
    """A query with ORDER BY (``global_``) or Hive's SORT BY, LIMIT, OFFSET.

    ``ties``: whether the limit also keeps rows that tie with the last kept row.
    """

    body: Query
    order_by: tuple[SortKey, ...] = ()
    global_: bool = True
    limit: Expression | None = None
    offset: Expression | None = None
    ties: bool = False


Query: TypeAlias = Select | SetQuery | ValuesQuery | With | Ordered
