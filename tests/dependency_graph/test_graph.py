from itertools import pairwise

import networkx as nx
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


@given(edges)
def test_orders_cones_and_cycles_are_those_of_networkx(
    pairs: list[tuple[RelationName, RelationName]],
) -> None:
    graph = graph_of(pairs)
    judge: nx.DiGraph[RelationName] = nx.DiGraph([(u, d) for d, u in pairs])
    components = nx.condensation(judge)

    assert levels(graph) == tuple(
        tuple(sorted(n for node in wave for n in components.nodes[node]["members"]))
        for wave in nx.topological_generations(components)
    )
    for start in judge:
        assert affected_cone(graph, [start]) == nx.descendants(judge, start) | {start}
        assert upstream_cone(graph, [start]) == nx.ancestors(judge, start) | {start}
    assert cycles(graph) == tuple(
        sorted(
            tuple(sorted(found))
            for found in nx.strongly_connected_components(judge)
            if len(found) > 1 or judge.has_edge(*[next(iter(found))] * 2)
        )
    )


@given(edges)
def test_a_cycles_path_reads_from_one_to_the_next_and_ends_where_it_begins(
    pairs: list[tuple[RelationName, RelationName]],
) -> None:
    graph = graph_of(pairs)

    for members in cycles(graph):
        path = cycle_path(graph, members)
        assert path[0] == path[-1] == members[0]
        assert len(set(path)) == len(path) - 1
        assert all(step in pairs for step in pairwise(path))


def test_a_chain_may_be_deeper_than_pythons_stack() -> None:
    names = [name(f"v{n:05}") for n in range(20_000)]

    assert len(levels(graph_of(pairwise(names)))) == 20_000


def test_a_chain_of_views_may_be_longer_than_the_stack_is_deep() -> None:
    chain = [RelationName.of("deep", f"v{number:06}") for number in range(100_000)]
    graph = graph_of(pairwise(reversed(chain)))

    assert levels(graph) == tuple((name,) for name in chain)
    assert cycles(graph) == ()
    assert affected_cone(graph, chain[:1]) == upstream_cone(graph, chain[-1:]) == frozenset(chain)
    graph.add_edge(chain[0], chain[-1])
    assert cycles(graph) == (tuple(chain),)
