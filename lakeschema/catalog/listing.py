"""Lists everything in a catalog, by namespace. If one namespace fails, all others are still listed."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from lakeschema.catalog.catalogs import part_of, parts_of
from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable, MalformedName
from lakeschema.catalog.identifiers import Namespace, RelationName, check_parts
from lakeschema.catalog.relations import Catalog

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Listing:
    """The relations that exist, from the answers that the catalog gave.

    Attributes:
        names: the names of all relations in the listed namespaces, sorted.
        refused: the reason for each namespace that was not listed. Relations in it, or in
            namespaces below it, must not count as dropped. The empty namespace stands for a catalog
            that was not listed at all.
        catalogs: the names of the catalogs that were asked.
        unlisted: the names of the catalogs that were not listed at all.
        silent: the names of the catalogs that did not answer.
    """

    names: Sequence[RelationName]
    refused: Mapping[Namespace, str]
    catalogs: frozenset[str] = frozenset([""])
    unlisted: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()

    def covers(self, namespace: Namespace) -> bool:
        """Whether a relation of the namespace certainly does not exist if ``names`` lacks it."""
        levels, catalog = namespace.levels, namespace.catalog
        outer = (Namespace(levels[:depth], catalog) for depth in range(1, len(levels)))
        is_listed = catalog in self.catalogs and catalog not in self.unlisted
        return is_listed and self.refused.keys().isdisjoint((namespace, *outer))

    def without(self, down: Mapping[str, str]) -> Listing:
        """The listing without catalogs that stopped answering; ``down`` has the reason for each."""
        refused = {Namespace((), catalog): why for catalog, why in down.items()}
        return replace(
            self,
            names=[name for name in self.names if name.catalog not in down],
            refused={**self.refused, **refused},
            unlisted=self.unlisted | frozenset(down),
            silent=self.silent | frozenset(down),
        )


@dataclass(frozen=True, slots=True)
class NotListed:
    """A namespace that could not be listed.

    Attributes:
        unavailable: the exception, if the catalog did not answer for this namespace.
    """

    why: str
    unavailable: CatalogUnavailable | None = None


def list_relations(catalog: Catalog) -> Listing:
    """Lists every namespace of every part of the catalog.

    Raises:
        CatalogUnavailable: the catalog does not list its namespaces; with several catalogs, no
            catalog does.
        CatalogRefused: the only catalog refuses to list the namespaces.
    """
    parts = parts_of(catalog)
    names: set[RelationName] = set()
    refused: dict[Namespace, str] = {}
    unlisted: set[str] = set()
    unavailable: dict[str, CatalogUnavailable] = {}
    for name, part in parts.items():
        try:
            found = _list_part(part)
        except (CatalogUnavailable, CatalogRefused) as error:
            if len(parts) == 1:
                raise
            refused[Namespace((), name)] = str(error)
            unlisted.add(name)
            if isinstance(error, CatalogUnavailable):
                unavailable[name] = error
        else:
            names.update(found.names)
            refused |= found.refused
    if len(unavailable) == len(parts):
        raise next(iter(unavailable.values()))
    silent = frozenset(unavailable)
    return Listing(sorted(names), refused, frozenset(parts), frozenset(unlisted), silent)


def _list_part(catalog: Catalog) -> Listing:
    names: set[RelationName] = set()
    missed: dict[Namespace, NotListed] = {}
    namespaces = sorted(catalog.namespaces())
    for namespace in namespaces:
        found = _list_namespace(catalog, namespace)
        if isinstance(found, NotListed):
            missed[namespace] = found
        else:
            names.update(found)
    unavailable = [each.unavailable for each in missed.values() if each.unavailable is not None]
    if unavailable and len(unavailable) == len(namespaces):
        # For example, a metastore whose database is down may still know the databases' names.
        raise unavailable[0]
    return Listing(sorted(names), {namespace: each.why for namespace, each in missed.items()})


def list_namespace(catalog: Catalog, namespace: Namespace) -> Sequence[RelationName] | NotListed:
    """The names of a namespace's relations, or the reason why they cannot be listed.

    Raises:
        CatalogUnavailable: the catalog does not answer for any namespace.
    """
    try:
        part = part_of(catalog, namespace.catalog)
    except CatalogRefused as error:
        return NotListed(str(error))
    return _list_namespace(part, namespace)


def _list_namespace(catalog: Catalog, namespace: Namespace) -> Sequence[RelationName] | NotListed:
    try:
        return [name for name in catalog.relations(namespace) if _is_usable(name)]
    except CatalogUnavailable as error:
        # If only this namespace breaks the connection, the next call is answered.
        check_it_answers(catalog)
        return NotListed(str(error), error)
    except Exception as error:  # noqa: BLE001 (recorded as the namespace's refusal)
        return NotListed(str(error) or type(error).__name__)


def _is_usable(name: RelationName) -> bool:
    try:
        check_parts(name.parts)
    except MalformedName as error:
        logger.warning("relation left out", extra={"why": ascii(str(error))})
        return False
    return True


def check_it_answers(catalog: Catalog) -> None:
    """Checks that the catalog still answers, so that a failure concerns a single name only.

    Raises:
        CatalogUnavailable: the catalog is unavailable.
    """
    try:
        catalog.namespaces()
    except CatalogRefused:
        return
