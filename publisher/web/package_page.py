"""A package for people: how to install it, its fields, versions, neighbours and provenance.

Texts come from untrusted sources and stay plain; only templates turn them into HTML.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from codegen.package import PackageContents
from publisher.index.simple_page import ProjectPage
from publisher.lineage.summaries import LineageSummary
from publisher.web.addresses import (
    Link,
    package_address,
    package_link,
    relation_address,
    relation_link,
)
from publisher.web.descriptions import PackageDescription
from publisher.web.fields import FieldRow
from publisher.web.installation import Installation, installation
from publisher.web.provenance import ProvenanceView, provenance_view, stated_upstreams
from publisher.web.release_list import ReleaseList, release_list
from publisher.web.rendering import render
from publisher.web.status import Neighbour, RelationSummary
from publisher.web.versions import ListedVersion, list_versions

_MAX_NEIGHBOURS: Final = 500

SectionId = Literal["install", "fields", "versions", "relations", "lineage", "provenance"]


@dataclass(frozen=True, slots=True)
class Heading:
    kind: str
    relation: Link
    version: str
    documentation: str


@dataclass(frozen=True, slots=True)
class NeighbourLink:
    """``address`` is empty if the relation has no page."""

    relation: str
    address: str
    lacks_package: bool


@dataclass(frozen=True, slots=True)
class NeighbourList:
    """``more`` neighbours are not listed."""

    heading: str
    items: tuple[NeighbourLink, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Section:
    """``id`` names its template and its anchor on the page."""

    id: SectionId
    title: str


@dataclass(frozen=True, slots=True)
class PackageView:
    """A package as its page shows it.

    Attributes:
        heading, fields, provenance: None if none of the package's wheels is ours.
        omitted: columns without a field, each with its type and the reason.
        installation: None without a version.
        lineage: None if the daemon does not know it; the provenance then shows the wheel's lineage.
    """

    name: str
    heading: Heading | None
    notes: tuple[str, ...]
    installation: Installation | None
    fields: tuple[FieldRow, ...] | None
    omitted: tuple[str, ...]
    releases: ReleaseList
    neighbours: tuple[NeighbourList, ...]
    relation: str
    lineage: LineageSummary | None
    provenance: ProvenanceView | None

    @property
    def sections(self) -> tuple[Section, ...]:
        return tuple(self._sections())

    def _sections(self) -> Iterator[Section]:
        if self.installation is not None:
            yield Section("install", "Install")
        if self.fields is not None:
            yield Section("fields", "Fields")
        if self.releases.count:
            yield Section("versions", f"Versions ({self.releases.count})")
        if self.neighbours:
            yield Section("relations", "Relations")
        if self.lineage is not None:
            yield Section("lineage", "Lineage")
        if self.provenance is not None:
            yield Section("provenance", "Provenance")


@dataclass(frozen=True, slots=True)
class UnknownPackageView:
    name: str
    similar: tuple[Link, ...]


def package_page(view: PackageView) -> bytes:
    return render("package.html", view)


def unknown_package_page(name: str, similar: Sequence[str]) -> bytes:
    links = tuple(package_link(other) for other in similar)
    return render("unknown_package.html", UnknownPackageView(name, links))


def package_view(
    page: ProjectPage,
    simple_url: str,
    description: PackageDescription | None,
    summary: RelationSummary | None,
    packaged: frozenset[str],
    *,
    shows_relations: bool = False,
) -> PackageView:
    """The view of a package.

    Args:
        page: the files of the package on the index.
        simple_url: the index's address for the reader's installer.
        description: None if none of the package's wheels is ours.
        summary: the daemon's data about the relation.
        packaged: distributions of neighbours that have a page.
        shows_relations: whether relations have pages that the reader may see.
    """
    versions = list_versions(page)
    contents = description.contents if description else None
    lineage = summary.lineage if summary else None
    lineage = lineage if lineage is not None and lineage.says_anything else None
    return PackageView(
        name=page.name,
        heading=_heading(description, summary, shows=shows_relations) if description else None,
        notes=tuple(_notes(versions, summary)),
        installation=installation(page.name, versions, simple_url, _usage(contents)),
        fields=description.rows if description else None,
        omitted=description.omitted if description else (),
        releases=release_list(page.name, versions, contents.changelog if contents else ()),
        neighbours=tuple(_neighbour_lists(contents, summary, packaged, shows=shows_relations)),
        relation=str(contents.relation) if contents else "",
        lineage=lineage,
        provenance=_provenance(contents, lineage),
    )


def _provenance(
    contents: PackageContents | None, lineage: LineageSummary | None
) -> ProvenanceView | None:
    if contents is None:
        return None
    found = provenance_view(contents.provenance)
    return found if lineage is None else replace(found, lineage=())


def _usage(contents: PackageContents | None) -> str:
    if contents is None or not contents.import_package:
        return ""
    # Packages of earlier releases do not state the class's name.
    return f"from {contents.import_package} import {contents.record_class or 'RECORD'}"


def _heading(
    description: PackageDescription, summary: RelationSummary | None, *, shows: bool
) -> Heading:
    contents = description.contents
    kind = "view" if contents.provenance.get("kind") == "view" else "table"
    name = str(contents.relation)
    relation = relation_link(name) if shows and summary is not None else Link(name)
    return Heading(kind, relation, contents.version, description.documentation)


def _notes(versions: Sequence[ListedVersion], summary: RelationSummary | None) -> Iterator[str]:
    if versions and all(version.yanked is not None for version in versions):
        yield "Every version is yanked: exact pins still install, any other requirement fails."
    if summary is not None and summary.reason:
        yield f"The relation is {summary.status}: {summary.reason}"


def _neighbour_lists(
    contents: PackageContents | None,
    summary: RelationSummary | None,
    packaged: frozenset[str],
    *,
    shows: bool,
) -> Iterator[NeighbourList]:
    """The neighbours in the daemon's state or, without it, the upstreams in the wheel."""
    if summary is not None:
        yield _neighbour_list("Reads", summary.upstreams, packaged, shows=shows)
        yield _neighbour_list("Read by", summary.downstreams, packaged, shows=shows)
    elif contents is not None:
        upstreams = [Neighbour(name, "") for name in stated_upstreams(contents.provenance)]
        # A wheel may name relations that the daemon does not know.
        yield _neighbour_list("Reads", upstreams, packaged, shows=False)


def _neighbour_list(
    heading: str, neighbours: Sequence[Neighbour], packaged: frozenset[str], *, shows: bool
) -> NeighbourList:
    listed = neighbours[:_MAX_NEIGHBOURS]
    items = tuple(_neighbour_link(neighbour, packaged, shows=shows) for neighbour in listed)
    return NeighbourList(heading, items, len(neighbours) - len(listed))


def _neighbour_link(
    neighbour: Neighbour, packaged: frozenset[str], *, shows: bool
) -> NeighbourLink:
    distribution = neighbour.distribution
    has_page = distribution in packaged
    elsewhere = relation_address(neighbour.relation) if shows else ""
    return NeighbourLink(
        relation=neighbour.relation,
        address=package_address(distribution) if has_page else elsewhere,
        lacks_package=bool(distribution) and not has_page,
    )
