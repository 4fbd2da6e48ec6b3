"""Events that other programs post to the service, as an event source.

A message is checked, stored in a spool, and only then accepted; the source reads the spool. One
thread writes the messages of all requests that wait, in one transaction.
"""

from __future__ import annotations

import json
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from publisher.events.decoding import Heard
from publisher.events.event_spool import Adding, EventSpool, Page, Place, Posted
from publisher.events.messages import Message, from_http
from publisher.events.protocol import FIRST_START, Batch, SourceUnavailable
from publisher.events.signed_messages import (
    NotSigned,
    SignatureHeaders,
    Stamp,
    UnusableSecret,
    check_signature,
    read_stamp,
)

EVENTS_ADDRESS: Final = "/events/"
"""The beginning of the addresses of all sources."""
_MAX_WAITING: Final = 256
"""How many requests may wait for the disk."""
_KEPT_HEADERS: Final = ("ce-", "content-type")
_HINT: Final = "check the disk of the spool, its space and its rights"


class Why(Enum):
    """The reason of a refusal. UNAVAILABLE: the spool cannot be written, or the service ends."""

    UNSIGNED = "unsigned"
    REPEATED = "repeated"
    FULL = "full"
    UNAVAILABLE = "unavailable"


class PostRefused(Exception):
    def __init__(self, why: Why, message: str) -> None:
        super().__init__(message)
        self.why = why
        self.message = message


@dataclass(frozen=True, slots=True)
class Signing:
    """How messages are signed.

    Attributes:
        secrets: a function that reads the secrets each time, so that they can be changed without a
            restart. It may raise ``UnusableSecret``.
        tolerance_seconds: how far a message's time may be from now.
    """

    secrets: Callable[[], Sequence[bytes]]
    headers: SignatureHeaders = field(default_factory=SignatureHeaders)
    tolerance_seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class _Waiting:
    message: Posted
    answer: Future[None]


