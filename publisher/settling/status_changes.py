"""Reports changed statuses: to receivers in the same transaction, to the log after its commit."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.notifications.facts import Kind, broken
from publisher.notifications.recording import Notices
from publisher.settling.claims import MAX_REASON_LENGTH
from publisher.state.protocol import Transaction

log = logging.getLogger(__name__)

_TROUBLE = frozenset(
    {Status.BROKEN, Status.UNSUPPORTED, Status.UNREACHABLE, Status.CYCLE, Status.QUARANTINED}
)


@dataclass(frozen=True, slots=True)
class StatusChange:
    relation: RelationName
    old: Status
    new: Status
    reason: str


def log_status_changes(changes: Iterable[StatusChange]) -> None:
    for change in changes:
        log.log(
            logging.WARNING if change.new in _TROUBLE else logging.INFO,
            "relation changed its status",
            extra={
                "relation": str(change.relation),
                "old": change.old.value,
                "new": change.new.value,
                "reason": change.reason[:MAX_REASON_LENGTH],
            },
        )


def record_broken(
    tx: Transaction, changes: Iterable[StatusChange], notices: Notices, now: float
) -> None:
    """Tells receivers of relations that could be derived and no longer can.

    It does not tell receivers of relations that could never be derived: a new view with an unknown function,
    or a relation in the first snapshot.
    """
    if notices.wants(Kind.BROKEN):
        facts = [
            broken(str(change.relation), change.new.value, change.reason)
            for change in changes
            if change.old is Status.OK and change.new in _TROUBLE
        ]
        notices.record(tx, facts, now)
