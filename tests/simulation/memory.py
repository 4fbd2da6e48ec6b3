"""The state's own SQL on an SQLite database in memory, past SQLAlchemy: some ten times faster.

Statements and transactions are the program's; SQLAlchemy only compiles each statement once. Several
states on one ``Database`` are several processes on one file: a simulation never switches between
actors inside a transaction.
"""

from __future__ import annotations

import sqlite3
import threading
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar, cast

from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.sql.elements import CompilerElement

from publisher.state.protocol import Transaction
from publisher.state.sql.transaction import SqlTransaction
from publisher.state.sqlite import SqliteState

T = TypeVar("T")
Row = dict[str, Any]

_DIALECT = dialect(paramstyle="named")
# Untyped: the fields of a row are known when it is read.
_named_tuple: Any = namedtuple  # noqa: PYI024


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
    """What the disk holds: ``copy`` and ``restore`` stand for a backup."""

    def __init__(self) -> None:
        # A thread that renews a lease knows nothing of turns: like a file, this has one writer at a time.
        self.writing = threading.RLock()
        self.connection = _opened(_empty())

    def copy(self) -> bytes:
        return self.connection.serialize()

    def restore(self, copy: bytes | None) -> None:
        """``None``: all is lost."""
        # SQLite crashes in a connection's statements with ``json_each`` that are older than a copy.
        self.connection.close()
        self.connection = _opened(_empty() if copy is None else copy)

    def close(self) -> None:
        self.connection.close()


class MemoryState:
    """``publisher.state.protocol.State`` on a database in memory."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writing = database.writing

    def write(self, action: Callable[[Transaction], T]) -> T:
        with self._writing:
            connection = self._database.connection
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = action(_transaction(connection))
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
            return result

    def read(self, action: Callable[[Transaction], T]) -> T:
        # Nobody writes meanwhile, and no reader does.
        return action(_transaction(self._database.connection))

    def close(self) -> None:
        """The database remains, as a file would."""


def _transaction(connection: sqlite3.Connection) -> SqlTransaction:
    return SqlTransaction(cast("Connection", _Connection(connection)))


class _Connection:
    """As much of SQLAlchemy's connection as the state's SQL uses."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, statement: CompilerElement, parameters: Any = None) -> _Result:
        rows: Sequence[Row] = parameters if isinstance(parameters, list) else [parameters or {}]
        compiled = _compiled(statement, tuple(rows[0]))
        bound = [compiled.bind(row) for row in rows]
        if len(bound) == 1:
            cursor = self._connection.execute(compiled.sql, bound[0])
        else:
            cursor = self._connection.executemany(compiled.sql, bound)
        return _Result(cursor, compiled)


class _Compiled:
    def __init__(self, statement: CompilerElement, columns: tuple[str, ...]) -> None:
        compiled = statement.compile(dialect=_DIALECT, column_keys=list(columns))
        self.statement = statement
        self.sql = str(compiled)
        self._constants = {k: v for k, v in compiled.params.items() if k not in columns}
        self._row_type: Callable[[Any], Any] | None = None

    def bind(self, row: Mapping[str, Any]) -> Row:
        return {**self._constants, **row}

    def row(self, cursor: sqlite3.Cursor, values: tuple[Any, ...]) -> Any:
        if self._row_type is None:
            names = [column[0] for column in cursor.description]
            self._row_type = _named_tuple("Row", names)._make
        return self._row_type(values)


_STATEMENTS: dict[tuple[int, tuple[str, ...]], _Compiled] = {}


def _compiled(statement: CompilerElement, columns: tuple[str, ...]) -> _Compiled:
    # Statements are built once, at import. Each is kept here, so that its id stays its own.
    key = (id(statement), columns)
    found = _STATEMENTS.get(key)
    if found is None:
        found = _STATEMENTS[key] = _Compiled(statement, columns)
    return found


class _Result:
    """As much of SQLAlchemy's result as the state's SQL uses."""

    def __init__(self, cursor: sqlite3.Cursor, compiled: _Compiled) -> None:
        self._cursor = cursor
        self._compiled = compiled
        self.rowcount = cursor.rowcount

    def __iter__(self) -> Iterator[Any]:
        return (self._compiled.row(self._cursor, values) for values in self._cursor)

    def all(self) -> Sequence[Any]:
        return list(self)

    def first(self) -> Any:
        return next(iter(self), None)

    def one(self) -> Any:
        (row,) = self
        return row

    def scalars(self) -> Iterator[Any]:
        return (values[0] for values in self._cursor)

    def scalar_one(self) -> Any:
        (value,) = self.scalars()
        return value

    def scalar_one_or_none(self) -> Any:
        return next(self.scalars(), None)
