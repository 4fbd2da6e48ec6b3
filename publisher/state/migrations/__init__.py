"""The migrations: each module changes the state's tables once. Alembic runs them in order."""

from __future__ import annotations

import sqlite3
from pathlib import Path

FOLDER = Path(__file__).parent


def newest_revision() -> str:
    """The newest revision, from the modules' names: ``v0001_…``, ``v0002_…`` and so on."""
    return max(path.stem for path in (FOLDER / "versions").glob("v*.py"))[1:].partition("_")[0]


def is_newest(connection: sqlite3.Connection) -> bool:
    """Whether the tables have the newest revision."""
    name = "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
    if connection.execute(name).fetchone() is None:
        return False
    return connection.execute("SELECT * FROM alembic_version").fetchall() == [(newest_revision(),)]
