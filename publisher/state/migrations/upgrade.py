"""Runs the migrations that a state lacks.

A migration after 0015 runs on both databases: it uses Alembic's operations, and the types of
``publisher.state.sql.dialects`` for texts and counted numbers. A new state in PostgreSQL gets the
tables of ``publisher.state.sql.tables`` at once. A test compares the tables of both.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, StaticPool, create_engine, event

from publisher.state.migrations import FOLDER, postgresql
from publisher.state.postgresql_connections import LOCKS, revision_of
from publisher.state.protocol import StateUnavailable

if TYPE_CHECKING:
    from publisher.state import postgresql_connections


def upgrade(connection: sqlite3.Connection) -> None:
    """Brings the tables to the newest revision, in one transaction.

    Raises:
        alembic.util.CommandError: a newer release wrote the tables.
    """
    engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)
    # The listener is added late, because the engine rolls back open transactions when it gets the
    # connection.
    event.listen(engine, "begin", _begin_writing)
    with engine.begin() as migrating:
        command.upgrade(_config(migrating), "head")


def upgrade_postgresql(connection: postgresql_connections.Connection) -> None:
    """Like ``upgrade``. Processes that start together take turns.

    Raises:
        StateUnavailable: the database has another encoding than UTF-8.
        alembic.util.CommandError: a newer release wrote the tables.
    """
    engine = create_engine(
        "postgresql+psycopg://", creator=lambda: connection, poolclass=StaticPool
    )
    connection.autocommit = False
    with engine.begin() as migrating:
        migrating.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCKS}, 0)")
        _require_utf8(connection)
        if revision_of(connection) is None:
            postgresql.create(migrating)
            command.stamp(_config(migrating), "head")
        else:
            command.upgrade(_config(migrating), "head")


def _require_utf8(connection: postgresql_connections.Connection) -> None:
    ((encoding,),) = connection.execute("SHOW server_encoding").fetchall()
    if encoding != "UTF8":
        raise StateUnavailable(
            f"the database's encoding is {encoding}",
            "create another database: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
        )


def _config(migrating: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.attributes["connection"] = migrating
    return config


def _begin_writing(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
