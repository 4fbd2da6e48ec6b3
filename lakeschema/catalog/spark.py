"""Any catalog of a Spark session, by name, with namespaces of any depth.

Spark's session catalog returns table objects in batches; any other plugin is read through
its ``TableCatalog`` interface. Everything runs in the driver's JVM and only reads. Views of other
plugins are not listed, since Spark has no common reader for them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.hive_facts import (
    Storage,
    relation_from_storage,
    relation_in_metastore,
    split_partitions,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.letter_case import lower_case_columns
from lakeschema.catalog.own_schemas import UNREAD, OwnSchemas, with_own_schemas
from lakeschema.catalog.relations import Relation, as_nullable
from lakeschema.catalog.spark_functions import SparkFunctions
from lakeschema.catalog.spark_schema import columns_from_json
from lakeschema.catalog.storage_formats import PROVIDER

Result = TypeVar("Result")

SESSION_CATALOG = "spark_catalog"
_BATCH_SIZE = 200
_MAX_NAMESPACE_DEPTH = 16
_MISSING = ("[SCHEMA_NOT_FOUND]", "[TABLE_OR_VIEW_NOT_FOUND]")


class SparkCatalog:
    """Names come back lower-cased; a case-sensitive plugin gets its own spelling."""

    def __init__(
        self,
        spark: SparkSession,
        catalog: str = SESSION_CATALOG,
        own_schemas: OwnSchemas = UNREAD,
    ) -> None:
        """``own_schemas`` reads the files of Delta and Iceberg tables of the session's catalog."""
        self.name = catalog
        jvm: Any = spark._jvm  # noqa: SLF001  the plugin interfaces have no Python face
        self._jvm = jvm
        self._session: Any = spark._jsparkSession  # noqa: SLF001
        self._gateway: Any = spark.sparkContext._gateway  # noqa: SLF001
        self._json = self._jvm.com.fasterxml.jackson.databind.ObjectMapper()
        self._scala = self._jvm.scala.jdk.javaapi.CollectionConverters
        self._own_schemas = own_schemas

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        def ask() -> list[tuple[str, ...]]:
            if self.name == SESSION_CATALOG:
                return [(name,) for name in self._scala.asJava(self._external.listDatabases())]
            return list(self._own_namespaces().values())

        return tuple(_lower(parts) for parts in self._ask("the list of namespaces", ask) or ())

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        names = self._ask(f"the tables of {namespace}", partial(self._own_names, namespace))
        return tuple(RelationName.of(*namespace, name) for name in names or ())

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        by_namespace: defaultdict[tuple[str, ...], list[RelationName]] = defaultdict(list)
        for name in dict.fromkeys(names):
            by_namespace[name.namespace].append(name)
        read = self._read_session if self.name == SESSION_CATALOG else self._read_plugin
        found: dict[RelationName, Relation] = {}
        for namespace, wanted in by_namespace.items():
            found |= read(namespace, wanted)
        if self.name != SESSION_CATALOG:
            return found
        found = with_own_schemas(found, self._own_schemas)
        return SparkFunctions(self._external, self._scala.asJava).given_to(found)

    def current_event_id(self) -> int | None:
        return None

    def close(self) -> None:
        self._own_schemas.close()

    @property
    def _external(self) -> Any:
        return self._session.sessionState().catalog().externalCatalog()

    @property
    def _plugin(self) -> Any:
        return self._session.sessionState().catalogManager().catalog(self.name)

    def _own_namespaces(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        """The plugin's namespaces in its own spelling, by their lower-cased names."""
        found: dict[tuple[str, ...], tuple[str, ...]] = {}
        waiting = [tuple(parts) for parts in self._plugin.listNamespaces()]
        while waiting:
            parts = waiting.pop()
            if _lower(parts) in found or len(parts) > _MAX_NAMESPACE_DEPTH:
                continue
            found[_lower(parts)] = parts
            waiting.extend(tuple(p) for p in self._plugin.listNamespaces(self._array(parts)))
        return found

    def _own_names(self, namespace: tuple[str, ...]) -> list[str]:
        if self.name == SESSION_CATALOG:
            if len(namespace) != 1:
                return []
            return list(self._scala.asJava(self._external.listTables(namespace[0])))
        own = self._own_namespaces().get(namespace)
        if own is None:
            return []
        return [identifier.name() for identifier in self._plugin.listTables(self._array(own))]

    def _read_session(
        self, namespace: tuple[str, ...], names: Sequence[RelationName]
    ) -> dict[RelationName, Relation]:
        if len(namespace) != 1:
            return {}
        found: dict[RelationName, Relation] = {}
        for start in range(0, len(names), _BATCH_SIZE):
            batch = names[start : start + _BATCH_SIZE]
            try:
                found |= self._session_batch(batch)
            except CatalogRefused:
                # If Spark cannot list tables either, the fault is not in one table: raise it.
                listed = set(self.relations(namespace))
                found |= self._one_by_one([name for name in batch if name in listed])
        return found

    def _one_by_one(self, names: Sequence[RelationName]) -> dict[RelationName, Relation]:
        """By halves, so that a table that Spark cannot return does not hide the others."""
        try:
            return self._session_batch(names) if names else {}
        except CatalogRefused as error:
            if len(names) == 1:
                return {names[0]: _unreadable(names[0], error)}
        middle = len(names) // 2
        return self._one_by_one(names[:middle]) | self._one_by_one(names[middle:])

    def _session_batch(self, names: Sequence[RelationName]) -> dict[RelationName, Relation]:
        (database,) = names[0].namespace
        what = f"{len(names)} tables of {database}"
        tables = self._ask(what, partial(self._session_tables, database, names))
        return {relation.name: relation for relation in tables or ()}

    def _session_tables(self, database: str, names: Sequence[RelationName]) -> list[Relation]:
        if not self._external.databaseExists(database):
            return []
        asked = self._jvm.java.util.ArrayList()
        for name in names:
            asked.add(name.name)
        found = self._external.getTablesByName(database, self._scala.asScala(asked).toSeq())
        return [self._session_relation(database, table) for table in self._scala.asJava(found)]

    def _session_relation(self, database: str, table: Any) -> Relation:
        properties = self._map(table.properties())
        comment, provider = table.comment(), table.provider()
        if comment.isDefined():
            properties["comment"] = comment.get()
        if provider.isDefined() and provider.get() != "hive":
            properties[PROVIDER] = provider.get()
        storage = table.storage()
        text, original, serde = table.viewText(), table.viewOriginalText(), storage.serde()
        stored = Storage(
            name=RelationName.of(database, table.identifier().table()),
            is_view=table.tableType().name() == "VIEW",
            properties=properties,
            serde=serde.get() if serde.isDefined() else None,
            serde_properties=self._map(storage.properties()),
            original_text=original.get() if original.isDefined() else "",
            expanded_text=text.get() if text.isDefined() else "",
            location=self._location(storage),
        )
        columns = columns_from_json(table.schema().json()) or ()
        if not table.schemaPreservesCase():
            columns = lower_case_columns(columns)
        if not stored.is_view and PROVIDER not in properties:
            # Spark records NOT NULL for Hive's tables, but lets nulls in.
            columns = tuple(map(as_nullable, columns))
        partitions = list(self._scala.asJava(table.partitionColumnNames()))
        return relation_in_metastore(stored, *split_partitions(columns, partitions))

    def _location(self, storage: Any) -> str:
        uri = storage.locationUri()
        if uri.isEmpty():
            return ""
        return str(
            self._jvm.org.apache.spark.sql.catalyst.catalog.CatalogUtils.URIToString(uri.get())
        )

    def _read_plugin(
        self, namespace: tuple[str, ...], names: Sequence[RelationName]
    ) -> dict[RelationName, Relation]:
        what = f"the tables of {namespace}"
        spelling = self._ask(what, partial(self._own_spelling, namespace))
        if spelling is None:
            return {}
        own, spelled = spelling
        found: dict[RelationName, Relation] = {}
        for name in names:
            if name.name not in spelled:
                continue
            read = partial(self._plugin_relation, name, own, spelled[name.name])
            try:
                relation = self._ask(str(name), read)
            except CatalogRefused as error:
                relation = _unreadable(name, error)
            if relation is not None:
                found[name] = relation
        return found

    def _own_spelling(
        self, namespace: tuple[str, ...]
    ) -> tuple[tuple[str, ...], dict[str, str]] | None:
        own = self._own_namespaces().get(namespace)
        if own is None:
            return None
        listed = self._plugin.listTables(self._array(own))
        return own, {identifier.name().lower(): identifier.name() for identifier in listed}

    def _plugin_relation(
        self, name: RelationName, own_namespace: tuple[str, ...], own_name: str
    ) -> Relation:
        identifier = self._jvm.org.apache.spark.sql.connector.catalog.Identifier
        table = self._plugin.loadTable(identifier.of(self._array(own_namespace), own_name))
        return self._plain(name, table)

    def _plain(self, name: RelationName, table: Any) -> Relation:
        util = self._jvm.org.apache.spark.sql.connector.catalog.CatalogV2Util
        columns = columns_from_json(util.v2ColumnsToStructType(table.columns()).json()) or ()
        properties = json.loads(self._json.writeValueAsString(table.properties()))
        for place in ("location", "owner"):
            properties.pop(place, None)
        provider = properties.pop("provider", None)
        if provider is not None:
            properties[PROVIDER] = provider
        partitions = [
            ".".join(transform.references()[0].fieldNames())
            for transform in table.partitioning()
            if transform.name() == "identity"
        ]
        stored = Storage(name=name, is_view=False, properties=properties)
        return relation_from_storage(stored, *split_partitions(columns, partitions))

    def _map(self, scala_map: Any) -> dict[str, str]:
        """One call for the whole map, instead of one for each entry."""
        text = self._json.writeValueAsString(self._scala.asJava(scala_map))
        return {str(key): str(value) for key, value in json.loads(text).items()}

    def _array(self, parts: Sequence[str]) -> Any:
        array = self._gateway.new_array(self._jvm.java.lang.String, len(parts))
        for index, part in enumerate(parts):
            array[index] = part
        return array

    def _ask(self, what: str, ask: Callable[[], Result]) -> Result | None:
        """The answer; None if Spark reports that the object does not exist."""
        try:
            return ask()
        except (PySparkException, Py4JJavaError) as error:
            if _is_missing(error):
                return None
            raise CatalogRefused(self.name, what, _first_line(error)) from error
        except (Py4JError, OSError) as error:
            raise CatalogUnavailable(self.name, _first_line(error)) from error


def _unreadable(name: RelationName, error: CatalogRefused) -> Relation:
    return Relation(name, (), unreadable=error.reason)


def _lower(parts: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.lower() for part in parts)


def _is_missing(error: Exception) -> bool:
    text = _first_line(error)
    return any(mark in text for mark in _MISSING)


def _first_line(error: Exception) -> str:
    # The bridge's own text begins with an object's number, which varies.
    text = error.java_exception.toString() if isinstance(error, Py4JJavaError) else str(error)
    return (str(text).splitlines() or [type(error).__name__])[0][:500]
