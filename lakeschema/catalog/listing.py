"""Lists everything in a catalog, by namespace: one that cannot be listed hides no other."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable, MalformedName
from lakeschema.catalog.identifiers import RelationName, check_parts
from lakeschema.catalog.relations import Catalog

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Listing:
    """The relations that exist, as far as the catalog tells.

    Attributes:
        names: of all relations in the namespaces that were listed, sorted.
        refused: the reason for each namespace that was not listed. Its relations must not count as
            dropped.
    """

    names: Sequence[RelationName]
    refused: Mapping[tuple[str, ...], str]


@dataclass(frozen=True, slots=True)
class NotListed:
    """A namespace that could not be listed.

    Attributes:
        unavailable: the exception, if the catalog did not answer for this namespace.
    """

    why: str
    unavailable: CatalogUnavailable | None = None


def list_relations(catalog: Catalog) -> Listing:
    """Lists every namespace.

    Raises:
        CatalogUnavailable: the catalog does not answer, at least for its namespaces.
        CatalogRefused: it refuses to list the namespaces.
    """
    names: set[RelationName] = set()
    missed: dict[tuple[str, ...], NotListed] = {}
    namespaces = sorted(catalog.namespaces())
    for namespace in namespaces:
        found = list_namespace(catalog, namespace)
        if isinstance(found, NotListed):
            missed[namespace] = found
        else:
            names.update(found)
    unavailable = [each.unavailable for each in missed.values() if each.unavailable is not None]
    if unavailable and len(unavailable) == len(namespaces):
        # For example, a metastore whose database is down may still know the databases' names.
        raise unavailable[0]
    return Listing(sorted(names), {namespace: each.why for namespace, each in missed.items()})


def list_namespace(
    catalog: Catalog, namespace: tuple[str, ...]
) -> Sequence[RelationName] | NotListed:
    """The names of its relations, or why they cannot be listed.

    Raises:
        CatalogUnavailable: the catalog does not answer for any namespace.
    """
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
    """Distinguishes an unavailable catalog from one that fails for a single name.

    Raises:
        CatalogUnavailable: it is unavailable.
    """
    try:
        catalog.namespaces()
    except CatalogRefused:
        return
