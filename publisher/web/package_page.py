"""A package for people: how to install and use it, its code, fields, versions, neighbours, provenance.

Texts come from untrusted sources and stay plain; only templates turn them into HTML.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, Literal

from codegen.package import PackageContents
from publisher.index.simple_page import ProjectPage
from publisher.lineage.neighbourhood import NearRelation
from publisher.lineage.summaries import LineageSummary
from publisher.pictures.of_relations import relation_graph
from publisher.web.addresses import (
    Link,
    lineage_address,
    package_address,
    package_link,
    readers_address,
    relation_address,
    relation_link,
    version_address,
)
from publisher.web.code_sections import CodeSections, code_sections
from publisher.web.descriptions import PackageDescription
from publisher.web.drawing import Drawing, drawing
from publisher.web.fields import FieldRow
from publisher.web.installation import Installation, installation
from publisher.web.moments import time_of
from publisher.web.provenance import ProvenanceView, provenance_view, stated_upstreams
from publisher.web.release_list import ReleaseList, release_list
from publisher.web.rendering import render
from publisher.web.status import Neighbour, RelationSummary
from publisher.web.versions import ListedVersion, list_versions

_MAX_NEIGHBOURS: Final = 200
_MAX_FIELDS: Final = 200
_MAX_CHOICES: Final = 200
_MAX_IMPORTED: Final = 5

SectionId = Literal[
    "install",
    "example",
    "use",
    "record",
    "schema",
    "sql",
    "fields",
    "versions",
    "relations",
    "lineage",
    "provenance",
]


@dataclass(frozen=True, slots=True)
class Heading:
    """The head of the page, about the packaged relation. ``owner`` is empty if unknown."""

    kind: str
    relation: Link
    version: str
    documentation: str
    owner: str


@dataclass(frozen=True, slots=True)
class NeighbourLink:
    """A relation that the packaged relation reads, or a reader of it. ``address`` is "" without a page."""

    relation: str
    address: str
    lacks_package: bool


@dataclass(frozen=True, slots=True)
class NeighbourList:
    """A list of neighbours under a heading. ``more`` counts the neighbours that are not listed."""

    heading: str
    items: tuple[NeighbourLink, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Section:
    """A section of the page. ``id`` names its template and its anchor."""

    id: SectionId
    title: str


@dataclass(frozen=True, slots=True)
class PackageView:
    """A package as its page shows it.

    Attributes:
        heading, fields, code, provenance: data from the newest readable wheel; None if this program
            made none of the package's wheels.
        newest: the address of the newest version's page if this page is about an older version;
            else "".
        more_fields: how many fields are not listed.
        choices: versions to compare, newest first; fewer than two cannot be compared.
        omitted: columns without a field, each with its type and the reason.
        installation: the commands that install the package; None if it has no version.
        lineage: the lineage that the daemon knows. Without it, the provenance shows the wheel's.
        picture: the neighbours; None without neighbours, or if the daemon does not know them.
        lineage_address: the page of the relation's lineage; "" if the reader may not see it.
        readers: by a field's path, the address of the page with all readers of the field's column. Empty if
            the visitor may not see the pages of relations.
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
    picture: Drawing | None = None
    lineage_address: str = ""
    readers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    newest: Link | None = None
    code: CodeSections | None = None
    more_fields: int = 0
    choices: tuple[str, ...] = ()
    version: str = ""

    @property
    def sections(self) -> tuple[Section, ...]:
        return tuple(self._sections())

    def _sections(self) -> Iterator[Section]:
        if self.installation is not None:
            yield Section("install", "Install")
        if self.code is not None:
            yield from _code_list(self.code)
        if self.fields is not None:
            yield Section("fields", "Fields")
        if self.releases.count:
            yield Section("versions", f"Versions ({self.releases.count})")
        if self.neighbours:
            yield Section("relations", "Who reads it")
        if self.lineage is not None:
            yield Section("lineage", "Lineage")
        if self.provenance is not None:
            yield Section("provenance", "Provenance")


@dataclass(frozen=True, slots=True)
class UnknownPackageView:
    """The page of an unknown package. ``prefix`` is the common beginning of packages' names, or ""."""

    name: str
    similar: tuple[Link, ...]
    prefix: str


