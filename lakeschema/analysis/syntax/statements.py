"""Parsed statements before names are resolved: a closed set of immutable nodes, like queries."""

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
    """A query whose rows are returned, or stored in the new table ``into``.

    ``temporary``: whether that table is temporary.
    """

    query: tree.Query
    into: Named | None = None
    temporary: bool = False


@dataclass(frozen=True, slots=True)
class Insert:
    """INSERT of the rows of a query.

    Attributes:
        columns: the written columns; empty if the text lists none.
        partition: the columns of PARTITION; the query lacks the columns that have a value there.
        overwrite: whether the existing rows of the table or partition are removed.
        replaces_some: whether only the existing rows that meet a condition are removed.
        by_name: whether the query's columns are matched by name.
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
    """CREATE of a table or view.

    Attributes:
        columns: the names of the columns, in order.
        partitions: the columns of PARTITIONED BY, which come last.
        filled: the table that ClickHouse's materialized view writes to.
        keeps_order: whether partition columns keep their places.
        like: the table from which it copies the columns.
        clone: the table from which it copies both columns and rows.
        location: the place of the files, as written.
        materialized: whether it is a view that stores its query's rows.
        temporary: whether only its session sees it.
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
        """Whether the relation stores rows; False for a view, whose query runs at each read."""
        return self.kind is Kind.TABLE or self.materialized


@dataclass(frozen=True, slots=True)
class Drop:
    kind: Kind
    names: tuple[Named, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Rename:
    """Renames, which apply in order. A new name of one part stays in the old name's namespace."""

    kind: Kind
    pairs: tuple[tuple[Named, Named], ...]


@dataclass(frozen=True, slots=True)
class SetNamespace:
    """The statement ``ALTER TABLE t SET SCHEMA s``."""

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
        renamed: pairs of an old and a new name.
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
    """ADD PARTITION with locations. ``moved``: an existing partition gets a new location."""

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
    """An assignment. ``path`` is the column as written, perhaps after the table's name.

    Attributes:
        operator: the operator of ``a += x``, whose new value also depends on the old value.
        place: for ``(a, b) = (SELECT x, y …)``, the number of the query's column.
    """

    path: tuple[str, ...]
    value: tree.Expression
    operator: str = ""
    place: int | None = None


@dataclass(frozen=True, slots=True)
class MergeAction:
    """One WHEN of MERGE. ``every`` is true for UPDATE SET * and INSERT *.

    Attributes:
        columns: the columns of INSERT, in the order of ``values``; empty for the target's order.
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
    """An UPDATE. ``source``: its FROM, or the relations joined to the target."""

    target: Named
    assignments: tuple[Assignment, ...]
    source: tree.FromItem | None = None
    condition: tree.Expression | None = None
    common: With = With()
    logged: Named | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """A DELETE. ``others``: further tables from which MySQL's DELETE removes rows."""

    target: Named
    source: tree.FromItem | None = None
    condition: tree.Expression | None = None
    common: With = With()
    logged: Named | None = None
    others: tuple[Named, ...] = ()


@dataclass(frozen=True, slots=True)
class Truncate:
    """A TRUNCATE. ``partial``: it empties only some partitions."""

    names: tuple[Named, ...]
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Load:
    """LOAD DATA or COPY INTO a table. ``columns`` are the columns that a query fills."""

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
    """A USE. ``what`` is the kind of object that a single name means: catalog, schema, role …."""

    namespace: tuple[str, ...]
    what: str


@dataclass(frozen=True, slots=True)
class Set:
    """A SET of a session's setting; without a ``value`` it only shows the setting."""

    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class ReadMetadata:
    """DESCRIBE, SHOW CREATE, ANALYZE: they read one table's definition."""

    names: tuple[Named, ...]


@dataclass(frozen=True, slots=True)
class Other:
    """A statement that neither reads nor writes rows: GRANT, SET ROLE, COMMIT, CREATE FUNCTION."""

    verb: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A statement whose text does not show its reads and writes, such as a procedure call."""

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
