"""Finds packages by name, or by words in their fields and documentation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from publisher.state.search_words import search_key
from publisher.web.addresses import Link, field_address, package_link
from publisher.web.newest_version import NewestVersion
from publisher.web.status import FoundPackage

MAX_ROWS: Final = 500


@dataclass(frozen=True, slots=True)
class PackageHit:
    """A package that matches.

    Attributes:
        because: the text that matches, or "" if the name matches.
        newest: only for hits that the page shows.
        fields: links to the rows of matching fields on the package's page.
    """

    link: Link
    because: str
    newest: NewestVersion | None = None
    fields: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class PackageSearch:
    """The packages that match ``query``, or all; ``more`` counts those that are not listed."""

    query: str
    found: int
    total: int
    hits: tuple[PackageHit, ...]
    more: int


def search_packages(
    projects: Sequence[str],
    keys: Sequence[str],
    prefix: str,
    query: str,
    said: Sequence[FoundPackage],
) -> PackageSearch:
    """The best matches first: a whole name, its beginning, a part of it, then other words.

    Args:
        projects: all projects of the index, in order.
        keys: their ``search_key``, in the same order.
        prefix: the common beginning of all names; a query need not contain it.
        query: the searched text; "" matches all packages.
        said: packages with a match in their fields or documentation, in order.
    """
    key = search_key(query)
    if not key:
        hits = tuple(PackageHit(package_link(project), "") for project in projects[:MAX_ROWS])
        return PackageSearch(query, len(projects), len(projects), hits, len(projects) - len(hits))
    start = len(search_key(prefix))
    named = [
        (_rank(project_key[start:], key), project)
        for project, project_key in zip(projects, keys, strict=True)
        if key in project_key
    ]
    named.sort()
    names = {project for _, project in named}
    listed = frozenset(projects)
    others = [p for p in said if p.distribution in listed and p.distribution not in names]
    best = [
        *(PackageHit(package_link(project), "") for _, project in named[:MAX_ROWS]),
        *map(_hit, others),
    ][:MAX_ROWS]
    found = len(named) + len(others)
    return PackageSearch(query, found, len(projects), tuple(best), found - len(best))


def _hit(found: FoundPackage) -> PackageHit:
    fields = tuple(Link(each, field_address(found.distribution, each)) for each in found.fields)
    return PackageHit(package_link(found.distribution), found.because, fields=fields)


def _rank(name: str, key: str) -> int:
    """How well a name matches; 0 is best. ``name`` is without the prefix.

    A query that begins with the prefix ranks all names equally.
    """
    if name == key:
        return 0
    return 1 if name.startswith(key) or name.endswith(key) else 2
