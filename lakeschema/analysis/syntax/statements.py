"""Raw statements, before names are resolved: immutable and closed, like queries."""

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
    """A table or view by name, with an optional alias."""

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
    """A query whose rows are returned, or stored ``into`` a new table, which may be ``temporary``."""

    query: tree.Query
    into: Named | None = None
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class Insert:
    """INSERT of the rows of a query.

    Attributes:
        columns: the written columns; empty if the text lists none.
        partition: columns of PARTITION; those with a value are not in the query.
        overwrite: the existing rows of the table or partition go.
        replaces_some: only existing rows that meet a condition go.
        by_name: matches the query's columns by name.
        logged: the table that also gets the rows, by OUTPUT.
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
        partitions: the columns of PARTITIONED BY, which come last.
        filled: the table that ClickHouse's materialized view writes to.
        keeps_order: partition columns keep their places.
        like: the table whose columns it gets.
        clone: the table whose columns and rows it gets.
        location: the place of its files, as written.
        materialized: for a view that stores its query's rows.
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
        """False for a view whose query runs at each read."""
        return self.kind is Kind.TABLE or self.materialized


@dataclass(frozen=True, slots=True)
class Drop:
    kind: Kind
    names: tuple[Named, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Rename:
    """Applied in order; a new name of one part stays in the old one's namespace."""

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
    """A change of a table's columns.

    Attributes:
        renamed: (old, new).
        replaced: the new list of columns, if the text gives one.
    """

    name: Named
    added: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    replaced: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class AlterOther:
    """A change of properties, partitions and other things without rows or columns."""

    kind: Kind
    name: Named
    location: str | None = None


@dataclass(frozen=True, slots=True)
class AddPartitions:
    """Partitions with locations; ``moved``: an existing partition gets a new one."""

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
    """``path`` is as written; the column may be qualified by the table.

    Attributes:
        operator: for ``a += x``, whose new value also depends on the old one.
        place: for ``(a, b) = (SELECT x, y …)``, the number of the query's column.
    """

    path: tuple[str, ...]
    value: tree.Expression
    operator: str = ""
    place: int | None = None


@dataclass(frozen=True, slots=True)
class MergeAction:
    """One WHEN. ``every``: UPDATE SET * and INSERT *.

    Attributes:
        columns: INSERT's columns, with ``values`` by position; if empty, in the target's order.
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
    """``source``: the FROM of UPDATE, or relations joined to the target."""

    target: Named
    assignments: tuple[Assignment, ...]
    source: tree.FromItem | None = None
    condition: tree.Expression | None = None
    common: With = With()
    logged: Named | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """``others``: further tables whose rows MySQL's DELETE removes."""

    target: Named
    source: tree.FromItem | None = None
    condition: tree.Expression | None = None
    common: With = With()
    logged: Named | None = None
    others: tuple[Named, ...] = ()


@dataclass(frozen=True, slots=True)
class Truncate:
    """``partial``: only some partitions."""

    names: tuple[Named, ...]
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Load:
    """LOAD DATA and COPY INTO a table. ``columns``: those that a query fills."""

    source: Target
    target: Target
    overwrite: bool = False
    query: tree.Query | None = None
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cache:
    """CACHE TABLE, which stores nothing permanently; with a query it creates a temporary name."""

    name: Named
    query: tree.Query | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """``what``: the object of a one-part name: catalog, schema, namespace, warehouse or role."""

    namespace: tuple[str, ...]
    what: str


@dataclass(frozen=True, slots=True)
class Set:
    """A session setting; without a ``value`` it is only shown."""

    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class ReadMetadata:
    """DESCRIBE, SHOW CREATE, ANALYZE: they read one table's definition."""

    names: tuple[Named, ...]


@dataclass(frozen=True, slots=True)
class Other:
    """A statement without reading or writing rows: GRANT, SET ROLE, COMMIT, CREATE FUNCTION."""

    verb: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A statement whose text does not tell its reads and writes, such as a procedure call."""

    verb: str
    position: Position | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Block:
    """Statements that run together: the body of the procedure ``name``, or a text that is run."""

    name: Named | None
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Chained:
    """A statement that reads rows changed in its WITH; ``changes`` come first."""

    changes: tuple[Statement, ...]
    statement: Statement


@dataclass(frozen=True, slots=True)
class Explain:
    """EXPLAIN of a statement without running it."""

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
