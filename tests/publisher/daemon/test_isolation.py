"""An error of one relation, in any step, neither blames nor delays its batch mates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lakeschema.catalog.errors import CatalogRefused, CatalogUnavailable
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.translation.model.outcome import Outcome, Status
from publisher.index.protocol import IndexUnavailable
from tests.publisher.daemon.simulated import S, T, V, W, numbers, process_events, record
from tests.simulation.simulation import POLICY, Simulation
from tests.simulation.toy import ToyDeriver, ToyPackaging, table, view

# Not of hexadecimal digits alone, such as "bad": an address is part of the text of an object.
BAD = RelationName.of("d", "wrong")
GOOD = [RelationName.of("d", f"good{n}") for n in range(3)]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Simulation]:
    """One batch takes all work."""
    simulation = Simulation(tmp_path, lag_seconds=0.0, policy=replace(POLICY, batch_size=16))
    simulation.index.shows_sha = True
    simulation.index.overwrites = False
    yield simulation
    simulation.close()


def fail_for(name: RelationName, error: Exception, call: Callable[..., Any]) -> Callable[..., Any]:
    """``call``, which raises when an argument of it concerns ``name``."""

    def failing(*args: Any) -> Any:
        if any(str(name) in str(arg) or name.name in str(arg) for arg in args):
            raise error
        return call(*args)

    return failing


def publish_beside_the_bad_one(world: Simulation) -> None:
    """One turn of work on the bad relation and the good ones, all of them in one batch."""
    for name in (BAD, *GOOD):
        world.change(table(name, "a"))
    while world.undelivered:
        world.deliver(0)
    world.engine.work()


def failure_of_the_bad_one(world: Simulation) -> str:
    (work,) = world.engine.status().work
    assert work.relation == BAD
    assert work.lease_until <= world.clock.now()
    assert work.attempts == 0
    return work.last_error


def test_a_name_that_the_catalog_cannot_read_fails_alone(world: Simulation) -> None:
    refused = CatalogRefused("fake", "a read", "OutOfMemoryError")
    world.catalog.read = fail_for(BAD, refused, world.catalog.read)  # type: ignore[method-assign]  # a double

    publish_beside_the_bad_one(world)

    assert [numbers(world, name) for name in GOOD] == [["1.0.0"]] * 3
    assert "OutOfMemoryError" in failure_of_the_bad_one(world)


def test_a_name_that_breaks_the_connection_fails_alone(world: Simulation) -> None:
    broken = CatalogUnavailable("fake", "connection reset")
    world.catalog.read = fail_for(BAD, broken, world.catalog.read)  # type: ignore[method-assign]  # a double

    publish_beside_the_bad_one(world)

    assert [numbers(world, name) for name in GOOD] == [["1.0.0"]] * 3
    assert "connection reset" in failure_of_the_bad_one(world)


def test_a_name_that_can_be_read_once_an_outage_has_ended_does_not_fail(world: Simulation) -> None:
    read, failures = world.catalog.read, [CatalogUnavailable("fake", "restarting")] * 3

    def away_for_three_attempts(names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        if failures:
            raise failures.pop()
        return read(names)

    world.catalog.read = away_for_three_attempts  # type: ignore[method-assign]  # a double
    world.change(table(BAD, "a"))
    world.deliver(0)
    world.engine.work()

    assert numbers(world, BAD) == ["1.0.0"]
    assert "failures" not in world.engine.counters.values()


def test_a_catalog_that_is_away_is_not_a_failure_of_its_relations(world: Simulation) -> None:
    away = CatalogUnavailable("fake", "restarting")
    world.catalog.read = fail_for(BAD, away, world.catalog.read)  # type: ignore[method-assign]  # a double

    def namespaces() -> Sequence[Namespace]:
        raise away

    world.catalog.namespaces = namespaces  # type: ignore[method-assign]  # a double

    publish_beside_the_bad_one(world)

    assert "failures" not in world.engine.counters.values()
    assert {work.attempts for work in world.engine.status().work} == {0}


def test_a_refused_event_id_is_not_a_failure_of_the_relations(world: Simulation) -> None:
    def refuse() -> int | None:
        raise CatalogRefused("fake", "the current event id", "Internal error: shutting down")

    world.catalog.current_event_id = refuse  # type: ignore[method-assign]  # a double

    publish_beside_the_bad_one(world)

    assert "failures" not in world.engine.counters.values()


@pytest.mark.parametrize("step", ["derive", "inputs_hash", "interface_hash"])
def test_a_relation_that_the_deriver_raises_for_fails_alone(
    world: Simulation, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    raised = UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed")
    monkeypatch.setattr(ToyDeriver, step, fail_for(BAD, raised, getattr(ToyDeriver, step)))

    publish_beside_the_bad_one(world)

    assert [numbers(world, name) for name in GOOD] == [["1.0.0"]] * 3
    assert "surrogates" in failure_of_the_bad_one(world)


@pytest.mark.parametrize("step", ["content_hash", "build", "request"])
def test_a_relation_that_the_generator_raises_for_fails_alone(
    world: Simulation, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    raising = fail_for(BAD, RecursionError("too deep"), getattr(ToyPackaging, step))
    monkeypatch.setattr(ToyPackaging, step, raising)

    publish_beside_the_bad_one(world)

    assert [numbers(world, name) for name in GOOD] == [["1.0.0"]] * 3
    assert "too deep" in failure_of_the_bad_one(world)


@pytest.mark.parametrize("step", ["files", "upload"])
def test_a_relation_that_the_index_client_raises_for_fails_alone(
    world: Simulation, step: str
) -> None:
    raising = fail_for(BAD, ValueError("unreadable page"), getattr(world.index, step))
    setattr(world.index, step, raising)

    publish_beside_the_bad_one(world)

    assert [numbers(world, name) for name in GOOD] == [["1.0.0"]] * 3
    assert "unreadable page" in failure_of_the_bad_one(world)


@pytest.mark.parametrize("step", ["files", "upload"])
def test_a_project_that_the_index_has_no_answer_for_fails_alone(
    world: Simulation, step: str
) -> None:
    silent = IndexUnavailable("fake", "its page has an internal error", 500)
    setattr(world.index, step, fail_for(BAD, silent, getattr(world.index, step)))

    publish_beside_the_bad_one(world)

    assert [numbers(world, name) for name in GOOD] == [["1.0.0"]] * 3
    assert "internal error" in failure_of_the_bad_one(world)
    assert world.engine.counters.values()["failures"] == 1


def test_a_project_without_an_answer_waits_ever_longer(world: Simulation) -> None:
    silent = IndexUnavailable("fake", "its page has an internal error", 500)
    world.index.files = fail_for(BAD, silent, world.index.files)  # type: ignore[method-assign]  # a double
    publish_beside_the_bad_one(world)

    for _ in range(12):
        world.clock.sleep(POLICY.max_backoff_seconds)
        world.engine.work()

    (work,) = world.engine.status().work
    assert work.not_before - world.clock.now() > POLICY.max_retry_seconds


def test_two_projects_without_an_answer_side_by_side_starve_no_other(world: Simulation) -> None:
    beside = RelationName.of("d", "wrong2")
    silent = IndexUnavailable("fake", "its page has an internal error", 500)
    world.index.files = fail_for(BAD, silent, world.index.files)  # type: ignore[method-assign]  # a double
    world.change(table(beside, "a"))

    publish_beside_the_bad_one(world)
    for _ in range(5):
        world.clock.sleep(POLICY.max_retry_seconds)
        world.engine.work()

    assert [numbers(world, name) for name in GOOD] == [["1.0.0"]] * 3
    assert {work.relation for work in world.engine.status().work} == {BAD, beside}


def test_an_index_that_is_away_is_not_a_failure_of_its_relations(world: Simulation) -> None:
    world.index.down = True

    publish_beside_the_bad_one(world)

    counted = world.engine.counters.values()
    assert (counted["index_failures"], counted.get("failures", 0)) == (2, 0)


def test_a_relation_that_the_index_client_raises_for_when_it_was_dropped_fails_alone(
    world: Simulation,
) -> None:
    for name in (BAD, *GOOD):
        world.change(table(name, "a"))
    process_events(world)
    world.index.files = fail_for(BAD, ValueError("?"), world.index.files)  # type: ignore[method-assign]  # a double
    for name in (BAD, *GOOD):
        world.drop(name)
    while world.undelivered:
        world.deliver(0)

    world.engine.work()
    world.clock.sleep(POLICY.drop_grace_seconds)
    world.engine.work()

    assert len(world.index.yanked) == len(GOOD)
    assert failure_of_the_bad_one(world) == "ValueError: ?"


def test_a_second_reading_that_is_refused_quarantines_nothing(world: Simulation) -> None:
    for relation in (table(T, "a"), view(V, T), view(W, T), table(S, "a")):
        world.change(relation)
    process_events(world)
    read = world.catalog.read
    refusing = True

    def read_few(names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        if refusing and len(names) > 1:
            raise CatalogRefused("fake", "2 tables", "GC overhead limit exceeded")
        return read(names)

    world.catalog.read = read_few  # type: ignore[method-assign]  # a double
    world.change(table(T, "a", "b"))

    process_events(world)

    assert {record(world, n).status for n in (T, V, W)} == {Status.OK}
    assert numbers(world, V) == ["1.0.0", "1.1.0"]


def test_an_upstream_that_cannot_be_read_again_delays_its_own_dependents_only(
    world: Simulation,
) -> None:
    world.change(table(BAD, "a"))
    process_events(world)
    world.catalog.read = fail_for(  # type: ignore[method-assign]  # a double
        BAD, CatalogRefused("fake", "a read", "no permission"), world.catalog.read
    )
    for relation in (view(V, BAD), table(T, "a"), view(W, T)):
        world.change(relation)
    while world.undelivered:
        world.deliver(0)

    for _ in range(3):
        world.engine.work()

    assert (numbers(world, W), numbers(world, V)) == (["1.0.0"], [])
    (work,) = world.engine.status().work
    assert (work.relation, "no permission" in work.last_error) == (V, True)


def test_a_view_that_its_batch_mate_makes_a_cycle_costs_the_batch_nothing(
    world: Simulation,
) -> None:
    for relation in (table(W, "a"), view(V, W)):
        world.change(relation)
    world.index.down = True
    while world.undelivered:
        world.deliver(0)
    for _ in range(40):
        world.engine.work()
    world.index.down = False
    world.clock.sleep(1.0)
    # The view is unchanged and still owed to the index, and its upstream now reads it.
    world.change(view(W, V))
    for name in GOOD:
        world.change(table(name, "a"))
    while world.undelivered:
        world.deliver(0)
    world.clock.sleep(0.5)

    for _ in range(3):
        world.engine.work()

    assert {record(world, n).status for n in (V, W)} == {Status.CYCLE}
    assert [numbers(world, name) for name in GOOD] == [["1.0.0"]] * 3
    assert world.engine.status().work == []
    assert "failures" not in world.engine.counters.values()


def test_only_the_death_of_a_process_counts_towards_quarantine(
    world: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raising(*_: object) -> Outcome:
        raise MemoryError("in the parent")

    monkeypatch.setattr(ToyDeriver, "derive", raising)
    world.change(table(T, "a"))
    while world.undelivered:
        world.deliver(0)
    for _ in range(20):
        world.engine.work()
        world.clock.sleep(POLICY.max_retry_seconds)
    monkeypatch.undo()

    assert world.engine.drain(600.0)

    assert record(world, T).status is Status.OK
