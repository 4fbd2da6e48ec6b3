"""A deadline for everything sent and received in an exchange with a server.

A socket's timeout applies to each read and write, so a server that sends a byte now and then could
make a client wait forever. At the deadline the connections of an exchange are shut down, and every
wait on them fails.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import socket
import threading
import time
from contextlib import AbstractContextManager
from contextvars import ContextVar
from types import TracebackType


class ExchangeTimeout(Exception):
    """The exchange did not end in time."""


def exchange(timeout_seconds: float) -> AbstractContextManager[None]:
    """Limits the time of everything sent and received inside, through connections given to ``use``.

    Raises:
        ExchangeTimeout: the time has passed, whatever the block raised or returned.
    """
    return _Exchange(timeout_seconds)


def use(connected: socket.socket | None) -> None:
    """Makes a connection obey the current exchange; a TLS handshake has the socket's timeout."""
    running = _CURRENT.get()
    if running is not None and connected is not None:
        running.use(connected)


class _Exchange(AbstractContextManager[None]):
    """An exchange. It is a class, because a generator could not raise Thrift's exceptions again."""

    def __init__(self, timeout_seconds: float) -> None:
        self._timeout_seconds = timeout_seconds
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []
        self._is_cut = False
        self._has_ended = False

    def __enter__(self) -> None:
        self._token = _CURRENT.set(self)
        _DEADLINES.add(time.monotonic() + self._timeout_seconds, self)

    def __exit__(self, _: object, error: BaseException | None, __: TracebackType | None) -> None:
        _CURRENT.reset(self._token)
        # A response without a length looks complete after its connection was shut down.
        if self.end() and (error is None or isinstance(error, Exception)):
            raise ExchangeTimeout from error

    def use(self, connected: socket.socket) -> None:
        """Adds a connection, which is shut down at once if the time has passed."""
        with self._lock:
            self._sockets.append(connected)
            if self._is_cut:
                _shut_down(connected)

    @property
    def has_ended(self) -> bool:
        return self._has_ended

    def cut(self) -> None:
        with self._lock:
            # The connections may now be in use for other exchanges.
            if self._has_ended:
                return
            self._is_cut = True
            for connected in self._sockets:
                _shut_down(connected)

    def end(self) -> bool:
        """Ends the exchange; returns whether the time had passed."""
        with self._lock:
            self._has_ended = True
            self._sockets.clear()
            return self._is_cut


class _Deadlines:
    """Ends exchanges at their deadlines, in one thread.

    Starting a thread for each exchange would take half a millisecond.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[tuple[float, int, _Exchange]] = []
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None

    def add(self, deadline: float, running: _Exchange) -> None:
        """Adds an exchange; ``deadline`` is on the monotonic clock."""
        with self._changed:
            heapq.heappush(self._waiting, (deadline, next(self._numbers), running))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(
                    target=self._watch, name="exchange-deadlines", daemon=True
                )
                self._thread.start()
            elif self._waiting[0][2] is running:
                self._changed.notify()

    def _watch(self) -> None:
        while True:
            self._wait_for_next().cut()

    def _wait_for_next(self) -> _Exchange:
        """The next exchange whose time has passed."""
        with self._changed:
            while True:
                while self._waiting and self._waiting[0][2].has_ended:
                    heapq.heappop(self._waiting)
                if not self._waiting:
                    self._changed.wait()
                    continue
                remaining = self._waiting[0][0] - time.monotonic()
                if remaining <= 0:
                    return heapq.heappop(self._waiting)[2]
                self._changed.wait(remaining)


_DEADLINES = _Deadlines()


_CURRENT: ContextVar[_Exchange | None] = ContextVar("exchange", default=None)


def _shut_down(connected: socket.socket) -> None:
    with contextlib.suppress(OSError):
        # Not the TLS socket's own method: only the thread that reads the socket may call it.
        socket.socket.shutdown(connected, socket.SHUT_RDWR)
