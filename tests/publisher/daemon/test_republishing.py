"""A new version of a package with the same content, so that consumers get a fix of its code."""

from __future__ import annotations

import pytest

from publisher.publishing.versioning import RUNTIME_UPDATED
from publisher.state.records import VersionRecord
from tests.publisher.daemon.simulated import S, T, V, numbers, process_events, record
from tests.simulation.simulation import Simulation, assemble
from tests.simulation.toy import ToyPackaging, table, view


def newest(world: Simulation) -> VersionRecord:
    distribution = ToyPackaging().distribution(T)
    return world._inner.read(lambda tx: tx.versions.history([distribution]))[distribution][-1]


def use_runtime(world: Simulation, runtime: str) -> None:
    """The engine continues with a generator of other code and the same naming rules."""
    world.runtime = runtime
    world.engine = assemble(world.deployment())


def test_a_relation_that_is_named_gets_one_patch_that_says_why(world: Simulation) -> None:
    world.change(table(T, "a"))
    world.change(table(S, "a"))
    process_events(world)

    assert world.engine.republish([T]) == [T]
    process_events(world)
    world.engine.snapshot()
    process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.0.1"]
    assert numbers(world, S) == ["1.0.0"]
    assert newest(world).reasons == (RUNTIME_UPDATED,)
    assert record(world, T).republish_after is None


def test_without_names_every_package_of_an_older_runtime_is_published_again(
    world: Simulation,
) -> None:
    world.change(table(T, "a"))
    world.change(view(V, T))
    process_events(world)
    use_runtime(world, "fixed")
    world.change(table(S, "a"))
    process_events(world)

    assert world.engine.republish() == [T, V]
    process_events(world)

    assert numbers(world, T) == numbers(world, V) == ["1.0.0", "1.0.1"]
    assert numbers(world, S) == ["1.0.0"]
    assert newest(world).runtime == "fixed"
    assert world.engine.republish() == []


def test_every_package_is_published_again_whatever_its_generator(world: Simulation) -> None:
    world.change(table(T, "a"))
    world.change(table(S, "a"))
    process_events(world)

    assert set(world.engine.republish(whatever_generator=True)) == {S, T}
    process_events(world)

    assert numbers(world, T) == numbers(world, S) == ["1.0.0", "1.0.1"]


def test_a_change_meanwhile_is_the_republication(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.engine.republish([T])
    world.change(table(T, "a", "b"))

    process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.1.0"]
    assert record(world, T).republish_after is None


def test_what_has_no_package_is_not_published(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.drop(T)
    process_events(world)

    assert world.engine.republish([T, S]) == []


@pytest.mark.parametrize("points", range(1, 40, 3))
def test_a_crash_at_any_point_leaves_one_republication(world: Simulation, points: int) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.engine.republish([T])

    world.step("one", points)
    world.crash()
    world.clock.sleep(10.0)
    process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.0.1"]
    assert record(world, T).republish_after is None
