"""Draws a graph in the format that a person chose."""

from __future__ import annotations

from enum import Enum
from typing import assert_never

from publisher.pictures.budget import within_budget
from publisher.pictures.graph import Graph
from publisher.pictures.graph_languages import dot, mermaid
from publisher.pictures.svg import svg


class PictureFormat(Enum):
    SVG = "svg"
    DOT = "dot"
    MERMAID = "mermaid"


def drawn(graph: Graph, chosen: PictureFormat) -> str:
    """The text of the picture's file. An SVG is cut to a readable size; its title says so."""
    match chosen:
        case PictureFormat.SVG:
            return svg(within_budget(graph), is_alone=True)
        case PictureFormat.DOT:
            return dot(graph)
        case PictureFormat.MERMAID:
            return mermaid(within_budget(graph))
        case _:
            assert_never(chosen)
