"""The engine's reports about a relation and about itself."""

from __future__ import annotations

from tests.publisher.daemon.simulated import T, V, W, X, explain, process_events
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table, view


def test_an_explanation_names_upstreams_and_dependents(world: Simulation) -> None:
    for relation in (table(T, "a"), view(V, T), view(W, V)):
        world.change(relation)
    process_events(world)

    explained = explain(world, V)

    assert [e.upstream for e in explained.upstreams] == [T]
    assert list(explained.dependents) == [W]
    assert [v.number for v in explained.versions] == ["1.0.0"]
    assert explained.work is None


def test_a_status_counts_relations_and_lists_failing_ones(world: Simulation) -> None:
    world.change(table(T, "a"))
    world.change(view(V, X))
    process_events(world)

    status = world.engine.status()

    assert status.relations == {"BROKEN": 1, "MISSING": 1, "OK": 1}
    assert V in [r.name for r in status.troubled]
    assert status.versions == 1
