"""Shows what breaks if a column or relation is dropped: a picture, and a list with the nearest first.

The page follows the stored lineage. The next versions need the catalog and a new derivation of
each reader, which is work for the command that the page names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lakeschema.translation.model.outcome import Status
from publisher.lineage.hits import Hit, counted_reach, hits_of
from publisher.lineage.values import Traced
from publisher.pictures.of_hits import hits_graph
from publisher.web.addresses import (
    Link,
    impact_address,
    lineage_address,
    relation_address,
    relation_link,
)
from publisher.web.drawing import Drawing, drawing
from publisher.web.package_sites import PackageSite
from publisher.web.rendering import render

_MAX_ROWS: Final = 200
_MAX_COLUMNS: Final = 20
_MAX_UNTRACED: Final = 100


@dataclass(frozen=True, slots=True)
class HitLine:
    """A relation that the drop reaches.

    Attributes:
        status: the relation's present status.
        columns: the reached columns; empty if all columns may be reached.
        more_columns: how many reached columns are not listed.
    """

    hit: Hit
    status: str
    relation: Link
    columns: tuple[str, ...]
    more_columns: int
    package: Link


@dataclass(frozen=True, slots=True)
class ImpactView:
    """The data of the page.

    Attributes:
        place: the relation or column that would be dropped, as a command also names it.
        whole: for a column, the address of the page about its whole relation; else "".
        reach: how many views, tables and packages are reached; empty if nothing is.
        broken: how many of the reached relations are broken already.
        lines: the dropped relation and the reached relations, the nearest first; ``more`` counts
            those that are not listed.
        picture: the dropped relation and the reached relations; None if nothing is reached.
        untraced: views whose columns are unknown; they may read more than the page shows.
    """

    place: str
    relation: Link
    whole: str
    lineage_address: str
    owner: str
    reach: str
    broken: int
    picture: Drawing | None
    lines: tuple[HitLine, ...]
    more: int
    is_cut: bool
    untraced: tuple[Link, ...]
    more_untraced: int


def impact_page(traced: Traced, packages: PackageSite) -> bytes:
    """The page as HTML. ``traced`` has everything downstream of the dropped place, up to a limit."""
    asked, hits = traced.asked, hits_of(traced)
    name = str(asked.relation)
    reached = hits[1:]

    def page_of(hit: Hit) -> str:
        return relation_address(str(hit.relation)) if hit.distance else ""

    view = ImpactView(
        place=str(asked),
        relation=relation_link(name),
        whole="" if asked.column is None else impact_address(name),
        lineage_address=lineage_address(name, asked.column),
        owner=hits[0].owner,
        reach=", ".join(counted_reach(hits)) if reached else "",
        picture=drawing(hits_graph(traced, hits, page_of)) if reached else None,
        broken=sum(traced.relations[hit.relation].status == Status.BROKEN.value for hit in reached),
        lines=tuple(_line(hit, traced, packages) for hit in hits[:_MAX_ROWS]),
        more=max(0, len(hits) - _MAX_ROWS),
        is_cut=traced.is_cut,
        untraced=tuple(relation_link(str(each)) for each in traced.untraced[:_MAX_UNTRACED]),
        more_untraced=max(0, len(traced.untraced) - _MAX_UNTRACED),
    )
    return render("impact.html", view)


def _line(hit: Hit, traced: Traced, packages: PackageSite) -> HitLine:
    return HitLine(
        hit,
        traced.relations[hit.relation].status,
        relation_link(str(hit.relation)),
        hit.columns[:_MAX_COLUMNS],
        max(0, len(hit.columns) - _MAX_COLUMNS),
        Link("") if hit.version is None else packages.link(hit.distribution),
    )
