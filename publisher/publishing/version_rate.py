"""Limits the versions of one relation, so that a table altered in a loop does not flood the index.

At the limit, work waits until the oldest version of the last hour is an hour old. Then the current
content is published.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from publisher.publishing.jobs import Job, Reconciled
from publisher.runtime import Runtime
from publisher.settling.claims import Postponed, end_claims
from publisher.state.records import VersionRecord

log = logging.getLogger(__name__)

_HOUR_SECONDS = 3600.0


def seconds_to_wait(history: Sequence[VersionRecord], now: float, max_per_hour: int) -> float:
    """Seconds until another version is allowed, or 0. ``now`` is wall time, as in versions."""
    # The times are a set, because adopted versions share one time and together count once.
    built = sorted(
        {
            version.created_at
            for version in history
            # If wall time was ahead once, a version's time may be in the future. It does not count.
            if 0 <= now - version.created_at < _HOUR_SECONDS
        }
    )
    return built[-max_per_hour] + _HOUR_SECONDS - now if len(built) >= max_per_hour else 0.0


class VersionRate:
    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._max_per_hour = runtime.policy.max_versions_per_hour

    def allows(self, history: Sequence[VersionRecord]) -> bool:
        return seconds_to_wait(history, self._runtime.clock.wall(), self._max_per_hour) <= 0

    def admit(self, jobs: Sequence[tuple[Job, Reconciled]]) -> Sequence[tuple[Job, Reconciled]]:
        """The jobs that may have another version now; defers all other jobs."""
        now, admitted = self._runtime.clock.wall(), []
        for job, reconciled in jobs:
            seconds = seconds_to_wait(reconciled.history, now, self._max_per_hour)
            if seconds > 0:
                self._defer(job, seconds)
            else:
                admitted.append((job, reconciled))
        return admitted

    def _defer(self, job: Job, seconds: float) -> None:
        reason = (
            f"it had {self._max_per_hour} versions within an hour (engine.max_versions_per_hour); "
            "its newest content is published later"
        )
        end_claims(self._runtime, [job.claim], Postponed(reason, seconds))
        self._runtime.counters.add("versions_delayed")
        log.warning("version delayed", extra={"relation": str(job.name), "why": reason})
