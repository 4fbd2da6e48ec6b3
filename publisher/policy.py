"""The numbers by which the engine waits, retries and holds back."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DeletionLimit:
    """More than ``at_least`` and more than ``share`` of what is known: too much to be meant."""

    at_least: int = 10
    share: float = 0.2

    def exceeded(self, missing: int, known: int) -> bool:
        return missing > self.at_least and missing > known * self.share


NO_LIMIT = DeletionLimit(share=1.0)


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
