"""How far the notification log was read, and what its answer means; pure.

Ids alone are not trusted: on Derby, concurrent DDL gives several events one id, and some become
visible after later ones. So the newest events are read again each time and told apart by their
content, which also shows that a log was replaced by another.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from publisher.events.metastore_events import LogEvent

OVERLAP_EVENTS = 64
OVERLAP_BYTES = 4 * 1024 * 1024


class MalformedPosition(ValueError):
    """The stored position is not this source's."""


@dataclass(frozen=True, slots=True)
class LogPosition:
    """``recent``: signatures of the newest events that were seen, by id; the log is read again from the first."""

    last: int
    recent: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @property
    def ask_after(self) -> int:
        """The ``lastEvent`` to ask with, so that the recent events come again."""
        return min(self.recent, default=self.last + 1) - 1

    def to_text(self) -> str:
        recent = {str(id_): list(signatures) for id_, signatures in self.recent.items()}
        return json.dumps({"last": self.last, "recent": recent}, separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> LogPosition:
        try:
            value = json.loads(text)
            recent = {int(id_): tuple(map(str, known)) for id_, known in value["recent"].items()}
            return cls(int(value["last"]), recent)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise MalformedPosition(f"no position of a notification log: {text!r:.100}") from error


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer of the log brought.

    Attributes:
        new: events that were not seen before, in order of their ids.
        gap: why others may be missing.
    """

    new: tuple[LogEvent, ...]
    position: LogPosition
    gap: str | None = None


def read_log(
    position: LogPosition, events: Sequence[LogEvent], current: int, *, complete: bool
) -> Reading:
    """Compares the log's answer with what was seen before.

    Args:
        position: how far the log was read.
        events: all those after ``position.ask_after``; the first of them unless ``complete``.
        current: the newest id, asked *before* ``events`` were.
        complete: whether the answer was not cut off.
    """
    if current < position.last:
        gap = f"the log was replaced: its newest event is {current}, but {position.last} was read"
        return Reading((), position, gap)
    visible: dict[int, Counter[str]] = {}
    for event in events:
        visible.setdefault(event.id, Counter())[signature(event)] += 1
    if _is_another_log(position, visible, complete=complete):
        return Reading((), position, "the log was replaced: its events are not those read before")
    new = _new_events(position, events)
    missing = _gap(position, visible, current)
    last = max((event.id for event in new), default=position.last)
    return Reading(new, LogPosition(max(last, position.last), _recent(events, position)), missing)


def signature(event: LogEvent) -> str:
    head = f"{event.id}\0{event.time}\0{event.type}\0{event.database}\0{event.table}\0"
    content = (head + event.message).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def start_of(events: Sequence[LogEvent], current: int) -> LogPosition:
    """The position from which what comes after ``current`` is new."""
    seen = [event for event in events if event.id <= current]
    return LogPosition(current, _recent(seen, LogPosition(current)))


def _is_another_log(
    position: LogPosition, visible: Mapping[int, Counter[str]], *, complete: bool
) -> bool:
    cut_off = None if complete else max(visible, default=None)
    return any(
        Counter(signatures) - visible[id_]
        for id_, signatures in position.recent.items()
        if id_ in visible and id_ != cut_off
    )


def _new_events(position: LogPosition, events: Sequence[LogEvent]) -> tuple[LogEvent, ...]:
    known = {id_: Counter(signatures) for id_, signatures in position.recent.items()}
    new: list[LogEvent] = []
    for event in sorted(events, key=lambda event: event.id):
        left = known.get(event.id)
        mark = signature(event)
        if left is not None and left[mark] > 0:
            left[mark] -= 1
        else:
            new.append(event)
    return tuple(new)


def _gap(position: LogPosition, visible: Mapping[int, Counter[str]], current: int) -> str | None:
    last = position.last
    first = min((id_ for id_ in visible if id_ > last), default=None)
    if first is None:
        if current > last:
            return f"the log is at {current} but shows nothing after {last}: it was trimmed"
        return None
    # While the last event is still there nothing after it was trimmed: a hole behind it is a
    # transaction that has not ended, and its event will come again with the overlap.
    if first > last + 1 and last not in visible:
        return f"the log goes on at {first} after {last}: it was trimmed"
    return None


def _recent(events: Sequence[LogEvent], position: LogPosition) -> dict[int, tuple[str, ...]]:
    """What to remember: whole ids, newest first, up to a number and a size of events."""
    by_id: dict[int, list[LogEvent]] = {}
    for event in events:
        by_id.setdefault(event.id, []).append(event)
    if not by_id:
        return dict(position.recent)
    kept: dict[int, tuple[str, ...]] = {}
    count = size = 0
    for id_ in sorted(by_id, reverse=True):
        count += len(by_id[id_])
        size += sum(len(event.message) for event in by_id[id_])
        if kept and (count > OVERLAP_EVENTS or size > OVERLAP_BYTES):
            break
        kept[id_] = tuple(signature(event) for event in by_id[id_])
    return dict(sorted(kept.items()))
