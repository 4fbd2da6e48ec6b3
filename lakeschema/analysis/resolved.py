"""Statements whose names have a meaning: each column says which relation it is of.

Nothing here has a type. What cannot be known is an ``UnknownColumn``, never an error. Nodes are
compared by identity: two reads of one table are two.
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
"""Takes an element of an array, or a value of a map; its fields are those of the array."""
ELEMENT_OR_FIELD: Final = "[?]"
"""Takes one of these, or a field of a struct whose name is not written out."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnUse:
    """A column of a relation in FROM, by its name in lower case, or a field of it.

    ``beside``: of a column of USING, those of the other side, which equal it where rows match.
    """

    relation: Relation
    column: str
    path: tuple[str, ...] = ()
    position: Position | None = None
    beside: tuple[ColumnUse, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class UnknownColumn:
    """A name that no relation surely has, or that several have.

    Attributes:
        name: as written.
        readings: what it may be.
    """

    name: tuple[str, ...]
    readings: tuple[ColumnUse, ...] = ()
    position: Position | None = None


@dataclass(frozen=True, slots=True, eq=False)
class WholeRows:
    """All columns of some relations together, as ``count(*)`` has them."""

    relations: tuple[Relation, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """A call or an operator, by its name in lower case.

    ``labels``: in lower case, the fields of a struct that is made, or the one that is taken.
    """

    name: str
    operands: tuple[Expression, ...]
    position: Position | None = None
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """CASE and IF: one of the results, by the conditions."""

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
    """A query inside an expression; ``operand`` is what IN compares with its column."""

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
    """One read of a table; ``columns`` are None where they are not known."""

    source: Source
    columns: tuple[str, ...] | None
    position: Position | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """A query in FROM. ``names`` stand for its first columns, where the text gives them.

    ``common``: a table of WITH, whose query may be read in several places.
    """

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
    """What a table function makes: each column of the whole call."""

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
    """An output column; ``starred``: one that a star stands for."""

    name: str
    expression: Expression
    starred: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class OpenStar:
    """The columns that a relation has beyond those that are known."""

    relation: Relation


@dataclass(frozen=True, slots=True, eq=False)
class Select:
    """``limited``: only some of the rows are kept, and so which ones depends on their order."""

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
    """A table of WITH RECURSIVE, which its own query reads; ``query`` is known last."""

    query: Query | None = None
    unread: Sequence[str] = field(default_factory=tuple)


Query: TypeAlias = Select | Combined | Rows | Recursive

# statements


class Mode(Enum):
    """What a write does to the rows that were there.

    APPENDS: they stay. REPLACES: they go. CHANGES: some stay. CLEARS: they go, and none come.
    DEFINES: they are those of a view's query, whenever it is read.
    """

    APPENDS = "appends"
    REPLACES = "replaces"
    CHANGES = "changes"
    CLEARS = "clears"
    DEFINES = "defines"


@dataclass(frozen=True, slots=True, eq=False)
class WrittenColumn:
    """``name`` as the target has it; empty with an ``OpenStar``, whose columns keep their names.

    ``path``: in lower case, to the field that alone is written.
    """

    name: str
    value: Expression | OpenStar
    starred: bool = False
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Write:
    """What a statement writes to one table.

    Attributes:
        source: whose rows are written, or which is read beside the target.
        relation: whose rows become those of the target, without a query.
        conditions: what else decides which rows come or go, with the clause it stands in.
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
        queries: all that it runs, those of its writes included.
        writes: one after the other.
        touched: tables that it reads or writes without a query, and how.
        unused: queries of WITH that nothing reads.
    """

    verb: str
    queries: tuple[Query, ...] = ()
    writes: tuple[Write, ...] = ()
    touched: tuple[tuple[Access, Source], ...] = ()
    unused: tuple[Query, ...] = ()
