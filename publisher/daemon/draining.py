"""Processes work until none is left, or all remaining work keeps failing. For one-off passes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lakeschema.progress import NO_PROGRESS, Progress
from publisher.daemon.engine import Engine
from publisher.state.records import WorkRecord

PATIENCE_SECONDS = 30.0
"""How long all remaining work may fail. A package index can restart in this time."""

_FIRST_PAUSE_SECONDS = 0.1
_MAX_PAUSE_SECONDS = 5.0
_LOOK_SECONDS = 5.0
"""The time between two reads of all remaining work, which may be a long list."""


class Draining:
    """Drains the work.

    ``run`` returns the unfinished work: work that failed, or was not tried before the stop.
    """

    def __init__(
        self,
        engine: Engine,
        patience_seconds: float = PATIENCE_SECONDS,
        progress: Progress = NO_PROGRESS,
    ) -> None:
        self._engine = engine
        self._progress = progress
        self._clock = engine.runtime.clock
        self._patience_seconds = patience_seconds
        self._fewest: int | None = None
        self._progress_at = 0.0
        self._pause = _FIRST_PAUSE_SECONDS

    def run(self, is_stopping: Callable[[], bool] = lambda: False) -> Sequence[WorkRecord]:
        self._progress_at = looked_at = self._clock.now()
        waiting = len(self._left())
        self._progress.step("derive and publish", waiting)
        while True:
            is_busy = self._engine.work() > 0
            if is_busy and not is_stopping() and self._clock.now() - looked_at < _LOOK_SECONDS:
                continue
            looked_at = self._clock.now()
            left = self._left()
            # A count of claims is less exact: a view that waits for its table is claimed again.
            self._progress.done(max(0, waiting - len(left)))
            waiting = min(waiting, len(left))
            if not left or is_stopping() or self._is_stuck(left):
                return left
            self._wait(left)

    def _left(self) -> Sequence[WorkRecord]:
        return self._engine.runtime.state.read(lambda tx: tx.work.outstanding())

    def _is_stuck(self, left: Sequence[WorkRecord]) -> bool:
        """Whether all remaining work has failed for the whole time of patience."""
        now = self._clock.now()
        if self._fewest is None or len(left) < self._fewest or not all(w.last_error for w in left):
            self._fewest = len(left)
            self._progress_at = now
            self._pause = _FIRST_PAUSE_SECONDS
        return now - self._progress_at >= self._patience_seconds

    def _wait(self, left: Sequence[WorkRecord]) -> None:
        now = self._clock.now()
        due = min(max(work.not_before, work.lease_until) for work in left)
        if all(work.last_error for work in left):
            due = max(due, now + self._pause)
            self._pause = min(2 * self._pause, _MAX_PAUSE_SECONDS)
        if due > now:
            self._clock.sleep(min(due - now, _MAX_PAUSE_SECONDS))
