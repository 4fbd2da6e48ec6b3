"""Makes a graph of the relations that a change of a column or relation reaches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from publisher.lineage.hits import Hit
from publisher.lineage.values import Traced
from publisher.pictures.graph import Edge, EdgeKind, Graph, Node, NodeKind, Tone

HitAddress = Callable[[Hit], str]
"""The address of a relation's page, or ""."""

_MAX_COLUMNS = 3
_TONES = {0: Tone.PLAIN, 1: Tone.BAD}


def hits_graph(traced: Traced, hits: Sequence[Hit], address: HitAddress) -> Graph:
    """The graph of the ``hits``, which were found in ``traced``. Direct readers have the strongest colour."""
    pairs = {
        (link.source.relation, link.target.relation): link.statement is not None
        for link in traced.links
    }
    return Graph(
        f"What a change of {traced.asked} reaches",
        tuple(_node(hit, address(hit)) for hit in hits),
        tuple(
            Edge(
                str(source),
                str(target),
                EdgeKind.FILLS if fills else EdgeKind.READS,
                "fills" if fills else "",
            )
            for (source, target), fills in pairs.items()
        ),
    )


def _node(hit: Hit, link: str) -> Node:
    return Node(
        str(hit.relation),
        str(hit.relation),
        _kind(hit),
        shown_columns(hit),
        link,
        hit.owner,
        _TONES.get(hit.distance, Tone.WARNING),
        is_focus=not hit.distance,
    )


def shown_columns(hit: Hit) -> str:
    """The first columns, such as ``id, total and 3 more columns``."""
    more = len(hit.columns) - _MAX_COLUMNS
    named = ", ".join(hit.columns[:_MAX_COLUMNS]) or "all columns"
    return f"{named} and {more} more columns" if more > 0 else named


def _kind(hit: Hit) -> NodeKind:
    if hit.is_view:
        return NodeKind.VIEW
    return NodeKind.TABLE if hit.filled_by is None else NodeKind.FILLED
