"""What every state store provides: SQLite embedded, PostgreSQL with more than one daemon.

All reads and writes happen inside a transaction, which sees no concurrent writes and commits as a
whole or not at all. The store repeats an action if the database requires it, so an action must
have no effect other than on the transaction that it is given.
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
"""Of one table: pairs of a source and a statement."""


class StateUnavailable(Exception):
    """The state could not be read or written now: its disk is full or read-only, or it is locked."""

    def __init__(self, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint or "check state.url, the file's permissions and its disk"

    def __str__(self) -> str:
        return f"the state does not work: {self.reason}"


class WorkQueue(Protocol):
    """Which relations must be processed: one row for each, however often it was requested."""

    def request(self, requests: Iterable[WorkRequest]) -> None:
        """Adds work, or updates it: due at the earlier of the old and the new ``not_before``."""

    def request_when_quiet(self, requests: Iterable[WorkRequest], max_wait_seconds: float) -> None:
        """Adds work, or defers it to the new ``not_before``: a relation that keeps changing waits.

        It waits at most ``max_wait_seconds`` after the time when it was first due.
        """

    def claim(self, now: float, lease_seconds: float, limit: int) -> Sequence[Claim]:
        """Due work that nobody holds, with ``attempts`` raised: commit this before the work starts.

        The most urgent first, but a quarter of a full batch is the oldest of the less urgent work
        that never failed. Work that failed before is not claimed beside other work, so that in
        about every fourth claim the oldest comes first, whatever became of it: none waits for ever.

        Work that was claimed before and never ended is claimed alone, so that it is known which
        work ends its process.
        """

    def holds(self, claim: Claim) -> bool:
        """Whether the claim's fence is still the newest."""

    def clear(self, claim: Claim) -> bool:
        """Ends the work, or releases it if there is a newer request. False if the claim was lost."""

    def clear_until(self, claim: Claim, not_before: float, reread_at: float | None = None) -> bool:
        """Ends this attempt and schedules another at ``not_before``. False if the claim was lost.

        The event that was demanded is answered, unless a newer request demands one. At
        ``reread_at`` a look is owed, even if the work is requested and done before.
        """

    def defer(self, claim: Claim, until: float, reason: str, cause: Cause) -> bool:
        """Releases the work until then. False if the claim was lost.

        The attempt counts only if its process died.
        """

    def renew(self, claims: Iterable[Claim], lease_until: float) -> None:
        """Extends those leases that are still held."""

    def shorten_leases(self, until: float) -> None:
        """Ends every lease at ``until``, unless it ends before."""

    def reset_attempts(self, claims: Iterable[Claim]) -> None:
        """Forgets earlier attempts: this work did not end the process."""

    def reset_failures(self, names: Iterable[RelationName]) -> None:
        """Forgets earlier failures, so that the next one delays the work but little."""

    def retried(self, claims: Iterable[Claim]) -> Mapping[RelationName, Retried]:
        """Of these claims, which ended in a later attempt and why."""

    def oldest_at(self) -> float | None:
        """Since when the oldest request is due; not of work that failed for a cause of its own."""

    def due_at(self) -> float | None:
        """When the next work is due (leases included); None if there is no work."""

    def outstanding(self) -> Sequence[WorkRecord]: ...

    def of(self, name: RelationName) -> WorkRecord | None:
        """What is outstanding of one relation."""

    def failing(self, limit: int) -> Sequence[WorkRecord]:
        """Work that failed for a cause of its own, most often failed first."""

    def in_namespace(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        """Relations with outstanding work, of which the graph may have no record yet."""


class RelationGraph(Protocol):
    """Relations, the edges between them, and the derivation of each."""

    def records(self, names: Iterable[RelationName]) -> Mapping[RelationName, RelationRecord]:
        """The records of those names that are known."""

    def every_record(self) -> Mapping[RelationName, RelationRecord]: ...

    def facts_hashes(self) -> Mapping[RelationName, str]:
        """Of every relation that the catalog had when it was read last."""

    def facts_and_interfaces(self) -> Mapping[RelationName, tuple[str, str]]:
        """Of the same relations: the hash of the facts, and what dependents see of each."""

    def in_trouble(self, limit: int | None = None) -> Sequence[RelationRecord]:
        """The records that have a ``reason``, by name; at most ``limit`` of them."""

    def count_in_trouble(self) -> int: ...

    def in_namespace(self, namespace: tuple[str, ...]) -> Sequence[RelationName]: ...

    def count_missing(self, namespace: tuple[str, ...] | None, since: float) -> tuple[int, int]:
        """How many packaged relations of a namespace (None: of all) are missing, and of how many.

        Missing are those that a reading did not find, unless they were dropped before ``since``.
        """

    def derivations(self, names: Iterable[RelationName]) -> Mapping[RelationName, str]:
        """The derivation text of those that have one."""

    def write(self, record: RelationRecord) -> None:
        """Inserts or replaces. The derivation text, and dependents, stay as they are."""

    def write_published(self, name: RelationName, content_hash: str | None, sequence: int) -> None:
        """Stores what the newest confirmed version contains, of a relation that is known.

        ``sequence`` is that version's; a republication that was asked for before it is done.
        """

    def write_derivation(self, name: RelationName, derivation: str | None) -> None: ...

    def add_unknown(self, names: Iterable[RelationName]) -> Sequence[RelationName]:
        """Adds those that are not known as UNKNOWN and stale, and returns them."""

    def forget(self, name: RelationName) -> None:
        """Removes a relation that has no dependents, and its own edges."""

    def edges_of(self, dependents: Iterable[RelationName]) -> Mapping[RelationName, Sequence[Edge]]:
        """Direct upstreams in order of first mention, with an entry for every name given."""

    def replace_edges(self, dependent: RelationName, edges: Sequence[Edge]) -> None: ...

    def dependents(self, upstreams: Iterable[RelationName]) -> Sequence[RelationName]:
        """Direct dependents only."""

    def some_dependents(
        self, upstream: RelationName, limit: int
    ) -> tuple[Sequence[RelationName], int]:
        """The first direct dependents by name, and how many there are."""

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
        """Stale direct dependents all of whose upstreams are settled.

        Each with whether its edges carry the interface hashes that its upstreams have now.
        """

    def restart_graces(self, now: float) -> None:
        """Counts the grace of each relation that is missing, and not dropped, from ``now``."""

    def every_edge(self) -> Sequence[Edge]: ...


class VersionLedger(Protocol):
    """Every version number that was ever taken. The bytes of a number never change."""

    def history(self, distributions: Iterable[str]) -> Mapping[str, Sequence[VersionRecord]]:
        """All versions, oldest first, with an entry for every name given."""

    def reserve(
        self, version: VersionRecord, wheel: bytes, after: int | None, provenance: str = ""
    ) -> bool:
        """Takes a number for these bytes, if the newest ``sequence`` is still ``after``.

        False, and nothing is written, if there is a newer version or an open reservation.
        ``provenance`` is kept, so that the bytes can be made again after they were confirmed.
        """

    def open_reservations(self, distributions: Iterable[str]) -> Sequence[VersionRecord]: ...

    def reserved_wheel(self, distribution: str, number: str) -> bytes | None: ...

    def confirm(self, distribution: str, number: str) -> None: ...

    def mark_unusable(self, distribution: str, number: str) -> None: ...

    def recognise(self, version: VersionRecord) -> None:
        """Replaces a CONFLICT of this number by what the index has there, a package of ours."""

    def revise(self, distribution: str, number: str, status: VersionStatus) -> None:
        """What the index turned out to hold of a version; an open reservation stays as it is."""

    def provenance(self, distribution: str, number: str) -> str:
        """What was kept of a version that is not reserved; "" if nothing."""

    def distributions(self) -> Sequence[str]:
        """Every distribution that has a version."""

    def adopt(
        self, versions: Sequence[VersionRecord], provenances: Mapping[str, str] = NONE_KNOWN
    ) -> None:
        """Adds versions that the index has; one whose number the ledger has stays as it is.

        ``provenances``: of those of which one is known, by number.
        """

    def every_version(self) -> Sequence[VersionRecord]: ...

    def conflicts(self) -> Sequence[VersionRecord]: ...


class Memo(Protocol):
    """Derivations by the hash of their inputs: written by the snapshot, read by workers."""

    def recall(self, inputs_hashes: Iterable[str]) -> Mapping[str, MemoEntry]: ...

    def remember(self, entries: Iterable[MemoEntry], now: float) -> None:
        """Adds entries. One that exists keeps its content, since equal inputs give equal results."""

    def forget_before(self, time: float) -> int:
        """Deletes entries last remembered before ``time``, and returns how many."""

    def keep_newest(self, count: int) -> int:
        """Deletes what is older than the newest ``count`` entries, and returns how many."""


class Journal(Protocol):
    """Positions of event sources, dead letters, and leased singletons."""

    def position(self, source: str) -> str | None: ...

    def save_position(self, source: str, position: str) -> None: ...

    def add_dead_letters(
        self,
        source: str,
        letters: Sequence[DeadLetter],
        now: float,
        limit: DeadLetterLimit = DEFAULT_DEAD_LETTER_LIMIT,
    ) -> int:
        """Keeps the letters within the limit, and returns how many of them are kept.

        Deletes old ones beyond the limit. ``now`` is wall time.
        """

    def dead_letters(self) -> Sequence[StoredDeadLetter]: ...

    def discard_dead_letter(self, id_: int) -> None: ...

    def lease(self, singleton: str, now: float, seconds: float) -> int | None:
        """A fence for the holder of a singleton such as ``@snapshot/hive``; None if it is held."""

    def holds(self, singleton: str, fence: int) -> bool: ...

    def is_leased(self, singleton: str, now: float) -> bool:
        """Whether anybody holds it, as far as its lease says."""

    def renew(self, singleton: str, fence: int, until: float) -> bool:
        """Extends the lease. False if another holder took it, or if it was released."""

    def shorten_leases(self, until: float) -> None:
        """Ends every lease at ``until``, unless it ends before."""

    def release(self, singleton: str, fence: int) -> None: ...

    def note(self, singleton: str) -> str:
        """Text stored with a singleton, "" if none: why a brake holds, how a snapshot ended."""

    def write_note(self, singleton: str, text: str) -> None: ...

    def forget_empty_notes(self, prefix: str) -> None:
        """Removes the singletons of these names that nobody holds and that have no note."""

    def notes(self, prefix: str) -> Mapping[str, str]: ...


class Tallies(Protocol):
    """Numbers that are kept, not counted: reading them costs the same whatever is stored."""

    def figures(self) -> Figures: ...


class Search(Protocol):
    """Finds relations by parts of names, in any case and with any separator, and by what they say.

    That is the names of their fields and words of their documentation, of the last derivation.
    """

    def find(self, asked: str, limit: int) -> Found:
        """Of all relations, the best first. An empty question finds each, by name."""

    def find_in_packages(self, asked: str, limit: int) -> Found:
        """By fields and documentation that published packages have."""


class Fillings(Protocol):
    """From which tables statements fill others. Writing the same again changes nothing."""

    def add(self, found: Sequence[FillingRecord]) -> None:
        """Adds what statements say, in any order; what a later one replaced is left out.

        Of each table, only the newest ``MAX_FILLINGS`` are kept.
        """

    def into(self, targets: Iterable[RelationName]) -> Sequence[FillingRecord]:
        """What fills these, the newest first."""

    def out_of(self, sources: Iterable[RelationName]) -> Sequence[FillingRecord]:
        """What is filled from these, by table, the newest first."""

    def forget_before(self, time: float) -> int:
        """Forgets statements that last ran before, and returns how many."""

    def keep_newest(self, count: int) -> int:
        """Forgets all but so many, and returns how many."""


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
        """Runs ``action`` on one consistent state; what it writes is rolled back.

        Raises:
            StateUnavailable: it cannot be read now.
        """

    def close(self) -> None: ...
