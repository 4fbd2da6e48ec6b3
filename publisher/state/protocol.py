"""The interface of a state store: embedded SQLite, or PostgreSQL for more than one daemon.

All reads and writes happen inside a transaction, which sees no concurrent writes and commits as a
whole or not at all. The store repeats an action if the database requires it, so an action may only
affect its transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Protocol, TypeVar

from lakeschema.catalog.identifiers import RelationName
from publisher.events.protocol import DeadLetter
from publisher.policy import DEFAULT_DEAD_LETTER_LIMIT, DeadLetterLimit
from publisher.progress import Retried
from publisher.state.records import (
    Cause,
    Claim,
    Edge,
    Figures,
    FillingRecord,
    Found,
    MemoEntry,
    RelationRecord,
    StoredDeadLetter,
    VersionRecord,
    VersionStatus,
    WorkRecord,
    WorkRequest,
)

T = TypeVar("T")

NONE_KNOWN: Final[Mapping[str, str]] = MappingProxyType({})


MAX_FILLINGS: Final = 200
"""The limit for one table: pairs of a source and a statement."""


class StateUnavailable(Exception):
    """The state cannot be read or written now: its disk is full or read-only, or it is locked."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint or "check state.url, the file's permissions and its disk"

    def __str__(self) -> str:
        return f"the state does not work: {self.reason}"


