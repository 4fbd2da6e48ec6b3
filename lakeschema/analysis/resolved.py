"""Statements with resolved names: each column names its relation.

Nothing here has a type. An uncertain name is an ``UnknownColumn``, never an error. Nodes are
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
"""An operation that takes an array's element or a map's value; its fields are the array's."""
ELEMENT_OR_FIELD: Final = "[?]"
"""An operation that takes an element, or a struct's field with a computed name."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnUse:
    """A column of a relation in FROM, by its name in lower case, or a field of it.

    ``beside``: for a column of USING, the other side's columns, which are equal where rows match.
    """

    relation: Relation
    column: str
    path: tuple[str, ...] = ()
    position: Position | None = None
    beside: tuple[ColumnUse, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class UnknownColumn:
    """A name without a certain relation, or with several.

    Attributes:
        name: as written.
        readings: the columns that it may mean.
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

    ``labels``: in lower case, the fields of a constructed struct, or the field taken from one.
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
    """A query inside an expression; IN compares ``operand`` with its column."""

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
    """A query in FROM, or a ``common`` table of WITH; ``names`` rename its first columns."""

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
    """``equal``: the columns of USING and NATURAL, as pairs."""

    left: Relation
    right: Relation
    kind: JoinKind
    condition: Expression | None = None
    equal: tuple[tuple[ColumnUse, ColumnUse], ...] = ()


Relation: TypeAlias = Scan | Derived | Renamed | Generated | Joined

# queries


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """An output column; ``starred``: it comes from a star."""

    name: str
    expression: Expression
    starred: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class OpenStar:
    """A relation's columns beyond the known ones."""

    relation: Relation


@dataclass(frozen=True, slots=True, eq=False)
class Select:
    """``limited``: only some rows are kept, so the order affects which ones."""

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
    """UNION, INTERSECT, EXCEPT, by position."""

    operator: SetOperator
    branches: tuple[Query, ...]
    distinct: bool = True
    order_by: tuple[Expression, ...] = ()
    limited: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """VALUES."""

    columns: tuple[tuple[Expression, ...], ...]


@dataclass(slots=True, eq=False)
class Recursive:
    """A table of WITH RECURSIVE, which its own query reads; ``query`` is set last."""

    query: Query | None = None
    unread: Sequence[str] = field(default_factory=tuple)


Query: TypeAlias = Select | Combined | Rows | Recursive

# statements


class Mode(Enum):
    """The effect of a write on existing rows.

    APPENDS: they stay. REPLACES: they go. CHANGES: some stay. CLEARS: they go, and none are added.
    DEFINES: the rows are those of a view's query, whenever it is read.
    """

    APPENDS = "appends"
    REPLACES = "replaces"
    CHANGES = "changes"
    CLEARS = "clears"
    DEFINES = "defines"


@dataclass(frozen=True, slots=True, eq=False)
class WrittenColumn:
    """``name`` is the target's; empty with an ``OpenStar``, whose columns keep their names.

    ``path``: in lower case, to the only field that is written.
    """

    name: str
    value: Expression | OpenStar
    starred: bool = False
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """A statement's write to one table.

    Attributes:
        source: the query whose rows are written, or that is read next to the target.
        relation: the relation whose rows become the target's, without a query.
        conditions: other expressions that affect which rows come or go, with their clauses.
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
    """One statement.

    Attributes:
        queries: all that it runs, including those of its writes.
        writes: in order.
        touched: tables that it reads or writes without a query, with the kind of access.
        unused: queries of WITH that nothing reads.
    """

    verb: str
    queries: tuple[Query, ...] = ()
    writes: tuple[Write, ...] = ()
    touched: tuple[tuple[Access, Source], ...] = ()
    unused: tuple[Query, ...] = ()
