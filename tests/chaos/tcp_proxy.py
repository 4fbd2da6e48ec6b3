"""A TCP proxy in front of a server: can cut, refuse, hold, slow down or drip connections."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import TypeAlias

from deploy.ports import LOOPBACK

_CHUNK_BYTES = 16 * 1024
_SLOW_SECONDS = 0.3
_DRIP_SECONDS = 1.0
_POLL_SECONDS = 0.05


Send: TypeAlias = Callable[[bytes], None]
PassOn: TypeAlias = Callable[[bytes, Send], None]


class Passage(Enum):
    OPEN = "open"
    REFUSED = "refused"
    """New connections are closed at once."""
    HELD = "held"
    """Nothing passes until the passage is open again."""
    SLOW = "slow"
    DRIPPING = "dripping"
    """Answers pass at a byte per second."""


class TcpProxy:
    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._listener = socket.create_server((LOOPBACK, 0))
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._passage = Passage.OPEN
        self._closing = False

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def let(self, passage: Passage) -> None:
        self._passage = passage

    def cut(self) -> None:
        """Ends all connections that are open now."""
        with self._lock:
            found = list(self._sockets)
        for each in found:
            _shut(each)

    @contextmanager
    def running(self) -> Iterator[None]:
        thread = threading.Thread(target=self._accept, name="tcp proxy")
        thread.start()
        try:
            yield
        finally:
            self._closing = True
            # A blocked accept returns only when the socket is shut down.
            _shut(self._listener)
            self._listener.close()
            self.cut()
            thread.join()

    def _accept(self) -> None:
        while not self._closing:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        try:
            if self._passage is Passage.REFUSED:
                raise ConnectionRefusedError
            server = socket.create_connection((LOOPBACK, self._target_port))
        except OSError:
            client.close()
            return
        with self._lock:
            self._sockets |= {client, server}
        back = threading.Thread(target=self._pump, args=(server, client, self._drip), daemon=True)
        back.start()
        self._pump(client, server, lambda data, send: send(data))
        back.join()
        with self._lock:
            self._sockets -= {client, server}
        client.close()
        server.close()

    def _pump(self, source: socket.socket, target: socket.socket, pass_on: PassOn) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(_CHUNK_BYTES):
                self._wait()
                pass_on(data, target.sendall)
        _shut(source)
        _shut(target)

    def _drip(self, data: bytes, send: Send) -> None:
        for at in range(len(data)):
            if self._passage is not Passage.DRIPPING:
                send(data[at:])
                return
            send(data[at : at + 1])
            time.sleep(_DRIP_SECONDS)

    def _wait(self) -> None:
        if self._passage is Passage.SLOW:
            time.sleep(_SLOW_SECONDS)
        while self._passage is Passage.HELD and not self._closing:
            time.sleep(_POLL_SECONDS)


def _shut(each: socket.socket) -> None:
    with contextlib.suppress(OSError):
        each.shutdown(socket.SHUT_RDWR)
