"""Writes a graph as SVG, without scripts and inline styles. Every text in it is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from math import ceil
from typing import Final

from publisher.pictures.graph import Edge, EdgeKind, Graph, Node, NodeKind, Tone, how
from publisher.pictures.layout import Box, Layout, Line, Point, Route, Size, lay_out
from publisher.pictures.style import PALETTE, STYLE
from publisher.pictures.texts import (
    MAX_EDGE_LABEL,
    MAX_LABEL,
    MAX_NOTE,
    letters,
    shortened,
    whole,
)

_LABEL_LETTER: Final = 7.9
_SMALL_LETTER: Final = 7.3
"""The widths in pixels of a letter of 13 px, and of a letter of 12 px."""
_PADDING: Final = 12
_NODE_HEIGHT: Final = 46
_MORE_HEIGHT: Final = 40
_EDGE_LABEL_HEIGHT: Final = 16
_TIP: Final = 8

_CLASS: Final = {
    NodeKind.TABLE: "table",
    NodeKind.VIEW: "view",
    NodeKind.FILLED: "filled",
    NodeKind.COLUMN: "column",
    NodeKind.ROWS: "rows",
    NodeKind.MORE: "more",
}
_EDGE_CLASS: Final = {
    EdgeKind.READS: "reads",
    EdgeKind.ROWS: "of-rows",
    EdgeKind.DIRECT: "direct",
    EdgeKind.INDIRECT: "indirect",
    EdgeKind.FILLS: "fills",
}


def svg(graph: Graph, *, is_alone: bool = False) -> str:
    """The picture, as a part of a page, or as a file with its own colours if ``is_alone``.

    The size is in pixels: on a small screen the picture scrolls, and its text keeps its size.
    """
    return "".join(_svg(graph, _layout(graph), is_alone=is_alone))


def svg_and_focus(graph: Graph) -> tuple[str, Box | None]:
    """The picture as part of a page, and the place in pixels of the box that it is about, or None."""
    layout = _layout(graph)
    boxes = zip(graph.nodes, layout.boxes, strict=True)
    focus = next((box for node, box in boxes if node.is_focus), None)
    return "".join(_svg(graph, layout, is_alone=False)), focus


def _layout(graph: Graph) -> Layout:
    places = {node.key: number for number, node in enumerate(graph.nodes)}
    lines = [
        Line(places[edge.source], places[edge.target], _label_size(edge)) for edge in graph.edges
    ]
    return lay_out([_size(node) for node in graph.nodes], lines)


def _size(node: Node) -> Size:
    label = letters(shortened(node.label, MAX_LABEL)) * _LABEL_LETTER
    note = letters(shortened(node.note, MAX_NOTE)) * _SMALL_LETTER
    height = _MORE_HEIGHT if node.kind is NodeKind.MORE else _NODE_HEIGHT
    return Size(ceil(max(label, note)) + 2 * _PADDING, height)


def _label_size(edge: Edge) -> Size | None:
    if not edge.label:
        return None
    text = shortened(edge.label, MAX_EDGE_LABEL)
    return Size(ceil(letters(text) * _SMALL_LETTER) + 6, _EDGE_LABEL_HEIGHT)


def _svg(graph: Graph, layout: Layout, *, is_alone: bool) -> Iterator[str]:
    width, height = layout.width, layout.height
    # Screen readers ignore links inside an image.
    role = "group" if any(node.link for node in graph.nodes) else "img"
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="picture" role="{role}"'
        f' aria-labelledby="picture-title picture-desc" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}">\n'
    )
    yield f'<title id="picture-title">{_text(graph.title)}</title>\n'
    yield f'<desc id="picture-desc">{_text(graph.summary)}</desc>\n'
    if is_alone:
        yield f"<style>\n{PALETTE}{STYLE}</style>\n"
    names = {node.key: node.text for node in graph.nodes}
    for edge, route in zip(graph.edges, layout.routes, strict=True):
        yield _edge(edge, route, names)
    # From top to bottom, so that the keyboard follows the picture.
    placed = zip(graph.nodes, layout.boxes, strict=True)
    for node, box in sorted(placed, key=lambda each: (each[1].y, each[1].x)):
        yield _node(node, box)
    yield "</svg>\n"


def _edge(edge: Edge, route: Route, names: dict[str, str]) -> str:
    title = f"{names[edge.source]} → {names[edge.target]}: {how(edge)}"
    parts = [
        f'<g class="{_EDGE_CLASS[edge.kind]}"><title>{_text(title)}</title>',
        _line(route.points, is_loop=edge.source == edge.target),
    ]
    if route.label is not None:
        text = shortened(edge.label, MAX_EDGE_LABEL)
        box = route.label
        parts.append(
            f'<text class="on-edge" x="{box.middle}" y="{box.bottom - 4}">{_text(text)}</text>'
        )
    return "".join((*parts, "</g>\n"))


def _line(points: Sequence[Point], *, is_loop: bool) -> str:
    (x, y), (end_x, end_y) = points[0], points[-1]
    if is_loop:
        path = f"M{x} {y}C{x + 14} {y} {x + 14} {end_y} {end_x + _TIP} {end_y}"
        tip = f"M{end_x} {end_y}l{_TIP} -4v8z"
        return f'<path class="line" d="{path}"/><path class="tip" d="{tip}"/>'
    sign = 1 if end_y >= y else -1
    stop = end_y - sign * _TIP
    path = f"M{x} {y}"
    ends = [*points[:-1], (end_x, stop)]
    # A curve between two layers, and a straight line through a layer.
    for number in range(0, len(ends) - 1, 2):
        (from_x, from_y), (to_x, to_y) = ends[number], ends[number + 1]
        middle = (from_y + to_y) // 2
        path += f"C{from_x} {middle} {to_x} {middle} {to_x} {to_y}"
        if number + 2 < len(ends):
            path += f"V{ends[number + 2][1]}"
    tip = f"M{end_x} {end_y}l-4 {-sign * _TIP}h8z"
    return f'<path class="line" d="{path}"/><path class="tip" d="{tip}"/>'


def _node(node: Node, box: Box) -> str:
    classes = ["node", _CLASS[node.kind]]
    if node.tone is not Tone.PLAIN:
        classes.append(node.tone.value)
    if node.is_focus:
        classes.append("focus")
    opening, closing = f'<g class="{" ".join(classes)}">', "</g>\n"
    if node.link:
        opening = f'<a class="{" ".join(classes)}" href="{_text(node.link)}">'
        closing = "</a>\n"
    return "".join((opening, *_inside(node, box), closing))


def _inside(node: Node, box: Box) -> Iterable[str]:
    middle = box.middle
    yield f"<title>{_text(node.tooltip)}</title>"
    yield f'<rect x="{box.x}" y="{box.y}" width="{box.width}" height="{box.height}" rx="3"/>'
    first = box.y + box.height // 2 + (-3 if node.note else 5)
    yield f'<text class="label" x="{middle}" y="{first}">{_short(node.label, MAX_LABEL)}</text>'
    if node.note:
        note = _short(node.note, MAX_NOTE)
        yield f'<text class="small" x="{middle}" y="{first + 17}">{note}</text>'


def _short(text: str, limit: int) -> str:
    return escape(shortened(text, limit))


def _text(text: str) -> str:
    return escape(whole(text))
