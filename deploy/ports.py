"""Free ports on the loopback address, chosen by the kernel."""

from __future__ import annotations

import socket
from contextlib import ExitStack

LOOPBACK = "127.0.0.1"


def free_ports(count: int) -> tuple[int, ...]:
    """``count`` different ports that nobody listens on now.

    Another program may take one before a server does; a server that finds its port taken is
    started again on another.
    """
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((LOOPBACK, 0))
        return tuple(each.getsockname()[1] for each in sockets)


def is_taken(port: int) -> bool:
    with socket.socket() as probe:
        # As servers do, so that a connection that lingers after a restart is no obstacle.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return True
        return False
