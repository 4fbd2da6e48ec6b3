"""Relations that are dropped, come back, or go elsewhere."""

from __future__ import annotations

import pytest

from lakeschema.translation.outcome import Status
from publisher.publishing.upload import DROPPED
from tests.publisher.daemon.simulated import S, T, V, numbers, process_events, record
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table, view


def test_a_dropped_relation_is_yanked_after_the_grace_and_its_views_break(
    world: Simulation,
) -> None:
    world.change(table(T, "a"))
    world.change(view(V, T))
    process_events(world)
    world.drop(T)

    process_events(world)

    assert record(world, T).status is Status.MISSING
    assert set(world.index.yanked.values()) == {DROPPED}
    assert record(world, V).status is Status.BROKEN


def test_an_index_that_cannot_yank_shows_in_the_dropped_relations_reason(
    world: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    world.index.yanks = False
    world.change(table(T, "a"))
    process_events(world)
    world.drop(T)

    process_events(world)

    (troubled,) = world.engine.status().troubled
    assert troubled.name == T
    assert "still offered, because the index cannot yank" in troubled.reason
    assert world.engine.counters.values()["yanks_declined"] == 1
    assert "index cannot yank" in caplog.text

    world.change(table(T, "a"))
    process_events(world)

    assert not world.engine.status().troubled


def test_a_relation_gone_for_less_than_the_grace_was_not_dropped(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.drop(T)
    world.deliver(0)
    world.engine.work()
    world.change(table(T, "a"))

    process_events(world)

    assert record(world, T).status is Status.OK
    assert numbers(world, T) == ["1.0.0"]
    assert world.index.yanked == {}


def test_creating_it_again_unyanks_and_continues_the_numbers(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.drop(T)
    process_events(world)
    world.change(table(T, "a"))
    process_events(world)
    assert (numbers(world, T), world.index.yanked) == (["1.0.0"], {})

    world.drop(T)
    process_events(world)
    world.change(table(T, "a", "b"))
    process_events(world)

    assert (numbers(world, T), world.index.yanked) == (["1.0.0", "1.1.0"], {})


def test_a_relation_dropped_before_its_first_reading_leaves_no_record(world: Simulation) -> None:
    world.change(table(T, "a"))
    world.drop(T)

    process_events(world)

    assert world._inner.read(lambda tx: tx.graph.every_record()) == {}


def test_a_rename_moves_the_package(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.rename(T, S)

    process_events(world)

    assert numbers(world, S) == ["1.0.0"]
    assert set(world.index.yanked.values()) == {DROPPED}
