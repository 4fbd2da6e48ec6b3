"""The state's tables and their changes, one module each; Alembic runs them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

FOLDER = Path(__file__).parent


def newest_revision() -> str:
    """The revision of a state from this release: modules are named ``v0001_…``, in order."""
    return max(path.stem for path in (FOLDER / "versions").glob("v*.py"))[1:].partition("_")[0]


def is_newest(connection: sqlite3.Connection) -> bool:
    """Whether the tables already have this release's form."""
    name = "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
    if connection.execute(name).fetchone() is None:
        return False
    return connection.execute("SELECT * FROM alembic_version").fetchall() == [(newest_revision(),)]
