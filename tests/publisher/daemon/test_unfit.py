"""Relations that can be derived but not packaged."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.publisher.daemon.simulated import T, V, numbers, process_events, record, refuse
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table, view


def test_an_unfit_table_says_why_and_the_view_above_it_gets_its_package(world: Simulation) -> None:
    refuse(world, T)
    world.change(table(T, "a"))
    world.change(view(V, T))

    process_events(world)

    assert record(world, T).reason == "cannot be packaged: R: the generator has no form for it"
    assert record(world, T).is_unfit
    assert not record(world, T).withheld
    assert [troubled.name for troubled in world.engine.status().troubled] == [T]
    assert numbers(world, T) == []
    assert numbers(world, V) == ["1.0.0"]


def test_the_same_generator_is_not_asked_again_by_a_snapshot(world: Simulation) -> None:
    refuse(world, T)
    world.change(table(T, "a"))
    process_events(world)
    world.engine.snapshot()
    process_events(world)

    assert world.engine.snapshot().differing == 0
    assert world.engine.status().work == []


def test_another_generator_packages_it_at_the_next_snapshot(world: Simulation) -> None:
    refuse(world, T)
    world.change(table(T, "a"))
    process_events(world)
    world.engine.snapshot()
    process_events(world)
    refuse(world, generator="newer")

    world.engine.snapshot()
    process_events(world)

    assert numbers(world, T) == ["1.0.0"]
    assert not record(world, T).reason


def test_what_other_checks_refused_is_packaged_at_the_next_snapshot(world: Simulation) -> None:
    refuse(world, T, checks="strict")
    world.change(table(T, "a"))
    process_events(world)
    world.engine.snapshot()
    process_events(world)
    refuse(world, checks="off")

    world.engine.snapshot()
    process_events(world)

    assert numbers(world, T) == ["1.0.0"]
    assert world.engine.status().troubled == []


def _resync(world: Simulation) -> None:
    world.engine.resync([T])


def _republish(world: Simulation) -> None:
    assert world.engine.republish([T]) == [T]


def _refill(world: Simulation) -> None:
    world.engine.refill()


RETRIES = [_resync, _republish, _refill]


@pytest.mark.parametrize("retry", RETRIES)
def test_an_operator_has_it_tried_again(
    world: Simulation, retry: Callable[[Simulation], None]
) -> None:
    refuse(world, T)
    world.change(table(T, "a"))
    process_events(world)

    retry(world)
    process_events(world)
    assert record(world, T).is_unfit
    refuse(world)
    retry(world)
    process_events(world)

    assert numbers(world, T) == ["1.0.0"]
    assert not record(world, T).reason


@pytest.mark.parametrize("retry", RETRIES)
def test_its_next_version_is_published_once_it_is_tried_again(
    world: Simulation, retry: Callable[[Simulation], None]
) -> None:
    world.change(table(T, "a"))
    process_events(world)
    refuse(world, T)
    world.change(table(T, "a", "b"))
    process_events(world)
    refuse(world)

    retry(world)
    process_events(world)
    world.engine.snapshot()
    process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.1.0"]


def test_a_change_that_makes_it_fit_publishes_it(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    refuse(world, T)
    world.change(table(T, "a", "b"))
    process_events(world)
    assert numbers(world, T) == ["1.0.0"]
    refuse(world)

    world.change(table(T, "a", "b", "c"))
    process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.1.0"]
