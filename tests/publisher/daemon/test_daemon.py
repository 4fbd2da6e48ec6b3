"""Real threads, real time: the daemon receives, works, waits, and stops on request.

No test measures time: if something must not wait for an interval, that interval is an hour.
"""

from __future__ import annotations

import json
import queue
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.daemon import snapshot_turns, threads
from publisher.daemon.assembly import parts_of
from publisher.daemon.engine import Engine
from publisher.daemon.threads import Daemon, Schedule
from publisher.events.protocol import (
    FIRST_START,
    Batch,
    DeadLetter,
    RelationHint,
    SourceUnavailable,
)
from publisher.publishing.index_comparison import NOTE
from publisher.runtime import SystemClock
from publisher.settling.comparison import SnapshotBusy
from tests.simulation.simulation import POLICY, Simulation
from tests.simulation.toy import table, view
from tests.simulation.world import FakeClock
from tests.waiting import PATIENCE_SECONDS, eventually

T = RelationName.of("d", "t")
V = RelationName.of("d", "v")


class WallClock(FakeClock):
    """The real clock, for a world that was made for a simulated one."""

    def now(self) -> float:
        return SystemClock().now()

    def sleep(self, seconds: float) -> None:
        if seconds >= 0.01:
            SystemClock().sleep(seconds)


@dataclass
class FakeSource:
    """Returns each batch repeatedly until it is acknowledged."""

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
class RunningDaemon:
    world: Simulation
    source: FakeSource
    daemon: Daemon

    def send(self, name: RelationName, event_id: int, gap: str | None = None) -> None:
        hint = RelationHint(name, event_id)
        self.source.batches.put(Batch([hint], [], str(event_id), gap=gap))

    def published(self, number: int) -> bool:
        return eventually(lambda: len(self.world.index.history) >= number)

    def daemon_without_snapshots(self) -> Daemon:
        """What it publishes it heard of."""
        schedule = Schedule(workers=2, snapshot_on_start=False)
        return Daemon(self.world.engine, [self.source], self.world.engine.compare_catalog, schedule)


@pytest.fixture
def running(tmp_path: Path) -> Iterator[RunningDaemon]:
    world = Simulation(tmp_path, lag_seconds=0.0, policy=replace(POLICY, debounce_seconds=0.0))
    clock = WallClock()
    world.clock = clock
    world.catalog.clock = clock
    world.stage.on_point = lambda: None
    deployment = world.deployment()
    runtime = replace(deployment.runtime, clock=clock)
    world.engine = Engine(parts_of(replace(deployment, runtime=runtime)))
    source = FakeSource()
    daemon = Daemon(world.engine, [source], world.engine.compare_catalog, Schedule(workers=2))
    yield RunningDaemon(world, source, daemon)
    daemon.stop()
    world.close()


def test_an_event_wakes_the_workers(
    running: RunningDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "_IDLE_SECONDS", 3600.0)
    daemon = running.daemon_without_snapshots()
    daemon.start()
    event_id = running.world.catalog.change(table(T, "a"))

    running.send(T, event_id)

    assert running.published(1)
    assert eventually(lambda: running.source.acknowledged == [str(event_id)])
    # A worker that is about to sleep misses one wake-up, and here it sleeps for an hour.
    assert eventually(lambda: daemon.stop(timeout_seconds=0.1))


def test_the_snapshot_on_start_finds_what_happened_before(running: RunningDaemon) -> None:
    running.world.catalog.change(table(T, "a"))
    running.world.catalog.change(view(V, T))
    running.world.engine.receive("fake", Batch([], [], "0"))

    running.daemon.start()

    assert running.published(2)


def test_a_source_that_begins_and_the_start_share_one_snapshot(
    running: RunningDaemon,
) -> None:
    world = running.world
    begun: list[float] = []

    def compare() -> object:
        begun.append(world.clock.now())
        return world.engine.compare_catalog()

    daemon = Daemon(world.engine, [running.source], compare, Schedule(workers=1))
    world.catalog.change(table(T, "a"))

    daemon.start()
    running.send(T, world.catalog.change(table(T, "b")), gap=FIRST_START)

    assert running.published(1)
    assert eventually(lambda: world.engine.position("fake") is not None)
    # The snapshot thread compares the index, and looks once more whether a snapshot is due.
    assert eventually(lambda: bool(world.state.read(lambda tx: tx.journal.notes(NOTE))))
    time.sleep(1.5)
    assert len(begun) == 1
    daemon.stop()


def test_the_start_does_not_wait_for_a_source_that_is_away(
    running: RunningDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshot_turns, "_FIRST_POLL_SECONDS", 0.2)
    running.world.catalog.change(table(T, "a"))
    running.source.down = True

    running.daemon.start()

    assert running.published(1)


def test_a_gap_causes_a_snapshot_before_its_position_is_stored(running: RunningDaemon) -> None:
    daemon = running.daemon_without_snapshots()
    daemon.start()
    running.world.catalog.change(table(T, "a"))
    event_id = running.world.catalog.change(table(V, "a"))

    running.send(V, event_id, gap="the log was trimmed")

    assert running.published(2)
    assert eventually(lambda: running.world.engine.position("fake") == str(event_id))
    daemon.stop()


