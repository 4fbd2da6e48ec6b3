"""The records of the state, as values. Times are seconds since the epoch, hashes are hexadecimal.

The state holds hashes of facts, never the facts: only the catalog defines a relation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum
from typing import NamedTuple

from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.translation.model.outcome import Status


class Urgency(IntEnum):
    """How urgent work is. Work with the lowest number goes first; of two requests, the more urgent counts."""

    EVENT = 0
    REFRESH = 1
    SNAPSHOT = 2


class VersionStatus(Enum):
    RESERVED = "RESERVED"
    PUBLISHED = "PUBLISHED"
    CONFLICT = "CONFLICT"
    """The index has other bytes under this number; the service never uses the number again."""
    LOST = "LOST"
    """The index no longer has the version, and its bytes cannot be rebuilt."""


class Cause(Enum):
    """The reason why work is deferred; it decides the next delay."""

    PASSING = "passing"
    """Another service does not answer, or the inputs changed meanwhile: the work is retried soon, each
    time."""
    OWN = "own"
    """Processing this relation failed, and may fail again: its delay grows to hours."""
    CRASH = "crash"
    """The process died during the work: after a few deaths the relation is quarantined."""


@dataclass(frozen=True, slots=True)
class WorkRequest:
    """Asks for a relation to be processed.

    Attributes:
        min_event_id: the catalog's answer must reflect this event; an older answer is not enough.
        not_before: the time at which the work is due, if no other request waits.
        reread_at: the time of a second reading, for a hint without an event id; else None.
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
        claimed_at: the time of the claim; every reading for it is later.
        first_asked: when the oldest open request was due.
        generation: the number of the newest request at the claim; a later request stays open.
        fence: a number that rises with every claim; a write with an older fence is rejected.
        attempts: how many claims of this work did not end, including this claim.
        retries: how often the work was deferred.
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
    """The inputs of a relation's last derivation.

    Attributes:
        inputs_hash: the hash of its facts and its upstreams' interfaces; None for a member of a cycle.
    """

    facts_hash: str
    inputs_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """The result of a relation's last derivation.

    Attributes:
        content_hash: the hash that the newest package should have; None if the relation is withheld, or
            cannot be packaged.
        fingerprint: SHA-256 of its schema's canonical form; None if an earlier release derived it.
    """

    interface_hash: str
    content_hash: str | None = None
    fingerprint: str | None = None


NO_INTERFACE = "!"
"""The prefix of a status that replaces the interface hash of a relation without an interface."""


def no_interface(status: Status) -> str:
    """The text that replaces the interface hash if there is no interface; it names the status."""
    return f"{NO_INTERFACE}{status.value.lower()}"


