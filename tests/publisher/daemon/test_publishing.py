"""The packages that the engine publishes after a change, and those that it leaves unchanged."""

from __future__ import annotations

from tests.publisher.daemon.simulated import (
    T,
    V,
    W,
    X,
    fields,
    numbers,
    process_events,
    record,
    rename,
)
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table, view


def test_a_new_table_is_published_once(world: Simulation) -> None:
    world.change(table(T, "a"))

    process_events(world)

    assert numbers(world, T) == ["1.0.0"]


def test_a_noise_event_publishes_nothing(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.change(table(T, "a"))

    process_events(world)

    assert numbers(world, T) == ["1.0.0"]


def test_an_added_column_reaches_every_view_below(world: Simulation) -> None:
    for relation in (table(T, "a"), view(V, T), view(W, V)):
        world.change(relation)
    process_events(world)
    world.change(table(T, "a", "b"))

    process_events(world)

    assert fields(world, W) == ["a", "b"]
    assert numbers(world, W) == ["1.0.0", "1.1.0"]


def test_a_change_stops_at_a_view_that_does_not_show_it(world: Simulation) -> None:
    for relation in (table(T, "a"), view(V, T, shape="narrow"), view(W, V)):
        world.change(relation)
    process_events(world)
    reads = world.catalog.reads
    derived = world.engine.counters.values()["derived"]
    world.change(table(T, "a", "b"))

    process_events(world)

    assert numbers(world, W) == ["1.0.0"]
    assert world.engine.counters.values()["derived"] == derived + 2  # T and V, not W
    assert world.catalog.reads > reads
    assert not record(world, W).stale


def test_a_diamond_is_derived_once_from_both_its_sides(world: Simulation) -> None:
    for relation in (table(T, "a"), view(V, T), view(X, T), view(W, V, X)):
        world.change(relation)
    process_events(world)
    world.change(table(T, "a", "b"))

    process_events(world)

    assert numbers(world, W) == ["1.0.0", "1.1.0"]


def test_a_generator_that_names_otherwise_begins_a_major_at_the_next_change(
    world: Simulation,
) -> None:
    rename(world, "camel case")
    for columns in ("a", "ab"):
        world.change(table(T, *columns))
        process_events(world)
    rename(world, "snake case")
    for columns in ("abc", "abcd"):
        world.change(table(T, *columns))
        process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.1.0", "2.0.0", "2.1.0"]


def test_there_and_back_again_gives_three_versions(world: Simulation) -> None:
    for columns in (("a",), ("b",), ("a",)):
        world.change(table(T, *columns))
        process_events(world)

    assert numbers(world, T) == ["1.0.0", "2.0.0", "3.0.0"]


def test_a_change_that_was_taken_back_is_published_after_the_version_reserved_for_it(
    world: Simulation,
) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.change(table(T, "a", "b"))
    world.index.unstored = 1.0
    world.deliver(0)
    world.engine.work()
    world.index.unstored = 0.0
    world.change(table(T, "a"))

    process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.1.0", "2.0.0"]
    assert fields(world, T) == ["a"]
