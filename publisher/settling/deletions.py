"""Decides which relations count as dropped; too many deletions wait for a person.

A snapshot plans steps for relations that the catalog no longer lists. A listing alone is not
trusted, so a worker reads each relation by name. Workers apply the same limit, whoever requested
the reading.
"""

from __future__ import annotations

import logging
import shlex
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self, TypeAlias

from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.notifications.facts import held_deletions
from publisher.notifications.recording import NO_NOTICES, Notices
from publisher.policy import DeletionLimit, Policy
from publisher.state.protocol import Transaction
from publisher.state.records import RelationRecord

log = logging.getLogger(__name__)

BRAKE = "@brake/"
"""Prefix of a namespace's name, or of "" for the whole catalog; the note says what is held."""
RELEASED = "released"
"""The note of a brake that a person released, until a snapshot sets the end of the release."""
_UNTIL = f"{RELEASED} until "
"""Prefix of the time when a release ends, on the steady clock."""
_MIN_RELEASE_SECONDS = 600.0
"""The least duration, because grace may be short or zero while work takes time."""


def release_seconds(policy: Policy) -> float:
    """How long a release lasts: twice the grace, because work after the second readings also takes time."""
    return max(2 * policy.drop_grace_seconds, _MIN_RELEASE_SECONDS)


def is_release(note: str) -> bool:
    """Whether a person released the brake of this note. The release may have ended."""
    return note.startswith(RELEASED)


def _is_in_force(note: str, now: float) -> bool:
    return note.startswith(_UNTIL) and now < float(note.removeprefix(_UNTIL))


def _has_ended(note: str, now: float) -> bool:
    return note.startswith(_UNTIL) and not _is_in_force(note, now)


@dataclass(frozen=True, slots=True)
class HeldDeletions:
    """Held deletions of a namespace ("" for the whole catalog). A person must confirm them, or has done so.

    Attributes:
        reason: how many relations would be dropped, and out of how many; "" once confirmed.
        is_confirmed: whether the next snapshot carries them out, or has begun to.
    """

    namespace: str
    reason: str
    is_confirmed: bool = False

    @classmethod
    def of(cls, namespace: str, note: str) -> Self:
        return cls(namespace, "" if is_release(note) else note, is_release(note))

    @property
    def confirming_command(self) -> str:
        """The command that confirms the deletions.

        The name is quoted, because people copy it into a shell and it is untrusted.
        """
        return f"schema-publisher confirm-deletions {shlex.quote(self.namespace) if self.namespace else ''}".rstrip()


@dataclass(frozen=True, slots=True)
class ConfirmMissing:
    """The catalog did not list the relation; a worker reads it by name before it counts as dropped."""

    relation: RelationName


@dataclass(frozen=True, slots=True)
class HoldDeletions:
    """Too many relations of a namespace, or of all namespaces (None), are missing.

    A person must confirm their deletion.
    """

    namespace: Namespace | None
    missing: int
    known: int


Step: TypeAlias = ConfirmMissing | HoldDeletions


def plan_deletions(
    listed: frozenset[RelationName],
    known: frozenset[RelationName],
    limit: DeletionLimit,
    released: frozenset[Namespace] = frozenset(),
) -> tuple[Step, ...]:
    """The steps: relations to confirm, then deletions to hold.

    Args:
        listed: all relations that the catalog lists.
        known: all relations that are known to exist.
        limit: for the deletions in each namespace and in total.
        released: namespaces whose deletions a person confirmed.
    """
    unlisted = sorted(known - listed)
    unconfirmed = [name for name in unlisted if name.place not in released]
    if limit.exceeded(len(unconfirmed), len(known)):
        held: tuple[Step, ...] = (HoldDeletions(None, len(unconfirmed), len(known)),)
        held_namespaces = frozenset(name.place for name in unconfirmed)
    else:
        held, held_namespaces = _held_namespaces(unconfirmed, known, limit)
    missing = tuple(ConfirmMissing(n) for n in unlisted if n.place not in held_namespaces)
    return missing + held


def _held_namespaces(
    unconfirmed: list[RelationName], known: frozenset[RelationName], limit: DeletionLimit
) -> tuple[tuple[Step, ...], frozenset[Namespace]]:
    size = Counter(name.place for name in known)
    missing = Counter(name.place for name in unconfirmed)
    held_namespaces = sorted(n for n, count in missing.items() if limit.exceeded(count, size[n]))
    held = tuple(HoldDeletions(n, missing[n], size[n]) for n in held_namespaces)
    return held, frozenset(held_namespaces)


