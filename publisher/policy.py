"""The loop's numbers, its clock and its counters."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from publisher.settling.reconciliation import DeletionLimit


@dataclass(frozen=True, slots=True)
class Policy:
    """How patient the loop is. All durations are seconds.

    Attributes:
        debounce_seconds: quiet time that a changing relation must show, at most
            ``max_wait_seconds`` after it first changed.
        staleness_seconds: how far behind a catalog may answer; hints without an event id are
            looked at a second time after it. 0 trusts the first look.
        drop_grace_seconds: between the two readings that a deletion needs.
        lease_seconds: after which a worker that says nothing loses its work.
        max_attempts: claims that ended in death before a relation is quarantined.
        batch_size: relations that a worker takes at once, to share reads and commits.
        retry_seconds: first wait after a failure that passes; doubled up to
            ``max_retry_seconds``.
        uploads_at_once: of one worker's batch. Simple servers let five connections wait, and
            whoever comes then is not heard for a second.
        snapshot_lease_seconds: after which a snapshot that says nothing is taken for dead.
        memo_seconds: how long derivations are remembered.
    """

    debounce_seconds: float = 5.0
    max_wait_seconds: float = 60.0
    staleness_seconds: float = 2.0
    drop_grace_seconds: float = 300.0
    lease_seconds: float = 120.0
    max_attempts: int = 3
    batch_size: int = 64
    uploads_at_once: int = 3
    retry_seconds: float = 0.05
    max_retry_seconds: float = 5.0
    snapshot_lease_seconds: float = 600.0
    read_batch_size: int = 500
    memo_seconds: float = 7 * 86_400.0
    deletion_limit: DeletionLimit = field(default_factory=DeletionLimit)

    def retry_delay(self, retries: int) -> float:
        return min(self.max_retry_seconds, self.retry_seconds * 2.0 ** min(retries, 30))


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since the epoch."""

    def sleep(self, seconds: float) -> None: ...


class SystemClock:
    def now(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class Counters:
    """Numbers that only rise, for metrics; safe between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._values: dict[str, int] = {}

    def add(self, name: str, amount: int = 1) -> None:
        with self._lock:
            self._values[name] = self._values.get(name, 0) + amount

    def values(self) -> Mapping[str, int]:
        with self._lock:
            return dict(self._values)
