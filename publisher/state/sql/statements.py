"""Building blocks that statements on several tables share.

Statements are built once, at import, so that SQLAlchemy compiles each of them once. In an UPDATE,
no parameter of the WHERE clause may have a column's name, because SQLAlchemy would assign it in SET.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    Table,
    Text,
    bindparam,
    case,
    literal_column,
    select,
    update,
)

# PostgreSQL's Insert is compiled for both databases; SQLite's is not compiled for PostgreSQL.
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from publisher.state.sql.connection import SqlConnection
from publisher.state.sql.dialects import EachOf
from publisher.state.sql.tables import COUNTER

Columns = ReadOnlyColumnCollection[str, ColumnElement[Any]]

KEYS: Select[tuple[str]] = select(
    EachOf(bindparam("keys", type_=Text)).table_valued("value").c.value
)
"""The values of the JSON parameter ``keys``, for ``column.in_(KEYS)``.

A statement with it has the same text for any number of keys."""

# These are literals, since SQLAlchemy would process a bound constant at every execution.
ZERO: ColumnElement[int] = literal_column("0", Integer)
ONE: ColumnElement[int] = literal_column("1", Integer)
EMPTY_TEXT: ColumnElement[str] = literal_column("''", Text)


def upsert(
    table: Table,
    changes: Callable[[Columns], Mapping[str, ColumnElement[Any]]],
    where: ColumnElement[bool] | None = None,
) -> Insert:
    """Inserts a row, or applies ``changes`` to the row with the same primary key.

    ``changes`` takes the columns of the new row. An existing row stays if ``where`` is false for
    it, and does not count in ``rowcount``.
    """
    statement = insert(table)
    return statement.on_conflict_do_update(
        index_elements=list(table.primary_key),
        set_=dict(changes(statement.excluded)),
        where=where,
    )


def replacing(*columns: str) -> Callable[[Columns], Mapping[str, ColumnElement[Any]]]:
    """The changes for ``upsert`` that set ``columns`` to the values of the new row."""
    return lambda new: {column: new[column] for column in columns}


def insert_unless_present(table: Table, *unique: str) -> Insert:
    """Inserts a row, unless a row has the same values in the ``unique`` columns."""
    return insert(table).on_conflict_do_nothing(index_elements=unique)


def lesser(left: ColumnElement[Any], right: ColumnElement[Any]) -> ColumnElement[Any]:
    """The lesser of two values: LEAST in PostgreSQL, but MIN in SQLite."""
    return case((left < right, left), else_=right)


_TICK = (
    update(COUNTER)
    .where(COUNTER.c.name == literal_column("'tick'", Text))
    .values(value=COUNTER.c.value + ONE)
    .returning(COUNTER.c.value)
)


def tick(connection: SqlConnection) -> int:
    """A number above every earlier number, for generations and fences."""
    return int(connection.execute(_TICK).scalar_one())
