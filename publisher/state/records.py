"""What the state remembers, as values. Times are seconds since the epoch, hashes are hex.

The state never holds facts, only their hashes: what a relation is, the catalog says.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.outcome import Status


class Urgency(IntEnum):
    """Which work goes first. A relation asked for twice keeps the higher urgency."""

    EVENT = 0
    REFRESH = 1
    SNAPSHOT = 2


class VersionStatus(Enum):
    RESERVED = "RESERVED"
    PUBLISHED = "PUBLISHED"
    CONFLICT = "CONFLICT"
    """The index holds other bytes under this number: unusable, never used again."""


@dataclass(frozen=True, slots=True)
class WorkRequest:
    """Asks that a relation be looked at.

    Attributes:
        min_event_id: a catalog read below this event is too old to answer.
        not_before: when it is due, if nothing was asked yet.
        reread_at: a second look, for hints without an event id; None for one look.
    """

    relation: RelationName
    not_before: float
    urgency: Urgency = Urgency.EVENT
    min_event_id: int | None = None
    reread_at: float | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One relation, one worker, until ``lease_until``.

    Attributes:
        claimed_at: before whatever is read for it.
        generation: of the request that is answered; a newer one outlives the answer.
        fence: rises with every claim; a write with an old one is refused.
        attempts: claims of this work that have not ended, this one included.
        retries: times it was put off for something that passes.
    """

    relation: RelationName
    generation: int
    fence: int
    claimed_at: float
    lease_until: float
    attempts: int
    retries: int
    min_event_id: int | None
    reread_at: float | None


@dataclass(frozen=True, slots=True)
class RelationRecord:
    """A relation's last read and last derivation.

    Attributes:
        facts_hash: of the last read; None if the catalog had no such relation.
        read_event_id: the catalog was not newer than this when read, so that a later read at
            this event or above never goes back in time.
        missing_since: first of the two readings that a deletion needs.
        stale: it, or something above it, changed since its derivation. Whatever depends on a
            stale relation is stale too.
        interface_hash: what dependents see; ``!status`` where there is no interface.
        content_hash: what its newest package should contain; None where it has no derivation, or is
            withheld from publication.
        derived_facts_hash: the facts that the derivation is of.
        published_hash: the content hash of the newest confirmed version.
        yanked: its versions are yanked because it was dropped, or the index cannot.
    """

    name: RelationName
    facts_hash: str | None = None
    read_event_id: int | None = None
    missing_since: float | None = None
    status: Status = Status.UNKNOWN
    stale: bool = True
    reason: str = ""
    interface_hash: str = "!unknown"
    content_hash: str | None = None
    inputs_hash: str | None = None
    derived_facts_hash: str | None = None
    published_hash: str | None = None
    yanked: bool = False
    incarnation: int = 0

    @property
    def withheld(self) -> bool:
        """Whether it could have a package, and the settings or it itself want none."""
        return (
            self.status is Status.OK
            and not self.stale
            and self.content_hash is None
            and not self.is_unfit
        )

    @property
    def is_unfit(self) -> bool:
        """Whether it was derived and the generator cannot package it; ``reason`` says why."""
        return self.status is Status.OK and self.content_hash is None and bool(self.reason)

    @property
    def lacks_version(self) -> bool:
        """Whether the index does not have what its derivation says."""
        return (
            self.status is Status.OK
            and not self.stale
            and self.content_hash not in {None, self.published_hash}
        )

    @property
    def needs_publication(self) -> bool:
        """Whether a worker has something to do at the index."""
        return (
            self.status is Status.OK
            and self.content_hash is not None
            and (self.published_hash != self.content_hash or self.yanked)
        )


@dataclass(frozen=True, slots=True)
class Edge:
    """``used`` is the upstream's interface hash at the dependent's last derivation."""

    dependent: RelationName
    upstream: RelationName
    used: str | None = None


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """A number of a distribution, in the order in which numbers were taken (``sequence``).

    Attributes:
        content_hash: None for an adopted version whose wheel was not read.
        schema_text: its Avro schema, None likewise.
        change: "first", "major", "minor" or "patch"; "" for an adopted version.
        surface_hash: of what programs can name in it; "" where that is not known.
    """

    distribution: str
    number: str
    relation: RelationName
    status: VersionStatus
    content_hash: str | None
    schema_text: str | None
    wheel_sha256: str | None
    filename: str
    change: str = ""
    reasons: tuple[str, ...] = ()
    created_at: float = 0.0
    sequence: int = 0
    surface_hash: str = ""


@dataclass(frozen=True, slots=True)
class MemoEntry:
    """The result of a derivation, under the hash of everything that went into it.

    Attributes:
        status: OK, BROKEN or UNSUPPORTED; the latter two with a ``reason``.
        derivation: ``translation.derivation_json`` as text; None unless OK.
    """

    inputs_hash: str
    status: Status
    derivation: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StoredDeadLetter:
    id: int
    source: str
    payload: bytes
    reason: str
    namespace: tuple[str, ...] | None
    received_at: float


@dataclass(frozen=True, slots=True)
class WorkRecord:
    """Outstanding work, as shown to people."""

    relation: RelationName
    not_before: float
    lease_until: float
    attempts: int
    retries: int
    last_error: str
    urgency: Urgency
