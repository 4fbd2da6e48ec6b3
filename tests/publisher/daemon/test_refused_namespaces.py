"""A namespace that the catalog refuses to list is reported, and affects no other namespace."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.daemon.threads import Daemon, Schedule
from publisher.events.protocol import Batch, DeadLetter
from tests.publisher.daemon.simulated import T, numbers, process_events
from tests.publisher.daemon.test_daemon import FakeSource
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table
from tests.waiting import eventually

PRIVATE = RelationName.of("private", "p")


def refuse(world: Simulation, error: Exception) -> None:
    relations = world.catalog.relations

    def refusing(namespace: Namespace) -> Sequence[RelationName]:
        if namespace == PRIVATE.place:
            raise error
        return relations(namespace)

    world.catalog.relations = refusing  # type: ignore[method-assign]  # a double


DENIED = CatalogRefused("fake", "the tables of private", "permission denied")
BREAKING = CatalogUnavailable("fake", "connection reset")


@pytest.mark.parametrize("error", [DENIED, BREAKING, ValueError("not a name")], ids=str)
def test_a_snapshot_compares_the_other_namespaces(world: Simulation, error: Exception) -> None:
    world.change(table(PRIVATE, "a"))
    process_events(world)
    refuse(world, error)
    world.catalog.change(table(T, "a"))

    report = world.engine.snapshot()
    world.engine.drain(600.0)

    assert numbers(world, T) == ["1.0.0"]
    assert report.refused == {"private": str(error)}
    assert world.engine.status().notes["@refused/private"] == str(error)


def test_nothing_is_concluded_about_deletions_in_it(world: Simulation) -> None:
    world.change(table(PRIVATE, "a"))
    process_events(world)
    refuse(world, DENIED)

    report = world.engine.snapshot()

    assert (report.missing, report.held) == (0, {})


def test_its_note_goes_when_the_catalog_lists_it_again(world: Simulation) -> None:
    world.catalog.change(table(PRIVATE, "a"))
    relations = world.catalog.relations
    refuse(world, DENIED)
    world.engine.snapshot()
    world.catalog.relations = relations  # type: ignore[method-assign]  # a double

    report = world.engine.snapshot()

    assert report.refused == {}
    assert "@refused/private" not in world.engine.status().notes


def test_a_catalog_that_is_away_is_not_taken_for_a_refusal(world: Simulation) -> None:
    world.catalog.change(table(PRIVATE, "a"))
    refuse(world, BREAKING)
    namespaces = world.catalog.namespaces
    answers = iter([namespaces()])

    def once() -> Sequence[Namespace]:
        for answer in answers:
            return answer
        raise BREAKING

    world.catalog.namespaces = once  # type: ignore[method-assign]  # a double

    with pytest.raises(CatalogUnavailable):
        world.engine.snapshot()


def test_an_undecodable_event_of_it_has_its_known_relations_read(world: Simulation) -> None:
    world.change(table(PRIVATE, "a"))
    process_events(world)
    refuse(world, DENIED)
    world.catalog.change(table(PRIVATE, "a", "b"))

    world.engine.receive("s", Batch([], [DeadLetter(b"{", "no json", PRIVATE.place)], "7"))
    world.engine.drain(600.0)

    assert world.engine.position("s") == "7"
    assert numbers(world, PRIVATE) == ["1.0.0", "1.1.0"]


def test_a_source_with_a_gap_begins(world: Simulation) -> None:
    world.stage.on_point = lambda: None
    world.catalog.change(table(PRIVATE, "a"))
    refuse(world, DENIED)
    source = FakeSource()
    schedule = Schedule(workers=1, snapshot_interval_seconds=3600.0, snapshot_on_start=False)
    daemon = Daemon(world.engine, [source], world.engine.compare_catalog, schedule)
    source.batches.put(Batch([], [], "1", gap="first start"))
    daemon.start()
    try:
        assert eventually(lambda: world.engine.position(source.name) == "1")
    finally:
        daemon.stop()
