"""Relations that are dropped, come back, or move."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
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
    disappear_for_less_than_the_grace(world)

    assert record(world, T).status is Status.OK
    assert numbers(world, T) == ["1.0.0"]
    assert world.index.yanked == {}


def test_each_disappearance_has_a_grace_of_its_own(world: Simulation) -> None:
    disappear_for_less_than_the_grace(world)
    world.clock.sleep(world.policy.drop_grace_seconds)

    world.drop(T)
    world.deliver(0)
    world.engine.work()

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


def test_a_yank_that_a_crash_left_unrecorded_is_undone_when_the_relation_returns(
    world: Simulation,
) -> None:
    world.change(table(T, "a"))
    process_events(world)
    crash_in_drop(world, T, when=lambda: bool(world.index.yanked))

    world.change(table(T, "a"))
    process_events(world)

    assert world.index.yanked == {}
    assert numbers(world, T) == ["1.0.0"]


def test_a_relation_that_returns_broken_after_such_a_crash_is_offered_as_it_was(
    world: Simulation,
) -> None:
    world.change(table(T, "a"))
    world.change(view(V, T))
    process_events(world)
    crash_in_drop(world, V, when=lambda: bool(world.index.yanked))

    world.change(view(V, T, shape="nonsense"))
    process_events(world)

    assert record(world, V).status is Status.BROKEN
    assert world.index.yanked == {}


def test_a_crash_before_the_yank_leaves_a_yank_to_do(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    crash_in_drop(world, T, when=lambda: record(world, T).status is Status.MISSING)
    assert world.index.yanked == {}

    process_events(world)

    assert set(world.index.yanked.values()) == {DROPPED}
    assert record(world, T).yanked


def test_a_relation_dropped_again_after_an_unrecorded_return_is_yanked(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.drop(T)
    process_events(world)
    world.change(table(T, "a"))
    step_until(world, lambda: not world.index.yanked)
    world.crash()

    world.drop(T)
    process_events(world)

    assert set(world.index.yanked.values()) == {DROPPED}


def test_an_index_that_is_away_is_asked_twice_for_all_dropped_relations(world: Simulation) -> None:
    for name in (T, S, V):
        world.change(table(name, "a"))
    process_events(world)
    for name in (T, S, V):
        world.drop(name)
    world.index.down = True
    while world.undelivered:
        world.deliver(0)
    world.engine.work()
    world.clock.sleep(1.0)
    before = world.engine.counters.values().get("index_failures", 0)

    world.engine.work()

    assert world.engine.counters.values()["index_failures"] == before + 2
    world.index.down = False
    process_events(world)
    assert len(world.index.yanked) == 3


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


def crash_in_drop(world: Simulation, name: RelationName, when: Callable[[], bool]) -> None:
    """Drops a relation, and kills the process in the work on its second reading."""
    world.drop(name)
    while world.undelivered:
        world.deliver(0)
    world.engine.work()
    world.clock.sleep(1.0)
    step_until(world, when)
    world.crash()


def step_until(world: Simulation, is_reached: Callable[[], bool]) -> None:
    while world.undelivered:
        world.deliver(0)
    for _ in range(500):
        if is_reached():
            return
        world.step("one")
    raise AssertionError("never reached")


def disappear_for_less_than_the_grace(world: Simulation) -> None:
    """A published table is found missing once, and there again."""
    world.change(table(T, "a"))
    process_events(world)
    world.drop(T)
    world.deliver(0)
    world.engine.work()
    world.change(table(T, "a"))
    process_events(world)
