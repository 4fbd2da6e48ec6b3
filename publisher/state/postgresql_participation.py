"""Tracks the processes that work on a state in PostgreSQL: each holds an advisory lock.

The server frees the lock when the process or its connection ends.
"""

from __future__ import annotations

import threading
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Final, Self

from publisher.state.places import Database
from publisher.state.postgresql_connections import LOCKS, connect, reporting
from publisher.state.protocol import StateUnavailable

if TYPE_CHECKING:
    from publisher.state.postgresql_connections import Connection

_KEY: Final = f"{LOCKS + 1}, 'counter'::regclass::oid::int"
_TRY: Final = f"SELECT pg_try_advisory_lock({_KEY})"
_SHARE: Final = f"SELECT pg_advisory_lock_shared({_KEY})"
_UNLOCK: Final = f"SELECT pg_advisory_unlock({_KEY})"
_LOOK: Final = f"SELECT pg_try_advisory_xact_lock({_KEY})"
_LOOK_SECONDS: Final = 0.2
"""How long a starting process tries to get the lock alone: a short check by ``is_database_worked_on``
must not count as another process."""
_POLL_SECONDS: Final = 0.01
_CHECK_SECONDS: Final = 5.0


class DatabaseParticipation:
    """Registers that this process works on a state, until it is closed.

    A thread registers the process again when the server was restarted.
    """

    def __init__(self, place: Database) -> None:
        """Registers the process. Raises ``StateUnavailable`` if the server does not answer."""
        self._place = place
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._stay, name="participation", daemon=True)
        self._connection = connect(place)
        try:
            with reporting(place):
                self.is_alone = _lock_until(self._connection, time.monotonic() + _LOOK_SECONDS)
        except BaseException:
            self._connection.close()
            raise

    def share(self) -> None:
        with reporting(self._place):
            self._connection.execute(_SHARE)
            if self.is_alone:
                self._connection.execute(_UNLOCK)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _stay(self) -> None:
        while not self._closing.wait(_CHECK_SECONDS):
            # Workers on the state report its outage.
            with suppress(StateUnavailable), reporting(self._place):
                self._check()

    def _check(self) -> None:
        if not self._connection.closed:
            self._connection.execute("SELECT 1")
            return
        connection = connect(self._place)
        try:
            connection.execute(_SHARE)
        except BaseException:
            connection.close()
            raise
        self._connection = connection


def is_database_worked_on(place: Database) -> bool:
    """Whether a process works on the state.

    Raises ``StateUnavailable`` if the server does not answer.
    """
    with closing(connect(place)) as connection, reporting(place):
        ((is_free,),) = connection.execute(_LOOK).fetchall()
        return not is_free


def _lock_until(connection: Connection, deadline: float) -> bool:
    """Tries at least once to take the lock alone; ``deadline`` is on the monotonic clock."""
    while True:
        ((is_locked,),) = connection.execute(_TRY).fetchall()
        if is_locked or time.monotonic() >= deadline:
            return bool(is_locked)
        time.sleep(_POLL_SECONDS)
