"""The abilities of catalogs beyond reading: one protocol for each ability.

A catalog has an ability if it has the protocol's methods. ``namespaces_of``, ``tables_of`` and
``loader_of`` give every ``Catalog`` the abilities to list and to load; each costs one call. Names
arrive in the letter case by which the catalog compares names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from lakeschema.catalog.catalog_identifiers import CatalogIdentifier
from lakeschema.catalog.errors import NamespaceMissing
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Catalog, Relation
from lakeschema.catalog.sessions import Levels


@runtime_checkable
class ListsTables(Protocol):
    def list_tables(self, namespace: Levels) -> Sequence[CatalogIdentifier]:
        """The tables of a namespace, and its views if the catalog lists them together.

        Children of the namespace are not listed.
        """


@runtime_checkable
class LoadsTables(Protocol):
    def load_table(self, identifier: CatalogIdentifier) -> Relation | None:
        """A table or view by its name; None if it does not exist."""


@runtime_checkable
class ListsViews(Protocol):
    def list_views(self, namespace: Levels) -> Sequence[CatalogIdentifier]:
        """The views of a namespace, without tables."""


@runtime_checkable
class ListsFunctions(Protocol):
    def list_functions(self, namespace: Levels) -> Sequence[CatalogIdentifier]:
        """The functions of a namespace."""


@runtime_checkable
class ListsNamespaces(Protocol):
    """Can list namespaces.

    A catalog without this ability only gets identifiers with an empty namespace.
    """

    def list_namespaces(self, parent: Levels, prefix: str = "") -> Sequence[Levels]:
        """The namespaces directly below ``parent``, as whole names.

        With ``prefix`` the catalog may leave out namespaces whose last level does not begin with it.
        """

    def load_namespace(self, namespace: Levels) -> Mapping[str, str]:
        """The namespace's properties.

        Raises:
            NamespaceMissing: it does not exist.
        """


@runtime_checkable
class CreatesNamespaces(Protocol):
    def create_namespace(self, namespace: Levels, properties: Mapping[str, str]) -> None:
        """Creates one namespace.

        Raises:
            NamespaceExists: it exists already.
        """

    def drop_namespace(self, namespace: Levels) -> None:
        """Drops an empty namespace, and no files.

        Raises:
            NamespaceMissing: it does not exist.
            NamespaceNotEmpty: it has relations or namespaces.
        """


@runtime_checkable
class SupportsNamespaces(ListsNamespaces, CreatesNamespaces, Protocol):
    """Can list, load, create and drop namespaces: a trait of the proposal for multi-catalog Spark."""


@runtime_checkable
class SupportsPathIdentifiers(Protocol):
    """Can find tables by path.

    A catalog without this ability never gets an identifier of a path.
    """

    def load_path(self, identifier: CatalogIdentifier) -> Relation | None:
        """The table at a path; None if it does not exist."""


@runtime_checkable
class TellsEvents(Protocol):
    """Can return the id of the newest event. Every adapter here can.

    Not every catalog numbers its events.
    """

    def current_event_id(self) -> int | None:
        """The newest event's id, as in ``Catalog.current_event_id``.

        None if events have no numbers.
        """


@runtime_checkable
class _ListsRelations(Protocol):
    """The two methods of ``Catalog`` that list.

    At run time, an object is recognised by its methods.
    """

    def namespaces(self) -> Sequence[Namespace]: ...

    def relations(self, namespace: Namespace) -> Sequence[RelationName]: ...


@runtime_checkable
class _ReadsRelations(Protocol):
    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]: ...


BrowsedCatalog = Catalog | ListsTables
"""A catalog in a shell: one of the product's adapters, or any object that lists tables."""


def tables_of(catalog: BrowsedCatalog) -> ListsTables:
    return catalog if isinstance(catalog, ListsTables) else _FromRelations("", catalog)


def namespaces_of(name: str, catalog: BrowsedCatalog) -> ListsNamespaces | None:
    """The ability to list namespaces; None for a catalog without it. ``name`` is for errors."""
    if isinstance(catalog, ListsNamespaces):
        return catalog
    return _FromRelations(name, catalog) if isinstance(catalog, _ListsRelations) else None


def loader_of(catalog: BrowsedCatalog) -> LoadsTables | None:
    """The ability to load relations; None for a catalog that only lists."""
    if isinstance(catalog, LoadsTables):
        return catalog
    return _FromFacts(catalog) if isinstance(catalog, _ReadsRelations) else None


@dataclass(frozen=True, slots=True)
class _FromFacts:
    """Loads by the method that every ``Catalog`` has."""

    catalog: _ReadsRelations

    def load_table(self, identifier: CatalogIdentifier) -> Relation | None:
        name = RelationName(identifier.namespace, identifier.name)
        return self.catalog.read([name]).get(name)


@dataclass(frozen=True, slots=True)
class _FromRelations:
    """Lists by the methods that every ``Catalog`` has."""

    name: str
    catalog: _ListsRelations

    def list_tables(self, namespace: Levels) -> Sequence[CatalogIdentifier]:
        found = self.catalog.relations(Namespace(namespace))
        return tuple(CatalogIdentifier(each.namespace, each.name) for each in found)

    def list_namespaces(self, parent: Levels, prefix: str = "") -> Sequence[Levels]:
        depth = len(parent) + 1
        every = [each.levels for each in self.catalog.namespaces()]
        found = (levels[:depth] for levels in every if len(levels) >= depth)
        below = (each for each in found if each[:-1] == parent and each[-1].startswith(prefix))
        return tuple(dict.fromkeys(below))

    def load_namespace(self, namespace: Levels) -> Mapping[str, str]:
        depth = len(namespace)
        if all(each.levels[:depth] != namespace for each in self.catalog.namespaces()):
            raise NamespaceMissing(self.name, str(Namespace(namespace)))
        return {}


_ABILITIES: Mapping[str, type] = {
    "views": ListsViews,
    "functions": ListsFunctions,
    "create and drop namespaces": CreatesNamespaces,
    "paths": SupportsPathIdentifiers,
}


def abilities_of(name: str, catalog: BrowsedCatalog) -> Sequence[str]:
    """The abilities in words, for people."""
    found = ["tables", *(["namespaces"] if namespaces_of(name, catalog) is not None else [])]
    return (*found, *(word for word, kind in _ABILITIES.items() if isinstance(catalog, kind)))
