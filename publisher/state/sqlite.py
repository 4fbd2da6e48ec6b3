"""State in one SQLite file, on a local disk.

The driver's own transactions are off, and every writing transaction begins IMMEDIATE: by default
Python takes the write lock at the first write, after the reads, and so loses updates silently.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine, event

from publisher.state.protocol import Transaction
from publisher.state.sql.transaction import SqlTransaction

T = TypeVar("T")

_BUSY_SECONDS = 30
_MIGRATIONS = Path(__file__).parent / "migrations"


class SqliteState:
    """``synchronous`` OFF is not durable when power fails: for tests only."""

    def __init__(self, path: Path, synchronous: Literal["FULL", "OFF"] = "FULL") -> None:
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
        event.listen(self._engine, "connect", _configured(synchronous))
        event.listen(self._engine, "begin", _begin)
        try:
            with self._engine.execution_options(immediate=True).begin() as connection:
                _migrate(connection)
        except BaseException:
            self.close()
            raise

    def write(self, action: Callable[[Transaction], T]) -> T:
        with (
            self._writing,
            self._engine.connect().execution_options(immediate=True) as connection,
            connection.begin(),
        ):
            return action(SqlTransaction(connection))

    def read(self, action: Callable[[Transaction], T]) -> T:
        with self._engine.connect() as connection:
            return action(SqlTransaction(connection))

    def close(self) -> None:
        self._engine.dispose()


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
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
