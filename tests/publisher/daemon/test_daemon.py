"""Real threads, real time: the daemon hears, works, waits, and stops when told.

No test measures time: where something must not wait for a time to be over, that time is an hour.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.daemon import threads
from publisher.daemon.assembly import parts_of
from publisher.daemon.engine import Engine
from publisher.daemon.threads import Daemon, Schedule
from publisher.events.protocol import Batch, DeadLetter, RelationHint, SourceUnavailable
from publisher.runtime import SystemClock
from publisher.settling.comparison import SnapshotBusy
from tests.simulation.simulation import POLICY, Simulation
from tests.simulation.toy import table, view
from tests.simulation.world import FakeClock
from tests.waiting import PATIENCE_SECONDS, eventually

T = RelationName.of("d", "t")
V = RelationName.of("d", "v")


class WallClock(FakeClock):
    """The real clock, for a world that was made for a pretended one."""

    def now(self) -> float:
        return SystemClock().now()

    def sleep(self, seconds: float) -> None:
        if seconds >= 0.01:
            SystemClock().sleep(seconds)


@dataclass
class FakeSource:
    """Gives what is put into it, again and again until it is acknowledged."""

    name: str = "fake"
    batches: queue.Queue[Batch] = field(default_factory=queue.Queue)
    pending: Batch | None = None
    acknowledged: list[str] = field(default_factory=list)
    down: bool = False
    closed: bool = False

    def poll(self, position: str | None, timeout_seconds: float) -> Batch | None:
        if self.down:
            raise SourceUnavailable(self.name, "away")
        if self.pending is None:
            try:
                self.pending = self.batches.get(timeout=min(timeout_seconds, 0.2))
            except queue.Empty:
                return None
        return self.pending

    def acknowledge(self, position: str) -> None:
        self.acknowledged.append(position)
        self.pending = None

    def close(self) -> None:
        self.closed = True


@dataclass
class House:
    world: Simulation
    source: FakeSource
    daemon: Daemon

    def hear(self, name: RelationName, event_id: int, gap: str | None = None) -> None:
        hint = RelationHint(name, event_id)
        self.source.batches.put(Batch([hint], [], str(event_id), gap=gap))

    def published(self, number: int) -> bool:
        return eventually(lambda: len(self.world.index.history) >= number)

    def daemon_without_snapshots(self) -> Daemon:
        """What it publishes it heard of."""
        schedule = Schedule(workers=2, snapshot_on_start=False)
        return Daemon(self.world.engine, [self.source], self.world.engine.snapshot, schedule)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    world = Simulation(tmp_path, lag_seconds=0.0, policy=replace(POLICY, debounce_seconds=0.0))
    clock = WallClock()
    world.clock = clock
    world.catalog.clock = clock
    world.stage.on_point = lambda: None
    deployment = world.deployment()
    runtime = replace(deployment.runtime, clock=clock)
    world.engine = Engine(parts_of(replace(deployment, runtime=runtime)))
    source = FakeSource()
    daemon = Daemon(world.engine, [source], world.engine.snapshot, Schedule(workers=2))
    yield House(world, source, daemon)
    daemon.stop()
    world.close()


def test_an_event_wakes_the_workers(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "_IDLE_SECONDS", 3600.0)
    daemon = house.daemon_without_snapshots()
    daemon.start()
    event_id = house.world.catalog.change(table(T, "a"))

    house.hear(T, event_id)

    assert house.published(1)
    assert eventually(lambda: house.source.acknowledged == [str(event_id)])
    # A worker that is just falling asleep misses one wake-up, and here its pause is an hour.
    assert eventually(lambda: daemon.stop(timeout_seconds=0.1))


def test_the_snapshot_on_start_finds_what_happened_before(house: House) -> None:
    house.world.catalog.change(table(T, "a"))
    house.world.catalog.change(view(V, T))

    house.daemon.start()

    assert house.published(2)


def test_a_gap_is_closed_before_its_position_is_believed(house: House) -> None:
    daemon = house.daemon_without_snapshots()
    daemon.start()
    house.world.catalog.change(table(T, "a"))
    event_id = house.world.catalog.change(table(V, "a"))

    house.hear(V, event_id, gap="the log was trimmed")

    assert house.published(2)
    assert eventually(lambda: house.world.engine.position("fake") == str(event_id))
    daemon.stop()


def test_a_source_that_is_away_is_waited_for_and_told(house: House) -> None:
    house.source.down = True
    house.daemon.start()
    assert eventually(lambda: "receive fake" in house.daemon.troubles())
    event_id = house.world.catalog.change(table(T, "a"))
    house.hear(T, event_id)

    house.source.down = False

    assert house.published(1)
    assert eventually(lambda: house.daemon.troubles() == {})


def test_an_index_that_was_down_gets_everything_once_it_is_back(house: House) -> None:
    house.world.index.down = True
    house.daemon.start()
    for name in (T, V):
        house.hear(name, house.world.catalog.change(table(name, "a")))
    assert eventually(lambda: house.world.engine.counters.values().get("index_failures", 0) > 3)

    house.world.index.down = False

    assert house.published(2)
    assert len(house.world.index.history) == 2


def test_an_unexpected_error_is_logged_and_the_others_go_on(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    def failing() -> None:
        raise LookupError("no such thing")

    daemon = Daemon(house.world.engine, [house.source], failing, Schedule(workers=1))
    daemon.start()
    house.hear(T, house.world.catalog.change(table(T, "a")))

    assert house.published(1)
    assert eventually(lambda: "no such thing" in daemon.troubles().get("snapshot", ""))
    assert daemon.stop()
    assert "unexpected error" in caplog.text


def test_it_stops_when_told_and_closes_its_sources(house: House) -> None:
    house.daemon.start()
    assert house.daemon.is_alive()

    stopped = house.daemon.stop(PATIENCE_SECONDS)

    assert stopped
    assert house.source.closed


def test_events_during_a_stop_are_heard_by_the_next_daemon(house: House) -> None:
    house.daemon.start()
    house.daemon.stop()
    event_id = house.world.catalog.change(table(T, "a"))
    house.hear(T, event_id)
    again = Daemon(house.world.engine, [house.source], house.world.engine.snapshot)

    again.start()

    assert house.published(1)
    again.stop()


def test_a_snapshot_that_was_asked_for_comes_before_its_time(house: House) -> None:
    daemon = house.daemon_without_snapshots()
    daemon.start()
    house.world.catalog.change(table(T, "a"))

    # An event of nowhere: only a snapshot can tell what it was about.
    house.source.batches.put(Batch([], [DeadLetter(b"{", "no json", None)], "1"))

    assert house.published(1)
    daemon.stop()


def test_another_snapshot_that_runs_is_left_to_it(house: House) -> None:
    asked = threading.Event()

    def busy() -> None:
        asked.set()
        raise SnapshotBusy

    daemon = Daemon(house.world.engine, [house.source], busy, Schedule(workers=1))
    daemon.start()
    house.hear(T, house.world.catalog.change(table(T, "a")))

    assert asked.wait(PATIENCE_SECONDS)
    assert house.published(1)
    assert daemon.troubles() == {}
    daemon.stop()


def test_a_relation_is_looked_at_again_when_told(house: House) -> None:
    daemon = house.daemon_without_snapshots()
    daemon.start()
    house.world.catalog.change(table(T, "a"))

    house.world.engine.resync([T])

    assert house.published(1)
    daemon.stop()
