"""Large graphs are cut to what a person can read, and say what is missing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publisher.pictures.budget import MAX_NODES, within_budget
from publisher.pictures.graph import Edge, EdgeKind, Graph, Node, NodeKind, listed


def node(key: object, *, is_focus: bool = False, unread: int = 0) -> Node:
    return Node(str(key), f"shop.{key}", NodeKind.VIEW, is_focus=is_focus, unread_targets=unread)


def edge(source: object, target: object) -> Edge:
    return Edge(str(source), str(target), EdgeKind.READS)


def star(readers: int) -> Graph:
    others = [node(number) for number in range(readers)]
    return Graph(
        "a star",
        (node("hub", is_focus=True), *others),
        tuple(edge("hub", number) for number in range(readers)),
    )


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    count = draw(st.integers(1, 40))
    key = st.integers(0, count - 1)
    edges = draw(st.lists(st.builds(edge, key, key), max_size=80))
    nodes = (
        node(number, is_focus=number == 0, unread=draw(st.integers(0, 2)))
        for number in range(count)
    )
    return Graph("any", tuple(nodes), tuple(edges))


def test_a_large_fan_becomes_a_box_with_a_count() -> None:
    shown = within_budget(star(49))

    box = shown.nodes[-1]
    assert (box.kind, box.label, box.note) == (NodeKind.MORE, "+ 37 more", "readers")
    assert len(shown.nodes) == 1 + 12 + 1
    assert shown.edges[-1] == Edge("hub", box.key, EdgeKind.READS)
    assert shown.left_out == 37


@pytest.mark.parametrize("readers", [12, 13])
def test_a_fan_that_fits_is_shown_whole(readers: int) -> None:
    assert within_budget(star(readers)) == star(readers)


def test_sources_and_readers_are_counted_apart() -> None:
    inner = [edge(f"s{n}", "hub") for n in range(20)] + [edge("hub", f"t{n}") for n in range(30)]
    keys = [f"s{n}" for n in range(20)] + [f"t{n}" for n in range(30)]
    graph = Graph("both", (node("hub", is_focus=True), *map(node, keys)), tuple(inner))

    shown = within_budget(graph)

    boxes = [(each.label, each.note) for each in shown.nodes if each.kind is NodeKind.MORE]
    assert boxes == [("+ 8 more", "sources"), ("+ 18 more", "readers")]


def test_readers_that_were_not_read_count_too() -> None:
    graph = Graph("hub", (node("hub", is_focus=True, unread=99_800),))

    shown = within_budget(graph)

    assert [each.label for each in shown.nodes] == ["shop.hub", "+ 99800 more"]
    assert shown.left_out == 99_800


@given(graphs(), st.integers(2, 20))
def test_the_budget_is_kept_and_the_focus_stays(graph: Graph, max_nodes: int) -> None:
    shown = within_budget(graph, max_nodes=max_nodes, max_fan=3)

    assert len(shown.nodes) <= max_nodes
    assert graph.nodes[0] in shown.nodes
    kept = [each for each in shown.nodes if each.kind is not NodeKind.MORE]
    unread = sum(each.unread_targets for each in kept)
    assert shown.left_out == len(graph.nodes) - len(kept) + unread


def test_a_graph_without_a_focus_is_cut_too() -> None:
    graph = Graph("many", tuple(node(number) for number in range(400)))

    shown = within_budget(graph)

    assert 0 < len(shown.nodes) <= MAX_NODES
    assert shown.left_out == 400 - len(shown.nodes)


def test_a_list_names_each_source_with_what_it_does() -> None:
    labelled = Edge("a", "b", EdgeKind.INDIRECT, "where")
    graph = Graph("two", (node("a"), node("b")), (labelled,))

    _, second = listed(graph)

    assert [(each.node.key, each.how) for each in second.sources] == [("a", "influences: where")]


def test_an_edge_needs_both_of_its_ends() -> None:
    with pytest.raises(ValueError, match="without a node: 'b'"):
        Graph("broken", (node("a"),), (edge("a", "b"),))
    with pytest.raises(ValueError, match="the same key"):
        Graph("broken", (node("a"), node("a")))
