"""Brakes new versions whose cause is an upgrade, an option or a setting, not a changed table.

If many relations must be derived again, a sample of them is derived first, without writes. If too
many of the sample would get another package, all wait for a person.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.runtime import Runtime
from publisher.settling.deletions import RELEASED
from publisher.settling.lease import Lease
from publisher.state.records import RelationRecord

log = logging.getLogger(__name__)

CHANGE_BRAKE = "@change-brake/"
"""Prefix of the catalog's name; the note says what is held."""

CANARIES = 20

CountChanging: TypeAlias = Callable[[Sequence[RelationName]], int]
"""Derives relations without writes, and counts those that would get another package."""


class MassChangeBrake:
    def __init__(self, runtime: Runtime, catalog_name: str, count_changing: CountChanging) -> None:
        self._state = runtime.state
        self._mode = runtime.policy.mass_change
        self._limit = runtime.policy.change_limit
        self._count_changing = count_changing
        self._brake = f"{CHANGE_BRAKE}{catalog_name}"

    def hold(
        self,
        lease: Lease,
        records: Mapping[RelationName, RelationRecord],
        by_settings: frozenset[RelationName],
        by_deriver: frozenset[RelationName],
    ) -> str:
        """Why the changes must wait, or ""; the brake's note has the same text.

        Args:
            lease: the snapshot's lease.
            records: all known relations.
            by_settings: relations that certainly get a new version.
            by_deriver: relations to derive again although neither they nor these settings changed.
        """
        doubtful = [
            name
            for name in sorted(by_deriver - by_settings, key=_shuffled)
            if name in records and records[name].published_hash is not None
        ]
        known = sum(record.status is Status.OK for record in records.values())
        reason = self._reason(len(by_settings), doubtful, known)
        note = self._state.read(lambda tx: tx.journal.note(self._brake))
        if reason and note == RELEASED:
            return ""
        if reason != note:
            lease.write(lambda tx: tx.journal.write_note(self._brake, reason))
        if reason:
            release = "schema-publisher confirm-changes"
            log.error("changes held until confirmed", extra={"why": reason, "release": release})
        return reason

    def release(self) -> str:
        """Lets the next snapshot carry out the held changes; returns why they were held."""
        note = self._state.read(lambda tx: tx.journal.note(self._brake))
        if note and note != RELEASED:
            self._state.write(lambda tx: tx.journal.write_note(self._brake, RELEASED))
        return note

    def _reason(self, certain: int, doubtful: Sequence[RelationName], known: int) -> str:
        candidates = certain + len(doubtful)
        if self._mode == "off" or not self._limit.exceeded(candidates, known):
            return ""
        if self._mode == "confirm" or not doubtful:
            return f"{candidates} of {known} relations would be derived again"
        sample = doubtful[:CANARIES]
        changing = self._count_changing(sample)
        estimate = certain + len(doubtful) * changing // len(sample)
        if not self._limit.exceeded(estimate, known):
            return ""
        return (
            f"{changing} of {len(sample)} sampled relations would get another package, "
            f"about {estimate} of {known} in all"
        )


def _shuffled(name: RelationName) -> str:
    """The relations in a fixed order, but not by name: one database is not typical of all."""
    return hashlib.sha256(str(name).encode("utf-8", "surrogatepass")).hexdigest()
