"""The catalogs of a deployment, as a session uses them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from lakeschema.catalog.abilities import BrowsedCatalog, SupportsPathIdentifiers, namespaces_of
from lakeschema.catalog.sessions import SPARKS_SESSION_CATALOG, CatalogTraits, Rules, Session


@dataclass(frozen=True, slots=True)
class RegisteredCatalog:
    """A catalog of a session, with its rules for names.

    Attributes:
        catalog: None if it cannot be loaded; ``traits.not_loaded`` says why.
    """

    catalog: BrowsedCatalog | None
    traits: CatalogTraits


def open_session(registered: Mapping[str, RegisteredCatalog], rules: Rules) -> Session:
    """A session that begins in the first catalog.

    By Spark's rules, the first catalog is also ``spark_catalog``, unless another catalog has this name.
    """
    traits = {name: traits_of(name, each) for name, each in registered.items()}
    first = next(iter(traits))
    sparks = SPARKS_SESSION_CATALOG if SPARKS_SESSION_CATALOG in traits else first
    return Session(traits, first, rules=rules, session_catalog=sparks)


def traits_of(name: str, registered: RegisteredCatalog) -> CatalogTraits:
    """The traits, completed by the catalog's own abilities."""
    catalog = registered.catalog
    if catalog is None:
        return registered.traits
    return replace(
        registered.traits,
        has_namespaces=namespaces_of(name, catalog) is not None,
        takes_paths=isinstance(catalog, SupportsPathIdentifiers),
    )
