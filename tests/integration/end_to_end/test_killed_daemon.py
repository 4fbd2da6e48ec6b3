"""``kill -9`` of the daemon, ten times, during two hundred DDL statements on a real metastore."""

from __future__ import annotations

import hashlib
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from codegen.naming import distribution_name
from codegen.wheel import read_wheel
from deploy.local_stack import Metastore
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.catalog.identifiers import RelationName
from tests.waiting import PATIENCE_SECONDS

PREFIX = "acme-schema"
STATEMENTS = 200
KILLS = 10
COLUMN_TYPES = ("int", "bigint", "string", "struct<a:int>", "struct<a:int,b:string>", "array<date>")


class Lake:
    """Runs random DDL on one database, and knows what is there by its own account."""

    def __init__(self, uri: str, database: str, seed: int) -> None:
        self._ddl = MetastoreDdl(uri)
        self._database = database
        self._random = random.Random(seed)
        self._numbers = iter(range(10_000))
        self.tables: dict[str, list[tuple[str, str]]] = {}
        self.views: dict[str, str] = {}

    def statement(self) -> None:
        actions: list[Callable[[], None]] = [self._create_table]
        if self.tables:
            actions += [self._alter, self._alter, self._alter, self._create_view]
        if len(self.tables) > 5:
            actions += [self._rename, self._drop]
        self._random.choice(actions)()

    def close(self) -> None:
        self._ddl.__exit__(None, None, None)

    def _create_table(self) -> None:
        name = f"t{next(self._numbers)}"
        self.tables[name] = [("id", "bigint"), ("c", self._random.choice(COLUMN_TYPES))]
        self._ddl.create_table(self._database, name, self.tables[name])

    def _alter(self) -> None:
        name = self._random.choice(sorted(self.tables))
        changed = [("id", "bigint"), ("c", self._random.choice(COLUMN_TYPES))]
        if self._random.random() < 0.3:
            changed.append((f"added_{next(self._numbers)}", "string"))
        self.tables[name] = changed
        self._ddl.replace_columns(self._database, name, changed)

    def _create_view(self) -> None:
        upstream = self._random.choice(sorted([*self.tables, *self.views]))
        name = f"v{next(self._numbers)}"
        self.views[name] = upstream
        self._ddl.create_view(
            self._database,
            name,
            [("id", "bigint"), ("c", "string")],
            f"SELECT `{upstream}`.`id`, `{upstream}`.`c` FROM `{self._database}`.`{upstream}`",
        )

    def _rename(self) -> None:
        old = self._random.choice(sorted(self.tables))
        new = f"t{next(self._numbers)}"
        self.tables[new] = self.tables.pop(old)
        self._ddl.rename(self._database, old, new)

    def _drop(self) -> None:
        name = self._random.choice(sorted(self.tables))
        del self.tables[name]
        self._ddl.drop(self._database, name)


class Index:
    """Looks at the index's folder from outside, and remembers every byte that it ever showed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.shown: dict[str, str] = {}

    def look(self) -> None:
        for wheel in self._folder.rglob("*.whl"):
            sha256 = hashlib.sha256(wheel.read_bytes()).hexdigest()
            assert self.shown.setdefault(wheel.name, sha256) == sha256, f"{wheel.name} changed"

    def versions(self, distribution: str) -> list[Any]:
        """The contents of its wheels, oldest first."""
        wheels = self._folder.glob(f"simple/{distribution}/*.whl")
        contents = [read_wheel(wheel.read_bytes()) for wheel in wheels]
        return sorted(contents, key=lambda found: Version(found.version))

    def distributions(self) -> list[str]:
        return sorted(path.name for path in (self._folder / "simple").iterdir() if path.is_dir())


@pytest.fixture
def config(metastore: Metastore, tmp_path: Path) -> Path:
    path = tmp_path / "schema-publisher.toml"
    path.write_text(
        f"""\
