"""Shows a graph on a page: as a picture, and as a list with the same content."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from publisher.pictures.budget import within_budget
from publisher.pictures.graph import EdgeKind, Graph, ListedNode, NodeKind, listed
from publisher.pictures.layout import Box
from publisher.pictures.svg import svg_and_focus

_LEGEND: Final = {
    EdgeKind.READS: "a solid line: reads",
    EdgeKind.DIRECT: "a solid line: values",
    EdgeKind.ROWS: "a line of dashes and dots: is read for its rows",
    EdgeKind.INDIRECT: "a dashed line: influences rows or values",
    EdgeKind.FILLS: "a dotted line: a statement fills the table",
}
_BOXES: Final = {
    NodeKind.VIEW: "a box with round corners: a view",
    NodeKind.FILLED: "a box with a dotted border: a table that statements fill",
    NodeKind.ROWS: "a box with rows: which rows a relation has",
}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture with its legend, and its content as a list.

    Attributes:
        svg: the picture as markup; all other texts here are plain and not escaped.
        focus: the box that the picture is about; the page scrolls to it.
        left_out: how many nodes did not fit.
    """

    svg: Markup
    focus: Box | None
    legend: str
    items: tuple[ListedNode, ...]
    left_out: int


def drawing(graph: Graph) -> Drawing:
    shown = within_budget(graph)
    kinds = {edge.kind for edge in shown.edges}
    boxes = {node.kind for node in shown.nodes}
    said = [_LEGEND[kind] for kind in EdgeKind if kind in kinds]
    said += [text for kind, text in _BOXES.items() if kind in boxes]
    legend = "".join(f" {text[:1].upper()}{text[1:]}." for text in said).strip()
    # svg_and_focus has already escaped every text of the picture.
    picture, focus = svg_and_focus(shown)
    return Drawing(
        Markup(picture),  # noqa: S704
        focus,
        legend,
        listed(shown),
        shown.left_out,
    )
