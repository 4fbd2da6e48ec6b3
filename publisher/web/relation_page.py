"""One relation's page for operators, published or not: its problem first, then its data."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lakeschema.translation.model.outcome import Status
from publisher.lineage.neighbourhood import NearRelation
from publisher.pictures.of_relations import relation_graph
from publisher.state.records import VersionStatus
from publisher.web.addresses import (
    Link,
    difference_address,
    impact_address,
    lineage_address,
    readers_address,
    relation_address,
    relation_link,
)
from publisher.web.catalogue import owner_link
from publisher.web.details import (
    MAX_CONE,
    Loss,
    OutstandingWork,
    RelatedRelations,
    RelationDetails,
    VersionLine,
)
from publisher.web.drawing import Drawing, drawing
from publisher.web.moments import Time, time_of
from publisher.web.rendering import render

_PUBLISHED: Final = VersionStatus.PUBLISHED.value
_UNREAD: Final = Status.UNKNOWN.value


@dataclass(frozen=True, slots=True)
class RelatedLink:
    relation: Link
    status: str


@dataclass(frozen=True, slots=True)
class RelatedList:
    """A list of related relations.

    ``is_told`` is False if a relation of this kind cannot have such relations.
    """

    heading: str
    items: tuple[RelatedLink, ...]
    more: int
    is_told: bool = True


@dataclass(frozen=True, slots=True)
class LossView:
    """A version of an upstream that removed fields. ``comparison`` compares it with its predecessor."""

    relation: Link
    comparison: Link
    removed: str
    created: Time


@dataclass(frozen=True, slots=True)
class VersionView:
    number: str
    status: str
    change: str
    created: Time
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WorkView:
    """Work on the relation that is not done. During an attempt there is no ``next_try``."""

    waits_since: Time
    next_try: Time | None
    failures: int
    retries: int
    last_error: str


@dataclass(frozen=True, slots=True)
class ColumnPages:
    """Addresses of a column's pages: its sources, its readers, and what breaks if it is dropped."""

    name: str
    sources: str
    readers: str
    impact: str


@dataclass(frozen=True, slots=True)
class RelationView:
    """The data of the page.

    Attributes:
        picture: the relation and its neighbours; None without neighbours.
        impact_address: the page that shows the effects of dropping the relation; "" if it was never
            read.
        columns: by the name of a field, the pages of the column that it comes from.
        losses: versions that may have broken the view.
        is_table: whether statements may fill it.
        newest: the newest published version.
    """

    details: RelationDetails
    package: Link
    owner: Link
    work: WorkView | None
    losses: tuple[LossView, ...]
    is_table: bool
    related: tuple[RelatedList, ...]
    versions: tuple[VersionView, ...]
    picture: Drawing | None
    lineage_address: str
    readers_address: str
    impact_address: str
    columns: Mapping[str, ColumnPages]
    newest: VersionLine | None
    max_cone: int = MAX_CONE


@dataclass(frozen=True, slots=True)
class UnknownRelationView:
    name: str
    similar: tuple[Link, ...]


def relation_page(details: RelationDetails, package: Link, columns: Collection[str] = ()) -> bytes:
    """The page as HTML. ``columns`` are the columns that have a page of their lineage."""
    view = RelationView(
        details=details,
        package=package,
        owner=owner_link(details.owner),
        work=None if details.work is None else _work_view(details.work),
        losses=tuple(map(_loss_view, details.losses)),
        is_table=_is_table(details),
        related=(
            _related("Reads", details.reads, is_told=not _is_table(details)),
            _related("Read by", details.read_by),
        ),
        versions=tuple(
            _version_view(each, are_yanked=details.are_yanked) for each in details.versions
        ),
        picture=_picture(details),
        lineage_address=lineage_address(details.relation),
        readers_address=readers_address(details.relation),
        # A relation that was never read is not in the graph, so it has no page of impact.
        impact_address="" if details.status == _UNREAD else impact_address(details.relation),
        columns=_column_pages(details, columns),
        newest=next((each for each in details.versions if each.status == _PUBLISHED), None),
    )
    return render("relation.html", view)


def unknown_relation_page(name: str, similar: Sequence[str]) -> bytes:
    view = UnknownRelationView(name, tuple(map(relation_link, similar)))
    return render("unknown_relation.html", view)


def _picture(details: RelationDetails) -> Drawing | None:
    around = details.around
    if around is None or not around.readings:
        return None

    def page_of(near: NearRelation) -> str:
        return relation_address(str(near.name)) if near.name != around.asked else ""

    return drawing(relation_graph(around, page_of))


def _column_pages(details: RelationDetails, columns: Collection[str]) -> Mapping[str, ColumnPages]:
    rows = () if details.fields is None else details.fields.rows
    named = ((row.path, row.column) for row in rows if row.column in columns)
    return {
        path: ColumnPages(
            column,
            f"{lineage_address(details.relation, column)}?direction=upstream",
            readers_address(details.relation, column),
            impact_address(details.relation, column),
        )
        for path, column in named
        if readers_address(details.relation, column)
    }


def _is_table(details: RelationDetails) -> bool:
    return details.definition.kind == "table" and not details.reads.total


def _loss_view(loss: Loss) -> LossView:
    address = difference_address(loss.distribution, loss.before, loss.number)
    return LossView(
        relation_link(loss.relation),
        Link(f"{loss.before} → {loss.number}", address),
        ", ".join(loss.removed),
        time_of(loss.created_at) if loss.created_at else Time("", ""),
    )


def _related(heading: str, related: RelatedRelations, *, is_told: bool = True) -> RelatedList:
    items = tuple(RelatedLink(relation_link(r.relation), r.status) for r in related.relations)
    as_of = f", as of version {related.as_of}" if related.as_of else ""
    shown = f"{heading} ({related.total}){as_of}"
    return RelatedList(shown, items, related.total - len(items), is_told)


def _version_view(version: VersionLine, *, are_yanked: bool) -> VersionView:
    created = time_of(version.created_at) if version.created_at else Time("", "")
    is_yanked = are_yanked and version.status == _PUBLISHED
    status = f"{version.status}, yanked" if is_yanked else version.status
    return VersionView(version.number, status, version.change, created, version.reasons)


def _work_view(work: OutstandingWork) -> WorkView:
    return WorkView(
        waits_since=time_of(work.waits_since),
        next_try=None if work.is_in_progress else time_of(work.due_at),
        failures=work.failures,
        retries=work.retries,
        last_error=work.last_error,
    )
