"""Collects the reasons why the daemon is not ready. It sends no request to another service."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from publisher.daemon.threads import Daemon
from publisher.outages import Outages
from publisher.progress import Progress
from publisher.redaction import SECRETS
from publisher.state.protocol import StateUnavailable

_MAX_INTERVALS = 2
"""The limit of the last snapshot's age, in intervals: one snapshot may fail."""


class SnapshotAge:
    """Finds out whether the last complete snapshot is too old, or has been missing since the start."""

    def __init__(
        self,
        seconds_since_snapshot: Callable[[], float | None],
        interval_seconds: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Starts the clock; ``seconds_since_snapshot`` must return None before the first snapshot."""
        self._seconds_since_snapshot = seconds_since_snapshot
        self._max_seconds = _MAX_INTERVALS * interval_seconds
        self._now = now
        self._started_at = now()

    def troubles(self) -> Mapping[str, str]:
        if self._now() - self._started_at <= self._max_seconds:
            return {}
        age = self._seconds_since_snapshot()
        if age is None:
            return {"snapshot": "none has ended yet"}
        if age <= self._max_seconds:
            return {}
        return {"snapshot": f"the last whole one ended {age:.0f} s ago"}


class Health:
    """The health of the service.

    ``is_live`` reads nothing; ``troubles`` reads one row of the state.
    """

    def __init__(
        self, daemon: Daemon, outages: Outages, progress: Progress, snapshot_age: SnapshotAge
    ) -> None:
        self._daemon = daemon
        self._outages = outages
        self._progress = progress
        self._snapshot_age = snapshot_age

    def is_live(self) -> bool:
        return self._daemon.is_alive()

    def troubles(self) -> Mapping[str, str]:
        """The reasons why the service is not ready, by part; empty if it is ready."""
        dead = {} if self.is_live() else {"threads": "one has ended; restart the service"}
        # A thread's own report says more than its silence or its age.
        troubles = {
            **self._state_troubles(),
            **self._progress.troubles(),
            **self._outages.failing(),
            **self._daemon.overdue(),
            **self._daemon.troubles(),
            **dead,
        }
        return {part: SECRETS.redact(why) for part, why in troubles.items()}

    def _state_troubles(self) -> Mapping[str, str]:
        try:
            return self._snapshot_age.troubles()
        except StateUnavailable as error:
            return {"state": str(error)}
