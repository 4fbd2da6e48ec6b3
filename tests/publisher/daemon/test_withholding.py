"""Relations that get no package, by the settings or by their own property."""

from __future__ import annotations

from dataclasses import replace

from lakeschema.catalog.relations import Relation
from publisher.selection import EVERYTHING, OPT_OUT, Selection
from tests.publisher.daemon.simulated import S, T, V, numbers, process_events, record, select
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table, view


def test_a_withheld_table_gets_no_package_and_the_view_above_it_does(world: Simulation) -> None:
    select(world, Selection(exclude=("*.t",)))
    world.change(table(T, "a"))
    world.change(view(V, T))

    process_events(world)

    assert numbers(world, T) == []
    assert numbers(world, V) == ["1.0.0"]
    assert record(world, T).withheld
    assert not world.engine.status().troubled


def test_a_snapshot_finds_nothing_to_do_for_what_is_withheld(world: Simulation) -> None:
    select(world, Selection(exclude=("*.t",)))
    world.change(table(T, "a"))
    process_events(world)

    assert world.engine.snapshot().differing == 0
    assert world.engine.status().work == []


def test_other_patterns_take_effect_at_the_next_snapshot(world: Simulation) -> None:
    select(world, Selection(exclude=("*.t",)))
    world.change(table(T, "a"))
    world.change(table(S, "a"))
    process_events(world)
    select(world, Selection(exclude=("*.s",)))
    world.engine.snapshot()
    process_events(world)
    world.change(table(T, "a", "b"))
    world.change(table(S, "a", "b"))

    process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.1.0"]
    assert numbers(world, S) == ["1.0.0"]


def test_patterns_that_changed_and_changed_back_leave_nothing_withheld(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.engine.snapshot()
    select(world, Selection(exclude=("*.t",)))
    world.change(table(T, "a", "b"))
    process_events(world)
    select(world, EVERYTHING)

    world.engine.snapshot()
    process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.1.0"]


def test_patterns_that_another_process_carried_out_hold_after_a_restart(world: Simulation) -> None:
    select(world, Selection(exclude=("*.t",)))
    world.change(table(T, "a"))
    process_events(world)
    daemon = world.engine
    select(world, EVERYTHING)
    world.engine.snapshot()
    assert daemon.drain(600.0)
    select(world, EVERYTHING)

    world.engine.snapshot()
    process_events(world)

    assert numbers(world, T) == ["1.0.0"]


def test_the_same_patterns_ask_for_nothing_again(world: Simulation) -> None:
    select(world, Selection(exclude=("*.t",)))
    world.change(table(T, "a"))
    process_events(world)
    world.engine.snapshot()
    select(world, Selection(exclude=("*.t",)))
    reads = world.catalog.reads

    world.engine.snapshot()

    assert world.catalog.reads == reads + 1
    assert world.engine.status().work == []


def test_a_property_withholds_a_table_until_it_is_taken_back(world: Simulation) -> None:
    world.change(withheld(table(T, "a")))
    process_events(world)
    assert numbers(world, T) == []
    world.change(table(T, "a"))
    process_events(world)
    world.change(withheld(table(T, "a", "b")))
    process_events(world)
    assert numbers(world, T) == ["1.0.0"]
    world.change(table(T, "a", "b"))

    process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.1.0"]


def withheld(relation: Relation) -> Relation:
    return replace(relation, properties={OPT_OUT: "false"})
