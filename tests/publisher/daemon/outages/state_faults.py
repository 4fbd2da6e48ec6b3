"""Faults that keep SQLite from writing, in this process's connections: root may write any file."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from publisher.state import sqlite

_HUGE_ROW = """
INSERT INTO memo (inputs_hash, status, derivation, reason, remembered_at)
VALUES ('huge', 'OK', zeroblob(100000000), '', 0)
"""


def lock(folder: Path) -> Callable[[], None]:
    """Another program writes, and does not end."""
    other = sqlite3.connect(folder / "state.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    wait_longer = _at_each_begin(["PRAGMA busy_timeout = 50"], ["PRAGMA busy_timeout = 30000"])

    def unlock() -> None:
        other.execute("ROLLBACK")
        other.close()
        wait_longer()

    return unlock


def forbid(_: Path) -> Callable[[], None]:
    return _at_each_begin(["PRAGMA query_only = ON"], ["PRAGMA query_only = OFF"])


def fill(_: Path) -> Callable[[], None]:
    """No page is left, and one is needed."""
    return _at_each_begin(
        ["PRAGMA max_page_count = 1", _HUGE_ROW], ["PRAGMA max_page_count = 4294967294"]
    )


def _at_each_begin(fault: list[str], remedy: list[str]) -> Callable[[], None]:
    """Runs statements on each connection that begins to write; returns how to run others instead."""
    statements = fault

    def interfere(connection: sqlite3.Connection) -> None:
        for statement in statements:
            connection.execute(statement)
        _BEGIN(connection)

    def mend() -> None:
        nonlocal statements
        statements = remedy

    sqlite._begin_writing = interfere
    return mend


_BEGIN = sqlite._begin_writing


def forget_all() -> None:
    sqlite._begin_writing = _BEGIN