class WorkQueue(Protocol):
    """The relations that must be processed: one row for each, however often it was requested."""

    def request(self, requests: Iterable[WorkRequest]) -> None:
        """Adds work, or updates it: due at the earlier of the old and the new ``not_before``."""

    def request_when_quiet(self, requests: Iterable[WorkRequest], max_wait_seconds: float) -> None:
        """Adds work, or defers it to the new ``not_before``, so that a relation that keeps changing waits.

        It waits at most ``max_wait_seconds`` after its first due time.
        """

    def claim(self, now: float, lease_seconds: float, limit: int) -> Sequence[Claim]:
        """Claims due work that nobody holds, and raises ``attempts``: commit this before the work starts.

        The most urgent work comes first. In a full batch, a quarter is the oldest less urgent work
        that never failed. Work that failed before is claimed separately. In about every fourth
        claim the oldest work comes first, so none waits for ever.

        Work that was claimed before and never ended is claimed alone, to find the work that kills
        its process.
        """

    def holds(self, claim: Claim) -> bool:
        """Whether the claim's fence is still the newest."""

    def clear(self, claim: Claim) -> bool:
        """Ends the work, or releases it if there is a newer request. False if the claim was lost."""

    def clear_until(self, claim: Claim, not_before: float, reread_at: float | None = None) -> bool:
        """Ends this attempt and schedules another at ``not_before``. False if the claim was lost.

        The requested event counts as answered, unless a newer request names an event. At
        ``reread_at`` the relation is read again, even if it was processed in between.
        """

    def defer(self, claim: Claim, until: float, reason: str, cause: Cause) -> bool:
        """Releases the work until ``until``. False if the claim was lost.

        The attempt counts only if its process died.
        """

    def renew(self, claims: Iterable[Claim], lease_until: float) -> None:
        """Extends the leases that are still held."""

    def shorten_leases(self, until: float) -> None:
        """Ends every lease at ``until``, unless it ends before."""

    def reset_attempts(self, claims: Iterable[Claim]) -> None:
        """Forgets earlier attempts: this work did not end the process."""

    def reset_failures(self, names: Iterable[RelationName]) -> None:
        """Forgets earlier failures, so that the next one delays the work only a little."""

    def retried(self, claims: Iterable[Claim]) -> Mapping[RelationName, Retried]:
        """The claims that ended in a later attempt, and why."""

    def oldest_at(self) -> float | None:
        """Since when the oldest request is due, without relations that fail for their own reason."""

    def due_at(self) -> float | None:
        """When the next work is due (leases included), or None."""

    def outstanding(self) -> Sequence[WorkRecord]: ...

    def of(self, name: RelationName) -> WorkRecord | None:
        """The outstanding work of one relation."""

    def failing(self, limit: int) -> Sequence[WorkRecord]:
        """Work that failed for its relation's own reason, most often failed first."""

    def in_namespace(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        """Relations with outstanding work; the graph may not know them yet."""


class RelationGraph(Protocol):
    """Relations, the edges between them, and the derivation of each."""

    def records(self, names: Iterable[RelationName]) -> Mapping[RelationName, RelationRecord]:
        """The records of the known relations among ``names``."""

    def every_record(self) -> Mapping[RelationName, RelationRecord]: ...

    def facts_hashes(self) -> Mapping[RelationName, str]:
        """The hash for each relation that the catalog had at the last reading."""

    def facts_and_interfaces(self) -> Mapping[RelationName, tuple[str, str]]:
        """The hashes of the facts and of the visible interface, for the relations of ``facts_hashes``."""

    def in_trouble(self, limit: int | None = None) -> Sequence[RelationRecord]:
        """The records with a ``reason``, by name; at most ``limit``."""

    def count_in_trouble(self) -> int: ...

    def in_namespace(self, namespace: tuple[str, ...]) -> Sequence[RelationName]: ...

    def count_missing(self, namespace: tuple[str, ...] | None, since: float) -> tuple[int, int]:
        """The missing and all packaged relations of a namespace, or of the catalog for None.

        A relation is missing if a reading did not find it, unless it was dropped before ``since``.
        """

    def derivations(self, names: Iterable[RelationName]) -> Mapping[RelationName, str]:
        """The text of each derivation that exists."""

    def write(self, record: RelationRecord) -> None:
        """Inserts or replaces a record; its derivation text and its dependents stay."""

    def write_published(self, name: RelationName, content_hash: str | None, sequence: int) -> None:
        """Stores the content of the newest confirmed version of a known relation.

        ``sequence`` is that version's; earlier requests for a republication are then answered.
        """

    def write_derivation(self, name: RelationName, derivation: str | None) -> None: ...

    def add_unknown(self, names: Iterable[RelationName]) -> Sequence[RelationName]:
        """Adds the relations that the graph lacks, as UNKNOWN and stale, and returns them."""

    def forget(self, name: RelationName) -> None:
        """Removes a relation without dependents, and its edges."""

    def edges_of(self, dependents: Iterable[RelationName]) -> Mapping[RelationName, Sequence[Edge]]:
        """Direct upstreams in order of first mention, with an entry for each given name."""

    def replace_edges(self, dependent: RelationName, edges: Sequence[Edge]) -> None: ...

    def dependents(self, upstreams: Iterable[RelationName]) -> Sequence[RelationName]:
        """Direct dependents only."""

    def some_dependents(
        self, upstream: RelationName, limit: int
    ) -> tuple[Sequence[RelationName], int]:
        """The first direct dependents by name, and the number of all."""

    def upstream_edges(self, names: Iterable[RelationName]) -> Sequence[Edge]:
        """Every edge on a path upstream from ``names``, at any distance."""

    def mark_dependents_stale(self, names: Iterable[RelationName]) -> None:
        """Marks every relation that depends on one of ``names``, at any distance.

        Members of a cycle are skipped, and so are relations that depend on them alone.
        """

    def clear_stale(self, names: Iterable[RelationName]) -> None: ...

    def unblocked_dependents(
        self, upstreams: Iterable[RelationName]
    ) -> Sequence[tuple[RelationRecord, bool]]:
        """Stale direct dependents whose upstreams are all settled.

        The flag tells whether the edges have the current interface hashes of the upstreams.
        """

    def restart_graces(self, now: float) -> None:
        """Restarts the grace of each relation that is missing and not yet dropped at ``now``."""

    def every_edge(self) -> Sequence[Edge]: ...


class VersionLedger(Protocol):
    """Every version number that was ever taken. A number's bytes never change."""

    def history(self, distributions: Iterable[str]) -> Mapping[str, Sequence[VersionRecord]]:
        """All versions, oldest first, with an entry for each given name."""

    def reserve(
        self, version: VersionRecord, wheel: bytes, after: int | None, provenance: str = ""
    ) -> bool:
        """Reserves a number for these bytes, if the newest ``sequence`` is still ``after``.

        False, and nothing is written, if there is a newer version or an open reservation.
        ``provenance`` is kept to rebuild the bytes after the confirmation.
        """

    def open_reservations(self, distributions: Iterable[str]) -> Sequence[VersionRecord]: ...

    def reserved_wheel(self, distribution: str, number: str) -> bytes | None: ...

    def confirm(self, distribution: str, number: str) -> None: ...

    def mark_unusable(self, distribution: str, number: str) -> None: ...

    def recognise(self, version: VersionRecord) -> None:
        """Replaces this number's CONFLICT by our package, which the index has."""

    def revise(self, distribution: str, number: str, status: VersionStatus) -> None:
        """Records the status that the index showed; an open reservation stays."""

    def provenance(self, distribution: str, number: str) -> str:
        """The stored provenance of a version that is not reserved; "" if unknown."""

    def distributions(self) -> Sequence[str]:
        """Every distribution that has a version."""

    def adopt(
        self, versions: Sequence[VersionRecord], provenances: Mapping[str, str] = NONE_KNOWN
    ) -> None:
        """Adds versions from the index; a number that the ledger has stays as it is.

        ``provenances``: the known ones, by number.
        """

    def every_version(self) -> Sequence[VersionRecord]: ...

    def conflicts(self) -> Sequence[VersionRecord]: ...


class Memo(Protocol):
    """Derivations by the hash of their inputs; the snapshot writes them, workers read them."""

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
        """A fence for the holder of a singleton such as ``@snapshot/hive``; None if another holds it."""

    def holds(self, singleton: str, fence: int) -> bool: ...

    def is_leased(self, singleton: str, now: float) -> bool:
        """Whether a lease of the singleton is still running."""

    def renew(self, singleton: str, fence: int, until: float) -> bool:
        """Extends the lease. False if another holder took it, or if it was released."""

    def shorten_leases(self, until: float) -> None:
        """Ends every lease at ``until``, unless it ends before."""

    def release(self, singleton: str, fence: int) -> None: ...

    def note(self, singleton: str) -> str:
        """The text stored with a singleton, or "": why a brake holds, how a snapshot ended."""

    def write_note(self, singleton: str, text: str) -> None: ...

    def forget_empty_notes(self, prefix: str) -> None:
        """Removes singletons with these names that have neither a holder nor a note."""

    def notes(self, prefix: str) -> Mapping[str, str]: ...


class Tallies(Protocol):
    """Stored totals: reading them costs the same, however large the state is."""

    def figures(self) -> Figures: ...


class Search(Protocol):
    """Finds relations by parts of names, in any case and with any separator, and by texts.

    The texts are the names of fields and words of documentation of the last derivation.
    """

    def find(self, asked: str, limit: int) -> Found:
        """Searches all relations, the best matches first. An empty text finds all, by name."""

    def find_in_packages(self, asked: str, limit: int) -> Found:
        """Searches fields and documentation of published packages."""


class Fillings(Protocol):
    """Which tables statements fill from which others. Writing a filling again changes nothing."""

    def add(self, found: Sequence[FillingRecord]) -> None:
        """Adds fillings in any order; omits fillings that a later statement replaced.

        Keeps only the newest ``MAX_FILLINGS`` of each table.
        """

    def into(self, targets: Iterable[RelationName]) -> Sequence[FillingRecord]:
        """The fillings of these tables, the newest first."""

    def out_of(self, sources: Iterable[RelationName]) -> Sequence[FillingRecord]:
        """The tables filled from these, by table, the newest first."""

    def forget_before(self, time: float) -> int:
        """Forgets statements that last ran before ``time``; returns how many."""

    def keep_newest(self, count: int) -> int:
        """Forgets all but the newest ``count``; returns how many."""


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
    def search(self) -> Search: ...

    @property
    def fillings(self) -> Fillings: ...


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
