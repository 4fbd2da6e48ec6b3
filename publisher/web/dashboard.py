"""The start pages for people: the service's problems and all relations, or only packages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from publisher.web.addresses import Link, relation_link
from publisher.web.catalogue import STATUSES, Filters
from publisher.web.overview import Overview
from publisher.web.overview_page import OverviewView, overview_view
from publisher.web.package_search import PackageSearch
from publisher.web.package_sites import NO_PAGES, PackageSite
from publisher.web.rendering import render
from publisher.web.status import FoundRelation, FoundRelations, RelationStatus, ServiceStatus

MAX_ROWS: Final = 50
MAX_HITS: Final = 50


@dataclass(frozen=True, slots=True)
class RelationLine:
    relation: Link
    status: str
    package: Link
    version: str
    reason: str
    owner: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A named count. ``address`` leads to the counted relations, or is ""."""

    name: str
    value: int | str
    address: str = ""


@dataclass(frozen=True, slots=True)
class RelationHit:
    """A relation that matches a search. ``because`` shows the match if it is not in the name, else ""."""

    relation: Link
    status: str
    package: Link
    because: str


@dataclass(frozen=True, slots=True)
class RelationSearch:
    """The relations that match ``query``, or all. ``more`` counts matches that are not listed."""

    query: str
    found: int
    hits: tuple[RelationHit, ...]
    more: int


@dataclass(frozen=True, slots=True)
class DashboardView:
    """The start page of operators.

    Attributes:
        more_relations: how many relations with problems are not listed.
        search: the relations that match the reader's search; None if the state cannot be read.
        overview: the service's work; None if the state cannot be read.
    """

    status: ServiceStatus
    figures: tuple[Figure, ...]
    relations: tuple[RelationLine, ...]
    more_relations: int
    search: RelationSearch | None
    overview: OverviewView | None


@dataclass(frozen=True, slots=True)
class PackageListView:
    """The start page of other readers."""

    packages: PackageSearch


def dashboard(
    status: ServiceStatus,
    overview: Overview | None,
    found: FoundRelations | None,
    query: str,
    packages: PackageSite = NO_PAGES,
) -> bytes:
    def link(distribution: str | None) -> Link:
        return packages.checked_link(distribution or "")

    listed = status.relations[:MAX_ROWS]
    view = DashboardView(
        status=status,
        figures=tuple(_figures(status, overview)),
        relations=tuple(_relation_line(each, link(each.distribution)) for each in listed),
        more_relations=len(status.relations) - len(listed) + status.more_relations,
        search=None if found is None else _search(found, query, link),
        overview=None if overview is None else overview_view(overview, packages),
    )
    return render("dashboard.html", view)


def package_list(packages: PackageSearch) -> bytes:
    return render("packages.html", PackageListView(packages))


def _figures(status: ServiceStatus, overview: Overview | None) -> Iterator[Figure]:
    """The counts to show. The count of a status leads to the relations with this status."""
    for name, value in status.figures.items():
        word, _, stated = name.partition(" ")
        listed = word == "relations" and stated in STATUSES
        yield Figure(name, value, Filters(status=stated).address() if listed else "")
    if overview is not None and status.figures:
        held = len(overview.held)
        yield Figure("changes held", held, "#held" if held else "")


def _relation_line(relation: RelationStatus, package: Link) -> RelationLine:
    return RelationLine(
        relation=relation_link(relation.relation),
        status=relation.status,
        package=package,
        version=relation.version or "",
        # The line already shows the relation's name.
        reason=relation.reason.removeprefix(f"{relation.relation}: "),
        owner=relation.owner,
    )


def _search(
    found: FoundRelations, query: str, link: Callable[[str | None], Link]
) -> RelationSearch:
    hits = tuple(_hit(each, link(each.distribution)) for each in found.relations)
    return RelationSearch(query, found.total, hits, found.total - len(hits))


def _hit(found: FoundRelation, package: Link) -> RelationHit:
    return RelationHit(relation_link(found.relation), found.status, package, found.because)
