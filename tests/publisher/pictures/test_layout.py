"""What holds for the layout of any graph, with cycles, loops, parallel edges and labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from dependency_graph.graph import cycles, graph_of
from publisher.pictures.layers import crossings, oriented, ranks
from publisher.pictures.layout import Box, Layout, Line, Size, lay_out

SIZES = st.builds(Size, st.integers(20, 300), st.sampled_from([40, 46]))
LABELS = st.none() | st.builds(Size, st.integers(10, 200), st.just(16))


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Size], list[Line]]:
    sizes = draw(st.lists(SIZES, min_size=1, max_size=14))
    node = st.integers(0, len(sizes) - 1)
    return sizes, draw(st.lists(st.builds(Line, node, node, LABELS), max_size=24))


def overlap(one: Box, other: Box) -> bool:
    return (
        one.x < other.x + other.width
        and other.x < one.x + one.width
        and one.y < other.bottom
        and other.y < one.bottom
    )


def all_boxes(layout: Layout) -> Sequence[Box]:
    return [*layout.boxes, *(route.label for route in layout.routes if route.label)]


def in_layers(layout: Layout) -> Iterator[tuple[int, int, int]]:
    """Where an edge runs straight through a layer: x, and the two ends from above."""
    for route in layout.routes:
        inner = route.points[1:-1]
        for (x, one), (_, other) in zip(inner[::2], inner[1::2], strict=True):
            yield x, min(one, other), max(one, other)


@given(graphs())
def test_no_two_boxes_overlap(graph: tuple[list[Size], list[Line]]) -> None:
    layout = lay_out(*graph)

    assert not [pair for pair in combinations(all_boxes(layout), 2) if overlap(*pair)]


@given(graphs())
def test_everything_is_inside_the_picture(graph: tuple[list[Size], list[Line]]) -> None:
    layout = lay_out(*graph)

    for box in all_boxes(layout):
        assert box.x >= 0
        assert box.y >= 0
        assert box.x + box.width <= layout.width
        assert box.bottom <= layout.height
    for route in layout.routes:
        assert all(0 <= x <= layout.width and 0 <= y <= layout.height for x, y in route.points)


@given(graphs())
def test_every_edge_outside_a_cycle_goes_down(graph: tuple[list[Size], list[Line]]) -> None:
    sizes, lines = graph
    members = cycles(graph_of((line.target, line.source) for line in lines))
    cycle_of = {node: number for number, cycle in enumerate(members) for node in cycle}

    layout = lay_out(sizes, lines)

    for line, route in zip(lines, layout.routes, strict=True):
        source, target = cycle_of.get(line.source, -1), cycle_of.get(line.target, -2)
        if source != target:
            heights = [y for _, y in route.points]
            assert heights == sorted(heights)
            assert heights[0] < heights[-1]


@given(graphs())
def test_every_edge_begins_at_its_source_and_ends_at_its_target(
    graph: tuple[list[Size], list[Line]],
) -> None:
    sizes, lines = graph

    layout = lay_out(sizes, lines)

    for line, route in zip(lines, layout.routes, strict=True):
        for (x, y), node in ((route.points[0], line.source), (route.points[-1], line.target)):
            box = layout.boxes[node]
            assert box.x <= x <= box.x + box.width
            assert box.y <= y <= box.bottom


@given(graphs())
def test_no_edge_runs_through_a_box_of_a_layer_that_it_passes(
    graph: tuple[list[Size], list[Line]],
) -> None:
    layout = lay_out(*graph)

    for x, top, bottom in in_layers(layout):
        for box in layout.boxes:
            crosses = box.x < x < box.x + box.width and box.y < bottom and top < box.bottom
            assert not crosses


@given(graphs())
def test_equal_graphs_have_equal_layouts(graph: tuple[list[Size], list[Line]]) -> None:
    assert lay_out(*graph) == lay_out(*graph)


@given(graphs())
def test_turned_edges_leave_no_cycle_and_every_rank_is_below_its_sources(
    graph: tuple[list[Size], list[Line]],
) -> None:
    sizes, lines = graph

    pairs = oriented(len(sizes), [(line.source, line.target) for line in lines])

    found = ranks(len(sizes), pairs)
    assert all(found[source] < found[target] for source, target in pairs if source != target)


def test_a_label_keeps_its_room() -> None:
    lines = [Line(0, 1, Size(80, 16)), Line(0, 1, Size(90, 16)), Line(0, 1)]

    layout = lay_out([Size(50, 40), Size(50, 40)], lines)

    labels = [route.label for route in layout.routes]
    assert [label and (label.width, label.height) for label in labels] == [(80, 16), (90, 16), None]


def test_crossings_that_an_order_avoids_are_avoided() -> None:
    crossed = [Line(0, 3), Line(1, 2)]

    layout = lay_out([Size(50, 40)] * 4, crossed)

    top = sorted((0, 1), key=lambda node: layout.boxes[node].x)
    bottom = sorted((3, 2), key=lambda node: layout.boxes[node].x)
    assert [{0: 3, 1: 2}[node] for node in top] == bottom


def test_crossings_are_counted_between_neighbouring_layers() -> None:
    below = [[4, 3], [3], [], [], []]

    assert crossings([[0, 1, 2], [3, 4]], below) == 1
    assert crossings([[1, 0, 2], [3, 4]], below) == 0


def test_a_dense_graph_keeps_a_bounded_number_of_bends() -> None:
    count = 120
    lines = [Line(s, t) for s in range(count) for t in range(s + 1, count)]

    layout = lay_out([Size(40, 40)] * count, lines)

    assert sum(len(route.points) - 2 for route in layout.routes) <= 8_000
    assert all(len(route.points) >= 2 for route in layout.routes)


def test_an_empty_graph_has_an_empty_picture() -> None:
    assert lay_out([], []).boxes == ()
