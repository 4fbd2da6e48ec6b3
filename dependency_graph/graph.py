"""Which relations stand above and below which: networkx over the edges that a query brings.

The database is the graph of record; what is built here lives as long as one question. An edge
points from an upstream relation to its dependent, the way a change flows. A relation that only an
edge names is a node like any other: it may not exist yet.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Protocol, TypeVar

import networkx as nx


class Node(Hashable, Protocol):
    """Nodes sort, so that equal graphs give equal orders."""

    def __lt__(self, other: Any, /) -> bool: ...


N = TypeVar("N", bound=Node)


def graph_of(edges: Iterable[tuple[N, N]], alone: Iterable[N] = ()) -> nx.DiGraph[N]:
    """A graph of (dependent, upstream) pairs, and of relations that have neither."""
    graph: nx.DiGraph[N] = nx.DiGraph()
    graph.add_nodes_from(alone)
    graph.add_edges_from((upstream, dependent) for dependent, upstream in edges)
    return graph


def affected_cone(graph: nx.DiGraph[N], changed: Iterable[N]) -> frozenset[N]:
    """Everything that depends on one of ``changed``, at any distance, and ``changed`` itself."""
    start = set(changed)
    below = (nx.descendants(graph, name) for name in start if name in graph)
    return frozenset(start.union(*below))


def upstream_cone(graph: nx.DiGraph[N], names: Iterable[N]) -> frozenset[N]:
    """Everything that one of ``names`` depends on, at any distance, and ``names`` themselves."""
    start = set(names)
    above = (nx.ancestors(graph, name) for name in start if name in graph)
    return frozenset(start.union(*above))


def levels(graph: nx.DiGraph[N]) -> tuple[tuple[N, ...], ...]:
    """Relations in waves: each depends on earlier waves only. A cycle's members share a wave.

    Sorted within a wave, so that equal graphs give equal waves.
    """
    components = nx.condensation(graph)
    return tuple(
        tuple(sorted(name for node in wave for name in components.nodes[node]["members"]))
        for wave in nx.topological_generations(components)
    )


def cycles(graph: nx.DiGraph[N]) -> tuple[tuple[N, ...], ...]:
    """Strongly connected components that cannot be ordered, a view on itself included."""
    found = (
        tuple(sorted(component))
        for component in nx.strongly_connected_components(graph)
        if len(component) > 1 or any(graph.has_edge(name, name) for name in component)
    )
    return tuple(sorted(found))


def cycle_of(graph: nx.DiGraph[N], name: N) -> tuple[N, ...]:
    """The cycle's members that ``name`` is one of; empty if it is in none."""
    return next((members for members in cycles(graph) if name in members), ())


def cycle_path(graph: nx.DiGraph[N], members: Iterable[N]) -> tuple[N, ...]:
    """One way through a cycle in the direction of reading, for people; first and last are equal."""
    within = graph.subgraph(members)
    start = min(within.nodes)
    if within.has_edge(start, start):
        return (start, start)
    steps = nx.find_cycle(within, start)
    ring = [step[0] for step in steps]
    first = ring.index(min(ring))
    upwards = [ring[first], *reversed(ring[first + 1 :]), *reversed(ring[:first])]
    return (*upwards, upwards[0])
