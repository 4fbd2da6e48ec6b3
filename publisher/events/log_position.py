"""Holds the position in the notification log, and finds the new events in a response; pure.

Ids alone are not trusted: on Derby, concurrent DDL gives several events one id, and some events
become visible after later events. So the source reads the newest events again each time and
identifies them by their content. This also shows if another log has replaced the log.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # A caller that only needs the position decodes no event, and need not import the decoder.
    from publisher.events.metastore_events import LogEvent

OVERLAP_EVENTS = 64
OVERLAP_BYTES = 4 * 1024 * 1024


class MalformedPosition(ValueError):
    """The stored position was not written by this source."""


@dataclass(frozen=True, slots=True)
class LogPosition:
    """The position in the log.

    Attributes:
        last: the newest id that was seen.
        after: the next read begins after this id. An event in its answer that is not in ``recent`` is new,
            even if its id is below ``last``.
        recent: signatures of the events seen after ``after``, by id.
    """

    last: int
    after: int
    recent: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    def to_text(self) -> str:
        recent = {str(id_): list(signatures) for id_, signatures in self.recent.items()}
        value = {"last": self.last, "after": self.after, "recent": recent}
        return json.dumps(value, separators=(",", ":"))

    @classmethod
    def from_text(cls, text: str) -> LogPosition:
        try:
            value = json.loads(text)
            recent = {int(id_): tuple(map(str, known)) for id_, known in value["recent"].items()}
            return cls(int(value["last"]), int(value["after"]), recent)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise MalformedPosition(
                f"expected a position of a notification log, got {text!r:.100}"
            ) from error


@dataclass(frozen=True, slots=True)
class Reading:
    """The contents of one response of the log.

    Attributes:
        new: the events that were not seen before, in the order of their ids.
        gap: why other events may be missing, or None.
    """

    new: tuple[LogEvent, ...]
    position: LogPosition
    gap: str | None = None


def read_log(
    position: LogPosition, events: Sequence[LogEvent], current: int, *, complete: bool
) -> Reading:
    """Compares the log's response with the events seen before.

    Args:
        position: the position before this response.
        events: the events after ``position.after``, or only the first of them unless ``complete``.
        current: the newest id, read *before* ``events``.
        complete: False if the response was truncated.
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
    after, recent = _recent_signatures(events, position.after)
    return Reading(new, LogPosition(max(last, position.last), after, recent), missing)


def signature(event: LogEvent) -> str:
    head = f"{event.id}\0{event.time}\0{event.type}\0{event.database}\0{event.table}\0"
    content = (head + event.message).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def start_position(events: Sequence[LogEvent], current: int) -> LogPosition:
    """The position from which every event after ``current`` is new.

    Args:
        events: the newest events, read after ``overlap_start(current)``.
        current: the newest id, read before the events.
    """
    seen = [event for event in events if event.id <= current]
    return LogPosition(current, *_recent_signatures(seen, overlap_start(current)))


def overlap_start(current: int) -> int:
    return max(0, current - OVERLAP_EVENTS)


def _is_another_log(
    position: LogPosition, visible: Mapping[int, Counter[str]], *, complete: bool
) -> bool:
    truncated_id = None if complete else max(visible, default=None)
    return any(
        Counter(signatures) - visible[id_]
        for id_, signatures in position.recent.items()
        if id_ in visible and id_ != truncated_id
    )


def _new_events(position: LogPosition, events: Sequence[LogEvent]) -> tuple[LogEvent, ...]:
    known = {id_: Counter(signatures) for id_, signatures in position.recent.items()}
    new: list[LogEvent] = []
    for event in sorted(events, key=lambda event: event.id):
        left = known.get(event.id)
        digest = signature(event)
        if left is not None and left[digest] > 0:
            left[digest] -= 1
        else:
            new.append(event)
    return tuple(new)


def _gap(position: LogPosition, visible: Mapping[int, Counter[str]], current: int) -> str | None:
    last = position.last
    first = min((id_ for id_ in visible if id_ > last), default=None)
    if first is None:
        if current > last:
            return f"the log is at {current} but has no events after {last}: it was trimmed"
        return None
    # While the last event is still in the log, the metastore has deleted nothing after it. So a
    # missing id belongs to a transaction that has not ended; its event will appear in the overlap.
    if first > last + 1 and last not in visible:
        return f"the log continues at {first} after {last}: it was trimmed"
    return None


def _recent_signatures(
    events: Sequence[LogEvent], after: int
) -> tuple[int, dict[int, tuple[str, ...]]]:
    """Signatures of the newest events, up to a number and a size.

    For each id it has all events or none.

    Older events are not read again.
    """
    by_id: dict[int, list[LogEvent]] = {}
    for event in events:
        by_id.setdefault(event.id, []).append(event)
    kept: dict[int, tuple[str, ...]] = {}
    count = size = 0
    for id_ in sorted(by_id, reverse=True):
        count += len(by_id[id_])
        size += sum(len(event.message) for event in by_id[id_])
        if kept and (count > OVERLAP_EVENTS or size > OVERLAP_BYTES):
            after = max(after, id_)
            break
        kept[id_] = tuple(signature(event) for event in by_id[id_])
    return after, dict(sorted(kept.items()))
