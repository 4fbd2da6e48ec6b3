"""The engine and hints, irrelevant events, and events that cannot be decoded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Relation
from publisher.events.protocol import Batch, DeadLetter, NamespaceHint, RelationHint
from tests.publisher.daemon.simulated import T, fields, numbers, process_events
from tests.simulation.simulation import POLICY, Simulation
from tests.simulation.toy import table


def test_a_namespace_event_reads_every_known_relation_of_it(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.catalog.change(table(T, "b"))

    world.engine.receive("s", Batch([NamespaceHint(Namespace(("d",)), None)], [], "9"))
    world.engine.drain(600.0)

    assert fields(world, T) == ["b"]


def test_a_namespace_event_reads_what_was_named_and_never_read(world: Simulation) -> None:
    """Else a replica that lags shows the relation as it was before the namespace was dropped."""
    world.change(table(T, "a"))
    world.deliver(0)
    event_id = world.catalog.drop(T)

    hint = NamespaceHint(T.place, event_id)
    world.engine.receive("source", Batch([hint], [], str(event_id)))

    (claim,) = world.engine.claim()
    assert (claim.relation, claim.min_event_id) == (T, event_id)


def test_an_undecodable_event_is_kept_and_its_database_is_read(world: Simulation) -> None:
    world.catalog.change(table(T, "a"))

    world.engine.receive("s", Batch([], [DeadLetter(b"{", "no json", Namespace(("d",)))], "1"))
    world.engine.drain(600.0)

    assert numbers(world, T) == ["1.0.0"]
    (letter,) = world._inner.read(lambda tx: tx.journal.dead_letters())
    assert letter.payload == b"{"
    assert world.engine.status().dead_letters == 1


def test_an_undecodable_event_without_a_database_requests_a_snapshot(world: Simulation) -> None:
    world.engine.receive("s", Batch([], [DeadLetter(b"{", "no json", None)], "1"))

    assert world.engine.snapshot_is_due()
    world.engine.snapshot()
    assert not world.engine.snapshot_is_due()


def test_a_batch_of_noise_costs_no_read_of_the_catalog(world: Simulation) -> None:
    world.engine.receive("s", Batch([], [], "41", seen=40))
    world.engine.drain(600.0)

    assert world.catalog.reads == 0
    assert world.engine.position("s") == "41"


def test_a_relation_that_keeps_changing_is_published_when_quiet(
    world: Simulation, tmp_path: Path
) -> None:
    (tmp_path / "slow").mkdir()
    policy = replace(POLICY, debounce_seconds=5.0, max_wait_seconds=60.0)
    slow = Simulation(tmp_path / "slow", lag_seconds=0.0, policy=policy)
    for columns in ("a", "ab", "abc", "abcd"):
        slow.change(table(T, *columns))
        slow.deliver(0)
        slow.clock.sleep(3.0)
        slow.engine.work()

    assert slow.engine.drain(600.0)

    assert numbers(slow, T) == ["1.0.0"]
    assert fields(slow, T) == list("abcd")
    slow.close()


def test_a_hint_without_an_event_id_is_read_twice(world: Simulation) -> None:
    world.catalog.has_event_ids = False
    world.catalog.change(table(T, "a"))
    world.engine.receive("s", Batch([RelationHint(T, None)], [], "1"))
    world.engine.work()
    # The replica catches up with a change that was behind the first hint.
    world.catalog.change(table(T, "b"))

    assert world.engine.drain(600.0)

    assert fields(world, T) == ["b"]


def test_an_unavailable_catalog_is_retried(world: Simulation) -> None:
    world.change(table(T, "a"))
    read = world.catalog.read
    failures = 5

    def failing(names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        nonlocal failures
        failures -= 1
        if failures >= 0:
            raise CatalogUnavailable("fake", "restarting")
        return read(names)

    world.catalog.read = failing  # type: ignore[method-assign]  # this one call misbehaves

    process_events(world)

    assert numbers(world, T) == ["1.0.0"]
    assert world.engine.counters.values()["put_off"] >= 1
