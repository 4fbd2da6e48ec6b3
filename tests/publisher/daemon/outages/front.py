"""A door in front of a server: a test shuts it in different ways and opens it at the same address."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum


class Door(Enum):
    """What becomes of a connection."""

    OPEN = "it is passed on"
    REFUSES = "nobody listens"
    SILENT = "it is accepted, and never answered"
    GARBAGE = "it is answered by another protocol"
    HANGS_UP = "it is closed at once"


_GARBAGE = b"SSH-2.0-OpenSSH_9.2\r\n"


class Front:
    """Passes connections on to ``target``, a port of this machine."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._lock = threading.Lock()
        self._door = Door.OPEN
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._start()

    def set(self, door: Door) -> None:
        """Ends every connection: the next ones find the door like this."""
        with self._lock:
            was_refusing = self._door is Door.REFUSES
            self._door = door
        if door is Door.REFUSES and not was_refusing:
            self._stop_listening()
        if was_refusing and door is not Door.REFUSES:
            self._listener = socket.create_server(("127.0.0.1", self.port))
            self._start()
        self._end_connections()

    def close(self) -> None:
        self.set(Door.REFUSES)

    def _start(self) -> None:
        self._thread = threading.Thread(target=self._accept, args=(self._listener,), daemon=True)
        self._thread.start()

    def _stop_listening(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for a connection
        self._thread.join()
        self._listener.close()

    def _end_connections(self) -> None:
        with self._lock:
            connections, self._open = self._open, set()
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            with self._lock:
                door = self._door
                self._open.add(connection)
            match door:
                case Door.OPEN:
                    self._pass_on(connection)
                case Door.GARBAGE:
                    connection.sendall(_GARBAGE)
                    connection.recv(1 << 16)
                case Door.SILENT:
                    while connection.recv(1 << 16):
                        pass
                case Door.HANGS_UP | Door.REFUSES:
                    pass

    def _pass_on(self, connection: socket.socket) -> None:
        with socket.create_connection(("127.0.0.1", self._target)) as server:
            with self._lock:
                self._open.add(server)
            back = threading.Thread(target=_pump, args=(server, connection), daemon=True)
            back.start()
            _pump(connection, server)
            back.join()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextmanager
def front(port: int) -> Iterator[Front]:
    door = Front(port)
    try:
        yield door
    finally:
        door.close()