def test_an_unavailable_source_is_retried_and_reported(running: RunningDaemon) -> None:
    running.source.down = True
    running.daemon.start()
    outages = running.world.engine.runtime.outages
    assert eventually(lambda: "away" in outages.failing().get("events fake", ""))
    event_id = running.world.catalog.change(table(T, "a"))
    running.send(T, event_id)

    running.source.down = False

    assert running.published(1)
    assert eventually(lambda: not outages.failing())
    assert running.daemon.troubles() == {}


def test_an_unavailable_index_gets_everything_once_it_is_back(running: RunningDaemon) -> None:
    running.world.index.down = True
    running.daemon.start()
    for name in (T, V):
        running.send(name, running.world.catalog.change(table(name, "a")))
    assert eventually(lambda: running.world.engine.counters.values().get("index_failures", 0) > 3)

    running.world.index.down = False

    assert running.published(2)
    assert len(running.world.index.history) == 2


def test_an_index_that_is_away_while_it_is_compared_is_compared_again_soon(
    running: RunningDaemon, caplog: pytest.LogCaptureFixture
) -> None:
    world = running.world
    daemon = running.daemon_without_snapshots()
    daemon.start()
    running.send(T, world.catalog.change(table(T, "a")))
    assert running.published(1)
    assert daemon.stop()
    world.index.down = True
    running.daemon.start()
    assert eventually(lambda: "index not compared" in caplog.text)

    world.index.down = False

    def checked() -> list[int]:
        notes = world.state.read(lambda tx: tx.journal.notes(NOTE)).values()
        return [json.loads(note)["checked"] for note in notes if note]

    # The next snapshot is due in an hour.
    assert eventually(lambda: checked() == [1])


def test_an_unexpected_error_is_logged_and_other_threads_continue(
    running: RunningDaemon, caplog: pytest.LogCaptureFixture
) -> None:
    def failing() -> None:
        raise LookupError("no such thing")

    daemon = Daemon(running.world.engine, [running.source], failing, Schedule(workers=1))
    daemon.start()
    running.send(T, running.world.catalog.change(table(T, "a")))

    assert running.published(1)
    assert eventually(lambda: "no such thing" in daemon.troubles().get("snapshot", ""))
    assert daemon.stop()
    assert "unexpected error" in caplog.text


def test_it_stops_on_request_and_closes_its_sources(running: RunningDaemon) -> None:
    running.daemon.start()
    assert running.daemon.is_alive()

    stopped = running.daemon.stop(PATIENCE_SECONDS)

    assert stopped
    assert running.source.closed


def test_events_during_a_stop_are_received_by_the_next_daemon(running: RunningDaemon) -> None:
    running.daemon.start()
    running.daemon.stop()
    event_id = running.world.catalog.change(table(T, "a"))
    running.send(T, event_id)
    again = Daemon(running.world.engine, [running.source], running.world.engine.compare_catalog)

    again.start()

    assert running.published(1)
    again.stop()


@pytest.mark.thorough
def test_a_requested_snapshot_runs_before_its_time(running: RunningDaemon) -> None:
    daemon = running.daemon_without_snapshots()
    daemon.start()
    running.world.catalog.change(table(T, "a"))

    # An event without a database: only a snapshot can find what changed.
    running.source.batches.put(Batch([], [DeadLetter(b"{", "no json", None)], "1"))

    assert running.published(1)
    daemon.stop()


def test_a_snapshot_that_is_running_elsewhere_is_not_a_trouble(running: RunningDaemon) -> None:
    requested = threading.Event()

    def busy() -> None:
        requested.set()
        raise SnapshotBusy

    daemon = Daemon(running.world.engine, [running.source], busy, Schedule(workers=1))
    daemon.start()
    running.send(T, running.world.catalog.change(table(T, "a")))

    assert requested.wait(PATIENCE_SECONDS)
    assert running.published(1)
    assert daemon.troubles() == {}
    daemon.stop()


def test_a_resync_reads_a_relation_again(running: RunningDaemon) -> None:
    daemon = running.daemon_without_snapshots()
    daemon.start()
    running.world.catalog.change(table(T, "a"))

    running.world.engine.resync([T])

    assert running.published(1)
    daemon.stop()


def test_a_thread_that_hangs_in_one_turn_is_overdue_until_it_goes_on(
    running: RunningDaemon, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs, goes_on = threading.Event(), threading.Event()

    def poll(position: str | None, timeout_seconds: float) -> Batch | None:
        hangs.set()
        goes_on.wait(PATIENCE_SECONDS)
        return None

    monkeypatch.setattr(running.source, "poll", poll)
    schedule = Schedule(workers=1, snapshot_on_start=False, stuck_after_seconds=0.05)
    daemon = Daemon(
        running.world.engine, [running.source], running.world.engine.compare_catalog, schedule
    )
    daemon.start()

    assert hangs.wait(PATIENCE_SECONDS)
    assert eventually(lambda: "receive fake" in daemon.overdue())
    assert not daemon.troubles()
    assert daemon.is_alive()

    goes_on.set()
    assert eventually(lambda: "receive fake" not in daemon.overdue())
    assert daemon.stop()
