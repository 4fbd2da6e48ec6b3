"""What statements say, before any name has a meaning: immutable and closed, as queries are."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from lakeschema.translation.model.errors import Position
from lakeschema.translation.syntax import tree


@dataclass(frozen=True, slots=True)
class Files:
    """A path, a stage or a URL that is read or written."""

    uri: str


@dataclass(frozen=True, slots=True)
class Named:
    """A table or view by its name, with an alias where one may stand."""

    parts: tuple[str, ...]
    alias: str | None = None
    position: Position | None = field(default=None, compare=False)


Target: TypeAlias = Named | Files


@dataclass(frozen=True, slots=True)
class With:
    """The tables of WITH before INSERT, MERGE, UPDATE or DELETE."""

    tables: tuple[tree.CommonTable, ...] = ()
    recursive: bool = False


@dataclass(frozen=True, slots=True)
class Query:
    """A query whose rows go to whoever asked, or ``into`` a new table, perhaps a ``temporary`` one."""

    query: tree.Query
    into: Named | None = None
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class Insert:
    """INSERT of the rows of a query.

    Attributes:
        columns: that are written; empty where the text lists none.
        partition: columns of PARTITION; those with a value get none from the query.
        overwrite: what was there goes, or what was in the partition.
        replaces_some: of what was there only rows of a condition go.
        by_name: columns get those of the query of their names.
        logged: the table into which OUTPUT puts the rows, too.
    """

    target: Target
    query: tree.Query
    columns: tuple[str, ...] = ()
    partition: tuple[tuple[str, bool], ...] = ()
    overwrite: bool = False
    replaces_some: bool = False
    by_name: bool = False
    logged: Named | None = None


@dataclass(frozen=True, slots=True)
class MultiInsert:
    """Hive's ``FROM t INSERT … SELECT … INSERT … SELECT …``; each query reads ``FROM t``."""

    inserts: tuple[Insert, ...]


class Kind(Enum):
    TABLE = "table"
    VIEW = "view"


@dataclass(frozen=True, slots=True)
class Create:
    """A table or view.

    Attributes:
        columns: names, in order, without types.
        partitions: of them, those of PARTITIONED BY, which come last.
        filled: the table that ClickHouse's materialized view writes to.
        keeps_order: columns that partition the table stay where they are.
        like: whose columns it gets.
        clone: whose columns and rows it gets.
        location: where its files are, as written.
        materialized: of a view, which then keeps the rows of its query.
        temporary: only its session sees it.
    """

    kind: Kind
    name: Named
    columns: tuple[str, ...] = ()
    query: tree.Query | None = None
    like: Named | None = None
    clone: Target | None = None
    location: str | None = None
    partitions: tuple[str, ...] = ()
    filled: Named | None = None
    keeps_order: bool = False
    materialized: bool = False
    temporary: bool = False
    only_if_missing: bool = False
    replaces: bool = False

    @property
    def holds_rows(self) -> bool:
        """Not so of a view whose query runs whenever it is read."""
        return self.kind is Kind.TABLE or self.materialized


