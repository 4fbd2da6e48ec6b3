"""The durations and limits by which the engine waits, retries and holds deletions."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DeletionLimit:
    """More deletions than ``at_least`` and than ``share`` of the known relations are held."""

    at_least: int = 10
    share: float = 0.2

    def exceeded(self, missing: int, known: int) -> bool:
        return missing > self.at_least and missing > known * self.share


NO_LIMIT = DeletionLimit(share=1.0)


@dataclass(frozen=True, slots=True)
class Policy:
    """Durations, all in seconds, and limits of the engine.

    Attributes:
        debounce_seconds: how long a relation must not change before it is processed, but at most
            ``max_wait_seconds`` after its first change.
        staleness_seconds: how old a catalog's answer may be; a relation hinted without an event
            id is read again after it. 0 trusts the first reading.
        drop_grace_seconds: between the two readings that confirm a deletion.
        lease_seconds: after which an unresponsive worker loses its claims.
        max_attempts: crashes after which a relation is quarantined.
        batch_size: relations that a worker claims at once, to share reads and commits.
        retry_seconds: first delay after a transient failure; doubled up to
            ``max_retry_seconds``.
        uploads_at_once: of one worker's batch. Simple servers queue five connections; a client
            beyond that waits for a second.
        snapshot_lease_seconds: after which another snapshot may replace an unresponsive one.
        read_batch_size: relations that a snapshot reads from the catalog at once.
        memo_seconds: how long derivations are kept in the memo.
        deletion_limit: above which a snapshot holds deletions.
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
