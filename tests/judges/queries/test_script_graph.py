"""A script's tables as a graph: only its ends are sources and targets."""

from __future__ import annotations

from tests.judges.queries.script_graph import ScriptGraph


def test_a_table_between_others_is_neither_source_nor_target() -> None:
    graph = ScriptGraph()

    graph.add({"a"}, {"b"})
    graph.add({"b"}, {"c"})

    assert (graph.sources(), graph.targets()) == ({"a"}, {"c"})


def test_a_table_that_is_filled_from_itself_is_both() -> None:
    graph = ScriptGraph()

    graph.add({"a", "b"}, {"a"})

    assert (graph.sources(), graph.targets()) == ({"a", "b"}, {"a"})


def test_what_is_only_read_or_only_written_is_an_end() -> None:
    graph = ScriptGraph()

    graph.add({"a"}, set())
    graph.add(set(), {"b"})

    assert (graph.sources(), graph.targets()) == ({"a"}, {"b"})


def test_only_a_table_without_flow_is_dropped() -> None:
    graph = ScriptGraph()
    graph.add({"a"}, {"b"})
    graph.add(set(), {"c"})

    graph.drop("b")
    graph.drop("c")

    assert (graph.sources(), graph.targets()) == ({"a"}, {"b"})


def test_a_new_name_stands_for_the_old_one() -> None:
    graph = ScriptGraph()
    graph.add({"a"}, {"b"})

    graph.rename("b", "c")
    graph.rename("a", "d")

    assert (graph.sources(), graph.targets()) == ({"d"}, {"c"})
