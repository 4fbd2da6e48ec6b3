"""The interface of event sources: they return hints, never facts.

An event only names a relation to read again. Its payload is only used to find the name and to drop
noise.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lakeschema.catalog.identifiers import Namespace, RelationName


@dataclass(frozen=True, slots=True)
class RelationHint:
    """A hint that ``relation`` may have changed. An answer that does not reflect ``event_id`` is too old."""

    relation: RelationName
    event_id: int | None = None


@dataclass(frozen=True, slots=True)
class NamespaceHint:
    """A hint that every known relation of a namespace may have changed."""

    namespace: Namespace
    event_id: int | None = None


Hint = RelationHint | NamespaceHint


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """An event that could not be decoded: its bytes, and its namespace if known."""

    payload: bytes
    reason: str
    namespace: Namespace | None = None


FIRST_START = "first start"
"""The gap of a source that has no position yet, since nobody read earlier events."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The result of one poll.

    Attributes:
        position: where to continue; only the source interprets it. It is stored in one transaction
            with the work, and only then passed to ``acknowledge``.
        gap: why events may be missing, or None. A snapshot must run before the position is trusted.
        seen: the number of events read, including noise.
        behind: how many events are left to read, if the source knows.
        event_times: when the oldest event of each relation happened, in seconds since the epoch, if
            the source knows.
    """

    hints: Sequence[Hint]
    dead_letters: Sequence[DeadLetter]
    position: str
    gap: str | None = None
    seen: int = 0
    behind: int | None = field(default=None, compare=False)
    event_times: Mapping[RelationName, float] = field(default_factory=dict, compare=False)
    newest_event_at: float | None = field(default=None, compare=False)


def add_times(times: dict[RelationName, float], hints: Iterable[Hint], happened_at: float) -> None:
    """Adds an event's time for the relations that it names; the oldest time of each is kept."""
    for hint in hints:
        if isinstance(hint, RelationHint):
            times[hint.relation] = min(happened_at, times.get(hint.relation, happened_at))


_HINT = "check that it runs, and its address in [[events]]"


class SourceUnavailable(Exception):
    """A transient error: the source is polled again later; ``hint`` says what a person can do."""

    def __init__(self, source: str, reason: str, hint: str = "") -> None:
        super().__init__(source, reason)
        self.source = source
        self.reason = reason
        self.hint = hint or _HINT

    def __str__(self) -> str:
        return f"event source {self.source} does not answer: {self.reason}"


class EventSource(Protocol):
    @property
    def name(self) -> str:
        """A stable name: the key under which the position is stored."""

    def poll(self, position: str | None, timeout_seconds: float) -> Batch | None:
        """The next events after ``position`` (None at the first poll); None without new events.

        Waits at most ``timeout_seconds``. The caller always passes the stored position, so a
        restart needs no other treatment than a rolled-back transaction.
        """

    def acknowledge(self, position: str) -> None:
        """Tells the source that the position is stored, so that the source can commit the position, too."""

    def close(self) -> None: ...
