"""State in a PostgreSQL database, for services on several machines.

Writing transactions take turns by an advisory lock of the database, whose queue is fair. So each
transaction sees the writes of all earlier transactions, as in SQLite, and no transaction is ever rolled back
because of another.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from publisher.state.migrations import newest_revision
from publisher.state.places import Database
from publisher.state.postgresql_connections import (
    BUSY_SECONDS,
    LOCKS,
    connect,
    reporting,
    revision_of,
)
from publisher.state.protocol import Transaction
from publisher.state.sql.dialects import POSTGRESQL
from publisher.state.sql.transaction import SqlTransaction

if TYPE_CHECKING:
    from publisher.state.postgresql_connections import Connection

T = TypeVar("T")

_MAX_IDLE: Final = 8
# With READ COMMITTED each statement sees all data committed before it began, which is after the
# lock was taken. A process that is suspended within a transaction loses the transaction.
_BEGIN_WRITING: Final = (
    "BEGIN ISOLATION LEVEL READ COMMITTED;"
    f" SET LOCAL idle_in_transaction_session_timeout = '{2 * BUSY_SECONDS}s';"
    f" SELECT pg_advisory_xact_lock({LOCKS}, 'counter'::regclass::oid::int)"
)
_BEGIN_READING: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ"
# The number is counted within the transaction, so that nobody sees it before the data. A transaction
# that wrote nothing has no number.
_COMMIT: Final = (
    "UPDATE counter SET value = value + 1"
    " WHERE name = 'generation' AND pg_current_xact_id_if_assigned() IS NOT NULL; COMMIT"
)
_GENERATION: Final = "SELECT value FROM counter WHERE name = 'generation'"


class PostgresqlState:
    """A state in a database."""

    def __init__(self, place: Database) -> None:
        self._place = place
        self._idle: deque[Connection] = deque()
        # Threads of this process wait here, so that each process has one place in the server's queue.
        self._writing = threading.Lock()
        with closing(connect(place)) as connection, reporting(place):
            if revision_of(connection) != newest_revision():
                # Most processes find the newest tables and do not wait for this import.
                from publisher.state.migrations.upgrade import upgrade_postgresql

                upgrade_postgresql(connection)

    def write(self, action: Callable[[Transaction], T]) -> T:
        with reporting(self._place), self._writing:
            return self._run(partial(_act, action), _BEGIN_WRITING, _COMMIT)

    def read(self, action: Callable[[Transaction], T]) -> T:
        with reporting(self._place):
            return self._run(partial(_act, action), _BEGIN_READING, "ROLLBACK")

    def generation(self) -> int:
        """A number that changes with every committed write, also of another process.

        Raises:
            StateUnavailable
        """
        with reporting(self._place):
            return self._run(_generation, _BEGIN_READING, "ROLLBACK")

    def _run(self, action: Callable[[Connection], T], begin: str, end: str) -> T:
        connection = self._begun(begin)
        try:
            result = action(connection)
            connection.execute(end, prepare=False)
        except BaseException:
            # Closing the connection also ends its transaction.
            connection.close()
            raise
        self._keep(connection)
        return result

    def _begun(self, begin: str) -> Connection:
        """A connection that executed ``begin``, which changes nothing.

        Idle connections may have ended with their server.
        """
        while True:
            connection, is_new = self._take()
            try:
                connection.execute(begin, prepare=False)
            except BaseException as error:
                was_lost = connection.closed
                connection.close()
                if is_new or not was_lost or not isinstance(error, Exception):
                    raise
            else:
                return connection

    def _take(self) -> tuple[Connection, bool]:
        try:
            return self._idle.pop(), False
        except IndexError:
            return connect(self._place), True

    def _keep(self, connection: Connection) -> None:
        if len(self._idle) < _MAX_IDLE:
            self._idle.append(connection)
        else:
            connection.close()

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


def _act(action: Callable[[Transaction], T], connection: Connection) -> T:
    return action(SqlTransaction(connection, POSTGRESQL))


def _generation(connection: Connection) -> int:
    ((number,),) = connection.execute(_GENERATION).fetchall()
    return int(number)
