"""The durations and limits by which the engine waits, retries and holds deletions."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Literal, TypeAlias

MassChange: TypeAlias = Literal["canary", "confirm", "off"]


@dataclass(frozen=True, slots=True)
class DeletionLimit:
    """More deletions than ``at_least`` and than ``share`` of the known relations are held."""

    at_least: int = 10
    share: float = 0.2

    def exceeded(self, missing: int, known: int) -> bool:
        return missing > self.at_least and missing > known * self.share


@dataclass(frozen=True, slots=True)
class DeadLetterLimit:
    """Of the events kept for inspection that could not be decoded; the newest are kept.

    Attributes:
        count, bytes: of all of them together.
        age_seconds: of each.
        payload_bytes: of each; of a longer payload only the beginning is kept.
        per_minute: of each source; of a flood only the first of each minute are kept.
    """

    count: int = 1000
    bytes: int = 16 * 1024**2
    age_seconds: float = 30 * 86_400.0
    payload_bytes: int = 64 * 1024
    per_minute: int = 60


DEFAULT_DEAD_LETTER_LIMIT = DeadLetterLimit()

NO_LIMIT = DeletionLimit(share=1.0)


@dataclass(frozen=True, slots=True)
class Policy:
    """Durations, all in seconds, and limits of the engine.

    Attributes:
        debounce_seconds: how long a relation must not change before it is processed, but at most
            ``max_wait_seconds`` after its first change.
        staleness_seconds: how old a catalog's answer may be; a relation hinted without an event
            id is read again after it. 0 trusts the first reading.
        max_lag_seconds: how far a replica of the catalog may lag: for so long an event id is believed
            although the catalog's current one is lower.
        drop_grace_seconds: between the two readings that confirm a deletion.
        lease_seconds: after which an unresponsive worker loses its claims.
        max_attempts: crashes after which a relation is quarantined.
        batch_size: relations that a worker claims at once, to share reads and commits.
        questions_at_once: of one worker's batch, to the processes that derive and generate.
        retry_seconds: first delay after a transient failure; doubled up to
            ``max_retry_seconds``.
        max_backoff_seconds: the longest delay of a relation that fails for a cause of its own,
            such as an upload that the index refuses.
        max_outage_retry_seconds: the longest delay of such a relation while the index refuses all.
        uploads_at_once: of one worker's batch. Simple servers queue five connections; a client
            beyond that waits for a second.
        snapshot_lease_seconds: after which another snapshot may replace one that was killed; a
            running one renews its lease.
        read_batch_size: relations that a snapshot reads from the catalog at once.
        memo_seconds: how long derivations are kept in the memo.
        max_versions_per_hour: of one relation; further ones wait.
        deletion_limit: above which deletions are held, whether a snapshot or events found them.
        max_memo_entries: of the memo; the oldest are forgotten first.
        mass_change: whether versions that no change of a table asks for wait for a person, where
            they would be more than ``change_limit``: if a few that are derived first would change
            ("canary"), always ("confirm"), or never ("off").
        dead_letter_limit: of the events kept that could not be decoded.
        index_checks_per_second: how many packages a snapshot compares with the index, at most.
        index_bytes_per_snapshot: how much of a folder's wheels a snapshot reads, to find damaged ones;
            the next one goes on from there.
        discovers_packages: whether a snapshot looks for packages that the state does not know.
        deletion_window_seconds: for how long a relation that was dropped counts towards the limit.
        trusted_keys: Ed25519 public keys; if there are some, wheels that the state does not know
            are adopted only with a provenance that one of them signed.
    """

    debounce_seconds: float = 5.0
    max_wait_seconds: float = 60.0
    staleness_seconds: float = 2.0
    max_lag_seconds: float = 60.0
    drop_grace_seconds: float = 300.0
    lease_seconds: float = 120.0
    max_attempts: int = 3
    batch_size: int = 64
    uploads_at_once: int = 3
    questions_at_once: int = 1
    retry_seconds: float = 0.05
    max_retry_seconds: float = 5.0
    max_backoff_seconds: float = 4 * 3600.0
    max_outage_retry_seconds: float = 60.0
    snapshot_lease_seconds: float = 60.0
    read_batch_size: int = 500
    memo_seconds: float = 7 * 86_400.0
    max_memo_entries: int = 200_000
    max_versions_per_hour: int = 12
    deletion_limit: DeletionLimit = field(default_factory=DeletionLimit)
    mass_change: MassChange = "canary"
    change_limit: DeletionLimit = field(default_factory=DeletionLimit)
    deletion_window_seconds: float = 3600.0
    dead_letter_limit: DeadLetterLimit = field(default_factory=DeadLetterLimit)
    index_checks_per_second: float = inf
    index_bytes_per_snapshot: float = 256 * 1024**2
    discovers_packages: bool = True
    trusted_keys: tuple[bytes, ...] = ()

    def retry_delay(self, retries: int) -> float:
        return min(self.max_retry_seconds, self.retry_seconds * 2.0 ** min(retries, 30))

    def backoff(self, failures: int) -> float:
        """After so many failures of its own: ten of them reach hours."""
        return min(self.max_backoff_seconds, self.retry_seconds * 4.0 ** min(failures, 30))
