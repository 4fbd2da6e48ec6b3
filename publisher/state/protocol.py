"""The interface of a state store: embedded SQLite, or PostgreSQL for more than one daemon.

All reads and writes happen inside a transaction, which sees no concurrent writes and commits as a
whole or not at all. The store repeats an action if the database requires it, so an action must have
no effects outside of its transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol, TypeVar

from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.events.protocol import DeadLetter
from publisher.policy import DEFAULT_DEAD_LETTER_LIMIT, DeadLetterLimit
from publisher.progress import Retried
from publisher.state.records import (
    Cause,
    Chosen,
    Claim,
    Edge,
    Figures,
    FillingRecord,
    Found,
    ListedRelation,
    MemoEntry,
    MessageRecord,
    NamespaceFigures,
    NoticeRecord,
    Publication,
    PublishedVersion,
    RelationRecord,
    StoredDeadLetter,
    VersionRecord,
    VersionStatus,
    Waiting,
    WorkRecord,
    WorkRequest,
)

T = TypeVar("T")

NONE_KNOWN: Final[Mapping[str, str]] = MappingProxyType({})


MAX_FILLINGS: Final = 200
"""The limit of fillings for one table; a filling is a pair of a source and a statement."""


class StateUnavailable(Exception):
    """The state cannot be read or written now: its disk is full or read-only, or it is locked."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint or "check state.url, the file's permissions and its disk"

    def __str__(self) -> str:
        return f"the state does not work: {self.reason}"


class WorkQueue(Protocol):
    """The relations that must be processed. Each has one row, even if it was requested many times."""

    def request(self, requests: Iterable[WorkRequest]) -> None:
        """Adds work. If the relation has work already, the earlier ``not_before`` counts."""

    def request_when_quiet(self, requests: Iterable[WorkRequest], max_wait_seconds: float) -> None:
        """Adds work, or defers existing work to the new ``not_before``, until the relation stops changing.

        The work waits at most ``max_wait_seconds`` after its first due time.
        """

    def claim(self, now: float, lease_seconds: float, limit: int) -> Sequence[Claim]:
        """Claims due work that no worker holds, and raises ``attempts``.

        Commit this before the work starts.

        The most urgent work comes first. A quarter of a full batch is the oldest less urgent work
        that never failed. Work that failed before is claimed separately. In about every fourth
        claim the oldest work comes first, so that no work waits forever.

        Work whose last claim never ended is claimed alone: it may be the work that kills its
        process.
        """

    def holds(self, claim: Claim) -> bool:
        """Whether no later claim of this work exists."""

    def clear(self, claim: Claim) -> bool:
        """Ends the work, or releases it if there is a newer request. False if the claim was lost."""

    def clear_until(self, claim: Claim, not_before: float, reread_at: float | None = None) -> bool:
        """Ends this attempt and schedules another at ``not_before``. False if the claim was lost.

        The requested event counts as processed, unless a newer request names an event. At
        ``reread_at`` the relation is read again, even if it was processed in between.
        """

    def defer(self, claim: Claim, until: float, reason: str, cause: Cause) -> bool:
        """Releases the work, which is due again at ``until``. False if the claim was lost.

        The attempt counts only if its process died.
        """

    def renew(self, claims: Iterable[Claim], lease_until: float) -> None:
        """Extends the leases of all claims that were not lost."""

    def shorten_leases(self, until: float) -> None:
        """Ends every lease at ``until`` if it does not end earlier."""

    def reset_attempts(self, claims: Iterable[Claim]) -> None:
        """Forgets earlier attempts, because this work did not kill its process."""

    def reset_failures(self, names: Iterable[RelationName]) -> None:
        """Forgets earlier failures, so that the next one delays the work only a little."""

    def retried(self, claims: Iterable[Claim]) -> Mapping[RelationName, Retried]:
        """The claims among these whose work was deferred, with the reason."""

    def oldest_at(self) -> float | None:
        """The time at which the oldest request became due.

        Ignores relations that failed for a reason that concerns only them.
        """

    def due_at(self) -> float | None:
        """The time at which work can next be claimed: its due time, or the end of its lease.

        None without work.
        """

    def outstanding(self) -> Sequence[WorkRecord]: ...

    def of(self, name: RelationName) -> WorkRecord | None:
        """The outstanding work of one relation."""

    def failing(self, limit: int) -> Sequence[WorkRecord]:
        """Work that failed for a reason that concerns only its relation; the most failures come first."""

    def in_namespace(self, namespace: Namespace) -> Sequence[RelationName]:
        """Relations with outstanding work; the graph may not know them yet."""


