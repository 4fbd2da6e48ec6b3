"""Reads the owners of relations from catalogs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

from lakeschema.catalog.catalogs import adapter_of, names_by_part
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Catalog


@runtime_checkable
class _KnowsOwners(Protocol):
    """A catalog that knows owners of relations: a metastore."""

    def owners(self, names: Sequence[RelationName]) -> Mapping[RelationName, str]: ...


def owners_of(
    catalog: Catalog, names: Sequence[RelationName], owner_property: str
) -> Mapping[RelationName, str]:
    """The owner of each relation that has one.

    Raises:
        CatalogError: a catalog does not answer.
    """
    stated = catalog.read(names)
    # A property is a person's choice, so it counts before the user who ran the CREATE.
    return {
        **_recorded(catalog, list(stated)),
        **{
            name: relation.properties[owner_property]
            for name, relation in stated.items()
            if relation.properties.get(owner_property)
        },
    }


def _recorded(catalog: Catalog, names: Sequence[RelationName]) -> Mapping[RelationName, str]:
    found: dict[RelationName, str] = {}
    for part, some in names_by_part(names).items():
        adapter = adapter_of(catalog, part)
        if isinstance(adapter, _KnowsOwners):
            owned = adapter.owners([replace(name, catalog="") for name in some])
            found |= {replace(name, catalog=part): owner for name, owner in owned.items()}
    return found
