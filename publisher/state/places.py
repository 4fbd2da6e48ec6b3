"""Where a state is: in a file of SQLite, or in a database of PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from publisher.settings.running import State


@dataclass(frozen=True, slots=True)
class Database:
    """A database of PostgreSQL.

    Attributes:
        url: in the form of libpq, ``postgresql://USER@HOST/NAME``, without a password.
        password: reads the current password; None if none is needed, or libpq knows it.
    """

    url: str
    password: Callable[[], str | None] = lambda: None

    def __str__(self) -> str:
        """The address without options."""
        return self.url.partition("?")[0]


Place: TypeAlias = Path | Database


def place_of(settings: State) -> Place:
    file = settings.file
    if file is not None:
        return file
    return Database(settings.url.replace("+psycopg", "", 1), settings.current_password)
