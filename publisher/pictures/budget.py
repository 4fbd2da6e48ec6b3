"""Cuts a graph to the size of a picture: the nearest nodes stay, and boxes count the hidden nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from publisher.pictures.graph import Edge, EdgeKind, Graph, Node, NodeKind

MAX_NODES: Final = 150
MAX_EDGES: Final = 400
MAX_FAN: Final = 12
"""How many neighbours of one node, above or below it, the search for the nearest nodes follows."""


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """The sources and targets of each node, by key, in the order of the edges."""

    sources: Mapping[str, list[str]]
    targets: Mapping[str, list[str]]


def within_budget(graph: Graph, *, max_nodes: int = MAX_NODES, max_fan: int = MAX_FAN) -> Graph:
    """The nodes nearest to the focus, and boxes such as ``+ 37 more`` for a node's hidden neighbours.

    Without a focus, every node counts as near.
    """
    neighbours = _neighbours(graph)
    start = [node.key for node in graph.nodes if node.is_focus]
    start = start or [node.key for node in graph.nodes]
    nearest = _nearest(start, neighbours, len(graph.nodes), max_fan)
    is_whole = len(nearest) == len(graph.nodes)
    unread = any(map(_unread, graph.nodes))
    # The boxes that count hidden nodes need a part of the room.
    room = max_nodes if is_whole and not unread else max(1, max_nodes * 2 // 3)
    chosen = nearest if len(nearest) <= room else dict.fromkeys(list(nearest)[:room])
    kept = [node for node in graph.nodes if node.key in chosen]
    distance = {key: number for number, key in enumerate(chosen)}
    by_distance = sorted(kept, key=lambda node: distance[node.key])
    boxes = list(_boxes(by_distance, neighbours, chosen))[: max_nodes - len(kept)]
    edges = [e for e in graph.edges if e.source in chosen and e.target in chosen]
    edges = edges[: max(0, MAX_EDGES - len(boxes))]
    return replace(
        graph,
        nodes=(*kept, *(node for node, _ in boxes)),
        edges=(*edges, *(edge for _, edge in boxes)),
        left_out=graph.left_out + len(graph.nodes) - len(kept) + sum(map(_unread, kept)),
    )


def _unread(node: Node) -> int:
    return node.unread_sources + node.unread_targets


def _neighbours(graph: Graph) -> _Neighbours:
    sources: dict[str, dict[str, None]] = {}
    targets: dict[str, dict[str, None]] = {}
    for edge in graph.edges:
        sources.setdefault(edge.target, {})[edge.source] = None
        targets.setdefault(edge.source, {})[edge.target] = None
    return _Neighbours(
        {key: list(found) for key, found in sources.items()},
        {key: list(found) for key, found in targets.items()},
    )


def _nearest(
    start: Iterable[str], neighbours: _Neighbours, limit: int, max_fan: int
) -> dict[str, None]:
    """The keys of nodes, ordered by their distance from ``start``."""
    found = dict.fromkeys(start)
    frontier = list(found)
    while frontier and len(found) < limit:
        reached: dict[str, None] = {}
        for key in frontier:
            for side in (neighbours.sources, neighbours.targets):
                named = side.get(key, [])
                # A box that stands for a single neighbour would save nothing.
                followed = named if len(named) <= max_fan + 1 else named[:max_fan]
                reached |= dict.fromkeys(each for each in followed if each not in found)
        found |= reached
        frontier = list(reached)
    return found


def _boxes(
    nodes: Iterable[Node], neighbours: _Neighbours, chosen: Mapping[str, None]
) -> Iterator[tuple[Node, Edge]]:
    for node in nodes:
        above = _hidden(neighbours.sources, node.key, chosen) + node.unread_sources
        if above:
            box = _box(f"sources:{node.key}", above, "sources", node)
            yield box, Edge(box.key, node.key, EdgeKind.READS)
        below = _hidden(neighbours.targets, node.key, chosen) + node.unread_targets
        if below:
            box = _box(f"targets:{node.key}", below, "readers", node)
            yield box, Edge(node.key, box.key, EdgeKind.READS)


def _hidden(side: Mapping[str, list[str]], key: str, chosen: Mapping[str, None]) -> int:
    return sum(each not in chosen for each in side.get(key, ()))


def _box(key: str, count: int, of_what: str, node: Node) -> Node:
    """A box that counts hidden neighbours of ``node``; it links to the node's page, which lists more."""
    return Node(f"more:{key}", f"+ {count} more", NodeKind.MORE, of_what, node.link)
