"""What the state stores, as values. Times are seconds since the epoch, hashes are hexadecimal.

The state holds hashes of facts, never the facts: the catalog alone says what a relation is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import NamedTuple

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status


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
    LOST = "LOST"
    """The index no longer has it, and its bytes cannot be made again."""


class Cause(Enum):
    """Why work is deferred, which decides how long it waits the next time."""

    PASSING = "passing"
    """Another service is away, or something changed meanwhile: soon again, however often."""
    OWN = "own"
    """Processing this relation failed, and may fail again: the delay grows to hours."""
    CRASH = "crash"
    """Its process died: after a few deaths it is quarantined."""


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
        first_asked: when the oldest request that is not answered yet was due.
        generation: of the request that is answered; a newer request remains after the answer.
        fence: rises with every claim; a write with an older one is rejected.
        attempts: claims of this work that have not ended, including this one.
        retries: how often it was deferred.
        failures: how often in a row it failed for a cause of its own.
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
        content_hash: of what its newest package should contain; None if it is withheld or unfit.
        fingerprint: SHA-256 of its schema's canonical form; None if an earlier release derived it.
    """

    interface_hash: str
    content_hash: str | None = None
    fingerprint: str | None = None


NO_INTERFACE = "!"
"""Before a status that stands for the interface hash of a relation without an interface."""


def no_interface(status: Status) -> str:
    """What dependents see of a relation that has no interface: the reason."""
    return f"{NO_INTERFACE}{status.value.lower()}"


@dataclass(frozen=True, slots=True)
class RelationRecord:
    """A relation's last read and last derivation.

    Attributes:
        facts_hash: of the last read; None if the catalog had no such relation.
        read_event_id: upper bound of the catalog's event id at that read, so that a read which
            reflects this event is never older.
        read_at: not before that read; None if an earlier release made it.
        missing_since: time of the first of the two reads that confirm a deletion; it stays after
            the deletion, unless a person confirmed that.
        stale: it or one of its upstreams, at any distance, changed since its derivation. Dependents
            of a stale relation are stale too.
        inputs: None if it was never derived, or is to be derived again whatever its inputs are.
        output: None unless its last derivation gave it an interface.
        published_hash: the content hash of the newest confirmed version.
        yanked: it was dropped and its versions are known to be yanked.
        incarnation: how often it was found where the catalog had no such relation before.
        republish_after: ``sequence`` of the newest version when a republication was asked for.
        index_check_due: the index may show something else than the ledger says, because a yank or
            its contrary was begun, or because a comparison found a difference. It is set before
            anything is done, and cleared after all is done.
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
        """What dependents see of it: its interface, or for which reason it has none."""
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
        """Whether it was read and cannot be derived; MISSING included."""
        return self.status not in {Status.OK, Status.UNKNOWN}

    @property
    def has_content(self) -> bool:
        """Whether it should have a package."""
        return self.status is Status.OK and self.content_hash is not None

    @property
    def is_only_published(self) -> bool:
        """Whether it is known from the index alone: the catalog was not asked yet."""
        return self.status is Status.UNKNOWN and self.published_hash is not None

    @property
    def lacks_version(self) -> bool:
        """Whether the index lacks a package with the content that was derived."""
        return (
            self.has_content
            and not self.stale
            and (self.content_hash != self.published_hash or self.republish_after is not None)
        )

    @property
    def needs_publication(self) -> bool:
        """Whether a worker has something to do at the index."""
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
        schema_text: its Avro schema, None in the same case unless a later version's wheel has it.
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
        status: OK, BROKEN, UNSUPPORTED or UNREACHABLE; the latter three with a ``reason``.
        derivation: ``translation.derivation_json`` as text; None unless OK.
    """

    inputs_hash: str
    status: Status
    derivation: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StoredDeadLetter:
    """``payload`` may be the beginning only of what was received, ``payload_length`` bytes."""

    id: int
    source: str
    payload: bytes
    reason: str
    namespace: tuple[str, ...] | None
    received_at: float
    payload_length: int


@dataclass(frozen=True, slots=True)
class Figures:
    """How much the state holds.

    Attributes:
        relations: how many have each status; "STALE" counts those to be derived again.
        versions: published ones, yanked ones included.
        conflicts: numbers that the index holds with other bytes.
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
        failures: how often in a row it failed for a cause of its own.
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
    """Where a question was found, the best place first."""

    NAME = 0
    BEGINNING = 1
    """Of its name, with its namespace or without."""
    PART = 2
    FIELD = 3
    DOCUMENTATION = 4


@dataclass(frozen=True, slots=True)
class Hit:
    """A relation that a question finds.

    Attributes:
        fields: some of those whose names it finds, where that is the best place.
        excerpt: of the documentation, likewise.
    """

    relation: RelationName
    match: Match
    fields: tuple[str, ...] = ()
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """The best hits, of so many: at least, beyond a thousand that are found in texts alone."""

    hits: tuple[Hit, ...]
    total: int


class FilledColumn(NamedTuple):
    """A column of a table that is filled, and a column of the source that it comes of.

    In lower case; ``*`` for all of a table.

    Attributes:
        column: "" where the other decides which rows there are.
        clause: through which the other acts; "" where the values are made of it.
    """

    column: str
    source_column: str
    clause: str


@dataclass(frozen=True, slots=True)
class FillingRecord:
    """A statement that fills a table from another one.

    Attributes:
        source: None says when the table was last filled anew.
        mark: the same for statements that differ in values alone.
        columns: none where they are not known.
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
