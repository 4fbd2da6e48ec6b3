"""Runs the migrations that a state lacks."""

from __future__ import annotations

import sqlite3

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, StaticPool, create_engine, event

from publisher.state.migrations import FOLDER


def upgrade(connection: sqlite3.Connection) -> None:
    """Brings the tables to the newest revision, in one transaction.

    Raises:
        alembic.util.CommandError: a newer release wrote them.
    """
    engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)
    # Only once the engine has the connection, because it rolls back open transactions.
    event.listen(engine, "begin", _begin_writing)
    with engine.begin() as migrating:
        config = Config()
        config.set_main_option("script_location", str(FOLDER))
        config.attributes["connection"] = migrating
        command.upgrade(config, "head")


def _begin_writing(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")
