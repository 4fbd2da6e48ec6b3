"""Lays a graph out in layers: no boxes overlap, and every edge outside a cycle goes down.

An edge that spans several layers has a cell in each of them; a label has a cell, too. So neither
overlaps a box.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from publisher.pictures.coordinates import centres
from publisher.pictures.layers import ordered, oriented, ranks

MARGIN: Final = 12
_GAP: Final = 26
_GAP_OF_LINES: Final = 8
_LAYER_GAP: Final = 52
_LABELLED_LAYER_GAP: Final = 26
_MAX_BENDS: Final = 4_000
"""The limit of bends; beyond it the longest edges run straight, so that the time is bounded."""
_SPREAD: Final = 12
"""The distance between the ends of two edges at the same box."""

Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Size:
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Box:
    """The rectangle of a node; ``x`` and ``y`` are its upper left corner."""

    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> int:
        return self.x + self.width // 2

    @property
    def bottom(self) -> int:
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Line:
    """An edge to lay out; ``label`` is the size of its label, or None."""

    source: int
    target: int
    label: Size | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """Where an edge runs, from its source to its target.

    Attributes:
        points: pairs of points; between the two points of a pair the edge crosses a layer.
        label: the label's position; None if there is no label, or no room for it.
    """

    points: tuple[Point, ...]
    label: Box | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """Boxes and routes in the order of the nodes and edges."""

    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]
    width: int
    height: int


def lay_out(sizes: Sequence[Size], lines: Sequence[Line]) -> Layout:
    """Places nodes and edges; ``lines`` name a node by its index in ``sizes``."""
    if not sizes:
        return Layout((), (), 2 * MARGIN, 2 * MARGIN)
    return _Drawing(sizes, lines).layout()


class _Drawing:
    def __init__(self, sizes: Sequence[Size], lines: Sequence[Line]) -> None:
        self._sizes = list(sizes)
        self._lines = lines
        self._count = len(sizes)
        pairs = [(line.source, line.target) for line in lines]
        self._pairs = oriented(self._count, pairs)
        # Labels stand in separate layers between the layers of nodes.
        self._has_labels = any(line.label is not None for line in lines)
        scale = 2 if self._has_labels else 1
        self._rank = [rank * scale for rank in ranks(self._count, self._pairs)]
        lowest = min(self._rank)
        self._rank = [rank - lowest for rank in self._rank]
        self._above: list[list[int]] = [[] for _ in sizes]
        self._below: list[list[int]] = [[] for _ in sizes]
        self._layers: list[list[int]] = [[] for _ in range(max(self._rank) + 1)]
        for node, rank in enumerate(self._rank):
            self._layers[rank].append(node)
        self._chains = self._add_bends()

    def layout(self) -> Layout:
        ordered(self._layers, self._above, self._below)
        widths = [float(size.width) for size in self._sizes]
        gaps = [float(_GAP if size.width else _GAP_OF_LINES) for size in self._sizes]
        middle = centres(self._layers, (self._above, self._below), widths, gaps)
        left = min(x - width / 2 for x, width in zip(middle, widths, strict=True))
        tops, height = self._tops()
        boxes = []
        for cell, size in enumerate(self._sizes):
            rank = self._rank[cell]
            rest = tops[rank][1] - tops[rank][0] - size.height
            x = round(middle[cell] - left - size.width / 2) + MARGIN
            boxes.append(Box(x, tops[rank][0] + rest // 2, size.width, size.height))
        width = max(box.x + box.width for box in boxes) + MARGIN
        routes = self._routes(boxes, tops)
        return Layout(tuple(boxes[: self._count]), routes, width, height)

    def _add_bends(self) -> list[list[int] | None]:
        """The cells of each edge, from its upper end to its lower end; None for a straight edge."""
        spans = [self._rank[lower] - self._rank[upper] for upper, lower in self._pairs]
        left = _MAX_BENDS
        is_bent = [False] * len(spans)
        for number in sorted(range(len(spans)), key=spans.__getitem__):
            left -= max(0, spans[number] - 1)
            is_bent[number] = spans[number] > 0 and left >= 0
        return [
            self._chain(number, spans[number]) if is_bent[number] else None
            for number in range(len(spans))
        ]

    def _chain(self, number: int, span: int) -> list[int]:
        upper, lower = self._pairs[number]
        label = self._lines[number].label
        is_turned = lower != self._lines[number].target
        # A label stands next to the target.
        labelled = 1 if is_turned else span - 1
        chain = [upper]
        for step in range(1, span):
            size = label if label is not None and step == labelled else Size(0, 0)
            chain.append(self._add_cell(self._rank[upper] + step, size))
        chain.append(lower)
        for above, below in pairwise(chain):
            self._below[above].append(below)
            self._above[below].append(above)
        return chain

    def _add_cell(self, rank: int, size: Size) -> int:
        self._sizes.append(size)
        self._rank.append(rank)
        self._above.append([])
        self._below.append([])
        cell = len(self._sizes) - 1
        self._layers[rank].append(cell)
        return cell

    def _tops(self) -> tuple[list[tuple[int, int]], int]:
        """The upper and the lower end of each layer, and the height of the picture."""
        gap = _LABELLED_LAYER_GAP if self._has_labels else _LAYER_GAP
        found = []
        at = MARGIN
        for layer in self._layers:
            bottom = at + max((self._sizes[cell].height for cell in layer), default=0)
            found.append((at, bottom))
            at = bottom + gap
        return found, at - gap + MARGIN

    def _routes(self, boxes: Sequence[Box], tops: Sequence[tuple[int, int]]) -> tuple[Route, ...]:
        leaving = _ends(self._chains, self._pairs, boxes, is_upper=True)
        entering = _ends(self._chains, self._pairs, boxes, is_upper=False)
        routes = []
        for number, (line, chain) in enumerate(zip(self._lines, self._chains, strict=True)):
            upper, lower = self._pairs[number]
            if upper == lower:
                routes.append(_loop(boxes[upper]))
                continue
            points = [(leaving[number], boxes[upper].bottom)]
            label = None
            for cell in (chain or ())[1:-1]:
                x, (top, bottom) = boxes[cell].middle, tops[self._rank[cell]]
                points += [(x, top), (x, bottom)]
                label = boxes[cell] if boxes[cell].width else label
            points.append((entering[number], boxes[lower].y))
            is_turned = lower != line.target
            routes.append(Route(tuple(reversed(points) if is_turned else points), label))
        return tuple(routes)


def _ends(
    chains: Sequence[list[int] | None],
    pairs: Sequence[tuple[int, int]],
    boxes: Sequence[Box],
    *,
    is_upper: bool,
) -> list[int]:
    """The horizontal position of each edge at a box.

    The edges are side by side, in the order of their other ends.
    """
    at_node: dict[int, list[tuple[int, int]]] = {}
    for number, ((upper, lower), chain) in enumerate(zip(pairs, chains, strict=True)):
        cells = chain or [upper, lower]
        node, next_ = (cells[0], cells[1]) if is_upper else (cells[-1], cells[-2])
        at_node.setdefault(node, []).append((boxes[next_].middle, number))
    found = [0] * len(pairs)
    for node, ends in at_node.items():
        ends.sort()
        room = boxes[node].width - 2 * _SPREAD
        step = min(_SPREAD, room / len(ends)) if room > 0 else 0
        for place, (_, number) in enumerate(ends):
            found[number] = round(boxes[node].middle + (place - (len(ends) - 1) / 2) * step)
    return found


def _loop(box: Box) -> Route:
    """The route of an edge from a node to itself, at the right of its box."""
    x, quarter = box.x + box.width, box.height // 4
    return Route(((x, box.y + quarter), (x, box.bottom - quarter)))
