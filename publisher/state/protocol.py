"""What every state store answers: SQLite embedded, PostgreSQL with more than one daemon.

All reading and writing happens inside a transaction, in which nobody else's writes are seen and
which commits as a whole or not at all. The store repeats an action that the database asks it to
repeat, so an action must have no other effect than on the transaction it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from lakeschema.catalog.identifiers import RelationName
from publisher.events.protocol import DeadLetter
from publisher.state.records import (
    Claim,
    Edge,
    MemoEntry,
    RelationRecord,
    StoredDeadLetter,
    VersionRecord,
    WorkRecord,
    WorkRequest,
)

T = TypeVar("T")


class WorkQueue(Protocol):
    """Which relations must be looked at. One row a relation, however often it was asked for."""

    def request(self, requests: Iterable[WorkRequest]) -> None:
        """Adds work, or renews it: due at the earlier of the old and the new ``not_before``."""

    def request_when_quiet(self, requests: Iterable[WorkRequest], max_wait_seconds: float) -> None:
        """Adds work, or puts it off to the new ``not_before``: a relation that keeps changing waits.

        Though never more than ``max_wait_seconds`` past when it first was due.
        """

    def claim(self, now: float, lease_seconds: float, limit: int) -> Sequence[Claim]:
        """Due work that nobody holds, with ``attempts`` raised: committed before the work begins.

        Work that was claimed before and never ended comes alone, so that a poison is known.
        """

    def holds(self, claim: Claim) -> bool:
        """Whether the claim's fence is still the newest."""

    def clear(self, claim: Claim) -> bool:
        """Ends the work if no newer request came; otherwise only gives it back. False if lost."""

    def clear_until(self, claim: Claim, not_before: float) -> bool:
        """Ends this look, and asks for another at ``not_before``. False if lost."""

    def defer(self, claim: Claim, until: float, reason: str, *, counts_as_attempt: bool) -> bool:
        """Gives the work back for later; ``counts_as_attempt``: it may have been its own fault."""

    def renew(self, claims: Iterable[Claim], lease_until: float) -> None:
        """Prolongs those leases that are still held."""

    def reset_attempts(self, claims: Iterable[Claim]) -> None:
        """The attempt did not kill: whatever ends the process from here on is not its fault."""

    def due_at(self) -> float | None:
        """When the next work is due (leases included); None if there is no work."""

    def outstanding(self) -> Sequence[WorkRecord]: ...

    def reset_event_ids(self, current: int) -> None:
        """Forgets demands above ``current``: the catalog was replaced and counts anew."""


class RelationGraph(Protocol):
    """The graph of record: relations, edges, and the derivation that each one has."""

    def records(self, names: Iterable[RelationName]) -> Mapping[RelationName, RelationRecord]:
        """Those that are known."""

    def every_record(self) -> Mapping[RelationName, RelationRecord]: ...

    def in_namespace(self, namespace: tuple[str, ...]) -> Sequence[RelationName]: ...

    def derivations(self, names: Iterable[RelationName]) -> Mapping[RelationName, str]:
        """The derivation text of those that are OK."""

    def write(self, record: RelationRecord) -> None:
        """Inserts or replaces, the derivation text and ``stale`` of dependents untouched."""

    def write_published(self, name: RelationName, content_hash: str | None) -> None:
        """Notes what the newest confirmed version holds, of a relation that is known."""

    def write_derivation(self, name: RelationName, derivation: str | None) -> None: ...

    def add_unknown(self, names: Iterable[RelationName]) -> Sequence[RelationName]:
        """Adds those that are not known, as UNKNOWN and stale; returns them."""

    def forget(self, name: RelationName) -> None:
        """Removes a relation that nothing names."""

    def edges_of(self, dependents: Iterable[RelationName]) -> Mapping[RelationName, Sequence[Edge]]:
        """Direct upstreams, in order of first mention. An entry for each name asked for."""

    def replace_edges(self, dependent: RelationName, edges: Sequence[Edge]) -> None: ...

    def dependents(self, upstreams: Iterable[RelationName]) -> Sequence[RelationName]:
        """Direct ones."""

    def upstream_edges(self, names: Iterable[RelationName]) -> Sequence[Edge]:
        """Every edge on a way upwards from ``names``, at any distance."""

    def mark_dependents_stale(self, names: Iterable[RelationName]) -> None:
        """Marks every relation that depends on one of ``names``, at any distance.

        Members of a cycle are passed over, and what depends on them alone.
        """

    def clear_stale(self, names: Iterable[RelationName]) -> None: ...

    def unblocked_dependents(
        self, upstreams: Iterable[RelationName]
    ) -> Sequence[tuple[RelationRecord, bool]]:
        """Stale direct dependents all of whose upstreams are settled.

        With each, whether its edges carry the interface hashes that its upstreams have now.
        """

    def every_edge(self) -> Sequence[Edge]: ...

    def reset_event_ids(self, current: int) -> None: ...


