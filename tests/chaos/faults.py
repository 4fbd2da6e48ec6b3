"""Faults of processes and connections: each begins with ``start`` and ends with ``stop``."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Final, Protocol

from deploy.ports import LOOPBACK
from deploy.server_process import ServerProcess
from tests.chaos.folder_watch import FolderWatch
from tests.chaos.index_proxy import IndexProxy, Lie, tell_the_truth
from tests.chaos.lies import DrippedBodies
from tests.chaos.tcp_proxy import Passage, TcpProxy


class Fault(Protocol):
    def start(self) -> str:
        """Returns the fault's text for the timeline."""

    def stop(self) -> None: ...


class Server(Protocol):
    @property
    def process(self) -> ServerProcess: ...

    def kill(self) -> None: ...

    def stop(self) -> None: ...

    def restart(self) -> None: ...


class Kill:
    """``kill -9`` and a restart."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def start(self) -> str:
        self._server.kill()
        return ""

    def stop(self) -> None:
        self._server.restart()


class Restart:
    """SIGTERM and a restart."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def start(self) -> str:
        self._server.stop()
        return ""

    def stop(self) -> None:
        self._server.restart()


class Pause:
    """SIGSTOP for the process and its children, as if the host swapped or migrated."""

    def __init__(self, server: Server) -> None:
        self._group = server.process.pid

    def start(self) -> str:
        self._signal(signal.SIGSTOP)
        return ""

    def stop(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self._group, number)
        except ProcessLookupError:
            return


class CutConnections:
    """All open connections end at once."""

    def __init__(self, proxy: TcpProxy) -> None:
        self._proxy = proxy

    def start(self) -> str:
        self._proxy.cut()
        return ""

    def stop(self) -> None:
        """Nothing to undo."""


class ChangePassage:
    def __init__(self, proxy: TcpProxy, passage: Passage) -> None:
        self._proxy = proxy
        self._passage = passage

    def start(self) -> str:
        self._proxy.let(self._passage)
        if self._passage is Passage.REFUSED:
            self._proxy.cut()
        return ""

    def stop(self) -> None:
        self._proxy.let(Passage.OPEN)


class TellLies:
    def __init__(self, proxy: IndexProxy, lie: Lie) -> None:
        self._proxy = proxy
        self._lie = lie

    def start(self) -> str:
        self._proxy.answer_with(self._lie)
        return ""

    def stop(self) -> None:
        self._proxy.answer_with(tell_the_truth)
        if isinstance(self._lie, DrippedBodies):
            self._lie.stop()


_DAMAGES: Final[Mapping[str, Callable[[bytes], bytes | None]]] = {
    "deleted": lambda _: None,
    "truncated": lambda data: data[: len(data) // 2],
    "replaced": lambda data: b"no wheel, and no page either\n" * (1 + len(data) % 7),
    "changed in one byte": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
}


class DamageFiles:
    """Damages wheels, pages and metadata files of a static index, like a bad disk or a careless user."""

    def __init__(self, watch: FolderWatch, random: Random, count: int = 3) -> None:
        self._watch = watch
        self._random = random
        self._count = count

    def start(self) -> str:
        files = sorted(path for path in self._watch.simple.glob("*/*") if path.is_file())
        chosen = self._random.sample(files, min(self._count, len(files)))
        return ", ".join(self._damage(path, self._random.choice([*_DAMAGES])) for path in chosen)

    def _damage(self, path: Path, how: str) -> str:
        with contextlib.suppress(FileNotFoundError):
            data = _DAMAGES[how](path.read_bytes())
            if data is None:
                self._watch.expect_removal(path.name)
                path.unlink()
            else:
                self._watch.expect_damage(data)
                # Replaced atomically: a half-written file would count as a third content.
                damaged = path.with_name(f".{path.name}.damaged")
                damaged.write_bytes(data)
                damaged.replace(path)
        return f"{path.name} {how}"

    def stop(self) -> None:
        """Nothing to undo: the program repairs the files."""


_BEGINNINGS: Final = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100,
)


class HoldingClients:
    """Connections that send part of a head or body, or many requests, and read nothing."""

    def __init__(self, port: int, count: int) -> None:
        self._port = port
        self._count = count
        self._sockets: list[socket.socket] = []

    def start(self) -> str:
        for number in range(self._count):
            try:
                client = socket.create_connection((LOOPBACK, self._port), timeout=1)
            except OSError:
                break
            self._sockets.append(client)
            with contextlib.suppress(OSError):
                client.sendall(_BEGINNINGS[number % len(_BEGINNINGS)])
        return f"{len(self._sockets)} connections"

    def stop(self) -> None:
        for each in self._sockets:
            each.close()
