"""States on a real PostgreSQL, for tests of both databases."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest

from deploy.errors import MissingPrerequisite, PreparationFailed
from deploy.postgresql import Postgresql
from publisher.state.places import Database

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Postgresql]:
    """A running PostgreSQL. Without one on the machine or to download, the test is skipped."""
    try:
        running = Postgresql.start(tmp_path_factory.mktemp("postgresql"))
    except (MissingPrerequisite, PreparationFailed) as error:
        pytest.skip(f"nothing is tested on PostgreSQL: {error}; {error.hint}")
    with running:
        yield running


def empty_database(server: Postgresql) -> str:
    """The URL of a schema without tables, with the password."""
    name = f"test_{next(_NUMBERS)}"
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}".encode())
    return f"{server.url()}?options=-csearch_path%3D{name}"


def empty_place(kind: str, folder: Path, request: pytest.FixtureRequest) -> Path | Database:
    """Where a new state can be made; ``kind`` is one of ``KINDS``."""
    if kind == "sqlite":
        return folder / "state.db"
    return Database(empty_database(request.getfixturevalue("postgresql")))


KINDS = ("sqlite", pytest.param("postgresql", marks=pytest.mark.integration))
"""Parameters for a fixture, whose tests then run on both databases."""
