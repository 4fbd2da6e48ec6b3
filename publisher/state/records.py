"""What the state stores, as values. Times are seconds since the epoch, hashes are hexadecimal.

The state holds hashes of facts, never the facts: the catalog alone says what a relation is.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.outcome import Status


class Urgency(IntEnum):
    """Which work goes first, lowest number first. Of two requests the more urgent one counts."""

    EVENT = 0
    REFRESH = 1
    SNAPSHOT = 2


class VersionStatus(Enum):
    RESERVED = "RESERVED"
    PUBLISHED = "PUBLISHED"
    CONFLICT = "CONFLICT"
    """The index holds other bytes under this number, which is therefore never used again."""


@dataclass(frozen=True, slots=True)
class WorkRequest:
    """Asks for a relation to be processed.

    Attributes:
        min_event_id: a catalog read before this event is too old to answer the request.
        not_before: when it is due, if no other request is waiting.
        reread_at: when to read a second time, for hints without an event id; None for one read.
    """

    relation: RelationName
    not_before: float
    urgency: Urgency = Urgency.EVENT
    min_event_id: int | None = None
    reread_at: float | None = None


@dataclass(frozen=True, slots=True)
class Claim:
    """One relation held by one worker until ``lease_until``.

    Attributes:
        claimed_at: earlier than every read that is made for it.
        generation: of the request that is answered; a newer request remains after the answer.
        fence: rises with every claim; a write with an older one is rejected.
        attempts: claims of this work that have not ended, including this one.
        retries: how often it was deferred.
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
        read_event_id: upper bound of the catalog's event id at that read, so that a read which
            reflects this event is never older.
        missing_since: time of the first of the two reads that confirm a deletion.
        stale: it or one of its upstreams, at any distance, changed since its derivation. Dependents
            of a stale relation are stale too.
        interface_hash: of its interface; None where it has none.
        content_hash: of what its newest package should contain; None without a derivation, or if it
            is withheld from publication.
        derived_facts_hash: of the facts from which it was derived.
        published_hash: the content hash of the newest confirmed version.
        yanked: it was dropped and its versions were yanked, where the index can do that.
        incarnation: how often it was found where the catalog had no such relation before.
        fingerprint: SHA-256 of its schema's canonical form; None if not OK, or not yet known.
        republish_after: ``sequence`` of the newest version when a republication was asked for.
    """

    name: RelationName
    facts_hash: str | None = None
    read_event_id: int | None = None
    missing_since: float | None = None
    status: Status = Status.UNKNOWN
    stale: bool = True
    reason: str = ""
    interface_hash: str | None = None
    content_hash: str | None = None
    inputs_hash: str | None = None
    derived_facts_hash: str | None = None
    published_hash: str | None = None
    yanked: bool = False
    incarnation: int = 0
    fingerprint: str | None = None
    republish_after: int | None = None

    @property
    def visible_hash(self) -> str:
        """What dependents see of it: its interface, or for which reason it has none."""
        return self.interface_hash or f"!{self.status.value.lower()}"

    @property
    def withheld(self) -> bool:
        """Whether it could have a package, but the settings or its own properties exclude it."""
        return (
            self.status is Status.OK
            and not self.stale
            and self.content_hash is None
            and not self.is_unfit
        )

    @property
    def is_unfit(self) -> bool:
        """Whether it was derived but the generator cannot package it; ``reason`` says why."""
        return self.status is Status.OK and self.content_hash is None and bool(self.reason)

    @property
    def lacks_version(self) -> bool:
        """Whether the index lacks a package with the content that was derived."""
        return (
            self.status is Status.OK
            and not self.stale
            and self.content_hash is not None
            and (self.content_hash != self.published_hash or self.republish_after is not None)
        )

    @property
    def needs_publication(self) -> bool:
        """Whether a worker has something to do at the index."""
        return (
            self.status is Status.OK
            and self.content_hash is not None
            and (
                self.published_hash != self.content_hash
                or self.yanked
                or self.republish_after is not None
            )
        )


@dataclass(frozen=True, slots=True)
class Edge:
    """``used`` is the upstream's interface hash at the dependent's last derivation."""

    dependent: RelationName
    upstream: RelationName
    used: str | None = None


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """A version number of a distribution. ``sequence`` is the order in which numbers were taken.

    Attributes:
        content_hash: None for an adopted version whose wheel was not read.
        schema_text: its Avro schema, None in the same case.
        change: "first", "major", "minor" or "patch"; "" for an adopted version.
        surface_hash: of the names that programs can use from it; "" if unknown.
        runtime: ``runtime_version`` of the generator that built it; "" if unknown.
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
    runtime: str = ""


@dataclass(frozen=True, slots=True)
class MemoEntry:
    """The result of a derivation, stored under the hash of all its inputs.

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
    """Outstanding work, for display."""

    relation: RelationName
    not_before: float
    lease_until: float
    attempts: int
    retries: int
    last_error: str
    urgency: Urgency
