"""Tells systemd when the service is ready, alive and stopping: the protocol of sd_notify(3).

Without ``NOTIFY_SOCKET`` in the environment it does nothing.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, MutableMapping
from typing import Final

_PINGS_PER_LIMIT: Final = 2
"""How many pings to send in the time limit; with two, one lost ping does not end the service."""


class ServiceManager:
    """The manager that started this process, if it wants messages.

    Two threads must not share it.
    """

    def __init__(
        self,
        environment: MutableMapping[str, str] = os.environ,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Removes the manager's variables, so that no child process speaks for the service."""
        self._address = _socket_address(environment.pop("NOTIFY_SOCKET", ""))
        limit = environment.pop("WATCHDOG_USEC", "")
        is_ours = environment.pop("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
        is_watched = is_ours and limit.isdecimal() and int(limit) > 0
        self._ping_seconds = int(limit) / 1e6 / _PINGS_PER_LIMIT if is_watched else None
        self._now = now
        self._pinged_at = now()

    def say_ready(self, status: str) -> None:
        """Reports that the service is ready; ``systemctl status`` shows the line ``status``."""
        self._send(f"READY=1\nSTATUS={status}")

    def say_stopping(self) -> None:
        self._send("STOPPING=1\nSTATUS=stopping")

    def say_alive(self, is_live: Callable[[], bool]) -> None:
        """Sends a ping if one is due and the service is live.

        Without pings, systemd restarts the service.
        """
        if self._ping_seconds is None or self._now() - self._pinged_at < self._ping_seconds:
            return
        if is_live():
            self._pinged_at = self._now()
            self._send("WATCHDOG=1")

    def _send(self, message: str) -> None:
        if self._address is None:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as client:
                # A manager that does not read must not block the service.
                client.setblocking(False)
                client.sendto(message.encode(), self._address)
        except OSError:
            # The manager may be gone. The service works without it.
            return


def _socket_address(named: str) -> str | None:
    """The address of a socket: a path, or an abstract name; other kinds are ignored."""
    if named.startswith("@"):
        return "\0" + named[1:]
    return named if named.startswith("/") else None
