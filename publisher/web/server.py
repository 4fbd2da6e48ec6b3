"""Serves an application from a thread of this process."""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import Final, Self

import anyio.to_thread
import uvicorn
from starlette.types import ASGIApp

from publisher.web.connections import DEFAULT_LIMITS, AcceptErrors, BoundedConfig, Limits

_START_TIMEOUT_SECONDS = 30.0
_STOP_TIMEOUT_SECONDS = 10
_BACKLOG: Final = 1_024
"""The length of the kernel's queue of connections. If it is full, a client tries again after a second."""
_THREADS: Final = 16
"""Threads for quick answers; pages have other threads. Each busy thread delays the health checks by
up to 5 ms."""


class AddressTaken(Exception):
    hint = "choose another [http] host or port"

    def __init__(self, host: str, port: int, reason: str) -> None:
        super().__init__(host, port, reason)
        self.host = host
        self.port = port
        self.reason = reason

    def __str__(self) -> str:
        return f"cannot listen on {self.host}:{self.port}: {self.reason}"


class _Server(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for each in sockets or ():
            # asyncio would limit this number to the connections accepted in one turn.
            each.listen(_BACKLOG)


class WebServer:
    """A running server, and a context manager that stops it."""

    def __init__(
        self, app: ASGIApp, host: str = "127.0.0.1", port: int = 0, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        """Starts the server. Port 0 chooses a free port.

        Raises:
            AddressTaken: the server cannot listen on the address.
        """
        self._socket = _listen(host, port)
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        self._server = _Server(BoundedConfig(app, limits))
        self._thread = threading.Thread(target=self._serve, name="web", daemon=True)
        self._started = threading.Event()
        self._thread.start()
        self._started.wait(_START_TIMEOUT_SECONDS)

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def close(self) -> None:
        """Waits a few seconds at most for responses in progress."""
        self._server.should_exit = True
        self._thread.join(_STOP_TIMEOUT_SECONDS)
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self) -> None:
        # The socket already listens: a client that connects now waits instead of being refused.
        self._started.set()
        asyncio.run(self._run())

    async def _run(self) -> None:
        asyncio.get_running_loop().set_exception_handler(AcceptErrors())
        anyio.to_thread.current_default_thread_limiter().total_tokens = _THREADS
        await self._server.serve(sockets=[self._socket])


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small responses at once only if the protocol is named. Otherwise the kernel
    # holds the body until the client acknowledges the head, 40 ms later.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        listening.close()
        raise AddressTaken(host, port, str(error)) from error
    return listening
