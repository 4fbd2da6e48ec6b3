"""Decides when a daemon's snapshot is due, and runs one at a time for several threads.

The state has the times of snapshots. So a snapshot of another process counts, and a killed snapshot is
due again at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import count

from publisher.daemon.engine import Engine
from publisher.settling.comparison import SnapshotBusy

_STOP_CHECK_SECONDS = 0.2
_FIRST_POLL_SECONDS = 10.0
"""How long the first snapshot waits for sources without a position. They request a snapshot, too, and
one snapshot is enough."""


class SnapshotTurns:
    """Runs the snapshots of one process. Safe for threads.

    If two sources have a gap at the same time, one snapshot after both gaps is enough.
    """

    def __init__(
        self,
        engine: Engine,
        runner: Callable[[], object],
        *,
        interval_seconds: float,
        on_start: bool,
        stopping: threading.Event,
        sources: Sequence[str] = (),
        pause_seconds: float = 300.0,
    ) -> None:
        """Starts the clock of the first snapshot.

        Args:
            engine: knows when the last snapshot ended.
            runner: compares everything and enqueues the differences.
            interval_seconds: the time from one snapshot to the next.
            on_start: whether a snapshot is due at the start.
            stopping: is set when the service stops.
            sources: the sources that request a snapshot if they have no position.
            pause_seconds: the least time between two snapshots that events request, because
                undecodable events may never stop.
        """
        self._pause_seconds = min(pause_seconds, interval_seconds)
        self._engine = engine
        self._runner = runner
        self._interval_seconds = interval_seconds
        self._on_start = on_start
        self._stopping = stopping
        self._sources = tuple(sources)
        self._started_at = engine.runtime.clock.now()
        self._lock = threading.Lock()
        self._order = count(1)
        self._begun = 0

    def is_due(self) -> bool:
        """Whether a snapshot should run now; False while another process runs one."""
        if self._engine.snapshot_is_running():
            return False
        uptime = self._engine.runtime.clock.now() - self._started_at
        if uptime < _FIRST_POLL_SECONDS and self._a_source_begins():
            return False
        age = self._engine.seconds_since_snapshot()
        if self._engine.snapshot_was_interrupted():
            return True
        is_old_enough = age is None or age >= self._pause_seconds
        if is_old_enough and self._engine.snapshot_is_due() and not self._engine.snapshot_waits():
            return True
        if age is None:
            return self._on_start or uptime >= self._interval_seconds
        return age >= self._interval_seconds or (self._on_start and age > uptime)

    def _a_source_begins(self) -> bool:
        return any(self._engine.position(source) is None for source in self._sources)

    def run(self) -> None:
        """Runs a snapshot, unless another snapshot began after the call and has ended.

        Raises:
            SnapshotBusy: another process runs one.
        """
        self._run(self._runner)

    def run_after_gap(self) -> None:
        """Like ``run``, but in this process.

        Raises:
            SnapshotBusy: another process runs one, which may have begun before the gap.
        """
        self._run(self._engine.compare_catalog)

    def _run(self, action: Callable[[], object]) -> None:
        asked = next(self._order)
        while not self._lock.acquire(timeout=_STOP_CHECK_SECONDS):
            if self._stopping.is_set():
                raise SnapshotBusy
        try:
            if asked < self._begun:
                return
            begun = next(self._order)
            action()
            self._begun = begun
        finally:
            self._lock.release()
