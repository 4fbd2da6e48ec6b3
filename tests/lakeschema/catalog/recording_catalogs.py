"""Catalogs in memory that write down each call, in the notation of ``identifiers.json``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
from lakeschema.catalog.column_types import BIGINT
from lakeschema.catalog.errors import NamespaceExists, NamespaceMissing, NamespaceNotEmpty
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Relation
from lakeschema.catalog.sessions import Levels

TABLE = "t"
"""Every namespace has a table of this name."""


class FlatCatalog:
    """A catalog without namespaces."""

    def __init__(self, name: str, calls: list[str]) -> None:
        self.name = name
        self.calls = calls

    def said(self, call: str, *of: object) -> None:
        self.calls.append(f"{self.name}.{call}({', '.join(map(str, of))})")

    def list_tables(self, namespace: Levels) -> Sequence[CatalogIdentifier]:
        self.said("listTables", *_shown(namespace))
        self.check(namespace)
        return [CatalogIdentifier(namespace, TABLE)]

    def check(self, namespace: Levels) -> None:
        if namespace:
            raise NamespaceMissing(self.name, ".".join(namespace))


class LoadingCatalog(FlatCatalog):
    """The same, and it loads its tables."""

    def load_table(self, identifier: CatalogIdentifier) -> Relation | None:
        self.said("loadTable", *_shown(identifier.namespace), identifier.name)
        return _relation(identifier) if identifier.name == TABLE else None


class NestedCatalog(FlatCatalog):
    """A catalog with namespaces of any depth, views and functions."""

    def __init__(self, name: str, calls: list[str], namespaces: Sequence[Levels] = ()) -> None:
        super().__init__(name, calls)
        self.namespaces = set(namespaces)

    def check(self, namespace: Levels) -> None:
        if namespace and namespace not in self.namespaces:
            raise NamespaceMissing(self.name, ".".join(namespace))

    def list_views(self, namespace: Levels) -> Sequence[CatalogIdentifier]:
        self.said("listViews", *_shown(namespace))
        self.check(namespace)
        return [CatalogIdentifier(namespace, "v")]

    def list_functions(self, namespace: Levels) -> Sequence[CatalogIdentifier]:
        self.said("listFunctions", *_shown(namespace))
        self.check(namespace)
        return [CatalogIdentifier(namespace, "f")]

    def list_namespaces(self, parent: Levels, prefix: str = "") -> Sequence[Levels]:
        of = (_shown(parent) or ["Nil"], [f"prefix {prefix}"]) if prefix else (_shown(parent),)
        self.said("listNamespaces", *(each for some in of for each in some))
        self.check(parent)
        return [
            each for each in self.namespaces if each[:-1] == parent and each[-1].startswith(prefix)
        ]

    def load_namespace(self, namespace: Levels) -> Mapping[str, str]:
        self.said("loadNamespace", *_shown(namespace))
        self.check(namespace)
        return {}

    def create_namespace(self, namespace: Levels, properties: Mapping[str, str]) -> None:
        self.said("createNamespace", *_shown(namespace))
        if namespace in self.namespaces:
            raise NamespaceExists(self.name, ".".join(namespace))
        self.namespaces.add(namespace)

    def drop_namespace(self, namespace: Levels) -> None:
        self.said("dropNamespace", *_shown(namespace))
        self.check(namespace)
        if any(each[:-1] == namespace for each in self.namespaces):
            raise NamespaceNotEmpty(self.name, ".".join(namespace))
        self.namespaces.remove(namespace)


class PathCatalog(NestedCatalog):
    """The same, with tables that paths identify."""

    def load_path(self, identifier: CatalogIdentifier) -> Relation | None:
        self.said("loadPath", identifier.path)
        return _relation(identifier) if identifier.name == TABLE else None


def _relation(identifier: CatalogIdentifier) -> Relation:
    name = RelationName(identifier.namespace, identifier.name)
    return Relation(name, (Column("id", BIGINT, "the key", nullable=False),))


def _shown(namespace: Levels) -> Sequence[str]:
    return [f"[{', '.join(namespace)}]"] if namespace else []
