"""The dependency graph of relations, built from the edges of one query.

The database is the graph of record; a graph here serves a single question. A relation that only an
edge names is an ordinary node: it may not exist yet. Nothing here recurses: a chain of views may be
deeper than Python's stack.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import Any, Generic, Protocol, TypeVar


class Node(Hashable, Protocol):
    """A node of the graph. Nodes can be sorted, so that equal graphs give equal orders."""

    def __lt__(self, other: Any, /) -> bool: ...


N = TypeVar("N", bound=Node)


class Graph(Generic[N]):
    def __init__(self) -> None:
        self.upstreams: dict[N, dict[N, None]] = {}
        self.dependents: dict[N, dict[N, None]] = {}

    def add(self, node: N) -> None:
        self.upstreams.setdefault(node, {})
        self.dependents.setdefault(node, {})

    def add_edge(self, dependent: N, upstream: N) -> None:
        self.add(upstream)
        self.add(dependent)
        self.upstreams[dependent][upstream] = None
        self.dependents[upstream][dependent] = None


def graph_of(edges: Iterable[tuple[N, N]], alone: Iterable[N] = ()) -> Graph[N]:
    """A graph of pairs (dependent, upstream); ``alone`` are relations without edges."""
    graph: Graph[N] = Graph()
    for node in alone:
        graph.add(node)
    for dependent, upstream in edges:
        graph.add_edge(dependent, upstream)
    return graph


def affected_cone(graph: Graph[N], changed: Iterable[N]) -> frozenset[N]:
    """Everything that depends on one of ``changed``, at any distance, and ``changed`` itself."""
    return _reached(graph.dependents, changed)


def upstream_cone(graph: Graph[N], names: Iterable[N]) -> frozenset[N]:
    """Everything that one of ``names`` depends on, at any distance, and ``names`` themselves."""
    return _reached(graph.upstreams, names)


def levels(graph: Graph[N]) -> tuple[tuple[N, ...], ...]:
    """Relations in waves: each depends on earlier waves only. A cycle's members share a wave.

    Sorted within a wave, so that equal graphs give equal waves.
    """
    level: dict[N, int] = {}
    waves: list[list[N]] = []
    for component in _components(graph):
        above = {u for name in component for u in graph.upstreams[name]}.difference(component)
        wave = max((level[upstream] + 1 for upstream in above), default=0)
        level |= dict.fromkeys(component, wave)
        waves += [[] for _ in range(wave + 1 - len(waves))]
        waves[wave] += component
    return tuple(tuple(sorted(wave)) for wave in waves)


def cycles(graph: Graph[N]) -> tuple[tuple[N, ...], ...]:
    """Strongly connected components that cannot be ordered, including a view that reads itself."""
    found = (
        tuple(sorted(component))
        for component in _components(graph)
        if len(component) > 1 or any(name in graph.upstreams[name] for name in component)
    )
    return tuple(sorted(found))


def cycle_of(graph: Graph[N], name: N) -> tuple[N, ...]:
    """The members of the cycle that contains ``name``; empty without a cycle."""
    return next((members for members in cycles(graph) if name in members), ())


def cycle_path(graph: Graph[N], members: Collection[N]) -> tuple[N, ...]:
    """A shortest path from a cycle's first member back to itself, from reader to upstream.

    The path is shown to people. ``members`` must be one of ``cycles``.

    Raises:
        ValueError: ``members`` are not a cycle.
    """
    first, within = min(members), frozenset(members)
    came_from: dict[N, N] = {}
    frontier = [first]
    while first not in came_from:
        if not frontier:
            raise ValueError(f"{first} is not in a cycle of {len(members)} members")
        following: list[N] = []
        for name in frontier:
            for upstream in sorted(graph.upstreams[name].keys() & within):
                if upstream not in came_from:
                    came_from[upstream] = name
                    following.append(upstream)
        frontier = following
    path = [first, came_from[first]]
    while path[-1] != first:
        path.append(came_from[path[-1]])
    return tuple(reversed(path))


def _reached(neighbours: Mapping[N, Iterable[N]], start: Iterable[N]) -> frozenset[N]:
    found = set(start)
    frontier = list(found)
    while frontier:
        for name in neighbours.get(frontier.pop(), ()):
            if name not in found:
                found.add(name)
                frontier.append(name)
    return frozenset(found)


def _components(graph: Graph[N]) -> Iterator[list[N]]:
    """Strongly connected components, each after all its dependencies.

    Tarjan, "Depth-first search and linear graph algorithms", SIAM J. Comput. 1 (1972), along the
    edges to upstream relations, with a stack instead of recursion.
    """
    order: dict[N, int] = {}
    lowest: dict[N, int] = {}
    unfinished: dict[N, None] = {}
    for root in graph.upstreams:
        walk: list[tuple[N, Iterator[N]]] = []
        following: N | None = None if root in order else root
        while following is not None or walk:
            if following is not None:
                order[following] = lowest[following] = len(order)
                unfinished[following] = None
                walk.append((following, iter(graph.upstreams[following])))
            node, rest = walk[-1]
            following = None
            for upstream in rest:
                if upstream not in order:
                    following = upstream
                    break
                if upstream in unfinished:
                    lowest[node] = min(lowest[node], order[upstream])
            if following is None:
                walk.pop()
                if walk:
                    below = walk[-1][0]
                    lowest[below] = min(lowest[below], lowest[node])
                if lowest[node] == order[node]:
                    yield _take_from(unfinished, node)


def _take_from(unfinished: dict[N, None], first: N) -> list[N]:
    """Removes and returns ``first`` and all later nodes."""
    taken: list[N] = []
    while not taken or taken[-1] != first:
        taken.append(unfinished.popitem()[0])
    return taken
