"""State in one SQLite file, on a local disk.

The driver's own transactions are off, and every writing transaction begins IMMEDIATE: by default
Python takes the write lock at the first write, after the reads, and so loses updates silently.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Literal, TypeVar

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError

from publisher.state.migrations import FOLDER
from publisher.state.protocol import StateUnavailable, Transaction
from publisher.state.sql.transaction import SqlTransaction
from publisher.state.turnstile import Turnstile

T = TypeVar("T")

_BUSY_SECONDS = 30
_IN_MEMORY = ":memory:"
_PRIVATE = 0o600
_OTHERS = 0o077
_PUT_BACK = "put the file back; or restart the service, which makes a new one and takes over what the index has"
_HINTS = {
    "locked": "end the program that holds a lock on the state's file",
    "readonly": "make the state's file, its folder and its file system writable",
    "full": "free some space on the disk of the state",
    "I/O": "check the disk of the state, its space and its quota",
    "malformed": "restore a copy of the state, or move it away and restart: then the index is taken over",
    "not a database": "restore a copy of the state, or move it away and restart: then the index is taken over",
}
"""What a person can do, by words of what SQLite says."""


class SqliteState:
    """``synchronous`` OFF is not durable when power fails: for tests only."""

    def __init__(self, path: Path, synchronous: Literal["FULL", "OFF"] = "FULL") -> None:
        _make_private(path)
        self._turnstile = None
        if str(path) != _IN_MEMORY:
            self._turnstile = Turnstile(path, _BUSY_SECONDS, _PRIVATE)
        self._engine = create_engine(
            f"sqlite:///{path}",
            connect_args={
                "isolation_level": None,
                "check_same_thread": False,
                "timeout": _BUSY_SECONDS,
            },
        )
        # Threads of this process wait here; SQLite's own wait sleeps up to 100 ms at a time.
        self._writing = threading.Lock()
        self._path = path
        self._identity = _identity(path)
        event.listen(self._engine, "connect", _configured(synchronous))
        event.listen(self._engine, "begin", _begin)
        try:
            # Also for the first connection, which changes the journal's mode: SQLite does not wait
            # for that, so that processes which start together would fail.
            with (
                self._turn(),
                self._engine.execution_options(immediate=True).begin() as connection,
            ):
                _migrate(connection)
        except BaseException:
            self.close()
            raise

    def write(self, action: Callable[[Transaction], T]) -> T:
        self._check_file()
        with (
            _report_failures(),
            self._writing,
            self._turn(),
            self._engine.connect().execution_options(immediate=True) as connection,
            connection.begin(),
        ):
            return action(SqlTransaction(connection))

    def read(self, action: Callable[[Transaction], T]) -> T:
        self._check_file()
        with _report_failures(), self._engine.connect() as connection:
            return action(SqlTransaction(connection))

    def close(self) -> None:
        self._engine.dispose()
        if self._turnstile is not None:
            self._turnstile.close()

    def _check_file(self) -> None:
        """An open file that was removed takes every write, and nothing of that is there afterwards."""
        found = _identity(self._path)
        if found != self._identity:
            what = "removed" if found is None else "replaced"
            raise StateUnavailable(f"{self._path} was {what}", _PUT_BACK)

    def _turn(self) -> AbstractContextManager[None]:
        return nullcontext() if self._turnstile is None else self._turnstile.turn()


@contextmanager
def _report_failures() -> Iterator[None]:
    """What the file, its disk or another process causes; an error of the program's passes through."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise _unavailable(str(error)) from error
    except DatabaseError as error:
        # The class itself stands for a damaged file.
        if type(error) not in {OperationalError, DatabaseError}:
            raise
        raise _unavailable(str(error.orig)) from error


def _unavailable(reason: str) -> StateUnavailable:
    hints = (hint for words, hint in _HINTS.items() if words in reason)
    return StateUnavailable(reason, next(hints, ""))


def _identity(path: Path) -> tuple[int, int] | None:
    """Of the file at this path; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _make_private(path: Path) -> None:
    """Only the owner may read the state, which holds view texts, and what errors say of an index.

    SQLite gives the files beside it the mode of the file itself. A file of somebody else, who has
    let this user write it, keeps the mode that its owner chose.
    """
    if str(path) == _IN_MEMORY:
        return
    path.touch(mode=_PRIVATE)
    for suffix in ("", "-wal", "-shm", "-queue", "-turn"):
        file = path.with_name(path.name + suffix)
        with contextlib.suppress(FileNotFoundError, PermissionError):
            if file.stat().st_mode & _OTHERS:
                file.chmod(_PRIVATE)


def _configured(synchronous: str) -> Callable[[Any, Any], None]:
    def configure(connection: Any, _record: Any) -> None:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute(f"PRAGMA synchronous = {synchronous}")
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.execute("PRAGMA cache_size = -32768")
        except sqlite3.Error:
            # It is not in the pool yet: nobody else closes it.
            connection.close()
            raise

    return configure


def _begin(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("immediate", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")


def _migrate(connection: Connection) -> None:
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
