"""Measures how far behind each event source is, and how long a change takes to reach the package index.

Kept in memory, so changes received before a restart are not measured.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from lakeschema.catalog.identifiers import RelationName

BUCKET_SECONDS: Final = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600)
MAX_WAITING: Final = 100_000
_MAX_EVENTS_OF_RELATION: Final = 16
"""Further events are dropped: a version is measured from the oldest event that it answers."""

RECEIPT: Final = "receipt"
EVENT: Final = "event"
SINCE: Final = (RECEIPT, EVENT)


@dataclass(frozen=True, slots=True)
class Distribution:
    """Counts of times.

    ``counts[i]`` counts the times above ``BUCKET_SECONDS[i - 1]``, up to ``BUCKET_SECONDS[i]``.
    """

    counts: tuple[int, ...] = (0,) * (len(BUCKET_SECONDS) + 1)
    total_seconds: float = 0.0

    def with_one(self, seconds: float) -> Distribution:
        counts = list(self.counts)
        counts[bisect_left(BUCKET_SECONDS, seconds)] += 1
        return Distribution(tuple(counts), self.total_seconds + seconds)


@dataclass(frozen=True, slots=True)
class Instant:
    """One moment, on the engine's clock, which never steps back, and as wall time."""

    steady: float
    wall: float


@dataclass(frozen=True, slots=True)
class _Received:
    at: Instant
    age_seconds: float | None


class EventLatency:
    """Times from an event until the index offers the version for it. Safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: dict[RelationName, tuple[_Received, ...]] = {}
        self._measured = {since: Distribution() for since in SINCE}

    def receive(
        self, names: Iterable[RelationName], event_times: Mapping[RelationName, float], now: Instant
    ) -> None:
        """Notes events for these relations; ``event_times``: when the events happened, as wall time."""
        with self._lock:
            for name in names:
                before = self._waiting.get(name, ())
                is_full = not before and len(self._waiting) >= MAX_WAITING
                if is_full or len(before) >= _MAX_EVENTS_OF_RELATION:
                    continue
                happened_at = event_times.get(name)
                # Another machine's clock may be ahead of this one's.
                age = None if happened_at is None else max(0.0, now.wall - happened_at)
                self._waiting[name] = (*before, _Received(now, age))

    def publish(self, name: RelationName, reserved_at: float, now: Instant) -> None:
        """Measures the events received before ``reserved_at`` (wall time).

        The version reflects these events.
        """
        with self._lock:
            answered = self._take(name, lambda received: received.at.wall <= reserved_at)
            if not answered:
                return
            oldest = answered[0]
            seconds = now.steady - oldest.at.steady
            self._measure(RECEIPT, seconds)
            if oldest.age_seconds is not None:
                self._measure(EVENT, seconds + oldest.age_seconds)

    def forget(self, name: RelationName, claimed_at: float) -> None:
        """Drops events received before ``claimed_at`` (engine clock): no version is missing for them."""
        if name in self._waiting:
            with self._lock:
                self._take(name, lambda received: received.at.steady <= claimed_at)

    def measured(self) -> Mapping[str, Distribution]:
        """The times by their start: the event's receipt or, if known, the event's own time."""
        with self._lock:
            return dict(self._measured)

    def _take(
        self, name: RelationName, is_answered: Callable[[_Received], bool]
    ) -> Sequence[_Received]:
        every = self._waiting.pop(name, ())
        left = tuple(received for received in every if not is_answered(received))
        if left:
            self._waiting[name] = left
        return [received for received in every if is_answered(received)]

    def _measure(self, since: str, seconds: float) -> None:
        self._measured[since] = self._measured[since].with_one(seconds)


@dataclass(frozen=True, slots=True)
class _Answer:
    at: float
    lag_seconds: float
    behind: int | None


class SourceLag:
    """How far each event source is behind. Safe for threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._newest: dict[str, _Answer] = {}

    def note(self, source: str, at: float, lag_seconds: float, behind: int | None) -> None:
        """Notes the age of the newest event read, and the number of events left, if known."""
        with self._lock:
            self._newest[source] = _Answer(at, lag_seconds, behind)

    def seconds(self, now: float) -> Mapping[str, float]:
        """The lag of each source that ever answered; it grows while the source is silent."""
        with self._lock:
            return {
                source: max(0.0, newest.lag_seconds + now - newest.at)
                for source, newest in self._newest.items()
            }

    def behind(self) -> Mapping[str, float]:
        """How many events are left, for the sources that report it."""
        with self._lock:
            return {
                source: newest.behind
                for source, newest in self._newest.items()
                if newest.behind is not None
            }
