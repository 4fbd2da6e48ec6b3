"""A worker that pauses between two steps while another continues: what it may still do afterwards."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from codegen.package import Wheel
from lakeschema.catalog.facts_json import facts_hash
from lakeschema.translation.model.outcome import Status
from publisher.daemon.threads import Daemon, Schedule
from publisher.events.protocol import Batch, RelationHint
from publisher.index.protocol import IndexUnavailable
from publisher.publishing.upload import DROPPED, Delivery, WheelUploader
from publisher.state.records import VersionStatus
from tests.publisher.daemon.simulated import S, T, V, W, fields, numbers, process_events, record
from tests.publisher.index.wheels import sample_wheel
from tests.simulation.simulation import Simulation
from tests.simulation.stage import Stage
from tests.simulation.toy import table, view
from tests.simulation.world import FakeClock, FakeIndex


def pause_before(world: Simulation, label: str, times: int = 1, worker: str = "one") -> None:
    """The worker goes on until it stands before such a point, for the last of so many times."""
    if not world.stage.is_busy(worker):
        world.stage.start(worker, world.engine.work)
    for _ in range(times):
        world.stage.step(worker)
        while world.stage.at(worker) != label:
            world.stage.step(worker)


def pause_before_reserving(world: Simulation) -> None:
    """After the second reading."""
    pause_before(world, "index page")
    pause_before(world, "catalog read")
    pause_before(world, "write")


@pytest.mark.parametrize("has_event_ids", [True, False])
def test_a_worker_that_lost_its_claim_settles_nothing(
    world: Simulation, *, has_event_ids: bool
) -> None:
    """Also of a catalog whose event ids would tell that its reading is older."""
    world.catalog.has_event_ids = has_event_ids
    world.change(table(T, "a"))
    process_events(world)
    world.change(table(T, "a", "b"))
    world.deliver(0)
    pause_before(world, "write", times=2)
    world.change(table(T, "a", "b", "c"))
    world.deliver(0)
    world.clock.sleep(world.policy.lease_seconds + 1)
    while world.engine.work():
        pass

    world.stage.finish("one")

    assert record(world, T).facts_hash == facts_hash(world.catalog.states[-1][T])
    assert fields(world, T) == ["a", "b", "c"]


def test_a_worker_that_lost_its_claim_reserves_nothing(world: Simulation) -> None:
    """Also if the table is meanwhile as it was: an older number would follow a newer one."""
    world.change(table(T, "a"))
    process_events(world)
    world.change(table(T, "a", "b"))
    world.deliver(0)
    pause_before(world, "index page")
    pause_before(world, "write")
    world.change(table(T, "b"))
    world.deliver(0)
    world.clock.sleep(world.policy.lease_seconds + 1)
    while world.engine.work():
        pass
    world.change(table(T, "a", "b"))
    world.deliver(0)
    pause_before(world, "index page", worker="two")

    world.stage.finish("one")
    world.stage.finish("two")
    assert world.engine.drain(600.0)

    assert numbers(world, T) == ["1.0.0", "2.0.0", "2.1.0"]


def test_a_version_that_the_state_knows_to_be_outdated_is_not_reserved(world: Simulation) -> None:
    for relation in (table(T, "a"), view(V, T, shape="narrow")):
        world.change(relation)
    process_events(world)
    world.change(view(V, T))
    world.deliver(0)
    pause_before_reserving(world)
    world.change(table(T, "a", "b"))
    world.deliver(0)
    while world.engine.work():
        pass

    world.stage.finish("one")
    assert numbers(world, V) == ["1.0.0"]

    assert world.engine.drain(600.0)
    assert len(numbers(world, V)) == 2
    assert fields(world, V) == ["a", "b"]


def test_a_second_reading_that_is_older_than_the_first_confirms_nothing(world: Simulation) -> None:
    """Equal facts at both prove one moment between them only if the second is the later one."""
    for relation in (table(T, "a"), view(V, T)):
        world.change(relation)
    while world.undelivered:
        world.deliver(0)
    world.clock.sleep(world.policy.max_wait_seconds)
    while not numbers(world, T):
        world.engine.work()
    pause_before(world, "index page")
    current = world.catalog.event_ids
    world.catalog.event_ids = [max(0, event_id - 1) for event_id in current]

    world.stage.finish("one")
    assert numbers(world, V) == []

    world.catalog.event_ids = current
    assert world.engine.drain(600.0)
    assert numbers(world, V) == ["1.0.0"]


def test_dependents_of_a_view_that_must_wait_are_stale_too(world: Simulation) -> None:
    for relation in (table(T, "a"), view(V, T), view(W, V)):
        world.change(relation)
    process_events(world)
    world.change(view(V, T, S))
    world.deliver(0)

    world.engine.work()

    assert record(world, V).stale
    assert record(world, W).stale


def test_other_bytes_under_our_name_are_not_overwritten() -> None:
    index = FakeIndex(Stage(), random.Random(0), overwrites=True)
    ours = sample_wheel(body="OURS = 1\n")
    foreign = sample_wheel(body="THEIRS = 1\n")
    index.upload(foreign)

    delivery = WheelUploader(index, FakeClock()).deliver(ours)

    assert delivery is Delivery.CONFLICT
    assert index.visible == {ours.filename: foreign.data}


class OvertakenIndex(FakeIndex):
    """The first upload is not answered, and another writer's file has come meanwhile."""

    def upload(self, wheel: Wheel) -> None:
        if not self.visible:
            super().upload(sample_wheel(body="THEIRS = 1\n"))
            raise IndexUnavailable("fake", "busy", 503)
        super().upload(wheel)


