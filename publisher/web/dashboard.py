"""The start pages for people: the service's problems and all relations, or only packages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from publisher.web.addresses import Link, package_link, relation_link
from publisher.web.package_search import PackageSearch
from publisher.web.rendering import render
from publisher.web.status import FoundRelation, FoundRelations, RelationStatus, ServiceStatus

MAX_ROWS: Final = 500
MAX_HITS: Final = 100


@dataclass(frozen=True, slots=True)
class RelationLine:
    relation: Link
    status: str
    package: Link
    version: str
    reason: str


@dataclass(frozen=True, slots=True)
class RelationHit:
    """``because`` is empty if the name matches."""

    relation: Link
    status: str
    package: Link
    because: str


@dataclass(frozen=True, slots=True)
class RelationSearch:
    """The relations that match ``query``, or all; ``more`` of them are not listed."""

    query: str
    found: int
    hits: tuple[RelationHit, ...]
    more: int


@dataclass(frozen=True, slots=True)
class DashboardView:
    """The start page of operators.

    Attributes:
        more_relations: how many relations with problems are not listed.
        search: None if the state cannot be read.
        has_packages: whether packages have pages on this site.
        translates: whether translations have a page.
    """

    status: ServiceStatus
    relations: tuple[RelationLine, ...]
    more_relations: int
    search: RelationSearch | None
    has_packages: bool
    translates: bool


@dataclass(frozen=True, slots=True)
class PackageListView:
    """The start page of other readers; ``shows_relations``: whether the service has a page too."""

    packages: PackageSearch
    shows_relations: bool


def dashboard(
    status: ServiceStatus,
    found: FoundRelations | None,
    query: str,
    has_page: Callable[[str], bool] | None = None,
    *,
    translates: bool = False,
) -> bytes:
    """``has_page`` tells whether a package has a page; None if no package has."""
    view = dashboard_view(status, found, query, has_page, translates=translates)
    return render("dashboard.html", view)


def dashboard_view(
    status: ServiceStatus,
    found: FoundRelations | None,
    query: str,
    has_page: Callable[[str], bool] | None,
    *,
    translates: bool,
) -> DashboardView:
    def link(distribution: str | None) -> Link:
        if not distribution:
            return Link("")
        linked = has_page is not None and has_page(distribution)
        return package_link(distribution) if linked else Link(distribution)

    listed = status.relations[:MAX_ROWS]
    return DashboardView(
        status=status,
        relations=tuple(_relation_line(each, link(each.distribution)) for each in listed),
        more_relations=len(status.relations) - len(listed) + status.more_relations,
        search=None if found is None else _search(found, query, link),
        has_packages=has_page is not None,
        translates=translates,
    )


def package_list(packages: PackageSearch, *, shows_relations: bool) -> bytes:
    return render("packages.html", PackageListView(packages, shows_relations))


def _relation_line(relation: RelationStatus, package: Link) -> RelationLine:
    return RelationLine(
        relation=relation_link(relation.relation),
        status=relation.status,
        package=package,
        version=relation.version or "",
        reason=relation.reason,
    )


def _search(
    found: FoundRelations, query: str, link: Callable[[str | None], Link]
) -> RelationSearch:
    hits = tuple(_hit(each, link(each.distribution)) for each in found.relations)
    return RelationSearch(query, found.total, hits, found.total - len(hits))


def _hit(found: FoundRelation, package: Link) -> RelationHit:
    return RelationHit(relation_link(found.relation), found.status, package, found.because)
