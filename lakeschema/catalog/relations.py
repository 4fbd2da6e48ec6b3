"""Facts: a catalog's description of a relation, normalised. Equal facts have equal hashes.

Statistics, DDL times, owners and locations are not facts: they do not affect a relation's meaning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Protocol

from lakeschema.catalog.column_types import (
    ColumnType,
    StructField,
    with_nullable_parts,
)
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.sql_functions import (
    MAX_FUNCTIONS,
    FindFunction,
    SqlFunction,
    TooManyFunctions,
    functions_for,
)

NOTHING: Mapping[str, str] = MappingProxyType({})


class Dialect(Enum):
    """The engine that defines the meaning of a view's text."""

    HIVE = "hive"
    SPARK = "spark"
    TRINO = "trino"


class TableFormat(Enum):
    """Formats whose tables keep their schema in separate files."""

    DELTA = "Delta"
    ICEBERG = "Iceberg"


@dataclass(frozen=True, slots=True)
class SchemaPointer:
    """The place of a table's schema according to the metastore. It is untrusted text.

    ``location`` is a Delta table's folder, or an Iceberg table's current metadata file.
    """

    format: TableFormat
    location: str


class SchemaMode(Enum):
    """How a Spark view's columns follow its tables: Spark's ``view.schemaMode``.

    ``BY_POSITION`` is the mode of Iceberg's views, which Spark binds by position instead of by name.
    """

    BINDING = "BINDING"
    COMPENSATION = "COMPENSATION"
    TYPE_EVOLUTION = "TYPE EVOLUTION"
    EVOLUTION = "EVOLUTION"
    BY_POSITION = "BY POSITION"


@dataclass(frozen=True, slots=True)
class Column:
    """A column. ``name`` keeps the catalog's letter case; names are compared regardless of case.

    ``former_names``: the newest first, if the catalog knows that the column was renamed.
    """

    name: str
    type: ColumnType
    comment: str | None = None
    nullable: bool = True
    former_names: tuple[str, ...] = ()


def column_of(field: StructField) -> Column:
    return Column(field.name, field.type, field.comment, field.nullable)


def as_nullable(column: Column) -> Column:
    """The column, nullable in all its parts."""
    return replace(column, type=with_nullable_parts(column.type), nullable=True)


SQL_CONFIG = "view.sqlConfig."
"""The prefix of properties that are a view's recorded settings."""
ANSI = "spark.sql.ansi.enabled"


@dataclass(frozen=True, slots=True)
class ViewText:
    """A view's query, with the context that its text depends on.

    Attributes:
        text: the text that the view's engine executes: Hive's expanded text, Spark's original text.
        original_text: the author's text; equal to ``text`` if only one text is stored.
        current_namespace: where an unqualified name in the text is looked up.
        current_catalog: the catalog of a name without a catalog; None if the engine has only one.
        query_columns: Spark's ``view.query.out.col.N``, in order; empty elsewhere.
        sql_configs: Spark's ``view.sqlConfig.*``, without that prefix.
        functions: SQL functions that the text may call, directly or through others.
    """

    dialect: Dialect
    text: str
    original_text: str
    current_namespace: tuple[str, ...]
    current_catalog: str | None = None
    schema_mode: SchemaMode | None = None
    query_columns: tuple[str, ...] = ()
    sql_configs: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    functions: tuple[SqlFunction, ...] = ()


@dataclass(frozen=True, slots=True)
class UnreadText:
    """A view's query in a dialect that is not read, such as ``snowflake``.

    Both fields are "" without a query.
    """

    dialect: str
    text: str


@dataclass(frozen=True, slots=True)
class Relation:
    """Facts of a table or, with ``view`` or ``unread``, of a view.

    Attributes:
        columns: without partition columns; for a view, as stored when it was created.
        partition_columns: for a view, DDL may state only these; the query then gives the other
            columns.
        properties: the table properties, without those in ``VOLATILE_PROPERTIES``.
        serde: the SerDe's class name, or None.
        unread: the query of a view whose dialect is not read. The stored columns then count, and
            the view reads no known relation.
        unreadable: why the catalog could not return the relation's facts; all other attributes are
            then unreliable.
        hive_columns: the columns that Hive reads, if Spark's own record differs; not a fact, since
            packages follow Spark.
        schema_pointer: the place of a schema that is not read, or is unreadable (see
            ``unreadable``). None once it is read.
    """

    name: RelationName
    columns: tuple[Column, ...]
    partition_columns: tuple[Column, ...] = ()
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    serde: str | None = None
    serde_properties: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    view: ViewText | None = None
    unread: UnreadText | None = None
    unreadable: str | None = None
    hive_columns: tuple[Column, ...] = field(default=(), compare=False)
    schema_pointer: SchemaPointer | None = None

    @property
    def every_column(self) -> tuple[Column, ...]:
        """All columns in the order of ``SELECT *``."""
        return (*self.columns, *self.partition_columns)

    @property
    def is_view(self) -> bool:
        return self.view is not None or self.unread is not None


