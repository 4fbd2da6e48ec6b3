"""Puts the nodes of a graph into layers and orders each layer, so that edges go down and few cross.

Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures", IEEE
Trans. Syst. Man Cybern. 11 (1981). The same input gives the same output.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

_SWEEPS: Final = 8
_FEW_SWEEPS: Final = 4
_MANY_CELLS: Final = 1_000

Pair = tuple[int, int]


def oriented(count: int, edges: Sequence[Pair]) -> list[Pair]:
    """The edges without cycles: reverses each edge that closes one. Loops stay as they are."""
    after: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for number, (source, target) in enumerate(edges):
        if source != target:
            after[source].append((target, number))
    turned = set()
    unseen, open_, done = 0, 1, 2
    state = [unseen] * count
    entered = {target for source, target in edges if source != target}
    # A search that begins at sources reverses fewer edges.
    for root in sorted(range(count), key=lambda node: node in entered):
        if state[root] != unseen:
            continue
        state[root] = open_
        path = [(root, iter(after[root]))]
        while path:
            node, rest = path[-1]
            for target, number in rest:
                if state[target] == open_:
                    turned.add(number)
                elif state[target] == unseen:
                    state[target] = open_
                    path.append((target, iter(after[target])))
                    break
            else:
                state[node] = done
                path.pop()
    return [
        (target, source) if number in turned else (source, target)
        for number, (source, target) in enumerate(edges)
    ]


def ranks(count: int, edges: Sequence[Pair]) -> list[int]:
    """The layer of each node: below its sources, and near its readers if it has more readers.

    ``edges`` may contain loops, but no other cycles.
    """
    after: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for source, target in edges:
        if source != target:
            after[source].append(target)
            missing[target] += 1
    into = missing.copy()
    order = [node for node in range(count) if not missing[node]]
    rank = [0] * count
    for node in order:
        for target in after[node]:
            rank[target] = max(rank[target], rank[node] + 1)
            missing[target] -= 1
            if not missing[target]:
                order.append(target)
    for node in reversed(order):
        # A node with more readers than sources has shorter edges near its readers.
        if len(after[node]) > into[node]:
            rank[node] = min(rank[target] for target in after[node]) - 1
    return rank


def ordered(layers: list[list[int]], above: list[list[int]], below: list[list[int]]) -> None:
    """Orders each layer in place by the mean position of its neighbours, in sweeps down and up.

    ``above`` and ``below``: the neighbours of each cell in the next layers.
    """
    place = [0.0] * len(above)
    for layer in layers:
        _place(layer, place)
    best = [layer.copy() for layer in layers]
    fewest = crossings(layers, below)
    for sweep in range(_SWEEPS if len(above) <= _MANY_CELLS else _FEW_SWEEPS):
        if not fewest:
            break
        if sweep % 2 == 0:
            for layer in layers[1:]:
                _sort(layer, above, place)
        else:
            for layer in reversed(layers[:-1]):
                _sort(layer, below, place)
        found = crossings(layers, below)
        if found < fewest:
            fewest, best = found, [layer.copy() for layer in layers]
    layers[:] = best


def _sort(layer: list[int], neighbours: list[list[int]], place: list[float]) -> None:
    wanted = {}
    for cell in layer:
        near = neighbours[cell]
        if len(near) == 1:
            wanted[cell] = place[near[0]]
        else:
            wanted[cell] = sum([place[n] for n in near]) / len(near) if near else place[cell]
    layer.sort(key=wanted.__getitem__)
    _place(layer, place)


def _place(layer: list[int], place: list[float]) -> None:
    # Relative to the width of the layer, so that positions in two layers can be compared.
    step = 1 / max(1, len(layer))
    for number, cell in enumerate(layer):
        place[cell] = (number + 0.5) * step


def crossings(layers: Sequence[Sequence[int]], below: Sequence[Sequence[int]]) -> int:
    """How many pairs of edges between neighbouring layers cross."""
    total = 0
    position = [0] * len(below)
    for upper, lower in pairwise(layers):
        for number, cell in enumerate(lower):
            position[cell] = number
        seen: list[int] = []
        # Sorted, because edges of the same cell do not cross each other.
        ends = [end for cell in upper for end in sorted([position[t] for t in below[cell]])]
        for end in ends:
            if seen and end < seen[-1]:
                total += len(seen) - bisect_right(seen, end)
                insort(seen, end)
            else:
                seen.append(end)
    return total
