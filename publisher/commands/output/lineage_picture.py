"""Makes the graph that ``lineage`` draws: a relation's neighbourhood, or the path of a column."""

from __future__ import annotations

from publisher.lineage.neighbourhood import NearRelation, neighbourhood
from publisher.lineage.tracing import Distribution, trace
from publisher.lineage.values import Direction, Place
from publisher.pictures.graph import Graph
from publisher.pictures.of_columns import column_graph
from publisher.pictures.of_relations import relation_graph
from publisher.settings import Settings
from publisher.state.protocol import Transaction
from publisher.web.addresses import lineage_address


def lineage_graph(
    tx: Transaction,
    place: Place,
    direction: Direction,
    distribution: Distribution,
    depth: int | None,
    settings: Settings,
) -> Graph:
    """The graph for ``lineage``.

    Boxes link to the service's pages, if the settings have its address.
    """
    public_url = settings.http.public_url if settings.http.enabled else None

    def relation_page(near: NearRelation) -> str:
        return _absolute(public_url, lineage_address(str(near.name)))

    def place_page(at: Place) -> str:
        return _absolute(public_url, lineage_address(str(at.relation), at.column))

    if place.is_rows:
        is_upstream = direction is Direction.UPSTREAM
        around = neighbourhood(
            tx,
            place.relation,
            upstream=depth if is_upstream else 0,
            downstream=0 if is_upstream else depth,
        )
        return relation_graph(around, relation_page)
    return column_graph(place, [trace(tx, place, direction, distribution, depth)], place_page)


def _absolute(public_url: str | None, address: str) -> str:
    return "" if public_url is None or not address else public_url.rstrip("/") + address
