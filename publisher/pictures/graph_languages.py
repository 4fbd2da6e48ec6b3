"""Writes a graph for Graphviz and Mermaid; untrusted text cannot end the quotes around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from publisher.pictures.graph import Edge, EdgeKind, Graph, Node, NodeKind, Tone
from publisher.pictures.texts import shortened

_MAX_TEXT: Final = 200
_DOT_STYLE: Final = {
    EdgeKind.READS: "solid",
    EdgeKind.ROWS: "solid",
    EdgeKind.DIRECT: "solid",
    EdgeKind.INDIRECT: "dashed",
    EdgeKind.FILLS: "dotted",
}
_DOT_SHAPE: Final = {NodeKind.VIEW: "box, style=rounded", NodeKind.MORE: "plaintext"}
_DOT_COLOUR: Final = {
    Tone.PLAIN: "",
    Tone.GOOD: ', color="#0a6b2b"',
    Tone.WARNING: ', color="#7a4b00"',
    Tone.BAD: ', color="#a40000"',
}
_MERMAID_ARROW: Final = {
    EdgeKind.READS: "-->",
    EdgeKind.ROWS: "-->",
    EdgeKind.DIRECT: "-->",
    EdgeKind.INDIRECT: "-.->",
    EdgeKind.FILLS: "==>",
}
_PLAIN: Final = frozenset(" _:,()")
"""Characters without a special meaning inside a quoted text of Mermaid."""


def dot(graph: Graph) -> str:
    """Input for Graphviz: https://graphviz.org/doc/info/lang.html"""
    return "".join(f"{line}\n" for line in _dot(graph))


def mermaid(graph: Graph) -> str:
    """A flow chart of Mermaid, which forges and wikis draw: https://mermaid.js.org/syntax/flowchart.html"""
    return "".join(f"{line}\n" for line in _mermaid(graph))


def _dot(graph: Graph) -> Iterator[str]:
    yield "digraph lineage {"
    yield f"  graph [label={_dot_text(graph.title)}, rankdir=TB];"
    yield '  node [fontname="monospace", shape=box];'
    yield '  edge [fontname="monospace"];'
    numbers = _numbers(graph)
    for node in graph.nodes:
        shape = _DOT_SHAPE.get(node.kind, "box")
        width = ", penwidth=3" if node.is_focus else ""
        label = "\\n".join(_dot_inner(line) for line in (node.label, node.note) if line)
        colour = _DOT_COLOUR[node.tone]
        yield f'  {numbers[node.key]} [label="{label}", shape={shape}{width}{colour}];'
    for edge in graph.edges:
        label = f"label={_dot_text(edge.label)}, " if edge.label else ""
        ends = f"{numbers[edge.source]} -> {numbers[edge.target]}"
        yield f"  {ends} [{label}style={_DOT_STYLE[edge.kind]}];"
    yield "}"


def _dot_text(text: str) -> str:
    return f'"{_dot_inner(text)}"'


def _dot_inner(text: str) -> str:
    r"""Escapes a text: doubles backslashes, since ``\N`` and ``\l`` have a meaning; ``&`` becomes an entity."""
    shown = shortened(text, _MAX_TEXT).replace("\\", "\\\\").replace('"', '\\"')
    return shown.replace("&", "&amp;")


def _mermaid(graph: Graph) -> Iterator[str]:
    yield "flowchart TB"
    numbers = _numbers(graph)
    for node in graph.nodes:
        text = "<br>".join(_mermaid_text(line) for line in (node.label, node.note) if line)
        opening, closing = _mermaid_shape(node)
        yield f'  {numbers[node.key]}{opening}"{text}"{closing}'
    for edge in graph.edges:
        yield f"  {_mermaid_edge(edge, numbers)}"
    for tone, colour in ((Tone.GOOD, "#0a6b2b"), (Tone.WARNING, "#7a4b00"), (Tone.BAD, "#a40000")):
        named = [numbers[node.key] for node in graph.nodes if node.tone is tone]
        if named:
            yield f"  classDef {tone.value} stroke:{colour},stroke-width:3px"
            yield f"  class {','.join(named)} {tone.value}"
    focus = [numbers[node.key] for node in graph.nodes if node.is_focus]
    if focus:
        yield "  classDef focus font-weight:bold"
        yield f"  class {','.join(focus)} focus"


def _mermaid_shape(node: Node) -> tuple[str, str]:
    return ("(", ")") if node.kind is NodeKind.VIEW else ("[", "]")


def _mermaid_edge(edge: Edge, numbers: dict[str, str]) -> str:
    label = f'|"{_mermaid_text(edge.label)}"|' if edge.label else ""
    return f"{numbers[edge.source]} {_MERMAID_ARROW[edge.kind]}{label} {numbers[edge.target]}"


def _mermaid_text(text: str) -> str:
    """Replaces each character that has a meaning in Mermaid, Markdown or HTML by its number."""
    shown = shortened(text, _MAX_TEXT)
    coded = "".join(c if c.isalnum() or c in _PLAIN or c == "." else f"#{ord(c)};" for c in shown)
    # "1. a" would begin a list.
    return coded.replace(". ", "#46; ")


def _numbers(graph: Graph) -> dict[str, str]:
    """A generated name for each node's key, because a key is untrusted text."""
    return {node.key: f"n{number}" for number, node in enumerate(graph.nodes)}
