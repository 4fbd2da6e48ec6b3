"""A server that sends its answer a byte at a time, always within the timeout of one read."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

SECONDS_BETWEEN_BYTES = 0.01

TLS_RECORD = b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc"
"""The beginning of a handshake's record of 16 kB."""


@contextmanager
def dripping(opening: bytes, filler: bytes = b"x") -> Iterator[int]:
    """The port of a server that answers so to whatever it is sent first."""
    ended = threading.Event()
    threads: list[threading.Thread] = []

    def drip(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(65_536)
            connection.sendall(opening)
            while not ended.wait(SECONDS_BETWEEN_BYTES):
                connection.sendall(filler)

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                threads.append(threading.Thread(target=drip, args=(connection,)))
                threads[-1].start()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield listening.getsockname()[1]
        finally:
            ended.set()
            listening.shutdown(socket.SHUT_RDWR)
            for thread in (accepting, *threads):
                thread.join()