class RelationGraph(Protocol):
    """Relations, the edges between them, and the derivation of each."""

    def records(self, names: Iterable[RelationName]) -> Mapping[RelationName, RelationRecord]:
        """The records of the known relations among ``names``."""

    def every_record(self) -> Mapping[RelationName, RelationRecord]: ...

    def facts_hashes(self) -> Mapping[RelationName, str]:
        """The facts hash of each relation that the catalog had at the last reading."""

    def facts_and_interfaces(self) -> Mapping[RelationName, tuple[str, str]]:
        """The hashes of the facts and of the visible interface, for the relations of ``facts_hashes``."""

    def in_trouble(self, limit: int | None = None) -> Sequence[RelationRecord]:
        """The records with a ``reason``, ordered by name; at most ``limit``."""

    def count_in_trouble(self) -> int: ...

    def in_namespace(self, namespace: Namespace) -> Sequence[RelationName]: ...

    def count_missing(self, namespace: Namespace | None, since: float) -> tuple[int, int]:
        """How many relations of a namespace are missing, and how many have packages.

        A relation is missing if a reading did not find it, unless it was dropped before ``since``.
        None as ``namespace`` means the whole catalog.
        """

    def derivations(self, names: Iterable[RelationName]) -> Mapping[RelationName, str]:
        """The text of each derivation that exists."""

    def write(self, record: RelationRecord) -> None:
        """Inserts or replaces a record; its derivation text and its dependents stay."""

    def write_published(self, name: RelationName, content_hash: str | None, sequence: int) -> None:
        """Stores the content of the newest confirmed version of a known relation.

        ``sequence`` is that version's sequence. Earlier requests for a republication count as done.
        """

    def write_derivation(self, name: RelationName, derivation: str | None) -> None: ...

    def add_unknown(self, names: Iterable[RelationName]) -> Sequence[RelationName]:
        """Adds the relations that the graph lacks, as UNKNOWN and stale, and returns them."""

    def forget(self, name: RelationName) -> None:
        """Removes a relation without dependents, and its edges."""

    def edges_of(self, dependents: Iterable[RelationName]) -> Mapping[RelationName, Sequence[Edge]]:
        """The edges to direct upstreams, in order of first mention; each given name has an entry."""

    def replace_edges(self, dependent: RelationName, edges: Sequence[Edge]) -> None: ...

    def dependents(self, upstreams: Iterable[RelationName]) -> Sequence[RelationName]:
        """The direct dependents."""

    def some_dependents(
        self, upstream: RelationName, limit: int
    ) -> tuple[Sequence[RelationName], int]:
        """The first direct dependents in order of names, and the number of all direct dependents."""

    def few_dependents(
        self, upstreams: Iterable[RelationName], limit: int
    ) -> Sequence[RelationName] | None:
        """Direct dependents in any order; None if there are more than ``limit``."""

    def count_readers(self, upstreams: Iterable[RelationName]) -> Mapping[RelationName, int]:
        """The number of direct dependents, for relations that have any."""

    def count_cone(self, upstream: RelationName, limit: int) -> int:
        """The number of dependents at any distance; counts at most ``limit``."""

    def upstream_edges(self, names: Iterable[RelationName]) -> Sequence[Edge]:
        """Every edge on a path upstream from ``names``, at any distance."""

    def mark_dependents_stale(self, names: Iterable[RelationName]) -> None:
        """Marks as stale every relation that depends on one of ``names``, at any distance.

        Members of a cycle are skipped, and so are relations that depend on them alone.
        """

    def clear_stale(self, names: Iterable[RelationName]) -> None: ...

    def unblocked_dependents(
        self, upstreams: Iterable[RelationName]
    ) -> Sequence[tuple[RelationRecord, bool]]:
        """Stale direct dependents whose upstreams are all settled.

        The flag tells whether the dependent was derived from the current interfaces of its upstreams.
        """

    def restart_graces(self, now: float) -> None:
        """Restarts, at ``now``, the waiting time of each relation that is missing but not yet dropped."""

    def every_edge(self) -> Sequence[Edge]: ...


