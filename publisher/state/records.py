"""The records of the state, as values. Times are seconds since the epoch, hashes are hexadecimal.

The state holds hashes of facts, never the facts: only the catalog defines a relation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import NamedTuple

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status


class Urgency(IntEnum):
    """Which work goes first, lowest number first. The more urgent of two requests counts."""

    EVENT = 0
    REFRESH = 1
    SNAPSHOT = 2


class VersionStatus(Enum):
    RESERVED = "RESERVED"
    PUBLISHED = "PUBLISHED"
    CONFLICT = "CONFLICT"
    """The index has other bytes under this number, so the number is never used again."""
    LOST = "LOST"
    """The index no longer has it, and its bytes cannot be rebuilt."""


class Cause(Enum):
    """Why work is deferred; this decides how long it waits the next time."""

    PASSING = "passing"
    """Another service is away, or something changed meanwhile: the work is retried soon, however
    often."""
    OWN = "own"
    """Processing this relation failed, and may fail again: its delay grows to hours."""
    CRASH = "crash"
    """Its process died: after a few deaths the relation is quarantined."""


@dataclass(frozen=True, slots=True)
class WorkRequest:
    """Asks for a relation to be processed.

    Attributes:
        min_event_id: an answer of the catalog from before this event is too old for the request.
        not_before: when it is due, if no other request is waiting.
        reread_at: the time of a second reading, for hints without an event id; or None.
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
        claimed_at: before every reading for this claim.
        first_asked: when the oldest unanswered request was due.
        generation: of the request to answer; a newer request remains after the answer.
        fence: rises with every claim; a write with an older one is rejected.
        attempts: claims of this work that have not ended, including this one.
        retries: how often it was deferred.
        failures: how often in a row it failed for a reason that concerns only this relation.
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
    first_asked: float
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a relation was last derived from.

    Attributes:
        inputs_hash: of its facts and its upstreams' interfaces; None for a member of a cycle.
    """

    facts_hash: str
    inputs_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """What a relation's last derivation gave.

    Attributes:
        content_hash: of the content that its newest package should have; None if it is withheld or unfit.
        fingerprint: SHA-256 of its schema's canonical form; None if an earlier release derived it.
    """

    interface_hash: str
    content_hash: str | None = None
    fingerprint: str | None = None


NO_INTERFACE = "!"
"""The prefix of a status that replaces the interface hash of a relation without an interface."""


def no_interface(status: Status) -> str:
    """What dependents see of a relation that has no interface: the reason."""
    return f"{NO_INTERFACE}{status.value.lower()}"


@dataclass(frozen=True, slots=True)
class RelationRecord:
    """A relation's last read and last derivation.

    Attributes:
        facts_hash: of the last reading; None if the relation did not exist.
        read_event_id: upper bound of the catalog's event id at that reading; a reading that
            reflects this event is never older.
        read_at: a time not before that reading; None from an earlier release.
        missing_since: time of the first of two readings that confirm a deletion; it stays after the
            deletion, unless a person confirmed it.
        stale: whether it or an upstream, at any distance, changed since its derivation. Dependents
            of a stale relation are stale too.
        inputs: None if it was never derived, or must be derived again whatever its inputs are.
        output: None unless its last derivation gave it an interface.
        published_hash: the content hash of the newest confirmed version.
        yanked: whether it was dropped and its versions are known to be yanked.
        incarnation: how often it was found after it did not exist.
        republish_after: ``sequence`` of the newest version at the request for a republication.
        index_check_due: whether the index may differ from the ledger, because a yank or unyank was
            begun or a comparison found a difference. It is set before any action, and cleared after
            the last.
    """

    name: RelationName
    facts_hash: str | None = None
    read_event_id: int | None = None
    missing_since: float | None = None
    status: Status = Status.UNKNOWN
    stale: bool = True
    reason: str = ""
    inputs: Inputs | None = None
    output: Output | None = None
    published_hash: str | None = None
    yanked: bool = False
    incarnation: int = 0
    republish_after: int | None = None
    read_at: float | None = None
    index_check_due: bool = False

    @property
    def visible_hash(self) -> str:
        """What dependents see: its interface, or why it has no interface."""
        return no_interface(self.status) if self.output is None else self.output.interface_hash

    @property
    def inputs_hash(self) -> str | None:
        return None if self.inputs is None else self.inputs.inputs_hash

    @property
    def content_hash(self) -> str | None:
        return None if self.output is None else self.output.content_hash

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
    def has_failed(self) -> bool:
        """Whether it was read and cannot be derived; MISSING counts too."""
        return self.status not in {Status.OK, Status.UNKNOWN}

    @property
    def has_content(self) -> bool:
        """Whether it should have a package."""
        return self.status is Status.OK and self.content_hash is not None

    @property
    def is_only_published(self) -> bool:
        """Whether only the index knows it: the catalog was not asked yet."""
        return self.status is Status.UNKNOWN and self.published_hash is not None

    @property
    def lacks_version(self) -> bool:
        """Whether the index lacks a package with its derived content."""
        return (
            self.has_content
            and not self.stale
            and (self.content_hash != self.published_hash or self.republish_after is not None)
        )

    @property
    def needs_publication(self) -> bool:
        """Whether a worker has work at the index."""
        return self.has_content and (
            self.published_hash != self.content_hash
            or self.index_check_due
            or self.republish_after is not None
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
        schema_text: its Avro schema; None in the same case, unless a later version's wheel has it.
        change: "first", "major", "minor" or "patch"; "" for an adopted version.
        surface_hash: of the names that programs can use; "" if unknown.
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
        status: OK, BROKEN, UNSUPPORTED or UNREACHABLE; the latter three with a ``reason``.
        derivation: ``translation.derivation_json`` as text; None unless OK.
    """

    inputs_hash: str
    status: Status
    derivation: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StoredDeadLetter:
    """``payload`` may be only the beginning of the ``payload_length`` bytes that were received."""

    id: int
    source: str
    payload: bytes
    reason: str
    namespace: tuple[str, ...] | None
    received_at: float
    payload_length: int