class PostedEvents:
    """Posted events as a source. Safe for threads, except that only one thread polls."""

    def __init__(
        self,
        name: str,
        spool: EventSpool,
        signing: Signing,
        decode: Callable[[Message], Heard],
        *,
        max_bytes: int,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """Receives events at the address that ends in ``name``; a message has at most ``max_bytes``."""
        self.max_bytes = max_bytes
        self.address_name = name
        self._name = f"http:{name}"
        self._spool = spool
        self._signing = signing
        self._decode = decode
        self._wall = wall
        self._queue: queue.Queue[_Waiting | None] = queue.Queue(_MAX_WAITING)
        self._lock = threading.Lock()
        self._writer: threading.Thread | None = None
        self._is_closed = False
        self._arrived = threading.Event()

    @property
    def name(self) -> str:
        return self._name

    def require_secret(self) -> None:
        """Checks that there is a secret. Raises ``SourceUnavailable`` if it cannot be read."""
        try:
            self._signing.secrets()
        except UnusableSecret as error:
            raise SourceUnavailable(self._name, str(error), "correct events.secret_file") from None

    def read_stamp(self, headers: Mapping[str, str]) -> Stamp:
        """Checks the headers of a request before its body is read.

        Raises:
            PostRefused: they are not the headers of a message that was signed just now.
        """
        chosen = self._signing
        try:
            return read_stamp(headers, chosen.headers, self._wall(), chosen.tolerance_seconds)
        except NotSigned as error:
            raise PostRefused(Why.UNSIGNED, str(error)) from None

    def submit(self, stamp: Stamp, headers: Mapping[str, str], body: bytes) -> Future[None]:
        """Queues a message. The future ends when the message is stored, or raises ``PostRefused``.

        Raises:
            PostRefused: the signature is wrong, too many requests wait, or the secret is unusable.
        """
        try:
            check_signature(stamp, body, self._signing.secrets())
        except NotSigned as error:
            raise PostRefused(Why.UNSIGNED, str(error)) from None
        except UnusableSecret:
            message = "the service cannot read its secret for events"
            raise PostRefused(Why.UNAVAILABLE, message) from None
        kept = {name: text for name, text in headers.items() if name.startswith(_KEPT_HEADERS)}
        until = stamp.at + self._signing.tolerance_seconds + 1
        waiting = _Waiting(Posted(stamp.id, until, body, kept), Future())
        with self._lock:
            if self._is_closed:
                raise PostRefused(Why.UNAVAILABLE, "the service ends")
            if self._writer is None:
                self._writer = threading.Thread(
                    target=self._write, name=f"spool {self.address_name}", daemon=True
                )
                self._writer.start()
            try:
                self._queue.put_nowait(waiting)
            except queue.Full:
                raise PostRefused(Why.FULL, "too many requests wait; try again later") from None
        return waiting.answer

    def poll(self, position: str | None, timeout_seconds: float) -> Batch | None:
        place = None if position is None else _parse_position(position)
        try:
            self._arrived.clear()
            page = self._spool.read(place)
            if place is not None and not page.messages and not page.gap:
                self._arrived.wait(timeout_seconds)
                page = self._spool.read(place)
        except (sqlite3.Error, OSError) as error:
            raise SourceUnavailable(self._name, str(error), _HINT) from error
        if place is None:
            reason = FIRST_START if position is None else "the position is unreadable"
            return self._batch(page, reason)
        return self._batch(page, page.gap) if page.messages or page.gap else None

    def acknowledge(self, position: str) -> None:
        """Removes the messages that were read.

        A failure is harmless: they are removed with the next messages.
        """
        place = _parse_position(position)
        if place is not None:
            try:
                self._spool.forget(place)
            except (sqlite3.Error, OSError):
                # The error may be ignored here, since the next poll reports a broken disk.
                return

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            writer = self._writer
        if writer is not None:
            self._queue.put(None)
            writer.join()
        self._arrived.set()
        self._spool.close()

    def _batch(self, page: Page, gap: str | None) -> Batch:
        heard = Heard.together(
            self._decode(from_http(each.body, each.headers)) for each in page.messages
        )
        return Batch(
            heard.hints,
            heard.dead_letters,
            _position_text(page.place),
            gap=gap,
            seen=len(page.messages),
            behind=page.behind,
            event_times=heard.times,
            newest_event_at=heard.newest_at,
        )

    def _write(self) -> None:
        while (waiting := self._queue.get()) is not None:
            together = [waiting]
            ends = False
            while not ends and len(together) < _MAX_WAITING:
                try:
                    more = self._queue.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    ends = True
                else:
                    together.append(more)
            # A client that disconnected gets no answer, so its message need not be stored.
            self._store([each for each in together if each.answer.set_running_or_notify_cancel()])
            if ends:
                return

    def _store(self, together: Sequence[_Waiting]) -> None:
        if not together:
            return
        try:
            found = self._spool.add([each.message for each in together], self._wall())
        except Exception:  # noqa: BLE001 (the next poll reports the disk's trouble)
            refusal = PostRefused(Why.UNAVAILABLE, "the event cannot be stored now")
            for each in together:
                each.answer.set_exception(refusal)
            return
        for each, adding in zip(together, found, strict=True):
            if adding is Adding.STORED:
                each.answer.set_result(None)
            else:
                each.answer.set_exception(_REFUSALS[adding]())
        self._arrived.set()


_REFUSALS: Final[Mapping[Adding, Callable[[], PostRefused]]] = {
    Adding.REPEATED: lambda: PostRefused(Why.REPEATED, "a message with this id was received"),
    Adding.FULL: lambda: PostRefused(Why.FULL, "the spool of events is full; try again later"),
}


def _position_text(place: Place) -> str:
    return json.dumps({"spool": place.spool, "number": place.number}, separators=(",", ":"))


def _parse_position(position: str) -> Place | None:
    try:
        found = json.loads(position)
        return Place(str(found["spool"]), int(found["number"]))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
