"""HTTP connections whose limits measure progress, on uvicorn's HTTP/1.1 protocol.

uvicorn waits for a client without limit, and takes as many connections as the process has file
descriptors. Here a client must send and read at a minimum pace. A new connection always finds room:
among the connections that wait for their client, the slowest is closed.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import logging
import struct
import termios
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import anyio
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

log = logging.getLogger(__name__)

_STOP_TIMEOUT_SECONDS: Final = 5
_REPORT_SECONDS: Final = 60.0
_OUT_OF_RESOURCES: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
_NEW_SECONDS: Final = 1.0
"""The shortest wait that shows a client's pace."""
_ACCEPTED_AT_ONCE: Final = 32
"""The limit of connections accepted in one turn of the loop. More would delay answers, and with
little room, new connections would close each other before they are read."""
_PIPELINED_AT_ONCE: Final = 4
"""The limit for pipelined requests of all clients together, so that clients with a single request
are served first."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The resources that one client may occupy.

    Attributes:
        max_connections: at this number, a new connection replaces another connection.
        head_seconds: time for the request line and the headers to arrive.
        transfer_seconds: how often the pace of an arriving body or of a reading client is checked.
        min_bytes_per_second: the minimum pace.
        request_seconds: time for the service's work; the pipelined requests of a client share it.
        max_head_bytes: size of a request's line and headers, if they arrive in pieces.
    """

    max_connections: int = 256
    head_seconds: float = 10.0
    transfer_seconds: float = 30.0
    min_bytes_per_second: float = 500.0
    request_seconds: float = 120.0
    max_head_bytes: int = 16_384


DEFAULT_LIMITS: Final = Limits()


class Wait(Enum):
    """What a connection waits for.

    HEAD: a request, or the rest of its head. BODY: the rest of its body. READER: its client, which
    does not read while the answer fills the buffers. SERVICE: an answer. PIPELINED: an answer to a
    request that the client sent before it had the previous answer. The client must be ready to
    repeat the request.
    """

    HEAD = "head"
    BODY = "body"
    READER = "reader"
    SERVICE = "service"
    PIPELINED = "pipelined"


class BoundedConfig(uvicorn.Config):
    """uvicorn's configuration with the limits and the open connections."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        super().__init__(
            app,
            http=BoundedHttp,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            ws="none",
            backlog=max(1, min(limits.max_connections // 8, _ACCEPTED_AT_ONCE)),
            h11_max_incomplete_event_size=limits.max_head_bytes,
            timeout_graceful_shutdown=_STOP_TIMEOUT_SECONDS,
        )
        self.limits = limits
        self.open = OpenConnections(limits.max_connections)
        self.pipelined = anyio.CapacityLimiter(_PIPELINED_AT_ONCE)


class OpenConnections:
    """The open connections, which may be closed to make room.

    A connection for which the service works is protected, unless half of all are protected already.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._protected: set[BoundedHttp] = set()
        # Connections by address, the longest waiting first.
        self._exposed: dict[str, dict[BoundedHttp, None]] = {}

    def put(self, connection: BoundedHttp) -> None:
        """Adds a connection, or moves it to the end after progress or a change of its wait."""
        self.forget(connection)
        is_served = connection.waits_for is Wait.SERVICE
        if is_served and len(self._protected) < self._most // 2:
            self._protected.add(connection)
        else:
            self._exposed.setdefault(connection.address, {})[connection] = None

    def forget(self, connection: BoundedHttp) -> None:
        self._protected.discard(connection)
        crowd = self._exposed.get(connection.address, {})
        crowd.pop(connection, None)
        if not crowd:
            self._exposed.pop(connection.address, None)

    def make_room(self) -> None:
        """Closes a waiting connection if there are too many.

        The connection belongs to the address with the most waiting connections. It is a slow one if
        possible, else the oldest.
        """
        if len(self._protected) + sum(map(len, self._exposed.values())) <= self._most:
            return
        crowd = max(self._exposed.values(), key=len)
        slow = (each for each in crowd if each.is_slow(_NEW_SECONDS))
        next(slow, next(iter(crowd))).abort()


