"""A log of events that sources poll, with transport faults and a position to return to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from lakeschema.catalog.identifiers import Namespace
from publisher.events.protocol import Batch, DeadLetter, NamespaceHint, RelationHint

Entry: TypeAlias = RelationHint | NamespaceHint | DeadLetter

_BATCH_SIZE = 3


@dataclass
class EventLog:
    """A log whose entries before ``oldest`` are gone: a reader who still needs them finds a gap."""

    entries: list[Entry] = field(default_factory=list)
    oldest: int = 0

    def forget(self) -> None:
        """Deletes all entries, including a new entry that nobody has read."""
        self.entries.append(NamespaceHint(Namespace(("unread",))))
        self.oldest = len(self.entries)

    def batch_after(self, position: int) -> Batch | None:
        if position < self.oldest:
            return Batch([], [], str(self.oldest), gap="events were deleted before they were read")
        found = self.entries[position : position + _BATCH_SIZE]
        if not found:
            return None
        return _batch(found, str(position + len(found)))


def _batch(entries: Sequence[Entry], position: str) -> Batch:
    letters = [entry for entry in entries if isinstance(entry, DeadLetter)]
    hints = [entry for entry in entries if not isinstance(entry, DeadLetter)]
    return Batch(hints, letters, position, seen=len(entries))


@dataclass(frozen=True, slots=True)
class LogSource:
    """An ``EventSource`` that reads the log."""

    log: EventLog
    name: str = "log"

    def poll(self, position: str | None, timeout_seconds: float) -> Batch | None:
        return self.log.batch_after(int(position or "0"))

    def acknowledge(self, position: str) -> None: ...

    def close(self) -> None: ...
