"""The state's own SQL on an SQLite database in memory, past SQLAlchemy: some ten times faster.

Statements and transactions are the program's; SQLAlchemy only compiles each statement once. Several
states on one ``Database`` are several processes on one file: a simulation never switches between
actors inside a transaction.
"""

from __future__ import annotations

import re
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
_LIST = re.compile(r"__\[POSTCOMPILE_(\w+)\]")


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


class Database:
    """What the disk holds: ``copy`` and ``restore`` stand for a backup."""

    def __init__(self) -> None:
        # A thread that renews a lease knows nothing of turns: like a file, this has one writer at a time.
        self.writing = threading.RLock()
        self.connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.restore(None)

    def copy(self) -> bytes:
        return self.connection.serialize()

    def restore(self, copy: bytes | None) -> None:
        """``None``: all is lost."""
        self.connection.deserialize(_empty() if copy is None else copy)

    def close(self) -> None:
        self.connection.close()


class MemoryState:
    """``publisher.state.protocol.State`` on a database in memory."""

    def __init__(self, database: Database) -> None:
        self._connection = database.connection
        self._writing = database.writing

    def write(self, action: Callable[[Transaction], T]) -> T:
        with self._writing:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                result = action(_transaction(self._connection))
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")
            return result

    def read(self, action: Callable[[Transaction], T]) -> T:
        # Nobody writes meanwhile, and no reader does.
        return action(_transaction(self._connection))

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
        if len(rows) == 1:
            sql, row = compiled.bind(rows[0])
            cursor = self._connection.execute(sql, row)
        else:
            sql, _ = compiled.bind(rows[0])
            cursor = self._connection.executemany(sql, [compiled.bind(row)[1] for row in rows])
        return _Result(cursor, compiled)


class _Compiled:
    def __init__(self, statement: CompilerElement, columns: tuple[str, ...]) -> None:
        compiled = statement.compile(dialect=_DIALECT, column_keys=list(columns))
        self.statement = statement
        self._sql = str(compiled)
        self._lists = sorted(set(_LIST.findall(self._sql)))
        self._constants = {k: v for k, v in compiled.params.items() if k not in columns}
        self._row_type: Callable[[Any], Any] | None = None

    def bind(self, row: Mapping[str, Any]) -> tuple[str, Row]:
        bound = {**self._constants, **row}
        sql = self._sql
        for name in self._lists:
            values = bound.pop(name)
            keys = [f"{name}_{i}" for i in range(len(values))]
            bound.update(zip(keys, values, strict=True))
            marks = ", ".join(f":{key}" for key in keys)
            sql = sql.replace(f"__[POSTCOMPILE_{name}]", marks)
        return sql, bound

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
