"""A state in SQLite that another program writes, only read: nothing of it is made, migrated or changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import NullPool

from publisher.state.migrations import newest_revision
from publisher.state.protocol import Transaction
from publisher.state.sql.transaction import SqlTransaction


class UnreadableState(Exception):
    """There is a state, but this release cannot read it."""


@contextmanager
def read_transaction(path: Path) -> Iterator[Transaction | None]:
    """One consistent state, for as long as the block lasts; None if there is none at ``path``.

    Raises:
        UnreadableState: another release wrote it, or its file cannot be read.
    """
    if not path.is_file():
        yield None
        return
    engine = create_engine("sqlite://", creator=lambda: _connect(path), poolclass=NullPool)
    try:
        connection = engine.connect()
    except DBAPIError as error:
        raise UnreadableState(f"{path}: {error.orig}") from error
    with connection:
        connection.exec_driver_sql("BEGIN")
        _check_release(connection, path)
        yield SqlTransaction(connection)


def _connect(path: Path) -> sqlite3.Connection:
    """Without a write-ahead log nobody writes: then SQLite must not make the files of one either."""
    has_log = path.with_name(f"{path.name}-wal").exists()
    mode = "mode=ro" if has_log else "mode=ro&immutable=1"
    address = f"file:{quote(str(path.absolute()))}?{mode}"
    return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)


def _check_release(connection: Connection, path: Path) -> None:
    try:
        # Alembic's own table, without Alembic, which takes long to import.
        found = (
            connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalars().all()
        )
    except OperationalError as error:
        if "no such table" not in str(error.orig):
            raise UnreadableState(f"{path}: {error.orig}") from error
        found = []
    except DBAPIError as error:
        raise UnreadableState(f"{path}: {error.orig}") from error
    if found != [newest_revision()]:
        raise UnreadableState(f"{path} was written by another release of schema-publisher")
