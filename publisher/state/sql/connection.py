"""Executes statements that SQLAlchemy compiled once with SQLite's own driver.

For statements as short as the state's, SQLAlchemy's execution takes several times as long as the
database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import CompilerElement

from publisher.state.sql.rows import Row, row_maker

Parameters = Mapping[str, Any]

_DIALECT = dialect(paramstyle="named")


class SqlConnection:
    """A connection of the driver. Build each ``statement`` once, at import: it is cached for ever."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def execute(self, statement: CompilerElement, parameters: Parameters | None = None) -> Result:
        compiled = _compiled(statement, parameters or {})
        return Result(self._connection.execute(compiled.sql, compiled.bind(parameters or {})))

    def execute_each(self, statement: CompilerElement, rows: Sequence[Parameters]) -> None:
        """Executes the statement for each row; all rows have the same parameters."""
        if rows:
            compiled = _compiled(statement, rows[0])
            self._connection.executemany(compiled.sql, [compiled.bind(row) for row in rows])


class Result:
    """The rows of a statement, all read: an open statement would hold its snapshot."""

    def __init__(self, cursor: sqlite3.Cursor) -> None:
        self._columns = cursor.description
        self._values: list[tuple[Any, ...]] = cursor.fetchall()
        self.rowcount = cursor.rowcount

    def __iter__(self) -> Iterator[Row]:
        return map(row_maker(tuple(column[0] for column in self._columns)), self._values)

    def first(self) -> Row | None:
        return next(iter(self), None)

    def one(self) -> Row:
        (row,) = self
        return row

    def scalars(self) -> Sequence[Any]:
        return [values[0] for values in self._values]

    def scalar_one(self) -> Any:
        (value,) = self.scalars()
        return value

    def scalar_one_or_none(self) -> Any:
        return next(iter(self.scalars()), None)


class _Compiled:
    """``names``: of the parameters; an INSERT or UPDATE sets those that are columns."""

    def __init__(self, statement: CompilerElement, names: tuple[str, ...]) -> None:
        compiled = statement.compile(dialect=_DIALECT, column_keys=list(names))
        assert isinstance(compiled, SQLCompiler)
        self.statement = statement
        self.sql = str(compiled)
        self._constants = {k: v for k, v in compiled.params.items() if k not in names}
        types = {name: bound.type for name, bound in compiled.binds.items() if name in names}
        processors = {name: type_.bind_processor(_DIALECT) for name, type_ in types.items()}
        self._processors = {name: p for name, p in processors.items() if p is not None}

    def bind(self, parameters: Parameters) -> Parameters:
        if not self._constants and not self._processors:
            return parameters
        processed = {name: p(parameters[name]) for name, p in self._processors.items()}
        return {**self._constants, **parameters, **processed}


_STATEMENTS: dict[tuple[int, tuple[str, ...]], _Compiled] = {}


def _compiled(statement: CompilerElement, parameters: Parameters) -> _Compiled:
    # The cache keeps the statement, so that no other one gets its id.
    key = (id(statement), tuple(parameters))
    found = _STATEMENTS.get(key)
    if found is None:
        found = _STATEMENTS[key] = _Compiled(statement, key[1])
    return found
