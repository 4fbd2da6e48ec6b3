"""The state's own SQL on an SQLite database in memory, which needs neither files nor locks.

Several states on one ``Database`` act as several processes on one file: a simulation never switches
between actors inside a transaction.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from publisher.state.protocol import Transaction
from publisher.state.sql.dialects import SQLITE
from publisher.state.sql.transaction import SqlTransaction
from publisher.state.sqlite import SqliteState

T = TypeVar("T")


@lru_cache(maxsize=1)
def _empty() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "state.db"
        SqliteState(path, synchronous="OFF").close()
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA journal_mode = DELETE")
        data = connection.serialize()
        connection.close()
        return data


def _opened(data: bytes) -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    connection.deserialize(data)
    return connection


class Database:
    """The content of the disk: ``copy`` and ``restore`` stand for a backup."""

    def __init__(self) -> None:
        # A thread that renews a lease takes no turns: like a file, this allows one writer at a time.
        self.writing = threading.RLock()
        self.connection = _opened(_empty())

    def copy(self) -> bytes:
        return self.connection.serialize()

    def restore(self, copy: bytes | None) -> None:
        """Restores the copy; None loses everything."""
        # SQLite crashes in ``json_each`` statements of the connection that are older than a copy.
        self.connection.close()
        self.connection = _opened(_empty() if copy is None else copy)

    def close(self) -> None:
        self.connection.close()


class MemoryState:
    """A ``State`` on a database in memory."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writing = database.writing

    def write(self, action: Callable[[Transaction], T]) -> T:
        with self._writing:
            connection = self._database.connection
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = action(SqlTransaction(connection, SQLITE))
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
            return result

    def read(self, action: Callable[[Transaction], T]) -> T:
        # Nobody writes meanwhile: readers never write.
        return action(SqlTransaction(self._database.connection, SQLITE))

    def close(self) -> None:
        """The database remains, as a file would."""
