"""Runs the migrations that a state lacks."""

from __future__ import annotations

import sqlite3

from alembic import command
from alembic.config import Config
from sqlalchemy import StaticPool, create_engine

from publisher.state.migrations import FOLDER


def upgrade(connection: sqlite3.Connection) -> None:
    """Brings the tables to the newest revision, in one transaction.

    Raises:
        alembic.util.CommandError: a newer release wrote them.
    """
    connection.execute("BEGIN IMMEDIATE")
    engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)
    with engine.begin() as migrating:
        config = Config()
        config.set_main_option("script_location", str(FOLDER))
        config.attributes["connection"] = migrating
        command.upgrade(config, "head")