class VersionLedger(Protocol):
    """Every number that was ever taken. A number never gets other bytes."""

    def history(self, distributions: Iterable[str]) -> Mapping[str, Sequence[VersionRecord]]:
        """All versions, oldest first. An entry for each name asked for."""

    def reserve(self, version: VersionRecord, wheel: bytes, after: int | None) -> bool:
        """Takes a number with its bytes, if the newest ``sequence`` is still ``after``.

        False, and nothing written, if another version was taken since or a reservation is open.
        """

    def open_reservations(self, distributions: Iterable[str]) -> Sequence[VersionRecord]: ...

    def reserved_wheel(self, distribution: str, number: str) -> bytes | None: ...

    def confirm(self, distribution: str, number: str) -> None: ...

    def mark_unusable(self, distribution: str, number: str) -> None: ...

    def adopt(self, versions: Sequence[VersionRecord]) -> None:
        """Adds versions that the index has and the ledger does not, as PUBLISHED."""

    def every_version(self) -> Sequence[VersionRecord]: ...


class Memo(Protocol):
    """Derivations by the hash of their inputs: filled by the snapshot, read by workers."""

    def recall(self, inputs_hashes: Iterable[str]) -> Mapping[str, MemoEntry]: ...

    def remember(self, entries: Iterable[MemoEntry], now: float) -> None:
        """Adds entries; one that is there stays as it is, since equal inputs give equal results."""

    def forget_before(self, time: float) -> int:
        """Drops entries that were remembered before ``time``; returns how many."""


class Journal(Protocol):
    """Positions of event sources, dead letters, and leased singletons."""

    def position(self, source: str) -> str | None: ...

    def save_position(self, source: str, position: str) -> None: ...

    def add_dead_letters(self, source: str, letters: Sequence[DeadLetter], now: float) -> None: ...

    def dead_letters(self) -> Sequence[StoredDeadLetter]: ...

    def discard_dead_letter(self, id_: int) -> None: ...

    def lease(self, singleton: str, now: float, seconds: float) -> int | None:
        """A fence for one holder, such as ``@snapshot/hive``; None while another holds it."""

    def holds(self, singleton: str, fence: int) -> bool: ...

    def release(self, singleton: str, fence: int) -> None: ...

    def note(self, singleton: str) -> str:
        """Text kept beside a singleton, "" if none: a brake's reason, a snapshot's last end."""

    def write_note(self, singleton: str, text: str) -> None: ...

    def notes(self, prefix: str) -> Mapping[str, str]: ...


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


class State(Protocol):
    def write(self, action: Callable[[Transaction], T]) -> T:
        """Runs ``action`` and commits, durably. An exception rolls back and is passed on."""

    def read(self, action: Callable[[Transaction], T]) -> T:
        """Runs ``action`` on one consistent state; what it writes is lost."""

    def close(self) -> None: ...