class VersionLedger(Protocol):
    """Every version number that was ever taken. A number's bytes never change."""

    def history(self, distributions: Iterable[str]) -> Mapping[str, Sequence[VersionRecord]]:
        """All versions, oldest first; each given name has an entry."""

    def reserve(
        self, version: VersionRecord, wheel: bytes, after: int | None, provenance: str = ""
    ) -> bool:
        """Reserves a number for these bytes, if ``after`` is still the newest ``sequence``.

        False, and nothing is written, if there is a newer version or an open reservation.
        ``provenance`` is kept to rebuild the bytes after the confirmation.
        """

    def open_reservations(self, distributions: Iterable[str]) -> Sequence[VersionRecord]: ...

    def reserved_wheel(self, distribution: str, number: str) -> bytes | None: ...

    def confirm(self, distribution: str, number: str) -> None: ...

    def mark_unusable(self, distribution: str, number: str) -> None: ...

    def recognise(self, version: VersionRecord) -> None:
        """Replaces the status CONFLICT: the index has this deployment's package under this number."""

    def revise(self, distribution: str, number: str, status: VersionStatus) -> None:
        """Records the status that the index shows; an open reservation is not changed."""

    def provenance(self, distribution: str, number: str) -> str:
        """The stored provenance of a version without an open reservation; "" if unknown."""

    def distributions(self) -> Sequence[str]:
        """All distributions with a version."""

    def adopt(
        self, versions: Sequence[VersionRecord], provenances: Mapping[str, str] = NONE_KNOWN
    ) -> None:
        """Adds versions from the index; numbers that the ledger already has do not change.

        ``provenances`` has the known provenances, by number.
        """

    def published(
        self, limit: int, before: int | None = None, distribution: str | None = None
    ) -> Sequence[Publication]:
        """The newest published versions by ``sequence``: of one distribution or of all.

        If ``before`` is given, only versions with a smaller sequence are returned.
        """

    def every_version(self) -> Sequence[VersionRecord]: ...

    def conflicts(self) -> Sequence[VersionRecord]: ...

    def newest(self, distributions: Iterable[str]) -> Mapping[str, PublishedVersion]:
        """The newest published version of each distribution that has one."""

    def latest(self, limit: int) -> Sequence[PublishedVersion]:
        """The versions that were published last, the newest first."""

    def published_by_hour(self, since: float, until: float) -> Mapping[int, int]:
        """How many versions were published in each hour after ``since``; hours without any are left out."""


class Memo(Protocol):
    """Stored derivations, by the hash of their inputs. The snapshot writes them, workers read them."""

    def recall(self, inputs_hashes: Iterable[str]) -> Mapping[str, MemoEntry]: ...

    def remember(self, entries: Iterable[MemoEntry], now: float) -> None:
        """Adds entries. An existing entry keeps its content, since equal inputs give equal results."""

    def forget_before(self, time: float) -> int:
        """Deletes entries last remembered before ``time``; returns how many."""

    def keep_newest(self, count: int) -> int:
        """Deletes all but the newest ``count`` entries; returns how many."""


class Journal(Protocol):
    """Positions of event sources, dead letters, and singletons with leases."""

    def position(self, source: str) -> str | None: ...

    def save_position(self, source: str, position: str) -> None: ...

    def add_dead_letters(
        self,
        source: str,
        letters: Sequence[DeadLetter],
        now: float,
        limit: DeadLetterLimit = DEFAULT_DEAD_LETTER_LIMIT,
    ) -> int:
        """Stores the letters within the limit; returns how many.

        Deletes old letters beyond the limit. ``now`` is wall time.
        """

    def dead_letters(self) -> Sequence[StoredDeadLetter]: ...

    def discard_dead_letter(self, id_: int) -> None: ...

    def lease(self, singleton: str, now: float, seconds: float) -> int | None:
        """Takes the lease of a singleton such as ``@snapshot/hive``; None if another process holds it.

        Returns a fence: a number that is higher than the fences of earlier holders.
        """

    def holds(self, singleton: str, fence: int) -> bool: ...

    def is_leased(self, singleton: str, now: float) -> bool:
        """Whether a lease of the singleton is still running."""

    def renew(self, singleton: str, fence: int, until: float) -> bool:
        """Extends the lease. False if another holder took it, or if it was released."""

    def shorten_leases(self, until: float) -> None:
        """Ends every lease at ``until`` if it does not end earlier."""

    def release(self, singleton: str, fence: int) -> None: ...

    def note(self, singleton: str) -> str:
        """The text that is stored with a singleton, such as a brake's reason; "" if there is no text."""

    def write_note(self, singleton: str, text: str) -> None: ...

    def forget_empty_notes(self, prefix: str) -> None:
        """Removes singletons whose names begin with ``prefix`` and that have neither a holder nor a note."""

    def notes(self, prefix: str) -> Mapping[str, str]: ...


class Tallies(Protocol):
    """Stored totals: a read takes the same time for a state of any size."""

    def figures(self) -> Figures: ...