@dataclass(frozen=True, slots=True)
class RelationRecord:
    """A relation's last read and last derivation.

    Attributes:
        facts_hash: the hash of the facts at the last reading; None if the relation did not exist.
        read_event_id: the catalog's event id at that reading, or a higher id. A reading that
            reflects this event is not older than that reading.
        read_at: the time of that reading or a later time; None if an earlier release wrote it.
        missing_since: the time of the first of the two readings that confirm a deletion. It stays
            after the deletion, unless a person confirmed the deletion.
        stale: whether the relation, or an upstream at any distance, changed since the derivation.
            Dependents of a stale relation are stale too.
        inputs: what the last derivation used; None if the relation was never derived, or must be
            derived again in any case.
        output: the result of the last derivation; None unless it succeeded.
        published_hash: the content hash of the newest confirmed version.
        yanked: whether the relation was dropped and its versions are known to be yanked.
        incarnation: how often the relation was created, or created again after a deletion.
        republish_after: the ``sequence`` of the newest version when a republication was requested.
        index_check_due: whether the index may differ from the ledger, because a yank or unyank was
            begun or a comparison found a difference. It is set before the first action at the index,
            and cleared after the last.
        kind: "table" or "view" at the last reading; "" if it was never read.
        owner: from the relation's properties at the last reading; "" if unknown.
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
    kind: str = ""
    owner: str = ""

    @property
    def visible_hash(self) -> str:
        """The interface hash, or else a text with the status: dependents are derived again if it changes."""
        return no_interface(self.status) if self.output is None else self.output.interface_hash

    @property
    def inputs_hash(self) -> str | None:
        return None if self.inputs is None else self.inputs.inputs_hash

    @property
    def content_hash(self) -> str | None:
        return None if self.output is None else self.output.content_hash

    @property
    def withheld(self) -> bool:
        """Whether the relation gets no package because the settings or its own properties exclude it."""
        return (
            self.status is Status.OK
            and not self.stale
            and self.content_hash is None
            and not self.is_unfit
        )

    @property
    def is_unfit(self) -> bool:
        """Whether the relation was derived, but cannot be packaged; ``reason`` says why."""
        return self.status is Status.OK and self.content_hash is None and bool(self.reason)

    @property
    def has_failed(self) -> bool:
        """Whether the relation was read and cannot be derived. A missing relation counts, too."""
        return self.status not in {Status.OK, Status.UNKNOWN}

    @property
    def has_content(self) -> bool:
        """Whether the relation should have a package."""
        return self.status is Status.OK and self.content_hash is not None

    @property
    def is_only_published(self) -> bool:
        """Whether only the index knows the relation: the catalog was not read yet."""
        return self.status is Status.UNKNOWN and self.published_hash is not None

    @property
    def lacks_version(self) -> bool:
        """Whether the index lacks a package with the relation's derived content."""
        return (
            self.has_content
            and not self.stale
            and (self.content_hash != self.published_hash or self.republish_after is not None)
        )

    @property
    def needs_publication(self) -> bool:
        """Whether a worker must still change the index for this relation."""
        return self.has_content and (
            self.published_hash != self.content_hash
            or self.index_check_due
            or self.republish_after is not None
        )


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge from a dependent to an upstream.

    ``used`` is the upstream's interface hash at the derivation of the dependent.
    """

    dependent: RelationName
    upstream: RelationName
    used: str | None = None


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """A version number of a distribution. ``sequence`` is the order in which numbers were taken.

    Attributes:
        content_hash: the hash of the package's content; None for an adopted version whose wheel was
            not read.
        schema_text: the Avro schema; None if the wheel was not read and no later wheel contains the
            schema.
        change: "first", "major", "minor" or "patch"; "" for an adopted version.
        surface_hash: the hash of the names that programs can use; "" if unknown.
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
class Publication:
    """A published version for long lists: a ``VersionRecord`` without the large parts.

    Attributes:
        created_at: 0 if unknown.
        previous: the version published before it; "" for the first.
        dropped_at: when its relation was first missing, if its versions are yanked since; else None.
    """

    sequence: int
    distribution: str
    number: str
    relation: RelationName
    change: str
    reasons: tuple[str, ...]
    created_at: float
    wheel_sha256: str | None
    previous: str = ""
    dropped_at: float | None = None


@dataclass(frozen=True, slots=True)
class PublishedVersion:
    """A published version without its schema, for lists."""

    distribution: str
    number: str
    relation: RelationName
    wheel_sha256: str | None
    change: str
    created_at: float
    sequence: int


@dataclass(frozen=True, slots=True)
class NamespaceFigures:
    """How many relations a namespace has, by kind; ``troubled`` counts relations with a ``reason``."""

    namespace: Namespace
    tables: int
    views: int
    unread: int
    troubled: int

    @property
    def relations(self) -> int:
        return self.tables + self.views + self.unread


@dataclass(frozen=True, slots=True)
class Chosen:
    """The filters of a list of relations. An attribute with the value None does not filter.

    Attributes:
        catalog: the catalog's name in keys; "" is the default catalog.
        status: the status as people see it; STALE while a relation must be derived again.
        text: a part of the name, in any letter case.
        owner: the owner's whole name.
    """

    catalog: str | None = None
    namespace: Namespace | None = None
    kind: str | None = None
    status: str | None = None
    text: str | None = None
    owner: str | None = None


