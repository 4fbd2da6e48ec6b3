"""A failure of one relation affects only it and its dependents."""

from __future__ import annotations

import pytest

from lakeschema.catalog.relations import Relation
from lakeschema.translation.model.outcome import Status
from tests.publisher.daemon.simulated import T, V, W, X, fields, numbers, process_events, record
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table, view


def test_a_view_that_comes_before_its_table_waits_for_it(world: Simulation) -> None:
    world.change(view(V, T))
    process_events(world)
    assert record(world, V).status is Status.BROKEN
    assert "d.t does not exist" in record(world, V).reason

    world.change(table(T, "a"))
    process_events(world)

    assert record(world, V).status is Status.OK
    assert fields(world, V) == ["a"]


def test_a_broken_view_blocks_its_dependents_and_nothing_else(world: Simulation) -> None:
    for relation in (
        table(T, "a"),
        view(V, T, shape="nonsense"),
        view(W, V),
        view(X, T),
    ):
        world.change(relation)

    process_events(world)

    assert record(world, V).reason == "the text is nonsense"
    assert (record(world, W).status, "d.v" in record(world, W).reason) == (Status.BROKEN, True)
    assert numbers(world, X) == ["1.0.0"]


def test_dependents_recover_with_it(world: Simulation) -> None:
    for relation in (table(T, "a"), view(V, T, shape="unsupported"), view(W, V)):
        world.change(relation)
    process_events(world)
    assert record(world, V).status is Status.UNSUPPORTED

    world.change(view(V, T))
    process_events(world)

    assert fields(world, W) == ["a"]
    assert record(world, W).reason == ""


def test_views_on_each_other_are_a_cycle_until_one_is_changed(world: Simulation) -> None:
    for relation in (table(T, "a"), view(V, W), view(W, V), view(X, W)):
        world.change(relation)
    process_events(world)

    assert {record(world, n).status for n in (V, W)} == {Status.CYCLE}
    assert "d.v → d.w → d.v" in record(world, V).reason
    assert record(world, X).status is Status.BROKEN

    world.change(view(V, T))
    process_events(world)

    assert {record(world, n).status for n in (V, W, X)} == {Status.OK}


def test_a_view_on_itself_is_a_cycle(world: Simulation) -> None:
    world.change(view(V, V))
    process_events(world)
    world.change(view(V, V, shape="narrow"))

    process_events(world)

    assert record(world, V).status is Status.CYCLE


def test_a_change_above_a_cycle_leaves_nothing_waiting(world: Simulation) -> None:
    for relation in (table(T, "a"), view(V, W, T), view(W, V), view(X, W)):
        world.change(relation)
    process_events(world)

    world.change(table(T, "a", "b"))
    process_events(world)

    assert not any(record(world, n).stale for n in (T, V, W, X))


def test_a_derivation_that_keeps_crashing_is_quarantined_and_others_continue(
    world: Simulation,
) -> None:
    world.change(table(T, "a"))
    world.change(view(V, T, shape="crashing"))
    world.change(view(W, T))

    process_events(world)

    assert record(world, V).status is Status.QUARANTINED
    assert "crashed 3 times" in record(world, V).reason
    assert numbers(world, W) == ["1.0.0"]

    world.change(view(V, T))
    process_events(world)

    assert record(world, V).status is Status.OK


@pytest.mark.parametrize(
    ("mended", "status"), [(view(V, T), Status.OK), (view(V, W, T), Status.CYCLE)]
)
def test_a_member_of_a_cycle_whose_derivation_crashed_takes_the_others_along(
    world: Simulation, mended: Relation, status: Status
) -> None:
    for relation in (table(T, "a"), view(V, W), view(W, V), view(X, W)):
        world.change(relation)
    process_events(world)
    world.change(view(V, T, shape="crashing"))
    process_events(world)
    assert record(world, V).status is Status.QUARANTINED

    world.change(mended)
    process_events(world)

    assert {record(world, n).status for n in (V, W)} == {status}
    assert not record(world, X).stale