def without_former_names(relation: Relation) -> Relation:
    """The relation with columns that have no former names."""
    columns, partitions = (
        tuple(replace(column, former_names=()) for column in some)
        for some in (relation.columns, relation.partition_columns)
    )
    return replace(relation, columns=columns, partition_columns=partitions)


VOLATILE_PROPERTIES = frozenset({
    "transient_lastddltime", "last_modified_time", "last_modified_by", "numfiles", "numrows",
    "rawdatasize", "totalsize", "column_stats_accurate", "numpartitions", "numfileserasurecoded",
    "spark.sql.statistics.totalsize", "spark.sql.statistics.numrows", "spark.sql.create.version",
    "bucketing_version", "do_not_update_stats", "stats_generated_via_stats_task",
    "current-snapshot-id", "current-snapshot-summary", "current-snapshot-timestamp-ms",
    "metadata_location", "previous_metadata_location", "snapshot-count",
    "delta.lastupdateversion", "delta.lastcommittimestamp", "last_commit_time_sync",
    "last_commit_completion_time_sync", "impala.lastcomputestatstime", "impala.events.catalogversion",
    "impala.events.catalogserviceid", "presto_query_id", "trino_query_id",
})  # fmt: skip
"""Property names, lower-cased, about times or sizes rather than meaning."""


APPLY_RECORD = "schema-publisher.applied."
"""The prefix of properties in which a view project records who wrote a view, when, and from which commit."""

_VOLATILE_PREFIXES = ("spark.sql.statistics.", APPLY_RECORD)


def with_functions(relation: Relation, find: FindFunction) -> Relation:
    """Adds to a Spark view the SQL functions that its text may call; its present functions stay."""
    view = relation.view
    if view is None or view.dialect is not Dialect.SPARK:
        return relation
    had = {function.name: function for function in view.functions}
    try:
        found = functions_for(view.text, view.current_namespace, lambda n: find(n) or had.get(n))
    except TooManyFunctions:
        why = f"its text may call more than {MAX_FUNCTIONS} SQL functions, some through others"
        return replace(relation, unreadable=why)
    return (
        relation
        if found == view.functions
        else replace(relation, view=replace(view, functions=found))
    )


def sql_configs(properties: Mapping[str, str]) -> dict[str, str]:
    """The settings among a Spark view's properties, without their prefix, ordered by name."""
    return {
        key.removeprefix(SQL_CONFIG): value
        for key, value in sorted(properties.items())
        if key.startswith(SQL_CONFIG)
    }


def without_volatile(properties: Mapping[str, str]) -> dict[str, str]:
    """The properties that are facts, ordered by name."""
    return {
        key: value
        for key, value in sorted(properties.items())
        if key.lower() not in VOLATILE_PROPERTIES and not key.lower().startswith(_VOLATILE_PREFIXES)
    }


class Catalog(Protocol):
    """The interface of every catalog. All names are ``RelationName``s.

    Raises ``CatalogUnavailable`` for transient problems and ``CatalogRefused`` for permanent problems.
    A fault of a single relation never raises: an unreadable type becomes ``UnknownType``, and a listed
    relation that the catalog cannot return has ``Relation.unreadable``.
    """

    def namespaces(self) -> Sequence[Namespace]:
        """Every namespace, in no particular order."""

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        """Names of the tables and views in a namespace; empty if there is no such namespace."""

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        """Facts of the relations that exist, read in batches; missing relations are left out."""

    def current_event_id(self) -> int | None:
        """The id of the newest event that a following ``read`` reflects; None without ids.

        It is called *before* a read, on the same connection, so that the facts are at least as new
        as the event.
        """
