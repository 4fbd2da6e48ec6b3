"""A message that cannot be decoded costs little, whatever it contains and however many come."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import MAX_PART_LENGTH, Namespace, RelationName
from lakeschema.translation.model.outcome import Status
from publisher.daemon.receiving import MAX_LISTED_NAMESPACES
from publisher.daemon.snapshot_turns import SnapshotTurns
from publisher.events.apiary_events import decode_apiary
from publisher.events.protocol import Batch, DeadLetter
from publisher.policy import DeadLetterLimit
from publisher.state.records import StoredDeadLetter
from tests.publisher.daemon.simulated import T, V, numbers, process_events, record
from tests.simulation.simulation import POLICY, Simulation
from tests.simulation.toy import table, view

UNREADABLE = DeadLetter(b"\xff", "no json", None)


def receive(world: Simulation, *messages: object) -> None:
    """Messages as JSON, of which each may be a letter already."""
    decoded = [
        m if isinstance(m, DeadLetter) else decode_apiary(json.dumps(m).encode()) for m in messages
    ]
    letters = [each for each in decoded if isinstance(each, DeadLetter)]
    hints = [hint for each in decoded if not isinstance(each, DeadLetter) for hint in each]
    world.engine.receive("kafka", Batch(hints, letters, "7", seen=len(messages)))


def kept(world: Simulation) -> list[StoredDeadLetter]:
    return list(world._inner.read(lambda tx: tx.journal.dead_letters()))


def event(name: str, database: str = "d") -> dict[str, object]:
    return {"eventType": "ON_ALTER_TABLE", "dbName": database, "tableName": name}


@pytest.mark.parametrize(
    "poison",
    [
        event("\ud800"),
        event("a\0b"),
        event("x" * 100_000),
        event("t", database="\ud800"),
        event("t", database="a\0b"),
        event("t", database="x" * 100_000),
        {**event("t"), "oldTableName": "\ud800"},
        {"eventType": "DROP_DATABASE", "dbName": "\udfff"},
    ],
    ids=lambda poison: json.dumps(poison)[:60],
)
def test_a_message_with_an_impossible_name_is_its_own_dead_letter(
    world: Simulation, poison: object
) -> None:
    world.catalog.change(table(T, "a"))

    receive(world, poison, event("t"))
    world.engine.drain(600.0)

    assert world.engine.position("kafka") == "7"
    assert "is not a relation name" in kept(world)[0].reason
    assert numbers(world, T) == ["1.0.0"]


def test_a_relation_with_an_impossible_name_is_left_out_of_a_snapshot(world: Simulation) -> None:
    world.catalog.change(table(T, "a"))
    world.catalog.change(table(RelationName.of("d", "a\0b"), "a"))

    world.engine.snapshot()

    assert world.engine.drain(600.0)
    assert numbers(world, T) == ["1.0.0"]


@pytest.mark.parametrize("name", ["x" * (MAX_PART_LENGTH + 1), "a\0b"], ids=["long", "NUL"])
def test_a_view_on_an_impossible_name_is_broken_and_delays_nothing(
    world: Simulation, name: str
) -> None:
    world.change(table(T, "a"))
    world.change(view(V, RelationName.of("d", name)))

    process_events(world)

    assert record(world, V).status is Status.BROKEN
    assert "is not a relation name" in record(world, V).reason
    assert numbers(world, T) == ["1.0.0"]


def test_a_relation_with_an_impossible_name_hides_no_other_from_a_snapshot(
    world: Simulation,
) -> None:
    world.catalog.change(table(RelationName.of("d", "\ud800"), "a"))
    world.catalog.change(table(T, "a"))

    report = world.engine.snapshot()
    world.engine.drain(600.0)

    assert report.listed == 1
    assert numbers(world, T) == ["1.0.0"]


def test_events_of_many_databases_request_a_snapshot_instead_of_lists(world: Simulation) -> None:
    lists = 0
    relations = world.catalog.relations

    def counting(namespace: Namespace) -> object:
        nonlocal lists
        lists += 1
        return relations(namespace)

    world.catalog.relations = counting  # type: ignore[method-assign,assignment]  # a double

    receive(world, *[DeadLetter(b"{", "no json", Namespace((f"db{n}",))) for n in range(500)])

    assert lists == MAX_LISTED_NAMESPACES
    assert world.engine.snapshot_is_due()


@pytest.mark.thorough
def test_a_flood_of_garbage_requests_a_snapshot_every_few_minutes(world: Simulation) -> None:
    turns = SnapshotTurns(
        world.engine,
        world.engine.compare_catalog,
        interval_seconds=3600.0,
        on_start=False,
        stopping=threading.Event(),
    )
    snapshots = 0
    for _ in range(1000):
        receive(world, UNREADABLE)
        if turns.is_due():
            turns.run()
            snapshots += 1
        world.clock.sleep(1.0)

    assert snapshots == 4


def test_a_request_by_garbage_is_not_repeated_when_nothing_new_came(world: Simulation) -> None:
    receive(world, UNREADABLE)
    world.engine.snapshot()
    world.clock.sleep(1000.0)

    assert not world.engine.snapshot_is_due()


@pytest.fixture
def bounded(tmp_path: Path) -> Iterator[Simulation]:
    limit = DeadLetterLimit(count=5, bytes=300, age_seconds=3600.0, payload_bytes=100, per_minute=3)
    policy = replace(POLICY, dead_letter_limit=limit)
    (tmp_path / "bounded").mkdir()
    simulation = Simulation(tmp_path / "bounded", lag_seconds=0.0, policy=policy)
    yield simulation
    simulation.close()


def test_of_a_long_payload_the_beginning_and_the_length_are_kept(bounded: Simulation) -> None:
    receive(bounded, DeadLetter(b"x" * 1_000_000, "no json", Namespace(("d",))))

    (letter,) = kept(bounded)
    assert (letter.payload, letter.payload_length) == (b"x" * 100, 1_000_000)


def test_of_a_flood_some_of_each_minute_are_kept_and_all_are_counted(bounded: Simulation) -> None:
    for _ in range(4):
        receive(bounded, *[DeadLetter(b"x", "no json", Namespace(("d",)))] * 10)

    counters = bounded.engine.counters.values()
    assert len(kept(bounded)) == 3
    assert (counters["dead_letters"], counters["dead_letters_not_kept"]) == (40, 37)


def test_the_newest_dead_letters_are_kept_up_to_a_number(bounded: Simulation) -> None:
    for n in range(8):
        receive(bounded, DeadLetter(b"%d" % n, "no json", Namespace(("d",))))
        bounded.clock.sleep(61.0)

    assert [letter.payload for letter in kept(bounded)] == [b"3", b"4", b"5", b"6", b"7"]


def test_the_newest_dead_letters_are_kept_up_to_a_size(bounded: Simulation) -> None:
    for _ in range(5):
        receive(bounded, DeadLetter(b"x" * 90, "no json", Namespace(("d",))))
        bounded.clock.sleep(61.0)

    assert len(kept(bounded)) == 3


def test_dead_letters_are_kept_for_a_time(bounded: Simulation) -> None:
    receive(bounded, DeadLetter(b"old", "no json", Namespace(("d",))))
    bounded.clock.sleep(3601.0)

    receive(bounded, DeadLetter(b"new", "no json", Namespace(("d",))))

    assert [letter.payload for letter in kept(bounded)] == [b"new"]
