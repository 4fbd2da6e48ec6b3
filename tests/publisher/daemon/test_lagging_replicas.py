"""A late event, or a lost state, and a replica of the catalog that lags: nothing older is published."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeschema.translation.model.outcome import Status
from publisher.events.protocol import Batch, NamespaceHint, RelationHint
from publisher.state.records import RelationRecord
from tests.publisher.daemon.simulated import T, numbers, process_events, record
from tests.publisher.daemon.test_event_ids import lag, published_columns
from tests.simulation.simulation import LAG_SECONDS, Simulation
from tests.simulation.toy import table


def receive(world: Simulation, hint: RelationHint | NamespaceHint) -> None:
    world.engine.receive("kafka", Batch([hint], [], "1"))


def known(world: Simulation) -> dict[str, RelationRecord]:
    records = world._inner.read(lambda tx: tx.graph.every_record())
    return {str(name): found for name, found in records.items()}


def publish_two_versions(world: Simulation) -> None:
    """Of which a lagging replica still shows the first."""
    world.change(table(T, "a"))
    process_events(world)
    world.clock.sleep(LAG_SECONDS)
    world.change(table(T, "a", "b"))
    process_events(world)


def test_a_late_event_of_a_relation_that_was_dropped_unpublished_makes_no_package(
    world: Simulation,
) -> None:
    created = world.catalog.change(table(T, "a"))
    world.clock.sleep(LAG_SECONDS)
    dropped = world.catalog.drop(T)
    receive(world, RelationHint(T, dropped))
    world.engine.work()
    lag(world, LAG_SECONDS)
    receive(world, RelationHint(T, created))

    assert world.engine.drain(600.0)

    assert numbers(world, T) == []


def test_a_relation_that_never_existed_is_forgotten_once_every_replica_shows_that(
    world: Simulation,
) -> None:
    receive(world, RelationHint(T, 0))
    world.engine.work()
    assert record(world, T).status is Status.MISSING

    assert world.engine.drain(600.0)

    assert known(world) == {}


def test_a_relation_that_never_existed_is_forgotten_at_once_where_the_catalog_has_no_ids(
    world: Simulation,
) -> None:
    world.catalog.has_event_ids = False
    world.engine.resync([T])

    world.engine.work()

    assert known(world) == {}


def test_a_late_event_of_a_dropped_namespace_makes_no_package(world: Simulation) -> None:
    created = world.catalog.change(table(T, "a"))
    world.clock.sleep(LAG_SECONDS)
    dropped = world.catalog.drop(T)
    lag(world, LAG_SECONDS)
    receive(world, NamespaceHint(T.place, dropped))
    receive(world, RelationHint(T, created))

    assert world.engine.drain(600.0)

    assert numbers(world, T) == []


def test_a_lost_state_lets_no_older_content_follow_a_newer_one(world: Simulation) -> None:
    publish_two_versions(world)
    _lose_state_and_lag(world)

    world.engine.resync([T])
    assert world.engine.drain(600.0)

    assert published_columns(world) == [["a"], ["a", "b"]]


def test_a_lost_state_that_a_snapshot_restores_lets_no_older_content_follow(
    world: Simulation,
) -> None:
    publish_two_versions(world)
    _lose_state_and_lag(world)

    world.engine.snapshot()
    assert world.engine.drain(600.0)

    assert published_columns(world) == [["a"], ["a", "b"]]


@pytest.mark.parametrize("columns", ["a", "abc"])
def test_a_package_found_during_a_reading_demands_a_newer_one(
    world: Simulation, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    publish_two_versions(world)
    if columns != "a":
        world.catalog.change(table(T, *columns))
    _lose_state_and_lag(world)
    world.engine.resync([T])
    investigate = world.engine._investigator.investigate

    def meanwhile(readings: object) -> object:
        monkeypatch.undo()
        world.engine.adopt()
        return investigate(readings)  # type: ignore[arg-type]  # passed on

    monkeypatch.setattr(world.engine._investigator, "investigate", meanwhile)

    assert world.engine.drain(600.0)

    expected = [["a"], ["a", "b"]] if columns == "a" else [["a"], ["a", "b"], ["a", "b", "c"]]
    assert published_columns(world) == expected


def _lose_state_and_lag(world: Simulation) -> None:
    for path in Path(world.folder or "").glob("state.db*"):
        path.unlink()
    world._reopen()
    lag(world, LAG_SECONDS)
