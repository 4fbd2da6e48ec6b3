"""The daemon's threads, which receive, work and compare until they are stopped.

They keep everything in the state, so the daemon may end at any point. Transient errors are retried.
Any other error is logged and the thread continues, since one relation must not stop the others.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from tenacity import Retrying, retry_if_exception_type, stop_when_event_set, wait_exponential

from lakeschema.catalog.errors import CatalogUnavailable
from publisher.daemon.engine import Engine
from publisher.daemon.returning import ReturningCatalogs
from publisher.daemon.snapshot_turns import SnapshotTurns
from publisher.daemon.watchdog import Watchdog
from publisher.events.protocol import FIRST_START, Batch, EventSource, SourceUnavailable
from publisher.index.protocol import PackageIndexError
from publisher.outages import event_source
from publisher.publishing.retention import RetentionPass
from publisher.settling.comparison import SnapshotBusy
from publisher.state.protocol import StateUnavailable

log = logging.getLogger(__name__)

T = TypeVar("T")

_POLL_SECONDS = 1.0
_IDLE_SECONDS = 0.5
"""How often to look for work that another process enqueued."""
_AFTER_ERROR_SECONDS = 1.0
_MAX_SNAPSHOT_PAUSE_SECONDS = 60.0
"""A failing snapshot reads the whole catalog each time, so it is retried rarely."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """When the threads act.

    Attributes:
        snapshot_interval_seconds: from the end of one snapshot to the next.
        stuck_after_seconds: how long a worker or receiver may take for one turn.
    """

    workers: int = 2
    snapshot_interval_seconds: float = 3600.0
    snapshot_on_start: bool = True
    stuck_after_seconds: float = 600.0


class Daemon:
    """Runs the threads of a service.

    ``snapshot_runner`` is ``engine.compare_catalog``, or a function that does the same on Spark. If a
    source starts or has a gap in its events, a snapshot runs before the source's position is stored.
    After a gap, that snapshot runs in this process.
    """

    def __init__(
        self,
        engine: Engine,
        sources: Sequence[EventSource],
        snapshot_runner: Callable[[], object],
        schedule: Schedule = Schedule(),
        retention: RetentionPass | None = None,
    ) -> None:
        self._engine = engine
        self._outages = engine.runtime.outages
        self._sources = tuple(sources)
        self._schedule = schedule
        self._retention = retention
        self._watchdog = Watchdog(schedule.stuck_after_seconds)
        self._stopping = threading.Event()
        self._threads: list[threading.Thread] = []
        self._index_is_due = threading.Event()
        """Set after a snapshot that a starting source requested, or when a page could not be
        read."""
        self._index_pause_seconds = _AFTER_ERROR_SECONDS
        self._index_not_before = 0.0
        self._lock = threading.Lock()
        self._troubles: dict[str, str] = {}
        self._returning = ReturningCatalogs(engine.catalog, engine.runtime)
        self._snapshots = SnapshotTurns(
            engine,
            snapshot_runner,
            interval_seconds=schedule.snapshot_interval_seconds,
            on_start=schedule.snapshot_on_start,
            stopping=self._stopping,
            sources=[source.name for source in self._sources],
        )

    def start(self) -> None:
        for source in self._sources:
            name = f"receive {source.name}"
            self._spawn(name, self._watched(name, partial(self._receive, source)))
        for number in range(self._schedule.workers):
            self._spawn(f"work {number}", self._watched(f"work {number}", self._work))
        # The watchdog does not watch it, because it may read for hours. The last snapshot's age is watched.
        self._spawn("snapshot", self._take_snapshots, max_pause_seconds=_MAX_SNAPSHOT_PAUSE_SECONDS)

    def stop(self, timeout_seconds: float = 30.0) -> bool:
        """Stops the threads, each after its current turn.

        False if a thread did not stop in time; its work is retried after the next start.
        """
        self._stopping.set()
        self._engine.wake()
        for thread in self._threads:
            thread.join(timeout_seconds)
        for source in self._sources:
            source.close()
        return not any(thread.is_alive() for thread in self._threads)

    def troubles(self) -> Mapping[str, str]:
        """The current failure of each thread that has one."""
        with self._lock:
            return dict(self._troubles)

    def overdue(self) -> Mapping[str, str]:
        """Threads whose current turn takes too long, with the duration of the turn."""
        return self._watchdog.overdue()

    def is_alive(self) -> bool:
        return bool(self._threads) and all(thread.is_alive() for thread in self._threads)

    def _spawn(
        self,
        name: str,
        turn: Callable[[], None],
        *,
        max_pause_seconds: float = _AFTER_ERROR_SECONDS,
    ) -> None:
        loop = partial(self._loop, name, turn, max_pause_seconds)
        thread = threading.Thread(target=loop, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _loop(self, name: str, turn: Callable[[], None], max_pause_seconds: float) -> None:
        pause = _AFTER_ERROR_SECONDS
        while not self._stopping.is_set():
            try:
                turn()
                self._set_trouble(name, None)
                pause = _AFTER_ERROR_SECONDS
            except StateUnavailable:
                # The state's outage is noted and logged by its wrapper.
                self._stopping.wait(pause)
                pause = min(2 * pause, max_pause_seconds)
            except Exception as error:
                self._set_trouble(name, f"{type(error).__name__}: {error}")
                log.exception("unexpected error", extra={"part": name})
                self._stopping.wait(pause)
                pause = min(2 * pause, max_pause_seconds)

    def _watched(self, name: str, turn: Callable[[], None]) -> Callable[[], None]:
        def watched() -> None:
            self._watchdog.report_progress(name)
            turn()

        return watched

    def _set_trouble(self, name: str, trouble: str | None) -> None:
        with self._lock:
            if trouble is None:
                self._troubles.pop(name, None)
            else:
                self._troubles[name] = trouble

    def _retry_until_stopped(
        self, name: str, action: Callable[[], T], *passing: type[Exception]
    ) -> T:
        """Retries while another service is unavailable, and reports it.

        It also retries after ``passing`` errors.
        """

        def report(error: BaseException | None) -> None:
            match error:
                case SourceUnavailable(source=source, reason=reason, hint=hint):
                    self._outages.fail(event_source(source), reason, hint)
                case CatalogUnavailable():
                    # The catalog's wrapper logs this failure. Answers to other requests do not end the trouble.
                    self._set_trouble(name, str(error))
                case _:
                    self._set_trouble(name, None)

        retrying = Retrying(
            retry=retry_if_exception_type((SourceUnavailable, CatalogUnavailable, *passing)),
            stop=stop_when_event_set(self._stopping),
            wait=wait_exponential(multiplier=0.1, max=5.0),
            sleep=lambda seconds: (self._stopping.wait(seconds), None)[1],
            before_sleep=lambda state: report(state.outcome.exception() if state.outcome else None),
            reraise=True,
        )
        return retrying(action)

    def _receive(self, source: EventSource) -> None:
        name = f"receive {source.name}"
        try:
            batch = self._retry_until_stopped(
                name,
                lambda: source.poll(self._engine.position(source.name), _POLL_SECONDS),
            )
            self._outages.succeed(event_source(source.name))
            self._note_lag(source, batch)
            if batch is None:
                return
            if batch.gap is not None:
                fields = {"source": source.name, "why": batch.gap}
                level = logging.INFO if batch.gap == FIRST_START else logging.WARNING
                log.log(level, "events may be missing", extra=fields)
            # While another process takes a snapshot, the snapshot after the gap must wait.
            store = partial(self._store_batch, source, batch)
            self._retry_until_stopped(name, store, SnapshotBusy)
        except (SourceUnavailable, CatalogUnavailable, SnapshotBusy):
            if not self._stopping.is_set():
                raise

    def _note_lag(self, source: EventSource, batch: Batch | None) -> None:
        runtime = self._engine.runtime
        behind = 0 if batch is None else batch.behind
        lag_seconds = 0.0
        if batch is not None and behind and batch.newest_event_at is not None:
            lag_seconds = max(0.0, runtime.clock.wall() - batch.newest_event_at)
        runtime.source_lag.note(source.name, runtime.clock.now(), lag_seconds, behind)

    def _store_batch(self, source: EventSource, batch: Batch) -> None:
        if batch.gap is not None:
            with self._watchdog.suspended(f"receive {source.name}"):
                if batch.gap == FIRST_START:
                    self._snapshots.run()
                    self._index_is_due.set()
                else:
                    self._snapshots.run_after_gap()
        self._engine.receive(source.name, batch)
        source.acknowledge(batch.position)

    def _work(self) -> None:
        if not self._engine.work():
            self._engine.wait_for_work(_IDLE_SECONDS)

    def _take_snapshots(self) -> None:
        """One turn of a thread: takes a snapshot if one is due."""
        self._returning.look()
        if self._snapshots.is_due():
            self._run_snapshot()
        elif (
            self._index_is_due.is_set()
            and self._engine.runtime.clock.now() >= self._index_not_before
        ):
            self._follow_snapshot()
        self._stopping.wait(_POLL_SECONDS)

    def _run_snapshot(self) -> None:
        try:
            self._retry_until_stopped("snapshot", self._snapshots.run)
        except SnapshotBusy:
            # Another process runs a snapshot. After its end, the state shows whether a snapshot is still due.
            log.info("another snapshot is running")
            return
        except CatalogUnavailable:
            if not self._stopping.is_set():
                raise
        self._follow_snapshot()

    def _follow_snapshot(self) -> None:
        """Does the work after a snapshot, outside of the snapshot's turn.

        A source with a gap waits for the snapshot, but not for the index.
        """
        self._index_is_due.clear()
        if not self._stopping.is_set():
            self._compare_index()
        self._apply_retention()

    def _compare_index(self) -> None:
        """Compares the index. If a page failed, compares again soon.

        Without this, the status would show an outage until the next snapshot.
        """
        clock = self._engine.runtime.clock
        began = clock.now()
        if self._engine.compare_index():
            self._index_pause_seconds = _AFTER_ERROR_SECONDS
            return
        ended = clock.now()
        pause = max(self._index_pause_seconds, ended - began)
        self._index_not_before = ended + pause
        self._index_pause_seconds = min(2 * pause, self._schedule.snapshot_interval_seconds)
        self._index_is_due.set()

    def _apply_retention(self) -> None:
        """Applies retention after each snapshot, because no event announces that a version became old."""
        if self._retention is None or self._stopping.is_set():
            return
        try:
            self._retention.run(self._stopping.is_set)
            self._set_trouble("retention", None)
        except PackageIndexError as error:
            self._set_trouble("retention", str(error))
            log.warning("package index failed", extra={"why": str(error)})
