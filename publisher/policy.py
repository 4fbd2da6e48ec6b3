"""The durations and limits by which the engine waits, retries and holds deletions."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Literal, TypeAlias

MassChange: TypeAlias = Literal["canary", "confirm", "off"]


@dataclass(frozen=True, slots=True)
class DeletionLimit:
    """A limit for deletions: they are held if they exceed ``at_least`` and ``share``.

    ``share`` is a part of the known relations.
    """

    at_least: int = 10
    share: float = 0.2

    def exceeded(self, missing: int, known: int) -> bool:
        return missing > self.at_least and missing > known * self.share


@dataclass(frozen=True, slots=True)
class DeadLetterLimit:
    """Limits for stored events that could not be decoded; the newest are kept.

    Attributes:
        count, bytes: for all events together.
        payload_bytes: for each event; a longer payload is cut.
        per_minute: for each source; only the first events of each minute are kept.
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
    """The engine's durations, all in seconds, and limits.

    Attributes:
        debounce_seconds: how long a relation must be unchanged before it is processed.
        max_wait_seconds: a relation is processed this long after its first change at the latest.
        staleness_seconds: how old a catalog's answer may be. A relation hinted without an event id
            is read again after this time; 0 trusts the first reading.
        max_lag_seconds: how far a replica of the catalog may lag. An event id above the catalog's
            current one is believed for this long.
        drop_grace_seconds: time between the two readings that confirm a deletion.
        lease_seconds: after this time an unresponsive worker loses its claims.
        max_attempts: a relation is quarantined after this many crashes.
        batch_size: how many relations a worker claims at once, to share reads and commits.
        questions_at_once: how many relations of one batch are derived or generated at once.
        retry_seconds: first delay after a transient failure; it doubles up to
            ``max_retry_seconds``.
        max_backoff_seconds: longest delay of a relation that fails while others do not, such as by
            an upload that the index refuses.
        max_outage_retry_seconds: longest delay of that relation while the index refuses all
            uploads.
        uploads_at_once: how many uploads of one batch run at once. Simple servers queue five
            connections; a further client waits for a second.
        snapshot_lease_seconds: after this time another snapshot may replace a killed snapshot. A running
            snapshot renews its lease.
        read_batch_size: how many relations a snapshot reads from the catalog at once.
        memo_seconds: how long the memo keeps derivations.
        max_versions_per_hour: for one relation; further versions wait.
        deletion_limit: deletions beyond this limit are held, whether a snapshot or events found
            them.
        max_memo_entries: beyond this number the memo of derivations forgets the oldest entries.
        mass_change: whether versions without a changed table wait for a person when they exceed
            ``change_limit``: if a first few derivations would change ("canary"), always
            ("confirm"), or never ("off").
        dead_letter_limit: limits for stored events that could not be decoded.
        index_checks_per_second: how many packages a snapshot compares with the index, at most.
        index_bytes_per_snapshot: how many bytes of wheels a snapshot reads from a folder to find damaged
            wheels. The next snapshot continues at the same place.
        discovers_packages: whether a snapshot looks for packages that the state does not know.
        deletion_window_seconds: how long a dropped relation counts towards the limit.
        removed_catalogs: catalogs that the settings lost on purpose.
        trusted_keys: Ed25519 public keys. If set, unknown wheels are adopted only with a provenance
            that one of the keys signed.
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
    removed_catalogs: frozenset[str] = frozenset()
    trusted_keys: tuple[bytes, ...] = ()

    def retry_delay(self, retries: int) -> float:
        return min(self.max_retry_seconds, self.retry_seconds * 2.0 ** min(retries, 30))

    def backoff(self, failures: int) -> float:
        """The delay after this many failures of one relation.

        After ten failures it reaches hours.
        """
        return min(self.max_backoff_seconds, self.retry_seconds * 4.0 ** min(failures, 30))
