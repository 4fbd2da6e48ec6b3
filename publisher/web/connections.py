"""HTTP connections with deadlines and a bound on their number, on uvicorn's HTTP/1.1 protocol.

uvicorn waits for a request for as long as the client likes, and takes as many connections as the
process has file descriptors.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

log = logging.getLogger(__name__)

_BACKLOG: Final = 128
_STOP_TIMEOUT_SECONDS: Final = 5
_REPORT_SECONDS: Final = 60.0
_OUT_OF_RESOURCES: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


@dataclass(frozen=True, slots=True)
class Limits:
    """What one client may hold up.

    Attributes:
        max_connections: beyond it, a new connection takes the place of the one that has waited
            longest without a request under way; if there is none, it is closed itself.
        head_seconds: for the request line and the headers to arrive.
        request_seconds: from then on until the response has been sent.
        max_head_bytes: of a request's line and headers, as far as they arrive in pieces.
    """

    max_connections: int = 256
    head_seconds: float = 10.0
    request_seconds: float = 120.0
    max_head_bytes: int = 16_384


DEFAULT_LIMITS: Final = Limits()


class BoundedConfig(uvicorn.Config):
    """uvicorn's configuration, with the limits and the connections that they count."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        super().__init__(
            app,
            http=BoundedHttp,
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            ws="none",
            backlog=_BACKLOG,
            h11_max_incomplete_event_size=limits.max_head_bytes,
            timeout_graceful_shutdown=_STOP_TIMEOUT_SECONDS,
        )
        self.limits = limits
        # Without a request under way, the longest waiting first.
        self.waiting: dict[BoundedHttp, None] = {}
        self.busy: set[BoundedHttp] = set()

    def admit(self, connection: BoundedHttp) -> None:
        self.waiting[connection] = None
        if len(self.waiting) + len(self.busy) > self.limits.max_connections:
            next(iter(self.waiting)).abort()

    def forget(self, connection: BoundedHttp) -> None:
        self.waiting.pop(connection, None)
        self.busy.discard(connection)


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
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(  # type: ignore[override]  # uvicorn narrows the type of the transport, too
        self, transport: asyncio.Transport
    ) -> None:
        super().connection_made(transport)
        self._expect(self.config.limits.head_seconds)
        self.config.admit(self)

    def data_received(self, data: bytes) -> None:
        if self._deadline is None:
            # The next request of a connection that was kept alive.
            self._expect(self.config.limits.head_seconds)
        super().data_received(data)
        if self._is_answering() and self not in self.config.busy:
            self._begin_request()

    def on_response_complete(self) -> None:
        # It may begin the next request, if that has arrived already.
        super().on_response_complete()
        if self._is_answering():
            self._begin_request()
        elif not self.transport.is_closing():
            self._expect(None)
            self.config.forget(self)
            self.config.waiting[self] = None

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect(None)
        self.config.forget(self)
        super().connection_lost(exc)

    def abort(self) -> None:
        """Ends the connection at once: a client that reads slowly could hold up a polite end."""
        self.config.forget(self)
        self.transport.abort()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _begin_request(self) -> None:
        self.config.forget(self)
        self.config.busy.add(self)
        self._expect(self.config.limits.request_seconds)

    def _expect(self, within_seconds: float | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = (
            None if within_seconds is None else self.loop.call_later(within_seconds, self.abort)
        )


class AcceptErrors:
    """A loop's exception handler: a shortage of file descriptors is one warning with a count.

    asyncio tries again after a second, and reports each attempt with a traceback.
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
