"""A catalog plugin of a Spark session: any implementation of Spark's catalog interfaces.

The plugin lists and loads; no SQL runs. Names keep the plugin's letter case, because plugins such
as Iceberg's distinguish ``T`` from ``t``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from lakeschema.catalog.errors import CatalogRefused
from lakeschema.catalog.hive_facts import Storage, relation_from_storage, split_partitions
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.catalog.spark_jvm import Result, SparkJvm
from lakeschema.catalog.spark_views import spark_view
from lakeschema.catalog.storage_formats import PROVIDER

logger = logging.getLogger(__name__)

_INTERFACES = "org.apache.spark.sql.connector.catalog"
_UNSUPPORTED = "java.lang.UnsupportedOperationException"
_MAX_NAMESPACE_DEPTH = 16
_NO_FACTS = ("location", "owner")
_NO_FACTS_OF_VIEWS = (*_NO_FACTS, "table_type")


@dataclass(frozen=True, slots=True)
class _Plugin:
    """The plugin's object, and which of Spark's interfaces it implements."""

    java: Any
    has_namespaces: bool
    has_tables: bool
    has_views: bool
    loads_both: bool


class PluginCatalog:
    """A plugin as a catalog. Names have the plugin's spelling, in the default catalog."""

    def __init__(self, jvm: SparkJvm, name: str) -> None:
        self._jvm = jvm
        self._name = name
        self._closed: Mapping[tuple[str, ...], CatalogRefused] = {}

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        """All namespaces; lists the children of each namespace once.

        If the plugin refuses a namespace's children, ``relations`` refuses that namespace.
        """
        plugin = self._plugin()
        if not plugin.has_namespaces:
            return ((),)
        found: dict[tuple[str, ...], None] = {}
        closed: dict[tuple[str, ...], CatalogRefused] = {}
        waiting = self._children(plugin, ())
        if not waiting or self._has_root(plugin):
            found[()] = None
        while waiting:
            levels = waiting.pop()
            if levels in found:
                continue
            if len(levels) > _MAX_NAMESPACE_DEPTH:
                logger.warning(
                    "namespace left out",
                    extra={"why": f"{levels!a} has more than {_MAX_NAMESPACE_DEPTH} levels"},
                )
                continue
            found[levels] = None
            try:
                waiting.extend(self._children(plugin, levels))
            except CatalogRefused as error:
                closed[levels] = error
        self._closed = closed
        return tuple(found)

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        if namespace in self._closed:
            raise self._closed[namespace]
        return self._names(self._plugin(), namespace)

    def read(self, names: Sequence[RelationName]) -> dict[RelationName, Relation]:
        """Reads relations; lists a namespace only if one of its relations cannot be loaded."""
        plugin = self._plugin()
        found: dict[RelationName, Relation] = {}
        listed: dict[tuple[str, ...], Collection[RelationName] | None] = {}
        for name in dict.fromkeys(names):
            try:
                relation = self._ask(str(name), partial(self._load, plugin, name))
            except CatalogRefused as error:
                if name.namespace not in listed:
                    listed[name.namespace] = self._names_if_listed(plugin, name.namespace)
                others = listed[name.namespace]
                # For a missing relation some plugins raise an exception that is not Spark's.
                exists = others is None or name in others
                relation = Relation(name, (), unreadable=error.reason) if exists else None
            if relation is not None:
                found[name] = relation
        return found

    def _plugin(self) -> _Plugin:
        found = self._ask("its plugin", self._find_plugin)
        if found is None:
            raise CatalogRefused(self._name, "its plugin", "something that it needs does not exist")
        return found

    def _find_plugin(self) -> _Plugin:
        java = self._jvm.session.sessionState().catalogManager().catalog(self._name)

        def implements(interface: str) -> bool:
            return self._jvm.is_a(java, f"{_INTERFACES}.{interface}")

        return _Plugin(
            java,
            has_namespaces=implements("SupportsNamespaces"),
            has_tables=implements("TableCatalog"),
            has_views=implements("ViewCatalog"),
            loads_both=implements("RelationCatalog"),
        )

    def _children(self, plugin: _Plugin, parent: tuple[str, ...]) -> list[tuple[str, ...]]:
        def ask() -> list[tuple[str, ...]]:
            java = plugin.java
            found = (
                java.listNamespaces(self._jvm.array(parent)) if parent else java.listNamespaces()
            )
            return [tuple(levels) for levels in self._jvm.value(found) or ()]

        return self._ask(f"the namespaces in {parent}", ask) or []

    def _has_root(self, plugin: _Plugin) -> bool:
        """Whether relations may be in no namespace.

        Without this check, a plugin such as Spark's JDBC catalog would list every table again.
        """
        exists = partial(plugin.java.namespaceExists, self._jvm.array(()))
        return bool(self._ask("whether relations may be in no namespace", exists))

    def _names(self, plugin: _Plugin, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        names: list[str] = []
        if plugin.has_tables:
            names += self._listed(f"the tables of {namespace}", plugin.java.listTables, namespace)
        if plugin.has_views:
            names += self._listed(f"the views of {namespace}", plugin.java.listViews, namespace)
        return tuple(RelationName(namespace, name) for name in dict.fromkeys(names))

    def _names_if_listed(
        self, plugin: _Plugin, namespace: tuple[str, ...]
    ) -> Collection[RelationName] | None:
        """The names in a namespace; None if the plugin refuses to list only this namespace.

        Raises:
            CatalogRefused: the plugin lists no namespace at all, so the fault is not in one relation.
        """
        try:
            return frozenset(self._names(plugin, namespace))
        except CatalogRefused:
            if not plugin.has_namespaces:
                raise
            self._children(plugin, ())
            return None

    def _listed(
        self, what: str, ask: Callable[[Any], Any], namespace: tuple[str, ...]
    ) -> list[str]:
        def names() -> list[str]:
            listed = self._if_supported(partial(ask, self._jvm.array(namespace)))
            return [str(each.name()) for each in listed or ()]

        return self._ask(what, names) or []

    def _if_supported(self, ask: Callable[[], Any]) -> Any:
        """The answer; None if the plugin implements the interface but does not support the call."""
        try:
            return ask()
        except (PySparkException, Py4JJavaError) as error:
            if self._jvm.raised(error, _UNSUPPORTED):
                return None
            raise

    def _load(self, plugin: _Plugin, name: RelationName) -> Relation | None:
        identifiers = self._jvm.root.org.apache.spark.sql.connector.catalog.Identifier
        identifier = identifiers.of(self._jvm.array(name.namespace), name.name)
        if plugin.loads_both:
            found = plugin.java.loadRelation(identifier)
            is_view = self._jvm.is_a(found, f"{_INTERFACES}.View")
            return self._view(name, found) if is_view else self._table(name, found)
        if plugin.has_tables:
            table = self._ask(str(name), partial(plugin.java.loadTable, identifier))
            if table is not None:
                return self._table(name, table)
        if not plugin.has_views:
            return None
        view = self._if_supported(partial(plugin.java.loadView, identifier))
        return None if view is None else self._view(name, view)

    def _table(self, name: RelationName, table: Any) -> Relation:
        properties = self._properties(table, _NO_FACTS)
        provider = properties.pop("provider", None)
        if provider is not None:
            properties[PROVIDER] = provider
        partitions = [
            ".".join(transform.references()[0].fieldNames())
            for transform in table.partitioning()
            if transform.name() == "identity"
        ]
        stored = Storage(name=name, is_view=False, properties=properties)
        columns = self._jvm.columns(table.columns())
        return relation_from_storage(stored, *split_partitions(columns, partitions))

    def _view(self, name: RelationName, view: Any) -> Relation:
        properties = self._properties(view, _NO_FACTS_OF_VIEWS)
        catalog = view.currentCatalog()
        namespace = self._jvm.value(view.currentNamespace()) or ()
        if not catalog:
            # Iceberg's views record a namespace alone if the tables are in the view's catalog.
            catalog, namespace = self._name, namespace or name.namespace
        text = spark_view(
            view.queryText() or "",
            namespace,
            current_catalog=catalog,
            schema_mode=view.schemaMode(),
            query_columns=self._jvm.value(view.queryColumnNames()) or (),
            sql_configs=self._jvm.text_map(view.sqlConfigs()),
        )
        stored = Storage(name=name, is_view=False, properties=properties)
        relation = relation_from_storage(stored, self._jvm.columns(view.columns()))
        return replace(relation, view=text)

    def _properties(self, relation: Any, left_out: Sequence[str]) -> dict[str, str]:
        found = self._jvm.text_map(relation.properties())
        return {key: value for key, value in found.items() if key not in left_out}

    def _ask(self, what: str, ask: Callable[[], Result]) -> Result | None:
        return self._jvm.ask(self._name, what, ask)
