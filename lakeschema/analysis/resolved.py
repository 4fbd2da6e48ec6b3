"""Statements with resolved names: each column names its relation.

Expressions have no types. An uncertain name is an ``UnknownColumn``, never an error. Nodes are
compared by identity: two reads of one table are two nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, TypeAlias

from lakeschema.analysis.catalog import Source
from lakeschema.translation.model import clauses
from lakeschema.translation.model.errors import Position
from lakeschema.translation.model.joins import JoinKind
from lakeschema.translation.syntax.tree import SetOperator

Clause: TypeAlias = clauses.Clause

# expressions

ELEMENT: Final = "[]"
"""The operation that takes an array's element or a map's value.

Fields of the element count as fields of the array.
"""
ELEMENT_OR_FIELD: Final = "[?]"
"""The operation that takes an element, or a struct's field whose name is computed."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnUse:
    """A column of a relation in FROM, or a field of that column. Names are in lower case.

    For a column of USING, ``beside`` has the other side's columns, which are equal in matching
    rows.
    """

    relation: Relation
    column: str
    path: tuple[str, ...] = ()
    position: Position | None = None
    beside: tuple[ColumnUse, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class UnknownColumn:
    """A name that may mean columns of several relations, or an unknown column.

    Attributes:
        name: the name as written.
        readings: the columns that the name may mean.
    """

    name: tuple[str, ...]
    readings: tuple[ColumnUse, ...] = ()
    position: Position | None = None


@dataclass(frozen=True, slots=True, eq=False)
class WholeRows:
    """All columns of some relations together, as read by ``count(*)``."""

    relations: tuple[Relation, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """A call or an operator, by its name in lower case.

    ``labels`` are names in lower case: the fields of the struct that the call makes, or the field that it
    reads.
    """

    name: str
    operands: tuple[Expression, ...]
    position: Position | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """CASE and IF: one of the results, chosen by the conditions."""

    conditions: tuple[Expression, ...]
    results: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Windowed:
    call: Expression
    partition_by: tuple[Expression, ...]
    order_by: tuple[Expression, ...]


class QueryKind(Enum):
    SCALAR = "scalar"
    IN = "in"
    EXISTS = "exists"


@dataclass(frozen=True, slots=True, eq=False)
class QueryUse:
    """A query inside an expression. For IN, ``operand`` is the value to compare with the query's column."""

    kind: QueryKind
    query: Query
    operand: Expression | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    pass


CONSTANT = Constant()

Expression: TypeAlias = (
    ColumnUse | UnknownColumn | WholeRows | Operation | Choice | Windowed | QueryUse | Constant
)

# relations


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """One read of a table, with its ``columns`` if known."""

    source: Source
    columns: tuple[str, ...] | None
    position: Position | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """A query in FROM, or a table of WITH (``common``). ``names`` rename its first columns."""

    query: Query
    names: tuple[str, ...] = ()
    common: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Renamed:
    """A relation under a list of column names: ``t AS x (a, b)``."""

    relation: Relation
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Generated:
    """The rows of a table function; each column comes from the whole call."""

    call: Expression
    columns: tuple[str, ...] | None
    clause: Clause | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Joined:
    """A join. ``equal`` has pairs of a left and a right column, for USING and NATURAL."""

    left: Relation
    right: Relation
    kind: JoinKind
    condition: Expression | None = None
    equal: tuple[tuple[ColumnUse, ColumnUse], ...] = ()


Relation: TypeAlias = Scan | Derived | Renamed | Generated | Joined

# queries


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """An output column. ``starred``: whether it comes from a star."""

    name: str
    expression: Expression
    starred: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class OpenStar:
    """The unknown columns of a relation that a star returns in addition to known columns."""

    relation: Relation


@dataclass(frozen=True, slots=True, eq=False)
class Select:
    """A SELECT.

    ``limited``: whether only some rows are kept; then the order affects the result.
    """

    items: tuple[Item | OpenStar, ...]
    source: Relation | None = None
    where: Expression | None = None
    group_by: tuple[Expression, ...] = ()
    having: Expression | None = None
    qualify: Expression | None = None
    order_by: tuple[Expression, ...] = ()
    distinct: bool = False
    limited: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Combined:
    """UNION, INTERSECT or EXCEPT: columns are combined by position."""

    operator: SetOperator
    branches: tuple[Query, ...]
    distinct: bool = True
    order_by: tuple[Expression, ...] = ()
    limited: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of a VALUES clause."""

    columns: tuple[tuple[Expression, ...], ...]


@dataclass(slots=True, eq=False)
class Recursive:
    """A table of WITH RECURSIVE, which its own query reads; ``query`` is set once it is resolved."""

    query: Query | None = None
    unread: Sequence[str] = field(default_factory=tuple)


Query: TypeAlias = Select | Combined | Rows | Recursive

# statements


class Mode(Enum):
    """The effect of a write on existing rows.

    APPENDS keeps the existing rows, REPLACES removes them, CHANGES keeps some. CLEARS removes them and
    adds no rows. DEFINES stores no rows: a view returns its query's rows whenever it is read.
    """

    APPENDS = "appends"
    REPLACES = "replaces"
    CHANGES = "changes"
    CLEARS = "clears"
    DEFINES = "defines"


@dataclass(frozen=True, slots=True, eq=False)
class WrittenColumn:
    """A column that a statement writes.

    ``name`` is "" for an ``OpenStar``, whose columns keep their names. If only a field of the column is
    written, ``path`` leads to the field, in lower case.
    """

    name: str
    value: Expression | OpenStar
    starred: bool = False
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """A statement's write to one table.

    Attributes:
        source: the query whose rows are written, or which UPDATE or MERGE reads to change the target.
        relation: the relation whose rows move to the target without a query, as in a rename.
        conditions: other expressions that affect which rows are added or removed, with their
            clauses.
    """

    target: Source
    mode: Mode
    columns: tuple[WrittenColumn, ...] = ()
    source: Query | None = None
    relation: Relation | None = None
    conditions: tuple[tuple[Clause, Expression], ...] = ()


class Access(Enum):
    READ_DATA = "read data"
    READ_METADATA = "read metadata"
    WRITE_DATA = "write data"
    WRITE_METADATA = "write metadata"


@dataclass(frozen=True, slots=True, eq=False)
class Resolved:
    """One statement with resolved names.

    Attributes:
        queries: all queries that the statement runs, including those of its writes.
        writes: the writes in the order of the text.
        touched: tables that it reads or writes without a query, with the kind of access.
        unused: queries of WITH that nothing reads.
    """

    verb: str
    queries: tuple[Query, ...] = ()
    writes: tuple[Write, ...] = ()
    touched: tuple[tuple[Access, Source], ...] = ()
    unused: tuple[Query, ...] = ()
