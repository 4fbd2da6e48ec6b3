"""Executes statements that SQLAlchemy compiled once with the database's own driver.

For statements as short as the state's, SQLAlchemy's execution takes several times as long as the
database.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from sqlalchemy import Dialect
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import CompilerElement

from publisher.state.sql.rows import Row, row_maker

Parameters = Mapping[str, Any]


class Driver(Protocol):
    """A connection of a driver: of ``sqlite3`` or ``psycopg``."""

    def cursor(self) -> Any: ...


class SqlConnection:
    """A connection of the driver. Build each ``statement`` once, at import: it is cached for ever."""

    def __init__(self, driver: Driver, dialect: Dialect) -> None:
        self._driver = driver
        self.dialect = dialect

    def execute(self, statement: CompilerElement, parameters: Parameters | None = None) -> Result:
        compiled = _compiled(statement, parameters or {}, self.dialect)
        cursor = self._driver.cursor()
        cursor.execute(compiled.sql, compiled.bind(parameters or {}))
        return Result(cursor)

    def execute_each(self, statement: CompilerElement, rows: Sequence[Parameters]) -> None:
        """Executes the statement for each row; all rows have the same parameters."""
        if rows:
            compiled = _compiled(statement, rows[0], self.dialect)
            bound = [compiled.bind(row) for row in rows]
            self._driver.cursor().executemany(compiled.sql, bound)


class Result:
    """The rows of a statement. All are read at once, because an open statement would hold its snapshot."""

    def __init__(self, cursor: Any) -> None:
        self._columns = cursor.description
        self._values: list[tuple[Any, ...]] = cursor.fetchall() if self._columns else []
        self.rowcount: int = cursor.rowcount

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
    """A compiled statement. ``names`` are its parameters.

    An INSERT or UPDATE sets each column that has the name of a parameter.
    """

    def __init__(
        self, statement: CompilerElement, names: tuple[str, ...], dialect: Dialect
    ) -> None:
        compiled = statement.compile(dialect=dialect, column_keys=list(names))
        assert isinstance(compiled, SQLCompiler)
        self.statement = statement
        self.sql = str(compiled)
        self._constants = {k: v for k, v in compiled.params.items() if k not in names}
        types = {name: bound.type for name, bound in compiled.binds.items() if name in names}
        processors = {name: type_.bind_processor(dialect) for name, type_ in types.items()}
        self._processors = {name: p for name, p in processors.items() if p is not None}

    def bind(self, parameters: Parameters) -> Parameters:
        if not self._constants and not self._processors:
            return parameters
        processed = {name: p(parameters[name]) for name, p in self._processors.items()}
        return {**self._constants, **parameters, **processed}


_STATEMENTS: dict[tuple[int, str, tuple[str, ...]], _Compiled] = {}


def _compiled(statement: CompilerElement, parameters: Parameters, dialect: Dialect) -> _Compiled:
    # The cache keeps the statement alive, so that no other statement gets the same id.
    names = tuple(parameters)
    key = (id(statement), dialect.name, names)
    found = _STATEMENTS.get(key)
    if found is None:
        found = _STATEMENTS[key] = _Compiled(statement, names, dialect)
    return found