@dataclass(frozen=True, slots=True)
class Drop:
    kind: Kind
    names: tuple[Named, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Rename:
    """One after the other; a new name of one part stays in the namespace of the old one."""

    kind: Kind
    pairs: tuple[tuple[Named, Named], ...]


@dataclass(frozen=True, slots=True)
class SetNamespace:
    """``ALTER TABLE t SET SCHEMA s``."""

    names: tuple[Named, ...]
    namespace: str


@dataclass(frozen=True, slots=True)
class Swap:
    first: Named
    second: Named


@dataclass(frozen=True, slots=True)
class AlterColumns:
    """A change of which columns a table has.

    Attributes:
        renamed: (old, new).
        replaced: the whole new list of columns, where the text gives it.
    """

    name: Named
    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    replaced: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class AlterOther:
    """A change of properties, of partitions, of what else has no rows and no columns."""

    kind: Kind
    name: Named
    location: str | None = None


@dataclass(frozen=True, slots=True)
class AddPartitions:
    """Partitions whose files lie somewhere; ``moved``: of one that was there, and lay elsewhere."""

    name: Named
    locations: tuple[str, ...]
    moved: bool = False


@dataclass(frozen=True, slots=True)
class MovePartition:
    """Rows of one table become rows of another: EXCHANGE PARTITION, swap_partitions_…."""

    source: Named
    target: Named


@dataclass(frozen=True, slots=True)
class Assignment:
    """``path`` as written, perhaps with the table before the column.

    Attributes:
        operator: of ``a += x``, which makes the new value of the old one, too.
        place: of ``(a, b) = (SELECT x, y …)``, which column of the query it gets.
    """

    path: tuple[str, ...]
    value: tree.Expression
    operator: str = ""
    place: int | None = None


@dataclass(frozen=True, slots=True)
class MergeAction:
    """One WHEN. ``every``: UPDATE SET * and INSERT *.

    Attributes:
        columns: of INSERT, with ``values`` by position; without columns, in the target's order.
    """

    condition: tree.Expression | None = None
    assignments: tuple[Assignment, ...] = ()
    columns: tuple[str, ...] = ()
    values: tuple[tree.Expression, ...] = ()
    every: bool = False


@dataclass(frozen=True, slots=True)
class Merge:
    target: Named
    source: tree.FromItem
    condition: tree.Expression
    actions: tuple[MergeAction, ...]
    common: With = With()
    logged: Named | None = None


@dataclass(frozen=True, slots=True)
class Update:
    """``source``: of UPDATE … FROM, or what is joined to the target."""

    target: Named
    assignments: tuple[Assignment, ...]
    source: tree.FromItem | None = None
    condition: tree.Expression | None = None
    common: With = With()
    logged: Named | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """``others``: tables of the source whose rows go, too, as MySQL has it."""

    target: Named
    source: tree.FromItem | None = None
    condition: tree.Expression | None = None
    common: With = With()
    logged: Named | None = None
    others: tuple[Named, ...] = ()


@dataclass(frozen=True, slots=True)
class Truncate:
    """``partial``: of some partitions."""

    names: tuple[Named, ...]
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Load:
    """LOAD DATA and COPY INTO a table. ``columns``: those that a query's fill."""

    source: Target
    target: Target
    overwrite: bool = False
    query: tree.Query | None = None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cache:
    """CACHE TABLE, which writes nothing that lasts; with a query it has a name for the session."""

    name: Named
    query: tree.Query | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """``what``: of a name of one part, catalog, schema, namespace, warehouse or role."""

    namespace: tuple[str, ...]
    what: str


@dataclass(frozen=True, slots=True)
class Set:
    """A setting of the session; ``value`` is None where it is only shown."""

    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class ReadMetadata:
    """DESCRIBE, SHOW CREATE, ANALYZE: of one table, its definition is read."""

    names: tuple[Named, ...]


@dataclass(frozen=True, slots=True)
class Other:
    """A statement that reads and writes no rows: GRANT, SET ROLE, COMMIT, CREATE FUNCTION."""

    verb: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A statement whose text does not name what it reads and writes, such as the call of a procedure."""

    verb: str
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Block:
    """Statements that run together: of a procedure's body, or of a text that another statement runs.

    ``name``: of the procedure.
    """

    name: Named | None
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Chained:
    """A statement whose WITH changes rows that it then reads; ``changes`` come first."""

    changes: tuple[Statement, ...]
    statement: Statement


@dataclass(frozen=True, slots=True)
class Explain:
    """EXPLAIN of a statement, which is not run."""

    statement: Statement


Statement: TypeAlias = (
    Query
    | Insert
    | MultiInsert
    | Create
    | Drop
    | Rename
    | SetNamespace
    | Swap
    | AlterColumns
    | AlterOther
    | AddPartitions
    | MovePartition
    | Merge
    | Update
    | Delete
    | Truncate
    | Load
    | Cache
    | Use
    | Set
    | ReadMetadata
    | Other
    | Unknown
    | Block
    | Chained
    | Explain
)
