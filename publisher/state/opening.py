"""Opens a state at its place, in SQLite or PostgreSQL; imports only what this place needs."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Protocol, Self

from publisher.state.places import Place
from publisher.state.protocol import State


class StoredState(State, Protocol):
    def generation(self) -> int:
        """A number that changes with every committed write, also of another process.

        Raises:
            StateUnavailable
        """


class Participation(Protocol):
    """Registers that this process works on a state, until it is closed or the process ends.

    Attributes:
        is_alone: whether no other process worked on the state when this process began.
    """

    is_alone: bool

    def share(self) -> None:
        """Lets other processes begin; they wait until the first process has repaired the state."""

    def close(self) -> None: ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


def open_state(place: Place) -> StoredState:
    """Opens the state, or creates it, and brings its tables to this release.

    Raises:
        StateUnavailable, sqlite3.Error, OSError: the place cannot be used.
        alembic.util.CommandError: a newer release wrote the tables.
    """
    if isinstance(place, Path):
        from publisher.state.sqlite import SqliteState

        place.parent.mkdir(parents=True, exist_ok=True)
        return SqliteState(place)
    from publisher.state.postgresql import PostgresqlState

    return PostgresqlState(place)


def state_exists(place: Place) -> bool:
    """Whether there is a state. Raises ``StateUnavailable`` if a database does not answer."""
    if isinstance(place, Path):
        return place.exists()
    from publisher.state.postgresql_connections import connect, reporting, revision_of

    with closing(connect(place)) as connection, reporting(place):
        return revision_of(connection) is not None


def take_part(place: Place) -> Participation:
    """Registers this process; the state must exist.

    Raises:
        StateUnavailable, OSError: the place cannot be used.
    """
    if isinstance(place, Path):
        from publisher.state.participation import FileParticipation

        return FileParticipation(place)
    from publisher.state.postgresql_participation import DatabaseParticipation

    return DatabaseParticipation(place)


def somebody_works_on(place: Place) -> bool:
    """Whether a process works on the state, which must exist; raises like ``take_part``."""
    if isinstance(place, Path):
        from publisher.state.participation import is_file_worked_on

        return is_file_worked_on(place)
    from publisher.state.postgresql_participation import is_database_worked_on

    return is_database_worked_on(place)
