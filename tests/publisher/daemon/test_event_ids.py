"""Event ids are trusted for a while; then two readings decide, whatever an id says."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.events.protocol import Batch, DeadLetter, NamespaceHint, RelationHint
from publisher.settling.findings import Crashed, Finding, Reading
from tests.publisher.daemon.simulated import S, T, V, fields, numbers, process_events, record
from tests.simulation.simulation import LAG_SECONDS, Simulation
from tests.simulation.toy import content_of, table, view

FORGED = 999_999_999_999_999_999
HOUR = 3600.0


def lag(world: Simulation, seconds: float) -> None:
    """Every answer is as old as the bound allows, from now on."""
    catalog = world.catalog
    catalog.lag_seconds = seconds
    catalog._replica = lambda at_least: max(at_least, catalog._oldest_answer())  # type: ignore[method-assign]  # a double


def hint(world: Simulation, *names: RelationName, event_id: int | None = None) -> None:
    hints = [RelationHint(name, event_id) for name in names]
    world.engine.receive("kafka", Batch(hints, [], "1"))


def change_unseen(world: Simulation, *columns: str) -> int:
    return world.catalog.change(table(T, *columns))


def published_columns(world: Simulation) -> list[list[str]]:
    schemas = [json.loads(json.loads(content_of(w.data))[0]) for w in world.index.history]
    return [sorted(field["name"] for field in schema["fields"]) for schema in schemas]


def test_a_second_hint_during_the_first_ones_work_keeps_its_second_look(
    world: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.catalog.has_event_ids = False
    world.catalog.change(table(T, "a"))
    hint(world, T)
    assert world.engine.drain(600.0)
    lag(world, LAG_SECONDS)
    change_unseen(world, "a", "b")
    hint(world, T)
    world.clock.sleep(LAG_SECONDS)
    investigate = world.engine._investigator.investigate
    calls = 0

    def meanwhile(readings: Sequence[Reading]) -> Sequence[Finding | Crashed]:
        nonlocal calls
        calls += 1
        if calls == 1:
            change_unseen(world, "a", "b", "c")
            hint(world, T)
        return investigate(readings)

    monkeypatch.setattr(world.engine._investigator, "investigate", meanwhile)

    assert world.engine.drain(600.0)

    assert fields(world, T) == ["a", "b", "c"]


def test_a_second_look_that_is_owed_is_not_done_early_by_another_request(
    world: Simulation,
) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.clock.sleep(2.0)
    world.catalog.has_event_ids = False
    lag(world, LAG_SECONDS)
    change_unseen(world, "a", "b")
    hint(world, T)
    world.engine.work()

    # A dependent, for example, asks for the relation before its second look is due.
    world.engine.resync([T])
    world.engine.work()
    assert world.engine.drain(600.0)

    assert fields(world, T) == ["a", "b"]


def test_a_relation_that_waited_for_something_else_does_not_miss_what_a_replica_lacks(
    world: Simulation,
) -> None:
    world.index.down = True
    world.change(table(T, "a"))
    world.deliver(0)
    for _ in range(20):
        world.engine.work()
        world.clock.sleep(1.0)
    world.index.down = False
    lag(world, LAG_SECONDS)
    hint(world, T, event_id=change_unseen(world, "a", "b"))

    assert world.engine.drain(600.0)

    assert fields(world, T) == ["a", "b"]


def test_a_hint_with_an_id_is_read_twice_where_the_catalog_has_no_ids(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    world.catalog.has_event_ids = False
    lag(world, LAG_SECONDS)
    event_id = change_unseen(world, "a", "b")
    hint(world, T, event_id=event_id)

    assert world.engine.drain(600.0)

    assert fields(world, T) == ["a", "b"]


def test_a_hint_without_an_id_beside_one_with_an_id_is_read_twice(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    seen = change_unseen(world, "a", "b")
    world.clock.sleep(2.0)
    lag(world, LAG_SECONDS)
    change_unseen(world, "a", "b", "c")
    undecodable = DeadLetter(b"x", "no json", T.place)

    world.engine.receive("log", Batch([RelationHint(T, seen)], [undecodable], "3"))
    assert world.engine.drain(600.0)

    assert fields(world, T) == ["a", "b", "c"]


def test_an_id_that_the_catalog_never_reaches_delays_for_a_while_only(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    hint(world, T, event_id=FORGED)
    world.change(table(T, "a", "b"))

    process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.1.0"]
    assert world.engine.status().work == []
    assert world.engine.counters.values()["unproven_readings"] >= 1


def test_a_forged_event_of_a_namespace_freezes_none_of_its_relations(world: Simulation) -> None:
    for relation in (table(T, "a"), table(S, "a"), view(V, T)):
        world.change(relation)
    process_events(world)
    world.engine.receive("kafka", Batch([NamespaceHint(T.place, FORGED)], [], "7"))

    for n in range(3):
        world.change(table(T, "a", f"c{n}"))
        world.change(table(S, "a", f"c{n}"))
        process_events(world)

    assert len(numbers(world, T)) == len(numbers(world, S)) == len(numbers(world, V)) == 4


def test_what_waits_for_an_id_is_shown(world: Simulation) -> None:
    world.catalog.change(table(T, "a"))
    hint(world, T, event_id=FORGED)

    world.engine.work()

    (work,) = world.engine.status().work
    assert work.last_error == "waits for the catalog to show a newer event"


def test_a_forged_id_that_is_repeated_without_pause_freezes_nothing(world: Simulation) -> None:
    world.change(table(T, "a"))
    process_events(world)
    change_unseen(world, "a", "b")

    for second in range(10):
        hint(world, T, event_id=FORGED + second)
        world.engine.work()
        world.clock.sleep(1.0)

    assert fields(world, T) == ["a", "b"]


def restart_ids(world: Simulation) -> None:
    """The catalog is restored: its events are numbered from the start again."""
    newest = {name: replace(r, columns=table(name, "z").columns) if not r.is_view else r
              for name, r in world.catalog.states[-1].items()}  # fmt: skip
    world.catalog.states[:] = [{}, newest]
    world.catalog.times[:] = world.catalog.times[:2]


def test_ids_that_start_again_are_noticed_by_a_hint(world: Simulation) -> None:
    for columns in ("a", "b", "c"):
        world.change(table(T, columns))
    world.change(view(V, T))
    process_events(world)
    restart_ids(world)

    hint(world, T, event_id=1)
    assert world.engine.drain(600.0)

    assert (fields(world, T), fields(world, V)) == (["z"], ["z"])
    assert record(world, T).read_event_id == 1


def test_ids_that_start_again_are_noticed_by_a_snapshot(world: Simulation) -> None:
    for columns in ("a", "b", "c"):
        world.change(table(T, columns))
    world.change(view(V, T))
    process_events(world)
    restart_ids(world)

    world.engine.snapshot()
    assert world.engine.drain(600.0)

    assert (fields(world, T), fields(world, V)) == (["z"], ["z"])


def test_a_view_of_an_upstream_read_before_ids_started_again_is_published(
    world: Simulation,
) -> None:
    for columns in ("a", "b", "c"):
        world.change(table(T, columns))
    process_events(world)
    kept = world.catalog.states[-1]
    world.catalog.states[:] = [kept, {**kept, V: view(V, T)}]
    world.catalog.times[:] = world.catalog.times[:2]

    hint(world, V, event_id=1)
    assert world.engine.drain(600.0)

    assert fields(world, V) == ["c"]


@pytest.mark.parametrize("seed", range(20))
def test_a_gap_of_one_source_lets_no_older_state_follow_a_newer_one(
    tmp_path: Path, seed: int
) -> None:
    world = Simulation(tmp_path, seed=seed, lag_seconds=LAG_SECONDS)
    world.index.overwrites = False
    for columns in ("a", "ab", "abc"):
        world.change(table(T, *columns))
        process_events(world)
        # What the daemon does when another source lost events.
        world.engine.snapshot()
        assert world.engine.drain(600.0)
    world.clock.sleep(HOUR)

    assert published_columns(world) == [["a"], ["a", "b"], ["a", "b", "c"]]
    world.close()
