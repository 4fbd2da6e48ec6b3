"""The inputs and the result of a derivation.

A relation is derived from its own facts and its *direct* upstreams' interfaces, nothing else.
This allows early cutoff, a memo of results by content, and parallel work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from types import MappingProxyType
from typing import Protocol

from lakeschema.avro.definitions import definitions as definitions_of
from lakeschema.avro.model import NamedSchema, Record
from lakeschema.catalog.column_types import ColumnType
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column
from lakeschema.translation.model.clauses import Clause


@dataclass(frozen=True, slots=True)
class OmittedColumn:
    """A column that the schema leaves out, since Avro has no type for it.

    Attributes:
        position: among all columns of its relation, from 0.
        reason: why Avro has no type for it, for people.
    """

    position: int
    column: Column
    reason: str


@dataclass(frozen=True)
class Interface:
    """All that dependents may know of a relation. Computed properties are cached.

    Attributes:
        columns: SQL names, types and nullability, left to right, partition columns included;
            as many as ``schema`` has fields, in the same order.
        schema: the relation's Avro schema.
        omitted: further columns, which queries may read, in order.
        has_capitals: its names have capitals in Spark, which Hive and Trino see in lower case.
    """

    name: RelationName
    columns: tuple[Column, ...]
    schema: Record
    omitted: tuple[OmittedColumn, ...] = ()
    has_capitals: bool = False

    def __reduce__(self) -> tuple[type[Interface], tuple[object, ...]]:
        # Cached properties are not sent to other processes.
        parts = (self.name, self.columns, self.schema, self.omitted, self.has_capitals)
        return Interface, parts

    @cached_property
    def definitions(self) -> Mapping[str, NamedSchema]:
        """The named types of the schema, by full name."""
        return definitions_of(self.schema)

    @cached_property
    def places(self) -> tuple[int | OmittedColumn, ...]:
        """All columns left to right: a column's index in ``columns``, or the omitted column."""
        places: list[int | OmittedColumn] = list(range(len(self.columns)))
        for each in self.omitted:
            places.insert(each.position, each)
        return tuple(places)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all columns left to right, omitted columns included."""
        return tuple(
            self.columns[place].name if isinstance(place, int) else place.column.name
            for place in self.places
        )


@dataclass(frozen=True, slots=True, order=True)
class SourceColumn:
    """A column of an upstream relation; ``path`` leads to a nested field, empty for the whole."""

    relation: RelationName
    column: str
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Influence:
    """A column that affects values or rows without being part of them, and the clause that reads it."""

    clause: Clause
    source: SourceColumn


class Transformation(Enum):
    """How a column's values are made of its sources."""

    IDENTITY = "identity"
    TRANSFORMATION = "transformation"
    AGGREGATION = "aggregation"


@dataclass(frozen=True, slots=True)
class ColumnLineage:
    """Which upstream columns an output column's values come from (direct upstreams).

    Attributes:
        sources: the columns that its values are made of, and those in conditions that choose among
            them.
        indirect: other columns that affect the values, such as windows' keys; clause ``CONDITION``
            marks the sources that only conditions read.
        expression: how it is computed, as text for people; "" for a column that is copied.
    """

    column: str
    sources: tuple[SourceColumn, ...]
    indirect: tuple[Influence, ...] = ()
    expression: str = ""
    transformation: Transformation = Transformation.IDENTITY

    @property
    def direct(self) -> tuple[SourceColumn, ...]:
        """The sources that values are made of."""
        conditions = {i.source for i in self.indirect if i.clause is Clause.CONDITION}
        return tuple(source for source in self.sources if source not in conditions)


@dataclass(frozen=True, slots=True)
class Derivation:
    """A relation's interface and lineage.

    Attributes:
        upstreams: the direct ones, in order of first mention; empty for a table.
        rows: the columns that affect which rows a view has; None if unknown.
    """

    interface: Interface
    upstreams: tuple[RelationName, ...]
    lineage: tuple[ColumnLineage, ...]
    rows: tuple[Influence, ...] | None = None


class Casing(Enum):
    PRESERVE = "preserve"
    LOWER = "lower"


class Nullability(Enum):
    PRESERVE = "preserve"
    ALL_NULLABLE = "all-nullable"


class Inexpressible(Enum):
    """How to treat a relation with a column that Avro has no type for."""

    OMIT = "omit"
    REFUSE = "refuse"


class ViewEvolution(Enum):
    """How a view's columns follow its tables' changes (spec: "A view's columns")."""

    ENGINE = "engine"
    FOLLOW = "follow"


@dataclass(frozen=True, slots=True)
class Returns:
    """A UDF that returns this type, nullable."""

    type: ColumnType


@dataclass(frozen=True, slots=True)
class ReturnsArgument:
    """A UDF that returns the type of its argument at ``index``, from 0."""

    index: int


@dataclass(frozen=True, slots=True)
class ReturnsRows:
    """A table-generating UDF: the struct's fields are the columns it yields."""

    type: ColumnType


UdfReturn = Returns | ReturnsArgument | ReturnsRows


@dataclass(frozen=True, slots=True)
class ResolverFailure:
    """The resolver could not answer; ``reason`` is for people."""

    reason: str


UdfAnswer = UdfReturn | ResolverFailure