def deletions_held(tx: Transaction, name: RelationName) -> HeldDeletions | None:
    """The held deletions of the relation's namespace, or of the whole catalog, or None."""
    for brake in _brakes_of(name):
        found = HeldDeletions.of(brake.removeprefix(BRAKE), tx.journal.note(brake))
        if found.reason:
            return found
    return None


class DeletionBrake:
    """Holds deletions if too many relations are missing, or were dropped a short time ago.

    Deletions that a person released pass, and do not count against later ones.
    """

    def __init__(self, policy: Policy, notices: Notices = NO_NOTICES) -> None:
        self._notices = notices
        self._limit = policy.deletion_limit
        self._window_seconds = policy.deletion_window_seconds

    def is_released(self, tx: Transaction, record: RelationRecord, now: float) -> bool:
        """Whether a release is in force: it begins with a snapshot, and ends."""
        return any(_is_in_force(tx.journal.note(brake), now) for brake in _brakes_of(record.name))

    def holds(self, tx: Transaction, record: RelationRecord, now: float) -> bool:
        """Whether the deletion must wait; the brake's note then says why.

        A brake that already holds is not counted again; the next snapshot decides whether it stays.
        """
        if record.published_hash is None:
            return False  # it has no package that anybody could miss
        notes = [tx.journal.note(brake) for brake in _brakes_of(record.name)]
        if any(note and not _has_ended(note, now) for note in notes):
            return True
        since = now - self._window_seconds
        for brake, namespace in zip(
            _brakes_of(record.name), (None, record.name.place), strict=True
        ):
            missing, known = tx.graph.count_missing(namespace, since)
            if self._limit.exceeded(missing, known):
                reason = f"{missing} of {known} relations missing"
                _write_brake(tx, brake, reason, self._notices, now)
                return True
        return False


def _brakes_of(name: RelationName) -> tuple[str, str]:
    """The brakes of the whole catalog and of the relation's namespace."""
    return BRAKE, f"{BRAKE}{name.place}"


def begin_releases(tx: Transaction, now: float, seconds: float) -> None:
    """Sets an end for releases by a person, and clears the releases that have ended.

    Without an end, a release could last for days while relations are dropped, and the catalog's
    next wrong answer would pass.
    """
    for brake, note in tx.journal.notes(BRAKE).items():
        if note == RELEASED:
            tx.journal.write_note(brake, f"{_UNTIL}{now + seconds}")
        elif _has_ended(note, now):
            tx.journal.write_note(brake, "")


def released_namespaces(tx: Transaction, now: float) -> frozenset[Namespace]:
    """The known namespaces whose deletions are allowed by a release."""
    notes = tx.journal.notes(BRAKE)
    names = {key.removeprefix(BRAKE) for key, note in notes.items() if _is_in_force(note, now)}
    every = tx.graph.every_record()
    return frozenset(n.place for n in every if "" in names or str(n.place) in names)


def write_brakes(
    tx: Transaction,
    held: Mapping[str, str],
    unlisted: frozenset[Namespace],
    covers: Callable[[Namespace], bool],
    notices: Notices = NO_NOTICES,
    now: float = 0.0,
) -> None:
    """Notes the deletions that a snapshot holds, by namespace, and clears brakes that hold nothing.

    A released brake stays while the catalog does not list some relations of its namespace, unless the
    release ends earlier: workers read and drop these relations after the snapshot. A brake also stays if
    the snapshot does not cover its namespace. Then it is unknown which relations are missing there.
    """
    still_missing = {str(namespace) for namespace in unlisted} | ({""} if unlisted else set())
    for brake, note in tx.journal.notes(BRAKE).items():
        namespace = brake.removeprefix(BRAKE)
        if namespace and not covers(Namespace.from_key(namespace)):
            continue
        if namespace not in (still_missing if is_release(note) else held):
            tx.journal.write_note(brake, "")
    for namespace, reason in held.items():
        # A person may have released it in between.
        if tx.journal.note(f"{BRAKE}{namespace}") != RELEASED:
            _write_brake(tx, f"{BRAKE}{namespace}", reason, notices, now)


def _write_brake(tx: Transaction, brake: str, reason: str, notices: Notices, now: float) -> None:
    """Writes a brake. Tells receivers only if it is new, since the number of deletions may change daily."""
    before = tx.journal.note(brake)
    tx.journal.write_note(brake, reason)
    if not before or is_release(before):
        held = HeldDeletions(brake.removeprefix(BRAKE), reason)
        fact = held_deletions(held.namespace, held.reason, held.confirming_command)
        notices.record(tx, [fact], now)


def log_held_deletions(namespace: str, reason: str) -> None:
    log.error(
        "deletions held until confirmed",
        extra={
            "namespace": namespace or "*",
            "why": reason,
            "release": "schema-publisher confirm-deletions",
        },
    )