@dataclass(frozen=True, slots=True)
class UnknownVersionView:
    """The page of an unknown version.

    ``versions`` links the package's newest versions; ``more`` counts the older versions.
    """

    package: Link
    version: str
    versions: tuple[Link, ...]
    more: int


def _code_list(code: CodeSections) -> Iterator[Section]:
    if code.example is not None:
        yield Section("example", "Example")
    if code.programs:
        yield Section("use", "Read and write")
    if code.record is not None:
        yield Section("record", "Record class")
    if code.schema is not None:
        yield Section("schema", "Avro schema")
    if code.sql is not None:
        yield Section("sql", "SQL")


def package_page(view: PackageView) -> bytes:
    return render("package.html", view)


def unknown_package_page(name: str, similar: Sequence[str], prefix: str) -> bytes:
    links = tuple(package_link(other) for other in similar)
    return render("unknown_package.html", UnknownPackageView(name, links, prefix))


def unknown_version_page(name: str, version: str, versions: Sequence[ListedVersion]) -> bytes:
    links = tuple(
        Link(each.number, version_address(name, each.number)) for each in versions[:_MAX_CHOICES]
    )
    view = UnknownVersionView(package_link(name), version, links, len(versions) - len(links))
    return render("unknown_version.html", view)


def package_view(
    page: ProjectPage,
    simple_url: str,
    description: PackageDescription | None,
    summary: RelationSummary | None,
    packaged: frozenset[str],
    *,
    shows_relations: bool = False,
    only: ListedVersion | None = None,
) -> PackageView:
    """The view of a package, or of one version.

    Args:
        page: the files of the package on the index.
        simple_url: the index's address for the reader's installer.
        description: the contents of the shown wheel; None if this program made none of the wheels.
        summary: the daemon's data about the relation.
        packaged: distributions of neighbours that have a page.
        shows_relations: whether relations have pages that the reader may see.
        only: the version to show; None shows the newest.
    """
    versions = list_versions(page)
    shown = versions if only is None else [only]
    contents = description.contents if description else None
    lineage = summary.lineage if summary else None
    lineage = lineage if lineage is not None and lineage.says_anything else None
    rows = description.rows if description else ()
    version = only.number if only else contents.version if contents else ""
    return PackageView(
        name=page.name,
        heading=_heading(description, summary, shows=shows_relations) if description else None,
        notes=tuple(_notes(versions, only, description, summary, shows=shows_relations)),
        installation=installation(
            page.name,
            shown,
            simple_url,
            _usage(description) if description else "",
            description.code.extras if description else (),
            is_exact=only is not None,
        ),
        fields=rows[:_MAX_FIELDS] if description else None,
        more_fields=max(0, len(rows) - _MAX_FIELDS),
        omitted=description.omitted if description else (),
        releases=release_list(
            page.name, _until(versions, only), contents.changelog if contents else ()
        ),
        neighbours=tuple(_neighbour_lists(contents, summary, packaged, shows=shows_relations)),
        relation=str(contents.relation) if contents else "",
        lineage=lineage,
        provenance=_provenance(contents, lineage),
        picture=_picture(summary, packaged, shows=shows_relations) if summary else None,
        lineage_address=lineage_address(str(contents.relation))
        if contents and summary and shows_relations
        else "",
        readers=_readers(str(contents.relation), rows[:_MAX_FIELDS], lineage)
        if contents and lineage and shows_relations
        else {},
        newest=_newest(page.name, versions, only),
        code=code_sections(page.name, version, description, _listed(rows)) if description else None,
        choices=tuple(each.number for each in versions[:_MAX_CHOICES]),
        version=version,
    )


def _readers(relation: str, rows: Sequence[FieldRow], lineage: LineageSummary) -> Mapping[str, str]:
    """The address of the readers of each column that the daemon knows, by the path of its field."""
    known = {each.column for each in lineage.columns}
    found = {row.path: readers_address(relation, row.column) for row in rows if row.column in known}
    return {path: address for path, address in found.items() if address}


def _listed(rows: Sequence[FieldRow]) -> frozenset[str]:
    return frozenset(row.path for row in rows[:_MAX_FIELDS])


