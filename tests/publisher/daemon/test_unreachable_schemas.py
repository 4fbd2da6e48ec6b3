"""Tables whose schema is in separate files, which cannot be read."""

from __future__ import annotations

from dataclasses import replace

from lakeschema.catalog.relations import Dialect, Relation, SchemaPointer, TableFormat
from lakeschema.translation.model.outcome import Status
from tests.publisher.daemon.simulated import T, V, fields, numbers, process_events, record
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table, view

REASON = "s3://lake/t cannot be read; check that it answers"


def unreachable() -> Relation:
    pointer = SchemaPointer(TableFormat.DELTA, "s3://lake/t")
    return replace(table(T), columns=(), unreadable=REASON, schema_pointer=pointer)


def test_a_table_that_was_read_before_keeps_its_package_and_what_reads_it(
    world: Simulation,
) -> None:
    world.change(table(T, "a"))
    world.change(view(V, T))
    process_events(world)
    before = record(world, T), record(world, V)

    world.change(unreachable())
    world.engine.snapshot()
    world.engine.drain(1.0)

    assert (record(world, T), record(world, V)) == before
    assert record(world, T).status is Status.OK
    assert numbers(world, T) == ["1.0.0"]
    (work,) = world.engine.status().work
    assert work.last_error == f"its schema is in files of Delta: {REASON}"


def test_it_is_read_again_without_an_event(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.change(unreachable())
    world.deliver(0)
    world.engine.drain(1.0)

    world.change(table(T, "a", "b"))
    world.undelivered.clear()
    assert world.engine.drain(3600.0)

    assert fields(world, T) == ["a", "b"]


def test_a_table_that_was_never_read_says_why_and_so_does_what_reads_it(world: Simulation) -> None:
    world.change(unreachable())
    world.change(view(V, T))
    process_events(world)

    assert record(world, T).status is Status.UNREACHABLE
    assert record(world, T).reason == REASON
    assert record(world, V).status is Status.BROKEN
    assert "d.t" in record(world, V).reason

    world.change(table(T, "a"))
    process_events(world)

    assert numbers(world, T) == ["1.0.0"]
    assert numbers(world, V) == ["1.0.0"]


def test_a_view_that_recorded_its_columns_gets_its_package_before_the_table(
    world: Simulation,
) -> None:
    above = view(V, T)
    assert above.view is not None
    spark = replace(above.view, dialect=Dialect.SPARK)
    world.change(unreachable())
    world.change(replace(above, view=spark, columns=table(V, "recorded").columns))

    process_events(world)

    assert record(world, T).status is Status.UNREACHABLE
    assert fields(world, V) == ["recorded"]

    world.change(table(T, "a"))
    process_events(world)

    assert fields(world, V) != ["recorded"]


def test_a_view_waits_for_its_second_reading_of_the_table(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.change(unreachable())
    world.change(view(V, T))
    world.deliver(1)
    world.engine.drain(1.0)
    assert numbers(world, V) == []

    world.change(table(T, "a"))
    assert world.engine.drain(3600.0)

    assert numbers(world, V) == ["1.0.0"]
