"""DOT and Mermaid: each line has one of the few forms, whatever the names are."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.pictures.graph import Edge, EdgeKind, Graph, Node, NodeKind, Tone
from publisher.pictures.graph_languages import dot, mermaid
from tests.publisher.pictures.hostile import NAMES, hostile_graph

TOKEN = re.compile(
    r'\s*(?:(?P<word>[A-Za-z_0-9]+)|"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<sign>->|[{}\[\]=,;]))'
)
MERMAID_NODE = re.compile(r'  n\d+(?:\["[^"\[\]]*"\]|\("[^"\[\]]*"\))')
MERMAID_EDGE = re.compile(r'  n\d+ (?:-->|-\.->|==>)(?:\|"[^"|]*"\|)? n\d+')
MERMAID_CLASS = re.compile(r"  class(?:Def)? [\w,]+ [\w:#,-]+")


def tokens(text: str) -> Iterator[str]:
    """The tokens of DOT by https://graphviz.org/doc/info/lang.html; a text keeps its first quote."""
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = TOKEN.match(text, at)
        assert match is not None, text[at : at + 40]
        quoted = match["quoted"]
        yield f'"{quoted}' if quoted is not None else match["word"] or match["sign"]
        at = match.end()


def statements(text: str) -> list[list[str]]:
    """The statements between the braces of the only graph."""
    found = list(tokens(text))
    assert found[:3] == ["digraph", "lineage", "{"]
    assert found[-1] == "}"
    inner: list[list[str]] = [[]]
    for token in found[3:-1]:
        if token == ";":
            inner.append([])
        else:
            inner[-1].append(token)
    assert inner.pop() == []
    return inner


def read_dot(text: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Labels by node, and edges; every statement must be one of the known forms."""
    labels, edges = {}, []
    for found in statements(text):
        if found[0] in {"graph", "node", "edge"}:
            continue
        assert re.fullmatch(r"n\d+", found[0])
        if found[1] == "->":
            assert re.fullmatch(r"n\d+", found[2])
            edges.append((found[0], found[2]))
            attributes = found[3:]
        else:
            attributes = found[1:]
            labels[found[0]] = attributes[attributes.index("label") + 2]
        assert (attributes[0], attributes[-1]) == ("[", "]")
        named = attributes[1:-1]
        assert named[1::4] == ["="] * len(named[1::4])
        assert set(named[0::4]) <= {"label", "shape", "style", "penwidth", "color"}
    return labels, edges


def check_mermaid(text: str) -> list[str]:
    first, *lines = text.splitlines()
    assert first == "flowchart TB"
    for line in lines:
        assert any(form.fullmatch(line) for form in (MERMAID_NODE, MERMAID_EDGE, MERMAID_CLASS)), (
            line
        )
    return lines


def test_hostile_names_stay_inside_the_quotes_of_dot() -> None:
    labels, edges = read_dot(dot(hostile_graph()))

    assert len(labels) == len(NAMES)
    assert len(edges) == len(NAMES) - 1


def test_hostile_names_stay_inside_the_quotes_of_mermaid() -> None:
    lines = check_mermaid(mermaid(hostile_graph()))

    assert sum(bool(MERMAID_NODE.fullmatch(line)) for line in lines) == len(NAMES)
    assert sum(bool(MERMAID_EDGE.fullmatch(line)) for line in lines) == len(NAMES) - 1


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_name_is_one_text(name: str, label: str) -> None:
    nodes = (Node("a", name, NodeKind.TABLE, name), Node("b", "b", NodeKind.VIEW))
    graph = Graph(name, nodes, (Edge("a", "b", EdgeKind.FILLS, label),))

    labels, edges = read_dot(dot(graph))
    lines = check_mermaid(mermaid(graph))

    assert (len(labels), len(edges), len(lines)) == (2, 1, 3)


@pytest.mark.parametrize(
    ("name", "in_dot", "in_mermaid"),
    [
        ("prod:sales.orders", "prod:sales.orders", "prod:sales.orders"),
        ('a"b', 'a\\"b', "a#34;b"),
        ("a\\Nb", "a\\\\Nb", "a#92;Nb"),
        ("a&amp;b", "a&amp;amp;b", "a#38;amp#59;b"),
        ("1. a", "1. a", "1#46; a"),
        ("<b>", "<b>", "#60;b#62;"),
    ],
)
def test_signs_with_a_meaning_are_escaped(name: str, in_dot: str, in_mermaid: str) -> None:
    graph = Graph("one", (Node("a", name, NodeKind.TABLE),))

    assert f'label="{in_dot}"' in dot(graph)
    assert f'["{in_mermaid}"]' in mermaid(graph)


def test_kinds_of_edges_and_tones_differ() -> None:
    nodes = (
        Node("a", "a", NodeKind.TABLE, is_focus=True),
        Node("b", "b", NodeKind.VIEW, "view", tone=Tone.BAD),
    )
    edges = (Edge("a", "b", EdgeKind.INDIRECT, "where"), Edge("a", "b", EdgeKind.DIRECT))

    in_dot, in_mermaid = dot(Graph("g", nodes, edges)), mermaid(Graph("g", nodes, edges))

    assert 'n0 -> n1 [label="where", style=dashed];' in in_dot
    assert "n0 -> n1 [style=solid];" in in_dot
    assert 'n1 [label="b\\nview", shape=box, style=rounded, color="#a40000"];' in in_dot
    assert '  n0 -.->|"where"| n1' in in_mermaid
    assert "  class n1 bad" in in_mermaid
    assert "  class n0 focus" in in_mermaid
