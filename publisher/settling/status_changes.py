"""Changes of relations' statuses, for the log after their commit."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.model.outcome import Status
from publisher.settling.claims import MAX_REASON_LENGTH

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