@dataclass(frozen=True, slots=True)
class Figures:
    """The totals of the state.

    Attributes:
        relations: how many have each status; "STALE" counts those that must be derived again.
        versions: published versions, including yanked ones.
        conflicts: version numbers that the index has with other bytes.
        work: relations with outstanding work.
    """

    relations: Mapping[str, int]
    versions: int
    conflicts: int
    work: int
    dead_letters: int


@dataclass(frozen=True, slots=True)
class WorkRecord:
    """Outstanding work, for display.

    Attributes:
        first_asked: when the oldest request was due.
        failures: how often in a row it failed for a reason that concerns only this relation.
    """

    relation: RelationName
    not_before: float
    lease_until: float
    attempts: int
    retries: int
    last_error: str
    urgency: Urgency
    first_asked: float = 0.0
    failures: int = 0


class Match(IntEnum):
    """The kind of a match, the best first."""

    NAME = 0
    BEGINNING = 1
    """The beginning of its name, with its namespace or without."""
    PART = 2
    FIELD = 3
    DOCUMENTATION = 4


@dataclass(frozen=True, slots=True)
class Hit:
    """A relation that matches a search.

    Attributes:
        fields: some matching names of fields, if that is the best match.
        excerpt: a part of the documentation, if that is the best match.
    """

    relation: RelationName
    match: Match
    fields: tuple[str, ...] = ()
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """The best hits and the total, which is a lower bound beyond a thousand hits in texts."""

    hits: tuple[Hit, ...]
    total: int


class FilledColumn(NamedTuple):
    """A filled column of a table, and the column of the source that supplies or influences it.

    Names are in lower case; ``*`` stands for all columns of a table.

    Attributes:
        column: "" if the source column decides which rows exist.
        clause: the clause of an indirect influence; "" if the source column supplies values.
    """

    column: str
    source_column: str
    clause: str


@dataclass(frozen=True, slots=True)
class FillingRecord:
    """A statement that fills a table from another one.

    Attributes:
        source: None in the record of the table's last complete refill.
        mark: equal for statements that differ only in values.
        columns: empty if unknown.
        first_at, last_at: when it ran, in seconds since the epoch.
    """

    target: RelationName
    source: RelationName | None
    mark: str
    statement: str
    user: str
    columns: tuple[FilledColumn, ...]
    first_at: float
    last_at: float