[artifacts]
prefix = "{PREFIX}"
[catalog]
kind = "hive"
uri = "{metastore.uri}"
[[events]]
kind = "notification-log"
[state]
url = "sqlite:///{tmp_path}/state.db"
[index]
kind = "static"
path = "{tmp_path}/index"
[snapshot]
runner = "local"
[engine]
debounce_seconds = 0
drop_grace_seconds = 0
[http]
enabled = false
"""
    )
    return path


@pytest.fixture
def lake(metastore: Metastore) -> Iterator[tuple[str, Lake]]:
    database = f"killed_{secrets.token_hex(4)}"
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_database(database)
    running = Lake(metastore.uri, database, seed=int(database[-8:], 16))
    yield database, running
    running.close()
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.drop_database(database)


def command(config: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "publisher", *words, "--config", str(config)]


def start(config: Path) -> subprocess.Popen[bytes]:
    with (config.parent / "daemon.log").open("ab") as log:
        return subprocess.Popen(
            command(config, "run"), stdout=log, stderr=log, start_new_session=True
        )


def kill(daemon: subprocess.Popen[bytes]) -> None:
    os.killpg(daemon.pid, signal.SIGKILL)
    daemon.wait()


def status(config: Path) -> Mapping[str, Any]:
    printed = subprocess.run(command(config, "status"), capture_output=True, text=True, check=True)
    answer: Mapping[str, Any] = json.loads(printed.stdout)
    return answer


def differing_packages(config: Path) -> list[str]:
    """What another process says of the index; views whose tables are gone have no package to check."""
    verified = subprocess.run(
        command(config, "verify"), capture_output=True, text=True, check=False
    )
    assert verified.returncode in {0, 1}, verified.stderr
    lines = [json.loads(line) for line in verified.stdout.splitlines()]
    assert verified.returncode == any(not line["never_published"] for line in lines)
    reasons = [f"{line['relation']}: {line['reason']}" for line in lines]
    return [text for text in reasons if ": cannot be derived: " not in text]


@pytest.fixture
def daemons(config: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """The daemons started so far; whichever still runs at the end is killed, and its log is shown."""
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for daemon in started:
        if daemon.poll() is None:
            kill(daemon)
    print((config.parent / "daemon.log").read_text()[-20_000:])


def test_a_daemon_killed_ten_times_loses_nothing_and_publishes_nothing_twice(
    config: Path, lake: tuple[str, Lake], daemons: list[subprocess.Popen[bytes]]
) -> None:
    database, statements = lake
    index = Index(config.parent / "index")
    chance = random.Random(database)
    ended = threading.Event()
    failures: list[Exception] = []

    def run_statements() -> None:
        try:
            for _ in range(STATEMENTS):
                statements.statement()
                time.sleep(chance.uniform(0.0, 0.4))
        except Exception as error:  # noqa: BLE001  shown by the assertion below
            failures.append(error)
        ended.set()

    (config.parent / "index" / "simple").mkdir(parents=True)
    daemons.append(start(config))
    thread = threading.Thread(target=run_statements)
    thread.start()
    for _ in range(KILLS):
        time.sleep(chance.uniform(0.5, 6.0))
        kill(daemons[-1])
        index.look()
        daemons.append(start(config))
    thread.join()
    assert not failures, failures

    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        # More than a fifth may have been dropped: then somebody must confirm it. A view that was
        # not published before its table went waits for that, too.
        for words in ("confirm-deletions", "snapshot"):
            subprocess.run(command(config, words), capture_output=True, check=False)
        drifts = differing_packages(config)
        found = status(config)
        if not drifts and not found["work"]:
            break
        assert time.monotonic() < deadline, (drifts, found, database)
        time.sleep(0.5)
    daemons[-1].send_signal(signal.SIGTERM)
    assert daemons[-1].wait(PATIENCE_SECONDS) == 0
    index.look()

    expected = {
        distribution_name(RelationName.of(database, table), PREFIX) for table in statements.tables
    }
    assert expected <= set(index.distributions())
    for distribution in index.distributions():
        contents = [found.content_hash for found in index.versions(distribution)]
        twice = [a for a, b in pairwise(contents) if a == b]
        assert not twice, f"{distribution} was published twice in a row (database {database})"
