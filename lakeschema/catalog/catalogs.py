"""Combines several catalogs into one. Each name contains its catalog; "" is the default catalog."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from lakeschema.catalog.errors import CatalogError, CatalogRefused
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Catalog, Relation


class Catalogs:
    """One catalog made of several.

    A request raises ``CatalogUnavailable`` if one of the catalogs that it needs does not answer. Callers
    that want the answers of the other catalogs use ``parts_of`` and ask each part.
    """

    def __init__(self, parts: Mapping[str, Catalog]) -> None:
        """Combines catalogs; the keys of ``parts`` are their names.

        Each part must return and accept names that contain its own name as their catalog.
        """
        self.parts = MappingProxyType(dict(parts))

    @classmethod
    def of(cls, default: Catalog, others: Mapping[str, Catalog]) -> Catalogs:
        """Combines adapters, which do not know their catalogs' names."""
        named = {name: NamedCatalog(name, catalog) for name, catalog in others.items()}
        return cls({"": default, **named})

    def namespaces(self) -> Sequence[Namespace]:
        return [namespace for part in self.parts.values() for namespace in part.namespaces()]

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        return part_of(self, namespace.catalog).relations(namespace)

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        found: dict[RelationName, Relation] = {}
        for part, some in names_by_part(names).items():
            found |= part_of(self, part).read(some)
        return found

    def current_event_id(self) -> int | None:
        """Always None: each part counts its own events."""
        return None


class NamedCatalog:
    """An adapter with the name that the deployment gives to its catalog."""

    def __init__(self, name: str, adapter: Catalog) -> None:
        self.adapter = adapter
        self._name = name

    def namespaces(self) -> Sequence[Namespace]:
        return [replace(each, catalog=self._name) for each in self.adapter.namespaces()]

    def relations(self, namespace: Namespace) -> Sequence[RelationName]:
        found = self.adapter.relations(replace(namespace, catalog=""))
        return [replace(name, catalog=self._name) for name in found]

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        found = self.adapter.read([replace(name, catalog="") for name in names])
        return {
            replace(name, catalog=self._name): replace(
                relation, name=replace(relation.name, catalog=self._name)
            )
            for name, relation in found.items()
        }

    def current_event_id(self) -> int | None:
        return self.adapter.current_event_id()


def parts_of(catalog: Catalog) -> Mapping[str, Catalog]:
    """The parts of a catalog, by name.

    A single catalog has one part: itself, as the default catalog.
    """
    return catalog.parts if isinstance(catalog, Catalogs) else {"": catalog}


def part_of(catalog: Catalog, name: str) -> Catalog:
    """The catalog with this name.

    Raises:
        CatalogRefused: the deployment does not have this catalog, or no longer has it.
    """
    found = parts_of(catalog).get(name)
    if found is None:
        why = f"the settings have no [[catalog]] with this name; known: {_known(catalog)}"
        raise CatalogRefused(name, "every question", why)
    return found


def adapter_of(catalog: Catalog, name: str) -> Catalog:
    """The part's adapter, which does not know the part's name.

    Raises:
        CatalogRefused: see ``part_of``.
    """
    part = part_of(catalog, name)
    return part.adapter if isinstance(part, NamedCatalog) else part


def current_event_ids(catalog: Catalog) -> tuple[Mapping[str, int], Mapping[str, str]]:
    """For each catalog, the newest event that a following read reflects.

    The second mapping has the reason for each catalog that does not answer. A catalog without event ids
    is in neither mapping.

    Raises:
        CatalogError: from the only catalog.
    """
    found: dict[str, int] = {}
    silent: dict[str, str] = {}
    parts = parts_of(catalog)
    for name, part in parts.items():
        try:
            event_id = part.current_event_id()
        except CatalogError as error:
            if len(parts) == 1:
                raise
            silent[name] = str(error)
            continue
        if event_id is not None:
            found[name] = event_id
    return found, silent


def map_parts(catalog: Catalog, change: Callable[[str, Catalog], Catalog]) -> Catalog:
    """The catalog with each of its parts changed."""
    if not isinstance(catalog, Catalogs):
        return change("", catalog)
    return Catalogs({name: change(name, part) for name, part in catalog.parts.items()})


def names_by_part(names: Sequence[RelationName]) -> Mapping[str, Sequence[RelationName]]:
    """The names of each catalog, in the order in which they were given."""
    found: dict[str, list[RelationName]] = {}
    for name in names:
        found.setdefault(name.catalog, []).append(name)
    return found


def _known(catalog: Catalog) -> str:
    return ", ".join(name for name in parts_of(catalog) if name) or "none but the default one"
