"""Why the daemon is not ready, put together from what it knows already: no service is asked."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from publisher.daemon.threads import Daemon
from publisher.outages import Outages
from publisher.progress import Progress
from publisher.redaction import SECRETS
from publisher.state.protocol import StateUnavailable

_MAX_INTERVALS = 2
"""A snapshot may fail once before the daemon counts as not ready."""


class SnapshotAge:
    """Whether the last whole snapshot is older than it should be, or, since the start, missing."""

    def __init__(
        self,
        seconds_since_snapshot: Callable[[], float | None],
        interval_seconds: float,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """``seconds_since_snapshot`` is None where there was none."""
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
    """``is_live`` costs nothing; ``troubles`` reads one row of the state."""

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
        """What keeps it from its work, by part; empty if it is ready."""
        dead = {} if self.is_live() else {"threads": "one has ended; restart the service"}
        # What a thread itself reports says more than its silence, or than its age.
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