class Catalogue(Protocol):
    """Lists of relations, filtered and ordered by their keys."""

    def namespaces(self) -> Sequence[NamespaceFigures]:
        """Every namespace with relations; the namespaces of the default catalog come first."""

    def after(self, name: str, chosen: Chosen, limit: int) -> Sequence[ListedRelation]:
        """The first chosen relations whose keys are greater than ``name``."""

    def before(self, name: str, chosen: Chosen, limit: int) -> Sequence[ListedRelation]:
        """The last chosen relations whose keys are less than ``name``, in ascending order."""

    def resembling(self, name: RelationName, limit: int) -> Sequence[RelationName]:
        """Relations with names like a misspelt name, in no order.

        At most ``limit`` relations of the same namespace, and at most ``limit`` whose last part has the
        same beginning or end.
        """


class Search(Protocol):
    """Finds relations by a part of their name, by names of fields and by words of documentation.

    Ignores letter case, and separators in names. Fields and documentation are those of the last
    derivation.
    """

    def find(self, asked: str, limit: int) -> Found:
        """Searches all relations, the best matches first. An empty text finds all, ordered by name."""

    def find_in_packages(self, asked: str, limit: int) -> Found:
        """Searches fields and documentation of published packages."""


class Fillings(Protocol):
    """The tables that statements fill, and their sources.

    Writing a filling again changes nothing.
    """

    def add(self, found: Sequence[FillingRecord]) -> None:
        """Adds fillings in any order; leaves out fillings that a later statement replaced.

        Keeps only the newest ``MAX_FILLINGS`` of each table.
        """

    def into(self, targets: Iterable[RelationName]) -> Sequence[FillingRecord]:
        """The fillings of these tables, the newest first."""

    def out_of(self, sources: Iterable[RelationName]) -> Sequence[FillingRecord]:
        """The fillings from these tables, ordered by filled table, the newest first."""

    def forget_before(self, time: float) -> int:
        """Forgets statements that last ran before ``time``; returns how many."""

    def keep_newest(self, count: int) -> int:
        """Forgets all but the newest ``count`` fillings; returns how many it forgot."""


class Outbox(Protocol):
    """Notices to send, and messages with notices. A receiver has at most one open message."""

    def add(self, notices: Sequence[NoticeRecord]) -> None:
        """Adds notices. A notice that the receiver already has does not change."""

    def open_message(self, receiver: str) -> MessageRecord | None:
        """The receiver's message that was started and has not ended; None without one."""

    def waiting(self, receiver: str, limit: int) -> Waiting: ...

    def count_started(self, receiver: str, since: float) -> int:
        """How many messages were started after ``since``, including ended messages."""

    def start(self, message: MessageRecord, limit: int) -> None:
        """Opens a message with the ``limit`` oldest waiting notices."""

    def notices_of(self, message: MessageRecord) -> Sequence[NoticeRecord]:
        """The notices of an open message, the oldest first."""

    def write_message(self, message: MessageRecord) -> None:
        """Writes the message's number of attempts, the time of its next attempt and its body."""

    def end(self, message: MessageRecord, now: float) -> bool:
        """Ends a message and forgets its notices. False if another process ended it."""

    def withdraw(self, message: MessageRecord) -> None:
        """Removes a message that need not be sent, and forgets its notices."""

    def forget_ended(self, before: float) -> None:
        """Forgets messages that ended before this time."""

    def forget_other_receivers(self, receivers: Iterable[str]) -> int:
        """Forgets the notices and messages of all other receivers; returns how many notices."""

    def oldest_at(self) -> float | None:
        """The time at which the oldest notice in the outbox was recorded; None if the outbox is empty."""


class Transaction(Protocol):
    @property
    def work(self) -> WorkQueue: ...

    @property
    def graph(self) -> RelationGraph: ...

    @property
    def versions(self) -> VersionLedger: ...

    @property
    def memo(self) -> Memo: ...

    @property
    def journal(self) -> Journal: ...

    @property
    def tallies(self) -> Tallies: ...

    @property
    def catalogue(self) -> Catalogue: ...

    @property
    def search(self) -> Search: ...

    @property
    def fillings(self) -> Fillings: ...

    @property
    def outbox(self) -> Outbox: ...


class State(Protocol):
    def write(self, action: Callable[[Transaction], T]) -> T:
        """Runs ``action`` and commits durably. An exception rolls back and is raised again.

        Raises:
            StateUnavailable: nothing was written.
        """

    def read(self, action: Callable[[Transaction], T]) -> T:
        """Runs ``action`` on one consistent state; its writes are rolled back.

        Raises:
            StateUnavailable: the state cannot be read now.
        """

    def close(self) -> None: ...
