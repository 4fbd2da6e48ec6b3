from hypothesis import given
from hypothesis import strategies as st

from dependency_graph.graph import (
    affected_cone,
    cycle_of,
    cycle_path,
    cycles,
    graph_of,
    levels,
    upstream_cone,
)
from lakeschema.catalog.identifiers import RelationName


def name(text: str) -> RelationName:
    return RelationName.of("d", text)


T, V1, V2, W = (name(n) for n in ("t", "v1", "v2", "w"))
DIAMOND = [(V1, T), (V2, T), (W, V1), (W, V2)]

edges = st.lists(st.tuples(*[st.sampled_from([name(c) for c in "abcdef"])] * 2), max_size=12)


def test_the_cone_of_a_change_holds_everything_below_it() -> None:
    graph = graph_of(DIAMOND)

    assert affected_cone(graph, [V1]) == {V1, W}
    assert affected_cone(graph, [T]) == {T, V1, V2, W}


def test_what_nothing_names_is_its_own_cone() -> None:
    graph = graph_of(DIAMOND)

    assert affected_cone(graph, [name("other")]) == {name("other")}


def test_the_upstream_cone_holds_everything_above() -> None:
    graph = graph_of(DIAMOND)

    assert upstream_cone(graph, [V1]) == {V1, T}
    assert upstream_cone(graph, [name("other")]) == {name("other")}


def test_levels_are_waves_of_relations_that_need_only_earlier_ones() -> None:
    graph = graph_of(DIAMOND, alone=[name("alone")])

    assert levels(graph) == ((name("alone"), T), (V1, V2), (W,))


def test_a_diamond_has_no_cycle() -> None:
    assert cycles(graph_of(DIAMOND)) == ()


def test_a_view_on_itself_is_a_cycle() -> None:
    graph = graph_of([(V1, V1), (W, V1)])

    assert cycles(graph) == ((V1,),)
    assert cycle_path(graph, [V1]) == (V1, V1)


def test_a_cycles_members_share_a_level_and_are_shown_in_the_direction_of_reading() -> None:
    graph = graph_of([(V1, V2), (V2, W), (W, V1)])

    assert cycle_of(graph, V2) == (V1, V2, W)
    assert levels(graph) == ((V1, V2, W),)
    assert cycle_path(graph, [V1, V2, W]) == (V1, V2, W, V1)


@given(edges)
def test_no_relation_stands_in_a_level_before_what_it_needs_unless_in_a_cycle(
    pairs: list[tuple[RelationName, RelationName]],
) -> None:
    graph = graph_of(pairs)
    place = {n: i for i, wave in enumerate(levels(graph)) for n in wave}

    for dependent, upstream in pairs:
        together = dependent in cycle_of(graph, upstream)
        assert together or place[upstream] < place[dependent]
