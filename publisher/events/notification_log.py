"""The metastore's notification log, read over Thrift, as an event source.

The server does not report events that it has deleted, so ``log_position`` detects gaps.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hive_metastore.ttypes import NotificationEventRequest
from thrift.Thrift import TException

from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_client import MetastoreClient
from lakeschema.catalog.metastore_security import UNSECURED, Security
from publisher.events.log_position import (
    LogPosition,
    MalformedPosition,
    Reading,
    overlap_start,
    read_log,
    start_position,
)
from publisher.events.metastore_events import LogEvent, decode
from publisher.events.protocol import (
    FIRST_START,
    Batch,
    DeadLetter,
    Hint,
    SourceUnavailable,
    add_times,
)

NOTIFICATION_LOG = "notification-log"
MAX_EVENTS_PER_REQUEST = 1000
_MIN_EVENTS_PER_REQUEST = 10
_REREAD_SECONDS = 0.5
_QUIET_SECONDS = 10.0


class NotificationLogSource:
    """The log as a source. Waiting costs one call of a third of a millisecond per ``idle_seconds``.

    Not safe for threads; only one thread polls a source.
    """

    def __init__(
        self,
        uris: str | Sequence[str],
        *,
        name: str = NOTIFICATION_LOG,
        timeout_seconds: float = 30.0,
        idle_seconds: float = 0.02,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        security: Security = UNSECURED,
    ) -> None:
        addresses = uris.split(",") if isinstance(uris, str) else tuple(uris)
        self._client = MetastoreClient(
            addresses,
            name=name,
            timeout_seconds=timeout_seconds,
            attempts=2,
            security=security,
        )
        self._name = name
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._sleep = sleep
        self._limit = MAX_EVENTS_PER_REQUEST
        self._read_at = -_REREAD_SECONDS
        self._changed_at = clock()
        self._newest_id = 0

    @property
    def name(self) -> str:
        return self._name

    def poll(self, position: str | None, timeout_seconds: float) -> Batch | None:
        try:
            return self._poll(position, timeout_seconds)
        except CatalogUnavailable as error:
            # The response may have been too large to arrive in time, so the next request is smaller.
            self._limit = max(_MIN_EVENTS_PER_REQUEST, self._limit // 4)
            raise SourceUnavailable(self._name, error.reason, error.hint) from error
        except TException as error:
            message = getattr(error, "message", None) or type(error).__name__
            raise SourceUnavailable(self._name, message) from error

    def acknowledge(self, position: str) -> None:
        """Does nothing: the metastore keeps no position."""

    def close(self) -> None:
        self._client.close()

    def _poll(self, position: str | None, timeout_seconds: float) -> Batch | None:
        if position is None:
            return self._start(FIRST_START)
        try:
            here = LogPosition.from_text(position)
        except MalformedPosition as error:
            return self._start(str(error))
        deadline = self._clock() + timeout_seconds
        noise = 0
        while True:
            reading = self._read(here)
            if reading is not None and reading.gap is not None:
                return self._after_gap(reading, noise)
            if reading is not None:
                here = reading.position
                decoded = _decode_all(reading.new)
                if decoded.hints or decoded.dead_letters:
                    return self._batch(decoded, here, noise + len(reading.new))
                # Noise advances the position in memory only, to save transactions.
                noise += len(reading.new)
            left = deadline - self._clock()
            if left <= 0:
                return self._batch(_decode_all(()), here, noise) if noise else None
            if reading is None or not reading.new:
                self._sleep(min(self._idle_seconds, left))

    def _read(self, position: LogPosition) -> Reading | None:
        """Reads the log once; None if the log cannot have new events."""
        current = self._newest_id = self._current_id()
        now = self._clock()
        if current != position.last:
            self._changed_at = now
        elif now - self._read_at < _REREAD_SECONDS or now - self._changed_at > _QUIET_SECONDS:
            return None
        self._read_at = now
        events = self._events(position.after)
        complete = len(events) < self._limit
        reading = read_log(position, events, current, complete=complete)
        if not complete and not reading.new:
            # The overlap fills a whole request, so continue after it.
            past_overlap = LogPosition(position.last, position.last)
            events = self._events(position.last)
            return read_log(past_overlap, events, current, complete=False)
        self._limit = MAX_EVENTS_PER_REQUEST
        return reading

    def _start(self, reason: str) -> Batch:
        """The first batch, at the log's end, since a later snapshot sees all earlier changes."""
        current = self._current_id()
        events = self._events(overlap_start(current))
        return Batch((), (), start_position(events, current).to_text(), gap=reason)

    def _after_gap(self, reading: Reading, noise: int) -> Batch:
        assert reading.gap is not None
        if not reading.new:
            return self._start(reading.gap)
        decoded = _decode_all(reading.new)
        return self._batch(decoded, reading.position, noise + len(reading.new), reading.gap)

    def _batch(
        self, decoded: _Decoded, position: LogPosition, seen: int, gap: str | None = None
    ) -> Batch:
        return Batch(
            decoded.hints,
            decoded.dead_letters,
            position.to_text(),
            gap=gap,
            seen=seen,
            behind=max(0, self._newest_id - position.last),
            event_times=decoded.times,
            newest_event_at=decoded.newest_at,
        )

    def _current_id(self) -> int:
        current = self._client.current_event_id()
        if current is None:
            raise SourceUnavailable(self._name, "this metastore keeps no notification log")
        return current

    def _events(self, after: int) -> list[LogEvent]:
        request = NotificationEventRequest(lastEvent=after, maxEvents=self._limit)
        answer = self._client.run(lambda client: client.get_next_notification(request))
        return [_log_event(event) for event in answer.events or ()]


def _log_event(event: Any) -> LogEvent:
    return LogEvent(
        id=event.eventId,
        time=event.eventTime or 0,
        type=event.eventType or "",
        database=event.dbName or "",
        table=event.tableName or "",
        message=event.message or "",
        message_format=event.messageFormat or "",
    )


@dataclass(frozen=True, slots=True)
class _Decoded:
    """Decoded notifications; ``times`` has the time of the oldest event of each relation."""

    hints: tuple[Hint, ...]
    dead_letters: tuple[DeadLetter, ...]
    times: Mapping[RelationName, float]
    newest_at: float | None


def _decode_all(events: Sequence[LogEvent]) -> _Decoded:
    hints: list[Hint] = []
    dead_letters: list[DeadLetter] = []
    times: dict[RelationName, float] = {}
    for event in events:
        decoded = decode(event)
        if isinstance(decoded, DeadLetter):
            dead_letters.append(decoded)
            continue
        hints.extend(decoded)
        if event.time > 0:
            add_times(times, decoded, event.time)
    newest_at = max((float(event.time) for event in events if event.time > 0), default=None)
    return _Decoded(tuple(hints), tuple(dead_letters), times, newest_at)
