"""What an event source gives: hints, never facts.

An event is only a key to re-read. Payloads are looked at to find the key and to drop what is
certainly noise, and for nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from lakeschema.catalog.identifiers import RelationName


@dataclass(frozen=True, slots=True)
class RelationHint:
    """Something may have happened to ``relation``; a read below ``event_id`` is too old to tell."""

    relation: RelationName
    event_id: int | None = None


@dataclass(frozen=True, slots=True)
class NamespaceHint:
    """Something may have happened to every known relation of a namespace."""

    namespace: tuple[str, ...]
    event_id: int | None = None


Hint = RelationHint | NamespaceHint


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """An event that could not be decoded, with its bytes; ``namespace`` if at least that is known."""

    payload: bytes
    reason: str
    namespace: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Batch:
    """What one poll brought.

    Attributes:
        position: where to go on from, opaque text that only the source reads. It is stored with
            the work in one transaction, and only then given to ``acknowledge``.
        gap: why events may be missing, so that a snapshot is due before the position is
            believed; None if none are.
        seen: events looked at, noise included.
    """

    hints: Sequence[Hint]
    dead_letters: Sequence[DeadLetter]
    position: str
    gap: str | None = None
    seen: int = 0


class SourceUnavailable(Exception):
    """Transient: the source is asked again later."""

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(source, reason)
        self.source = source
        self.reason = reason

    def __str__(self) -> str:
        return f"event source {self.source} does not answer: {self.reason}"


class EventSource(Protocol):
    @property
    def name(self) -> str:
        """Stable: the key under which its position is kept."""

    def poll(self, position: str | None, timeout_seconds: float) -> Batch | None:
        """The next events after ``position`` (None: never polled before); None if there are none.

        Waits at most ``timeout_seconds``. Asked with the stored position every time, so that a
        restart and a lost transaction are the same thing.
        """

    def acknowledge(self, position: str) -> None:
        """The position is stored: tell the other side, where it keeps one too."""

    def close(self) -> None: ...
