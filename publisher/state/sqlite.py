"""State in one SQLite file, on a local disk.

The driver's transactions are off, and every writing transaction begins IMMEDIATE. By default Python
takes the write lock only at the first write, so that updates after the reads can be lost.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

from publisher.state.migrations import is_newest
from publisher.state.protocol import StateUnavailable, Transaction
from publisher.state.sql.dialects import SQLITE
from publisher.state.sql.transaction import SqlTransaction
from publisher.state.turnstile import Turnstile

T = TypeVar("T")
_Begin: TypeAlias = Callable[[sqlite3.Connection], object]

_BUSY_SECONDS = 30
_MAX_IDLE = 8
"""The number of idle connections that are kept; each has a cache of up to 32 MB."""
_PRIVATE = 0o600
_OTHERS = 0o077
_PUT_BACK = "put the file back; or restart the service, which makes a new one and adopts the index's packages"
_HINTS = {
    "locked": "end the program that holds a lock on the state's file",
    "readonly": "make the state's file, its folder and its file system writable",
    "full": "free some space on the disk of the state",
    "I/O": "check the disk of the state, its space and its quota",
    "malformed": "restore a copy of the state, or move it away and restart: then the index is taken over",
    "not a database": "restore a copy of the state, or move it away and restart: then the index is taken over",
}
"""Remedies for people, by words in SQLite's message."""


class SqliteState:
    """A state in a file.

    ``synchronous`` OFF does not survive a power failure, so it is for tests only.
    """

    def __init__(self, path: Path, synchronous: Literal["FULL", "OFF"] = "FULL") -> None:
        _make_private(path)
        self._turnstile = Turnstile(path, _BUSY_SECONDS, _PRIVATE)
        self._path = path
        self._identity = _identity(path)
        self._synchronous = synchronous
        self._idle: deque[sqlite3.Connection] = deque()
        # Threads of this process wait for this lock, since SQLite's own wait sleeps up to 100 ms at a time.
        self._writing = threading.Lock()
        self._counting = threading.Lock()
        self._counter: sqlite3.Connection | None = None
        try:
            # The first connection takes a turn, too, since it changes the journal's mode. SQLite does
            # not wait for this change, so processes that start together would fail.
            with self._turnstile.turn(), closing(self._connect()) as connection:
                if not is_newest(connection):
                    # Most processes find the newest tables and do not wait for this import.
                    from publisher.state.migrations.upgrade import upgrade

                    upgrade(connection)
        except BaseException:
            self.close()
            raise

    def write(self, action: Callable[[Transaction], T]) -> T:
        self._check_file()
        with _report_failures(), self._writing, self._turnstile.turn():
            return self._run(action, _begin_writing, "COMMIT")

    def read(self, action: Callable[[Transaction], T]) -> T:
        self._check_file()
        with _report_failures():
            return self._run(action, _begin_reading, "ROLLBACK")

    def generation(self) -> int:
        """A number that changes with every committed write, also of another process.

        Raises:
            StateUnavailable
        """
        self._check_file()
        with _report_failures(), self._counting:
            # SQLite counts only the commits of other connections, so this connection never writes.
            if self._counter is None:
                self._counter = self._connect()
            (number,) = self._counter.execute("PRAGMA data_version").fetchone()
            return int(number)

    def _run(self, action: Callable[[Transaction], T], begin: _Begin, end: str) -> T:
        connection = self._take()
        try:
            begin(connection)
            result = action(SqlTransaction(connection, SQLITE))
            connection.execute(end)
        except BaseException:
            # Closing the connection also ends its transaction.
            connection.close()
            raise
        self._keep(connection)
        return result

    def _take(self) -> sqlite3.Connection:
        try:
            return self._idle.pop()
        except IndexError:
            return self._connect()

    def _keep(self, connection: sqlite3.Connection) -> None:
        if len(self._idle) < _MAX_IDLE:
            self._idle.append(connection)
        else:
            connection.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, isolation_level=None, check_same_thread=False, timeout=_BUSY_SECONDS
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.execute("PRAGMA cache_size = -32768")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()
        with self._counting:
            if self._counter is not None:
                self._counter.close()
                self._counter = None
        self._turnstile.close()

    def _check_file(self) -> None:
        """Checks that the file exists.

        Writes to an open file that was removed succeed, but are lost.
        """
        found = _identity(self._path)
        if found != self._identity:
            what = "removed" if found is None else "replaced"
            raise StateUnavailable(f"{self._path} was {what}", _PUT_BACK)


def _begin_writing(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")


def _begin_reading(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN")


@contextmanager
def _report_failures() -> Iterator[None]:
    """Converts SQLite's errors of file, disk and locks to ``StateUnavailable``; other errors pass through."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        # An error of exactly this class means a damaged file.
        if type(error) not in {sqlite3.OperationalError, sqlite3.DatabaseError}:
            raise
        raise _unavailable(str(error)) from error


def _unavailable(reason: str) -> StateUnavailable:
    hints = (hint for words, hint in _HINTS.items() if words in reason)
    return StateUnavailable(reason, next(hints, ""))


def _identity(path: Path) -> tuple[int, int] | None:
    """The identity of the file at this path, or None."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _make_private(path: Path) -> None:
    """Lets only the owner read the state, which holds view texts and errors of an index.

    SQLite gives the files next to the state the same mode. A state of another owner, who lets this
    user write it, keeps its mode.
    """
    path.touch(mode=_PRIVATE)
    for suffix in ("", "-wal", "-shm", "-queue", "-turn", "-running"):
        file = path.with_name(path.name + suffix)
        with contextlib.suppress(FileNotFoundError, PermissionError):
            if file.stat().st_mode & _OTHERS:
                file.chmod(_PRIVATE)
