"""Makes a graph of a relation's neighbourhood."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from lakeschema.catalog.identifiers import RelationName
from publisher.lineage.neighbourhood import NearRelation, Neighbourhood, RelationKind
from publisher.pictures.graph import Edge, EdgeKind, Graph, Node, NodeKind, Tone

RelationAddress = Callable[[NearRelation], str]
"""The address of a relation's page, or ""."""

KINDS: Final = {
    RelationKind.TABLE: NodeKind.TABLE,
    RelationKind.VIEW: NodeKind.VIEW,
    RelationKind.FILLED: NodeKind.FILLED,
}
_BAD: Final = frozenset({"BROKEN", "UNSUPPORTED", "UNREACHABLE", "CYCLE", "QUARANTINED"})


def tone_of(status: str) -> Tone:
    """The colour of a relation's status."""
    if status == "OK":
        return Tone.PLAIN
    return Tone.BAD if status in _BAD else Tone.WARNING


def relation_graph(
    found: Neighbourhood, address: RelationAddress, *, shows_status: bool = True
) -> Graph:
    """The graph of a neighbourhood; ``shows_status``: whether the reader may see statuses and owners."""
    return Graph(
        f"Relations around {found.asked}",
        tuple(_node(each, found.asked, address(each), shows_status) for each in found.relations),
        tuple(
            Edge(
                str(each.source),
                str(each.target),
                EdgeKind.FILLS if each.is_filling else EdgeKind.READS,
                "fills" if each.is_filling else "",
            )
            for each in found.readings
        ),
    )


def _node(near: NearRelation, asked: RelationName, link: str, shows_status: bool) -> Node:
    is_shown = shows_status and near.status != "OK"
    return Node(
        str(near.name),
        str(near.name),
        KINDS[near.kind],
        f"{near.kind.value}, {near.status}" if is_shown else near.kind.value,
        link,
        near.owner if shows_status else "",
        tone_of(near.status) if shows_status else Tone.PLAIN,
        is_focus=near.name == asked,
        unread_targets=near.unread_readers,
    )
