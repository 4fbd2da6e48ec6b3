"""The inputs and the result of a derivation.

A relation is derived only from its facts and its *direct* upstreams' interfaces. So a change that
keeps an interface ends there, results can be stored by content, and relations can be derived in
parallel.
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
    """The facts of a relation that dependents may use. Computed properties are cached.

    Attributes:
        columns: the SQL names, types and nullability of all columns, including partition columns.
            They match the fields of ``schema`` one to one, in order.
        schema: the relation's Avro schema.
        omitted: the columns that the schema leaves out, in order; queries may read them.
        has_capitals: whether the names have capitals in Spark; Hive and Trino see lower case.
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
    """A column that affects values or rows without being a source, and the clause that reads it."""

    clause: Clause
    source: SourceColumn


class Transformation(Enum):
    """How a column's values are made of its sources."""

    IDENTITY = "identity"
    TRANSFORMATION = "transformation"
    AGGREGATION = "aggregation"


@dataclass(frozen=True, slots=True)
class ColumnLineage:
    """The columns of direct upstreams that supply an output column's values.

    Attributes:
        sources: the columns that the values are made of, and the columns in conditions that choose
            among values.
        indirect: other columns that affect the values, such as windows' keys. The clause
            ``CONDITION`` marks sources that only conditions read.
        expression: the computation as text for people; "" for a column that is copied.
    """

    column: str
    sources: tuple[SourceColumn, ...]
    indirect: tuple[Influence, ...] = ()
    expression: str = ""
    transformation: Transformation = Transformation.IDENTITY

    @property
    def direct(self) -> tuple[SourceColumn, ...]:
        """The sources that supply values, without those that only conditions read."""
        conditions = {i.source for i in self.indirect if i.clause is Clause.CONDITION}
        return tuple(source for source in self.sources if source not in conditions)


@dataclass(frozen=True, slots=True)
class Derivation:
    """A relation's interface and lineage.

    Attributes:
        upstreams: the direct upstreams in order of first mention; empty for a table.
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
    """How to treat a relation with a column for which Avro has no type."""

    OMIT = "omit"
    REFUSE = "refuse"


class ViewEvolution(Enum):
    """How a view's columns follow the changes of its tables (spec: "A view's columns")."""

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
    """A table-generating UDF; the fields of the struct are the columns that it returns."""

    type: ColumnType


UdfReturn = Returns | ReturnsArgument | ReturnsRows


@dataclass(frozen=True, slots=True)
class ResolverFailure:
    """The answer of a resolver that failed for a class; ``reason`` is for people."""

    reason: str


UdfAnswer = UdfReturn | ResolverFailure


class UdfResolver(Protocol):
    """The deployment's own code, called for classes that have no static entry.

    Once it has answered for a class and its dependencies, its answer must not change. It must be
    picklable if Spark's executors derive.
    """

    def __call__(self, class_name: str, dependencies: tuple[str, ...], /) -> UdfAnswer | None:
        """The answer for a class; None if the resolver does not know the class.

        ``dependencies`` are the view's artifacts, as ``organisation:module:version[?query]``.
        """


@dataclass(frozen=True, slots=True)
class SparkUdfRule:
    """The class and the artifact that Spark uses in place of those that a view declares.

    In a replacement, ``{1}``, ``{2}`` … stand for the texts that the pattern's ``*`` matched.
    ``{package}`` and ``{name}`` stand for the parts of the class's name.

    Attributes:
        class_pattern: matches the declared class, such as ``com.example.*``.
        dependency_pattern: matches ``organisation:module:version``; the rule applies only if a
            dependency of the view matches. None means that the rule always applies.
        spark_class: replaces the class; None keeps it.
        spark_dependency: replaces each dependency that matches, or all dependencies without a
            pattern. None keeps them. Its ``?query`` takes precedence over the dependency's.
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
        trino_name: the name of a function, or of a routine in a catalog.
    """

    class_pattern: str
    trino_name: str


class Overflow(Enum):
    """How an overflow of Hive's integer sums is treated in Trino."""

    REFUSE = "refuse"
    WRAP = "wrap"


class FloatingSums(Enum):
    """Whether sums of floating-point numbers count as equal if only their last digits differ."""

    REFUSE = "refuse"
    ACCEPT = "accept"


class NullOrder(Enum):
    """Where Hive puts nulls in ascending order by default: last since Hive 3, first before."""

    LAST = "last"
    FIRST = "first"


class HiveFunctions(Enum):
    """Which function Spark calls if its own function and Hive's differ for some values."""

    BUILT_IN = "built-in"
    OWN_CLASS = "own-class"


@dataclass(frozen=True, slots=True)
class PigLoad:
    """How Pig reads the tables whose names match.

    Attributes:
        table_pattern: matches ``database.table``, such as ``shop.*``.
        path: the path to load. ``{table}`` stands for the table's name; ``{1}``, ``{2}`` … stand for
            the texts that the pattern's ``*`` matched.
        loader: Pig's function, with its arguments. It must give the types that HCatLoader gives.
    """

    table_pattern: str
    path: str
    loader: str


@dataclass(frozen=True, slots=True)
class CatalogRule:
    """One of the deployment's catalogs, for resolving names.

    Attributes:
        key: the ``RelationName.catalog`` of the catalog's relations.
        folds_case: whether the catalog compares names regardless of letter case.
    """

    key: str
    folds_case: bool


@dataclass(frozen=True, slots=True)
class Options:
    """A deployment's options; those that schemas depend on are part of every ``inputs_hash``.

    Attributes:
        strict: whether a base table without an Avro schema is an error.
        timestamp_unit: "micros" or "millis", for timestamps that no Avro schema describes. The
            engines keep microseconds: with millis, finer values do not fit the schema.
        local_timestamps: ``timestamp`` has no zone in Hive; in Spark it always has one.
        udfs: what each class returns, by class name.
        udf_resolver: called for classes that ``udfs`` does not have.
        spark_udfs: rules for the classes that run on Spark; the first match counts. No schema
            depends on them.
        hive_functions: what Spark calls where its functions differ from Hive's; no schema depends
            on it.
        trino_udfs: rules for the names of functions on Trino; the first match counts.
        trino_catalogs: the name in Trino of each catalog; the key "" is the default catalog. The
            text of a Trino view has these names, too.
        spark_catalogs: other names, in lower case, of the Spark session's catalog that has the
            views.
        catalogs: the deployment's catalogs by their names in SQL, if it has several.
        overflow, nulls: for Trino's SQL. Schemas of other dialects' views depend neither on these
            two nor on ``trino_udfs`` and ``trino_catalogs``.
        pig_loads: how Pig reads tables, by the first matching rule; HCatLoader reads all other tables.
        pig_plain_values: whether no table holds NaN, or times finer than milliseconds, which Pig
            would cut.
        floating_sums: how refreshes of stored rows, and queries over stored rows, treat sums of
            floating-point numbers; no schema depends on it.
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
    catalogs: Mapping[str, CatalogRule] = field(default_factory=lambda: MappingProxyType({}))
    overflow: Overflow = Overflow.REFUSE
    nulls: NullOrder = NullOrder.LAST
    pig_loads: tuple[PigLoad, ...] = ()
    pig_plain_values: bool = False
    floating_sums: FloatingSums = FloatingSums.REFUSE
