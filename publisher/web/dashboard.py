"""The start page for people: the daemon's state, relations with problems, and packages by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from publisher.web.addresses import Link, package_link
from publisher.web.rendering import render
from publisher.web.status import RelationStatus, ServiceStatus

MAX_ROWS: Final = 500


@dataclass(frozen=True, slots=True)
class RelationLine:
    relation: str
    status: str
    package: Link
    version: str
    reason: str


@dataclass(frozen=True, slots=True)
class PackageSearch:
    """The packages whose names contain ``query``; ``more`` of those found are not listed."""

    query: str
    found: int
    total: int
    links: tuple[Link, ...]
    more: int


@dataclass(frozen=True, slots=True)
class DashboardView:
    """The start page.

    Attributes:
        status: None for readers who are no operators.
        more_relations: how many have problems and are not listed.
        packages: None on a foreign index.
    """

    status: ServiceStatus | None
    relations: tuple[RelationLine, ...]
    more_relations: int
    packages: PackageSearch | None


def dashboard(status: ServiceStatus | None, projects: Sequence[str] | None, query: str) -> bytes:
    return render("dashboard.html", dashboard_view(status, projects, query))


def dashboard_view(
    status: ServiceStatus | None, projects: Sequence[str] | None, query: str
) -> DashboardView:
    """``projects`` is None where packages are uploaded to another server's index."""
    relations = status.relations if status else ()
    listed = relations[:MAX_ROWS]
    return DashboardView(
        status=status,
        relations=tuple(_relation_line(r, linked=projects is not None) for r in listed),
        more_relations=len(relations) - len(listed),
        packages=None if projects is None else _search(projects, query),
    )


def _relation_line(relation: RelationStatus, *, linked: bool) -> RelationLine:
    name = relation.distribution or ""
    return RelationLine(
        relation=relation.relation,
        status=relation.status,
        package=package_link(name) if name and linked else Link(name),
        version=relation.version or "",
        reason=relation.reason,
    )


def _search(projects: Sequence[str], query: str) -> PackageSearch:
    found = [project for project in projects if query.lower() in project]
    listed = found[:MAX_ROWS]
    return PackageSearch(
        query=query,
        found=len(found),
        total=len(projects),
        links=tuple(package_link(project) for project in listed),
        more=len(found) - len(listed),
    )