class UdfResolver(Protocol):
    """The deployment's own code, called for classes that have no static entry.

    Once it has answered for a class and its dependencies, its answer must not change. It must be
    picklable if Spark's executors derive.
    """

    def __call__(self, class_name: str, dependencies: tuple[str, ...], /) -> UdfAnswer | None:
        """``dependencies`` are the view's, as ``organisation:module:version[?query]``."""


@dataclass(frozen=True, slots=True)
class SparkUdfRule:
    """The class and the artifact that replace a view's declared ones on Spark.

    ``{1}``, ``{2}`` … in a replacement are what the pattern's ``*`` matched; ``{package}`` and
    ``{name}`` are the parts of the class's name.

    Attributes:
        class_pattern: matches the declared class, such as ``com.example.*``.
        dependency_pattern: matches ``organisation:module:version``; the rule applies if a
            dependency of the view matches. None: it applies whatever the view depends on.
        spark_class: replaces the class; None keeps it.
        spark_dependency: replaces each dependency that matches (without a pattern, all); None
            keeps them. Its own ``?query`` takes precedence over the dependency's.
    """

    class_pattern: str
    dependency_pattern: str | None = None
    spark_class: str | None = None
    spark_dependency: str | None = None


@dataclass(frozen=True, slots=True)
class TrinoUdfRule:
    """The Trino function that replaces a declared class; placeholders as in ``SparkUdfRule``.

    Attributes:
        class_pattern: matches the declared class, such as ``com.example.*``.
        trino_name: of a function, or of a routine in a catalog.
    """

    class_pattern: str
    trino_name: str


class Overflow(Enum):
    """How an overflow of Hive's integer sums is treated in Trino."""

    REFUSE = "refuse"
    WRAP = "wrap"


class FloatingSums(Enum):
    """Whether sums of floating-point numbers that differ in their last digits count as equal."""

    REFUSE = "refuse"
    ACCEPT = "accept"


class NullOrder(Enum):
    """Where Hive's ascending orders put nulls by default: last since Hive 3, first before."""

    LAST = "last"
    FIRST = "first"


class HiveFunctions(Enum):
    """Which function Spark calls where its own and Hive's differ for some values."""

    BUILT_IN = "built-in"
    OWN_CLASS = "own-class"


@dataclass(frozen=True, slots=True)
class PigLoad:
    """How Pig reads the tables whose names match.

    Attributes:
        table_pattern: matches ``database.table``, such as ``shop.*``.
        path: the path to load; ``{table}`` is the table's name, ``{1}``, ``{2}`` … what the
            pattern's ``*`` matched.
        loader: Pig's function, with its arguments. It must give the types that HCatLoader gives.
    """

    table_pattern: str
    path: str
    loader: str


@dataclass(frozen=True, slots=True)
class Options:
    """A deployment's options; those that schemas depend on are part of every ``inputs_hash``.

    Attributes:
        strict: a base table without an Avro schema is an error.
        timestamp_unit: "micros" or "millis", for timestamps that no Avro schema describes.
            The engines keep microseconds: with millis, finer values do not fit the schema.
        local_timestamps: ``timestamp`` has no zone in Hive; in Spark it always has one.
        udfs: class name to what it returns.
        udf_resolver: called for classes that ``udfs`` does not have.
        spark_udfs: what runs on Spark, by the first matching rule; no schema depends on it.
        hive_functions: what Spark calls where its functions differ from Hive's; no schema depends
            on it.
        trino_udfs: names on Trino, by the first matching rule.
        trino_catalogs: the name in Trino of each catalog; "" is that of relations without one.
            A Trino view's own text has these names, too.
        spark_catalogs: other names, in lower case, of the Spark session's catalog that has the
            views.
        overflow, nulls: for Trino's SQL. Schemas of other dialects' views depend on none of these
            four.
        pig_loads: how Pig reads tables, by the first matching rule; HCatLoader reads the others.
        pig_plain_values: no table holds NaN or times finer than milliseconds, which Pig would cut.
        floating_sums: for refreshes of stored rows and queries over them; no schema depends on it.
        inexpressible: which relations may have a schema that omits columns; no schema depends on
            it.
    """

    casing: Casing = Casing.PRESERVE
    nullability: Nullability = Nullability.PRESERVE
    strict: bool = False
    view_evolution: ViewEvolution = ViewEvolution.ENGINE
    timestamp_unit: str = "micros"
    local_timestamps: bool = False
    max_sql_bytes: int = 1_000_000
    udfs: Mapping[str, UdfReturn] = field(default_factory=lambda: MappingProxyType({}))
    udf_resolver: UdfResolver | None = None
    spark_udfs: tuple[SparkUdfRule, ...] = ()
    hive_functions: HiveFunctions = HiveFunctions.BUILT_IN
    inexpressible: Inexpressible = Inexpressible.OMIT
    trino_udfs: tuple[TrinoUdfRule, ...] = ()
    trino_catalogs: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    spark_catalogs: frozenset[str] = frozenset()
    overflow: Overflow = Overflow.REFUSE
    nulls: NullOrder = NullOrder.LAST
    pig_loads: tuple[PigLoad, ...] = ()
    pig_plain_values: bool = False
    floating_sums: FloatingSums = FloatingSums.REFUSE
