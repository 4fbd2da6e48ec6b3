"""The tables and views of a Spark session's own catalog, which returns them in batches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from lakeschema.catalog.errors import CatalogRefused
from lakeschema.catalog.hive_facts import Storage, relation_in_metastore, split_partitions
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.letter_case import lower_case_columns
from lakeschema.catalog.own_schemas import OwnSchemas, with_own_schemas
from lakeschema.catalog.relations import Relation, as_nullable
from lakeschema.catalog.spark_functions import SparkFunctions
from lakeschema.catalog.spark_jvm import SparkJvm
from lakeschema.catalog.spark_schema import columns_from_json
from lakeschema.catalog.storage_formats import PROVIDER

SESSION_CATALOG = "spark_catalog"
_BATCH_SIZE = 200


class SessionCatalog:
    """A session's own catalog. Its names are lower-cased."""

    def __init__(self, jvm: SparkJvm, own_schemas: OwnSchemas) -> None:
        self._jvm = jvm
        self._own_schemas = own_schemas

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        def ask() -> list[str]:
            return list(self._jvm.as_java(self._external.listDatabases()))

        names = self._jvm.ask(SESSION_CATALOG, "the list of namespaces", ask)
        return tuple((name.lower(),) for name in names or ())

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        if len(namespace) != 1:
            return ()

        def ask() -> list[str]:
            return list(self._jvm.as_java(self._external.listTables(namespace[0])))

        names = self._jvm.ask(SESSION_CATALOG, f"the tables of {namespace}", ask)
        return tuple(RelationName.of(*namespace, name) for name in names or ())

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        by_namespace: defaultdict[tuple[str, ...], list[RelationName]] = defaultdict(list)
        for name in dict.fromkeys(names):
            by_namespace[name.namespace].append(name)
        found: dict[RelationName, Relation] = {}
        for namespace, wanted in by_namespace.items():
            found |= self._read_in(namespace, wanted)
        found = with_own_schemas(found, self._own_schemas)
        return SparkFunctions(self._external, self._jvm.as_java).given_to(found)

    @property
    def _external(self) -> Any:
        return self._jvm.session.sessionState().catalog().externalCatalog()

    def _read_in(
        self, namespace: tuple[str, ...], names: Sequence[RelationName]
    ) -> dict[RelationName, Relation]:
        if len(namespace) != 1:
            return {}
        found: dict[RelationName, Relation] = {}
        for start in range(0, len(names), _BATCH_SIZE):
            batch = names[start : start + _BATCH_SIZE]
            try:
                found |= self._batch(batch)
            except CatalogRefused:
                # If Spark cannot list tables either, the fault is not in one table: raise it.
                listed = set(self.relations(namespace))
                found |= self._one_by_one([name for name in batch if name in listed])
        return found

    def _one_by_one(self, names: Sequence[RelationName]) -> dict[RelationName, Relation]:
        """The relations, read in smaller and smaller halves.

        So if Spark cannot return a relation, all others are still read.
        """
        try:
            return self._batch(names) if names else {}
        except CatalogRefused as error:
            if len(names) == 1:
                return {names[0]: Relation(names[0], (), unreadable=error.reason)}
        middle = len(names) // 2
        return self._one_by_one(names[:middle]) | self._one_by_one(names[middle:])

    def _batch(self, names: Sequence[RelationName]) -> dict[RelationName, Relation]:
        (database,) = names[0].namespace
        what = f"{len(names)} tables of {database}"
        tables = self._jvm.ask(SESSION_CATALOG, what, partial(self._tables, database, names))
        return {relation.name: relation for relation in tables or ()}

    def _tables(self, database: str, names: Sequence[RelationName]) -> list[Relation]:
        if not self._external.databaseExists(database):
            return []
        asked = self._jvm.as_scala([name.name for name in names])
        found = self._external.getTablesByName(database, asked)
        return [self._relation(database, table) for table in self._jvm.as_java(found)]

    def _relation(self, database: str, table: Any) -> Relation:
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
        partitions = list(self._jvm.as_java(table.partitionColumnNames()))
        return relation_in_metastore(stored, *split_partitions(columns, partitions))

    def _location(self, storage: Any) -> str:
        uri = storage.locationUri()
        if uri.isEmpty():
            return ""
        return str(
            self._jvm.root.org.apache.spark.sql.catalyst.catalog.CatalogUtils.URIToString(uri.get())
        )

    def _map(self, scala_map: Any) -> dict[str, str]:
        return self._jvm.text_map(self._jvm.as_java(scala_map))