class BoundedHttp(H11Protocol):
    config: BoundedConfig

    def __init__(
        self,
        config: BoundedConfig,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.app = self._answer
        self.address = ""
        self.waits_for = Wait.HEAD
        self._since = 0.0
        self._moved_before = 0
        self._received = 0
        self._is_pipelining = False
        self._timer: asyncio.TimerHandle | None = None
        self._work: anyio.CancelScope | None = None

    def connection_made(  # type: ignore[override]  # uvicorn narrows the type of the transport, too
        self, transport: asyncio.Transport
    ) -> None:
        super().connection_made(transport)
        self.address = self.client[0] if self.client else ""
        self._begin_wait(Wait.HEAD)
        self.config.open.make_room()

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
        super().data_received(data)
        self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._look()

    def on_response_complete(self) -> None:
        # This call may begin the next request, if it has arrived already.
        super().on_response_complete()
        self._is_pipelining = self._is_answering()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        self._set_timer(None)
        self.config.open.forget(self)
        super().connection_lost(exc)
        if self._work is not None:
            # Nobody waits for the answer any more. A thread that already works on it is not interrupted.
            self._work.cancel()

    def abort(self) -> None:
        """Ends the connection at once: a slow reader could delay an orderly end."""
        self.config.open.forget(self)
        self.transport.abort()

    def is_slow(self, after_seconds: float = 0.0) -> bool:
        """Whether the wait has lasted ``after_seconds`` and the client moved too few bytes in it."""
        if self.waits_for is Wait.SERVICE:
            return False
        elapsed = self.loop.time() - self._since
        moved = self._moved() - self._moved_before
        return (
            elapsed >= after_seconds and moved < self.config.limits.min_bytes_per_second * elapsed
        )

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.cycle.disconnected:
            return
        with anyio.CancelScope() as self._work:
            async with self.config.pipelined if self._is_pipelining else nullcontext():
                await self.config.loaded_app(scope, receive, send)

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _look(self) -> None:
        waits_for = self._waits_for_now()
        if waits_for is not self.waits_for:
            self._begin_wait(waits_for)

    def _waits_for_now(self) -> Wait:
        if self.transport.get_write_buffer_size() > 0:
            return Wait.READER
        if not self._is_answering():
            return Wait.HEAD
        if self.cycle.more_body:
            return Wait.BODY
        return Wait.PIPELINED if self._is_pipelining else Wait.SERVICE

    def _begin_wait(self, waits_for: Wait) -> None:
        self.waits_for = waits_for
        self._since = self.loop.time()
        self._moved_before = self._moved()
        self._set_timer(self._seconds())
        self.config.open.put(self)

    def _seconds(self) -> float:
        limits = self.config.limits
        match self.waits_for:
            case Wait.HEAD:
                return limits.head_seconds
            case Wait.BODY | Wait.READER:
                return limits.transfer_seconds
            case Wait.SERVICE | Wait.PIPELINED:
                return limits.request_seconds

    def _moved(self) -> int:
        """A counter of the bytes that the client sent or took; only its differences are meaningful."""
        match self.waits_for:
            case Wait.BODY:
                return self._received
            case Wait.READER:
                return -_unread_bytes(self.transport)
            case _:
                return 0

    def _end_wait(self) -> None:
        waits_for = self._waits_for_now()
        if waits_for is self.waits_for and (waits_for is Wait.SERVICE or self.is_slow()):
            self.abort()
        else:
            self._begin_wait(waits_for)

    def _set_timer(self, seconds: float | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None if seconds is None else self.loop.call_later(seconds, self._end_wait)


def _unread_bytes(transport: asyncio.Transport) -> int:
    """The written bytes that the client has not taken, with those in the kernel's buffer if known.

    The kernel may buffer megabytes; without them a client that reads steadily would seem to stand
    still.
    """
    held = bytearray(4)
    try:
        fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, held)
    except (OSError, ValueError):
        return transport.get_write_buffer_size()
    return transport.get_write_buffer_size() + int(struct.unpack("i", held)[0])


class AcceptErrors:
    """A loop's exception handler that reports a shortage of file descriptors in one warning with a count.

    asyncio retries after a second, and reports each attempt with a traceback.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._reported_at: float | None = None
        self._count = 0

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not (isinstance(error, OSError) and error.errno in _OUT_OF_RESOURCES):
            loop.default_exception_handler(context)
            return
        self._count += 1
        now = self._now()
        if self._reported_at is None or now - self._reported_at >= _REPORT_SECONDS:
            log.warning(
                "connections cannot be accepted", extra={"why": str(error), "times": self._count}
            )
            self._reported_at, self._count = now, 0
