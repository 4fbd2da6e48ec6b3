"""Changes of settings that shape every package, such as ``artifacts.immutable``."""

from __future__ import annotations

import pytest

from lakeschema.translation.model.outcome import Status
from publisher.publishing.versioning import REGENERATED
from publisher.selection import Selection
from tests.publisher.daemon.simulated import (
    S,
    T,
    V,
    choose,
    explain,
    fields,
    numbers,
    process_events,
    record,
    rename,
    select,
)
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table, view


@pytest.fixture(autouse=True)
def stated_names(world: Simulation) -> None:
    """Versions state the names that programs can use, as those of the real generator do."""
    rename(world, "camel case")


def test_the_next_snapshot_begins_a_major_version_of_each_package(world: Simulation) -> None:
    for relation in (table(T, "a"), view(V, T)):
        world.change(relation)
    process_events(world)
    choose(world, "immutable")

    world.engine.snapshot()
    process_events(world)

    assert numbers(world, T) == numbers(world, V) == ["1.0.0", "2.0.0"]
    assert explain(world, V).versions[-1].reasons == (REGENERATED,)
    assert not record(world, V).stale


def test_a_noise_event_before_the_snapshot_publishes_nothing(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    choose(world, "immutable")
    world.change(table(T, "a"))

    process_events(world)

    assert numbers(world, T) == ["1.0.0"]


def test_a_change_before_the_snapshot_begins_the_major_and_the_snapshot_adds_none(
    world: Simulation,
) -> None:
    world.change(table(T, "a"))
    process_events(world)
    choose(world, "immutable")
    world.change(table(T, "a", "b"))
    process_events(world)
    assert numbers(world, T) == ["1.0.0", "2.0.0"]

    world.engine.snapshot()
    process_events(world)

    assert numbers(world, T) == ["1.0.0", "2.0.0"]
    assert fields(world, T) == ["a", "b"]


def test_the_same_choices_ask_for_nothing_again(world: Simulation) -> None:
    choose(world, "immutable")
    world.change(table(T, "a"))
    process_events(world)
    world.engine.snapshot()
    process_events(world)
    choose(world, "immutable")

    world.engine.snapshot()

    assert world.engine.status().work == []
    assert numbers(world, T) == ["1.0.0"]


def test_taking_a_choice_back_is_a_major_version_again(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    for build_options_key in ("immutable", ""):
        choose(world, build_options_key)
        world.engine.snapshot()
        process_events(world)

    assert numbers(world, T) == ["1.0.0", "2.0.0", "3.0.0"]


def test_what_was_derived_under_choices_that_no_snapshot_saw_is_derived_again(
    world: Simulation,
) -> None:
    for relation in (table(S, "a"), table(T, "a")):
        world.change(relation)
    process_events(world)
    choose(world, "immutable")
    world.engine.snapshot()
    process_events(world)
    choose(world, "")
    world.change(table(T, "a", "b"))
    process_events(world)
    choose(world, "immutable")

    world.engine.snapshot()
    process_events(world)

    assert numbers(world, T) == ["1.0.0", "2.0.0", "3.0.0", "4.0.0"]
    assert numbers(world, S) == ["1.0.0", "2.0.0"]
    assert world.engine.snapshot().differing == 0


def test_choices_that_another_process_carried_out_reach_the_packages_after_a_restart(
    world: Simulation,
) -> None:
    world.change(table(T, "a"))
    process_events(world)
    daemon = world.engine
    choose(world, "immutable")
    world.engine.snapshot()
    assert daemon.drain(600.0)
    choose(world, "immutable")

    world.engine.snapshot()
    process_events(world)

    assert numbers(world, T) == ["1.0.0", "2.0.0"]
    assert world.engine.snapshot().differing == 0


def test_what_has_no_package_gets_none_by_other_choices(world: Simulation) -> None:
    select(world, Selection(exclude=("*.s",)))
    for relation in (table(S, "a"), view(V, S, shape="nonsense")):
        world.change(relation)
    process_events(world)
    choose(world, "immutable")

    world.engine.snapshot()
    process_events(world)

    assert numbers(world, S) == numbers(world, V) == []
    assert record(world, V).status is Status.BROKEN