def test_other_bytes_that_came_during_an_upload_are_not_overwritten_by_the_next_attempt() -> None:
    index = OvertakenIndex(Stage(), random.Random(0), overwrites=True)
    ours = sample_wheel(body="OURS = 1\n")

    delivery = WheelUploader(index, FakeClock()).deliver(ours)

    assert delivery is Delivery.CONFLICT
    assert index.visible == {ours.filename: sample_wheel(body="THEIRS = 1\n").data}


def test_a_number_that_an_upload_of_a_lost_state_took_meanwhile_is_taken_over(
    world: Simulation, tmp_path: Path
) -> None:
    (tmp_path / "former").mkdir()
    former = Simulation(tmp_path / "former", lag_seconds=0.0)
    former.catalog.change(table(S, "a"))
    former.change(table(T, "a"))
    process_events(former)
    (late,) = [w for w in former.index.history if w.distribution == "toy-d-t"]
    former.close()
    world.change(table(T, "a"))
    world.deliver(0)
    while not world._inner.read(lambda tx: tx.versions.open_reservations(["toy-d-t"])):
        world.step("one")

    world.index._take(late)
    world.stage.finish("one")
    process_events(world)

    assert numbers(world, T) == ["1.0.0"]
    (version,) = world._inner.read(lambda tx: tx.versions.history(["toy-d-t"]))["toy-d-t"]
    assert version.status is VersionStatus.PUBLISHED
    assert version.wheel_sha256 == late.sha256
    assert record(world, T).published_hash == version.content_hash


def test_a_package_found_while_its_relation_is_recorded_as_missing_is_yanked(
    world: Simulation, tmp_path: Path
) -> None:
    (tmp_path / "former").mkdir()
    former = Simulation(tmp_path / "former", lag_seconds=0.0)
    former.change(table(T, "a"))
    process_events(former)
    world.index.restore(former.index.copy())
    former.close()
    world.change(view(V, T))
    world.deliver(0)
    world.engine.work()
    world.step("one")
    while not (record(world, T).status is Status.MISSING and world.stage.at("one") == "write"):
        world.step("one")

    world.engine.adopt()
    world.stage.finish("one")
    process_events(world)

    assert [*world.index.yanked.values()] == [DROPPED]


def test_a_receiver_that_is_killed_in_a_snapshot_after_a_gap_meets_the_gap_again(
    world: Simulation,
) -> None:
    world.change(table(T, "a"))
    world.send(0, lambda event: RelationHint(event.relation, event.event_id))
    world.log.forget()
    world.stage.start("receive one", lambda: world._receive("one"))
    while world.stage.at("receive one") != "relations":
        world.stage.step("receive one")

    world.crash()
    world.clock.sleep(world.policy.snapshot_lease_seconds)
    while world._receive("one"):
        pass
    process_events(world)

    assert numbers(world, T) == ["1.0.0"]


def test_a_batch_is_acknowledged_after_it_was_stored(world: Simulation) -> None:
    source = PositionSource(world)
    daemon = Daemon(world.engine, [], world.engine.compare_catalog, Schedule())

    daemon._store_batch(source, Batch([RelationHint(T)], [], "7"))

    assert source.stored_at_acknowledge == "7"


class PositionSource:
    """Looks what is stored when its batch is acknowledged."""

    name = "source"
    stored_at_acknowledge: str | None = None

    def __init__(self, world: Simulation) -> None:
        self._world = world

    def poll(self, position: str | None, timeout_seconds: float) -> Batch | None:
        raise AssertionError

    def acknowledge(self, position: str) -> None:
        self.stored_at_acknowledge = self._world.engine.position(self.name)

    def close(self) -> None: ...
