"""Free ports on the loopback address, chosen by the kernel."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

from deploy.errors import PortTaken

LOOPBACK = "127.0.0.1"
Started = TypeVar("Started")


def free_ports(count: int) -> tuple[int, ...]:
    """``count`` different ports on which no program listens now.

    Another program may take a port before the server does: ``on_free_ports`` tries again then.
    """
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((LOOPBACK, 0))
        return tuple(each.getsockname()[1] for each in sockets)


def on_free_ports(count: int, start: Callable[[tuple[int, ...]], Started]) -> Started:
    """The result of ``start`` on free ports; tries again with other ports if a port is taken."""
    for _ in range(3):
        try:
            return start(free_ports(count))
        except PortTaken:
            continue
    return start(free_ports(count))


def is_taken(port: int) -> bool:
    with socket.socket() as probe:
        # Servers set this option, too: connections that linger after a restart must not block the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return True
        return False
