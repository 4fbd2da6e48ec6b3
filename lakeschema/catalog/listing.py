"""Everything that a catalog lists, by namespace: one that it refuses to list hides no other."""

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
    """What exists, as far as the catalog says.

    Attributes:
        names: of all relations in the namespaces that were listed, sorted.
        refused: why, for each namespace that was not. Nothing follows for its relations: none of
            them may count as dropped.
    """

    names: Sequence[RelationName]
    refused: Mapping[tuple[str, ...], str]


@dataclass(frozen=True, slots=True)
class NotListed:
    """A namespace of which nothing is known.

    Attributes:
        unavailable: what was raised, if the catalog did not answer for this namespace.
    """

    why: str
    unavailable: CatalogUnavailable | None = None


def list_relations(catalog: Catalog) -> Listing:
    """Lists every namespace.

    Raises:
        CatalogUnavailable: the catalog does not answer, or for none of its namespaces.
        CatalogRefused: it refuses to say which namespaces there are.
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
        # Such as a metastore whose database is away, but which knows the names of databases.
        raise unavailable[0]
    return Listing(sorted(names), {namespace: each.why for namespace, each in missed.items()})


def list_namespace(
    catalog: Catalog, namespace: tuple[str, ...]
) -> Sequence[RelationName] | NotListed:
    """The names of its relations, or why the catalog does not list them.

    Raises:
        CatalogUnavailable: the catalog does not answer for any namespace.
    """
    try:
        return [name for name in catalog.relations(namespace) if _is_usable(name)]
    except CatalogUnavailable as error:
        # Is it away, or does this namespace break the connection? Then the next call answers.
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
    """Tells a catalog that is away from one that fails for one name.

    Raises:
        CatalogUnavailable: it is away.
    """
    try:
        catalog.namespaces()
    except CatalogRefused:
        return
