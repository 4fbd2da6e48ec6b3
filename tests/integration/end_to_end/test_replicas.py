"""Two daemons on one database: each version is published once, also if one daemon is killed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from itertools import pairwise
from pathlib import Path

import pytest

from deploy.local_stack import PyPiServer
from deploy.postgresql import Postgresql
from publisher.state.opening import StoredState, open_state, somebody_works_on
from publisher.state.places import Database
from publisher.state.protocol import Transaction
from publisher.state.records import VersionRecord, VersionStatus
from tests.postgresql import empty_database
from tests.waiting import eventually

TABLES, ROUNDS = 8, 6


class Lake:
    """DDL files, each of one table and of a view of it; every change adds a column."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._columns = dict.fromkeys(range(TABLES), 1)
        for number in self._columns:
            self._write(number)

    def change(self, numbers: list[int]) -> None:
        for number in numbers:
            self._columns[number] += 1
            self._write(number)

    def _write(self, number: int) -> None:
        columns = [f"c{n}" for n in range(self._columns[number])]
        table = ", ".join(f"{column} INT" for column in columns)
        text = (
            f"CREATE DATABASE IF NOT EXISTS db; CREATE TABLE db.t{number} ({table});"
            f" CREATE VIEW db.v{number} AS SELECT {', '.join(columns)} FROM db.t{number};"
        )
        # At once, so that no daemon reads half a file.
        draft = self._folder / f"t{number}.draft"
        draft.write_text(text)
        draft.replace(self._folder / f"t{number}.sql")

    def fields(self) -> dict[str, int]:
        """How many fields each relation has now."""
        return {
            f"{kind}{number}": count
            for number, count in self._columns.items()
            for kind in ("t", "v")
        }


class Replicas:
    """Daemons that share the settings and the state at ``url``."""

    def __init__(self, folder: Path, url: str, settings: str) -> None:
        self._folder = folder
        self.url = url
        self.running: list[subprocess.Popen[bytes]] = []
        self._config = folder / "schema-publisher.toml"
        self._config.write_text(settings)

    @property
    def place(self) -> Database:
        return Database(self.url)

    def start(self) -> None:
        with (self._folder / "daemons.log").open("ab") as log:
            started = subprocess.Popen(
                [sys.executable, "-m", "publisher", "run", "--config", str(self._config)],
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=self._environment(),
            )
        self.running.append(started)

    def printed(self, *command: str) -> str:
        ended = subprocess.run(
            [sys.executable, "-m", "publisher", *command, "--config", str(self._config)],
            capture_output=True,
            text=True,
            check=False,
            env=self._environment(),
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout

    def _environment(self) -> dict[str, str]:
        url = self.url.replace("://", "+psycopg://", 1)
        return {**os.environ, "SCHEMA_PUBLISHER__STATE__URL": url}

    def kill(self) -> None:
        killed = self.running.pop(0)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.wait()

    def log(self) -> str:
        return (self._folder / "daemons.log").read_text()


@pytest.fixture
def replicas(
    tmp_path: Path, postgresql: Postgresql, package_server: PyPiServer
) -> Iterator[Replicas]:
    (tmp_path / "ddl").mkdir()
    replicas = Replicas(
        tmp_path,
        empty_database(postgresql),
        f"""\
[artifacts]
prefix = "replicas"
[catalog]
kind = "ddl"
path = "{tmp_path}/ddl"
[[events]]
kind = "ddl-folder"
[index]
kind = "twine"
repository_url = "{package_server.upload_url}"
simple_url = "{package_server.simple_url}"
username = "{package_server.username}"
password = "{package_server.password}"
[snapshot]
runner = "local"
interval_seconds = 5
[engine]
debounce_seconds = 0
max_versions_per_hour = 1000
[http]
enabled = false
""",
    )
    yield replicas
    while replicas.running:
        replicas.kill()
    print(replicas.log()[-20_000:])


def published(tx: Transaction) -> list[VersionRecord]:
    return [v for v in tx.versions.every_version() if v.status is VersionStatus.PUBLISHED]


def fields_published(state: StoredState) -> dict[str, int]:
    """How many fields the newest version of each relation has."""
    return {
        version.relation.name: len(json.loads(version.schema_text or "{}")["fields"])
        for version in state.read(published)
    }


def test_each_version_is_published_once_though_daemons_are_killed(
    replicas: Replicas, postgresql: Postgresql, package_server: PyPiServer, tmp_path: Path
) -> None:
    lake = Lake(tmp_path / "ddl")
    order = random.Random(7)
    replicas.start()
    replicas.start()
    with closing(open_state(replicas.place)) as state:
        assert eventually(lambda: fields_published(state) == lake.fields()), replicas.log()
        for number in range(ROUNDS):
            lake.change(order.sample(range(TABLES), 5))
            if number % 3 == 1:
                # In the midst of the work, whatever it does.
                replicas.kill()
                lake.change(order.sample(range(TABLES), 3))
                replicas.start()
            assert eventually(lambda: fields_published(state) == lake.fields()), replicas.log()
        replicas.kill()
        lake.change([0, 1])
        assert eventually(lambda: fields_published(state) == lake.fields()), replicas.log()
        versions = state.read(published)

    assert somebody_works_on(replicas.place)
    # Two versions in a row that say the same would be one change that was published twice.
    for relation in {version.relation for version in versions}:
        history = [v.content_hash for v in versions if v.relation == relation]
        assert all(before != after for before, after in pairwise(history)), history
    held = {
        file.name: sha256(file.read_bytes()).hexdigest()
        for file in package_server.packages.glob("replicas_*.whl")
    }
    assert held == {version.filename: version.wheel_sha256 for version in versions}

    assert json.loads(replicas.printed("status"))["worked_on"]
    assert "db.v0" in replicas.printed("impact", "db.t0")
    assert replicas.printed("verify") == ""
    while replicas.running:
        replicas.kill()
    # A new state takes over what the index has, and publishes nothing again.
    replicas.url = empty_database(postgresql)
    replicas.printed("snapshot")
    with closing(open_state(replicas.place)) as state:
        adopted = state.read(published)
    assert {(v.filename, v.wheel_sha256) for v in adopted} == set(held.items())
    assert len([*package_server.packages.glob("replicas_*.whl")]) == len(held)