EVERY_RELATION = Chosen()


@dataclass(frozen=True, slots=True)
class ListedRelation:
    """A relation in a list; ``status`` is as in ``Chosen``."""

    name: RelationName
    kind: str
    owner: str
    status: str
    reason: str
    is_published: bool
    yanked: bool


@dataclass(frozen=True, slots=True)
class MemoEntry:
    """The result of a derivation, stored under the hash of all its inputs.

    Attributes:
        status: OK, BROKEN, UNSUPPORTED or UNREACHABLE; all but OK have a ``reason``.
        derivation: ``translation.derivation_json`` as text; None unless OK.
    """

    inputs_hash: str
    status: Status
    derivation: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class StoredDeadLetter:
    """A stored dead letter.

    ``payload`` may be only the first of ``payload_length`` received bytes.
    """

    id: int
    source: str
    payload: bytes
    reason: str
    namespace: Namespace | None
    received_at: float
    payload_length: int


@dataclass(frozen=True, slots=True)
class Figures:
    """Totals of the whole state.

    Attributes:
        relations: how many relations have each status. "STALE" counts relations that must be derived
            again.
        versions: how many versions are published, with yanked versions.
        conflicts: how many version numbers the index has with other bytes.
        work: how many relations have outstanding work.
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
    """The places of a match; a lower number is a better match."""

    NAME = 0
    BEGINNING = 1
    """The beginning of the name, with or without the namespace."""
    PART = 2
    FIELD = 3
    DOCUMENTATION = 4
    OWNER = 5


@dataclass(frozen=True, slots=True)
class Hit:
    """A relation that matches a search.

    Attributes:
        fields: some matching names of fields, if the best match is in fields.
        excerpt: a part of the documentation, if the best match is there.
    """

    relation: RelationName
    match: Match
    fields: tuple[str, ...] = ()
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """The best hits, and the total. With more than a thousand hits in texts the total is too low."""

    hits: tuple[Hit, ...]
    total: int


class FilledColumn(NamedTuple):
    """A filled column of a table, and the column of the source that supplies or influences it.

    Names are in lower case; ``*`` stands for all columns of a table.

    Attributes:
        column: the filled column; "" if the source column decides which rows exist.
        clause: the clause of an indirect influence; "" if the source column supplies values.
    """

    column: str
    source_column: str
    clause: str


@dataclass(frozen=True, slots=True)
class FillingRecord:
    """A statement that fills a table from another table.

    Attributes:
        source: the other table; None in the record of the table's last complete refill.
        mark: a text that identifies the statement. Statements that differ only in values have the same
            mark.
        columns: empty if unknown.
        first_at, last_at: when the statement first and last ran, in seconds since the epoch.
    """

    target: RelationName
    source: RelationName | None
    mark: str
    statement: str
    user: str
    columns: tuple[FilledColumn, ...]
    first_at: float
    last_at: float


@dataclass(frozen=True, slots=True)
class NoticeRecord:
    """A fact for one receiver.

    Attributes:
        id: identifies the fact for the receiver, at each attempt to send it.
        subject: the name of the relation or namespace.
        details: a JSON object.
        happened_at: wall time, for people; ``recorded_at`` is on the engine's clock.
    """

    receiver: str
    id: str
    kind: str
    subject: str
    details: str
    happened_at: float
    recorded_at: float


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """A message that a receiver has not accepted yet.

    Attributes:
        attempts: the number of begun attempts, with the current one.
        body: the message's text; None until it is composed.
    """

    receiver: str
    id: str
    started_at: float
    not_before: float
    attempts: int
    body: str | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A receiver's notices that are not in a message yet: their number, up to a limit, and the oldest."""

    count: int
    oldest: NoticeRecord | None