def _until(
    versions: Sequence[ListedVersion], only: ListedVersion | None
) -> Sequence[ListedVersion]:
    return versions if only is None else versions[versions.index(only) :]


def _newest(
    name: str, versions: Sequence[ListedVersion], only: ListedVersion | None
) -> Link | None:
    if only is None or only == versions[0]:
        return None
    return Link(versions[0].number, package_address(name))


def _picture(summary: RelationSummary, packaged: frozenset[str], *, shows: bool) -> Drawing | None:
    """The picture of the neighbours. It has statuses if the reader may see the pages of relations."""
    around = summary.around
    if around is None or not around.readings:
        return None
    neighbours = (*summary.upstreams, *summary.downstreams)
    packages = {each.relation: each.distribution for each in neighbours}

    def page_of(near: NearRelation) -> str:
        name = str(near.name)
        if near.name == around.asked:
            return ""
        package = packages.get(name, "")
        return _address(name, package if package in packaged else "", shows=shows)

    return drawing(relation_graph(around, page_of, shows_status=shows))


def _provenance(
    contents: PackageContents | None, lineage: LineageSummary | None
) -> ProvenanceView | None:
    if contents is None:
        return None
    found = provenance_view(contents.provenance)
    return found if lineage is None else replace(found, lineage=())


def _usage(description: PackageDescription) -> str:
    contents = description.contents
    if not contents.import_package:
        return ""
    # Packages that earlier releases made do not contain the class's name.
    root = contents.record_class or "RECORD"
    nested = [each.name for each in description.code.classes if each.name != root]
    names = ", ".join([root, *nested[:_MAX_IMPORTED]])
    return f"from {contents.import_package} import {names}"


def _heading(
    description: PackageDescription, summary: RelationSummary | None, *, shows: bool
) -> Heading:
    contents = description.contents
    kind = "view" if contents.provenance.get("kind") == "view" else "table"
    name = str(contents.relation)
    relation = relation_link(name) if shows and summary is not None else Link(name)
    owner = _owner(summary, shows=shows)
    return Heading(kind, relation, contents.version, description.documentation, owner)


def _owner(summary: RelationSummary | None, *, shows: bool) -> str:
    """The owner, who may be a person; "" if the reader may not see the pages of relations."""
    return summary.owner if summary is not None and shows else ""


def _notes(
    versions: Sequence[ListedVersion],
    only: ListedVersion | None,
    description: PackageDescription | None,
    summary: RelationSummary | None,
    *,
    shows: bool,
) -> Iterator[str]:
    if only is not None and only.yanked is not None:
        reason = f": {only.yanked}" if only.yanked else ""
        yield f"Version {only.number} is yanked{reason}. Only exact pins install it."
    if only is not None and description is None:
        yield f"The wheel of version {only.number} is damaged, missing or not from schema-publisher."
    since = summary.missing_since if summary else None
    if since is not None:
        missing = f"The catalog has had no such relation since {time_of(since).text}"
        yield f"{missing}: this package gets no newer version unless the relation comes back."
    elif summary is not None and summary.reason:
        yield f"The relation is {summary.status}: {summary.reason}"
    if versions and all(version.yanked is not None for version in versions):
        yield "Every version is yanked: exact pins still install, any other requirement fails."
    if since is not None and versions:
        owner = _owner(summary, shows=shows)
        asked = f"its owner, {owner}," if owner else "the owner of the relation"
        yield f"To keep it, pin =={versions[0].number} exactly; ask {asked} what replaces it."


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
        read_by = _neighbour_list("Read by", summary.downstreams, packaged, shows=shows)
        yield replace(read_by, more=read_by.more + summary.more_downstreams)
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
    return NeighbourLink(
        relation=neighbour.relation,
        address=_address(neighbour.relation, distribution if has_page else "", shows=shows),
        lacks_package=bool(distribution) and not has_page,
    )


def _address(relation: str, distribution: str, *, shows: bool) -> str:
    """The address of the package's page, or else of the relation's page if the reader may see it."""
    if distribution:
        return package_address(distribution)
    return relation_address(relation) if shows else ""
