"""A graph to draw: nodes with texts, and edges from a source to each relation made from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class NodeKind(Enum):
    """The kinds of nodes; the values are words for people."""

    TABLE = "table"
    VIEW = "view"
    FILLED = "filled table"
    COLUMN = "column"
    ROWS = "rows"
    MORE = "more"
    """Stands for neighbours that the picture leaves out."""


class EdgeKind(Enum):
    """How a source acts on a target; the values are words for people."""

    READS = "reads"
    ROWS = "read for rows"
    """In a picture of columns, where ``READS`` would say that a column reads."""
    DIRECT = "values"
    INDIRECT = "influences"
    FILLS = "fills"


class Tone(Enum):
    """The colour of a node; the node's texts say the same for people who cannot see colours."""

    PLAIN = "plain"
    GOOD = "good"
    WARNING = "warn"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Node:
    """A box.

    Attributes:
        key: unique in the graph.
        label: the first line; untrusted text.
        note: the second line; untrusted text.
        link: the address of its page, or "".
        owner: of the relation, or ""; untrusted. Only a tooltip and lists show it.
        is_focus: whether the picture is about it.
        unread_sources, unread_targets: how many further neighbours exist that the graph does not have.
    """

    key: str
    label: str
    kind: NodeKind
    note: str = ""
    link: str = ""
    owner: str = ""
    tone: Tone = Tone.PLAIN
    is_focus: bool = False
    unread_sources: int = 0
    unread_targets: int = 0

    @property
    def text(self) -> str:
        """Both lines, to name it in other texts."""
        return f"{self.label} ({self.note})" if self.note else self.label

    @property
    def tooltip(self) -> str:
        return f"{self.text}, owner: {self.owner}" if self.owner else self.text


@dataclass(frozen=True, slots=True)
class Edge:
    """An arrow between two nodes.

    Attributes:
        source, target: keys of nodes.
        label: untrusted text.
    """

    source: str
    target: str
    kind: EdgeKind
    label: str = ""


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph with a title; ``left_out`` counts the nodes that were cut to keep the picture small.

    Raises:
        ValueError: two nodes have the same key, or an edge ends at a key without a node.
    """

    title: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    left_out: int = 0

    def __post_init__(self) -> None:
        keys = {node.key for node in self.nodes}
        if len(keys) != len(self.nodes):
            raise ValueError("two nodes have the same key")
        for edge in self.edges:
            for end in (edge.source, edge.target):
                if end not in keys:
                    raise ValueError(f"an edge has an end without a node: {end!r}")

    @property
    def summary(self) -> str:
        """The size of the picture, in a sentence."""
        parts = [
            _count(len(self.nodes), "box", "boxes"),
            _count(len(self.edges), "arrow", "arrows"),
        ]
        more = f"; {self.left_out} more do not fit" if self.left_out else ""
        return f"{', '.join(parts)}; sources are above their readers{more}"


@dataclass(frozen=True, slots=True)
class ListedNode:
    """A node in a list for readers who do not see the picture; ``sources`` are its incoming edges."""

    node: Node
    sources: tuple[ListedSource, ...]


@dataclass(frozen=True, slots=True)
class ListedSource:
    """A source of a listed node; ``how`` is the edge in words."""

    node: Node
    how: str


def listed(graph: Graph) -> tuple[ListedNode, ...]:
    """The picture's content as a list, in the order of the nodes."""
    return tuple(_listed(graph))


def _listed(graph: Graph) -> Iterator[ListedNode]:
    nodes = {node.key: node for node in graph.nodes}
    into: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        into.setdefault(edge.target, []).append(edge)
    for node in graph.nodes:
        sources = (ListedSource(nodes[e.source], how(e)) for e in into.get(node.key, ()))
        yield ListedNode(node, tuple(sources))


def how(edge: Edge) -> str:
    """The edge in words, such as ``influences: where``."""
    return f"{edge.kind.value}: {edge.label}" if edge.label else edge.kind.value


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
