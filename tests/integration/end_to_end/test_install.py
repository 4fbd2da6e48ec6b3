"""Consumers' own tools at the two kinds of index: a range, a pin, a hash, and what an ALTER does to each."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import urllib.request
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from catalog.identifiers import RelationName
from codegen.naming import distribution_name, import_name
from deploy.local_stack import Metastore, PyPiServer
from deploy.metastore_ddl import MetastoreDdl
from publisher.index.protocol import PackageIndex
from publisher.index.static import StaticIndex
from publisher.index.twine_index import TwineIndex
from publisher.service import Service
from publisher.settings import load_settings

PREFIX = "acme-schema"
TIMEOUT_SECONDS = 60.0
BEFORE = (("id", "bigint"), ("name", "string"))
AFTER = (*BEFORE, ("unit", "string"))

READ_FILE = """\
import sys
import {package} as package
for record in package.read_file(sys.argv[1]):
    print(record.to_dict())
"""
WRITE_FILE = """\
import sys
import {package} as package
package.write_file(sys.argv[1], [package.RECORD(id=7, name="Ada"{more})])
"""


@dataclass(frozen=True, slots=True)
class Offer:
    """A relation's packages at an index, and the daemon that fills it."""

    relation: RelationName
    index: PackageIndex
    simple_url: str
    alter: Callable[[], None]

    @property
    def distribution(self) -> str:
        return distribution_name(self.relation, PREFIX)

    @property
    def package(self) -> str:
        return import_name(self.relation, PREFIX)

    def wait_for(self, version: str) -> None:
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while version not in {file.version for file in self.index.files(self.distribution)}:
            assert time.monotonic() < deadline, f"no {self.distribution} {version}"
            time.sleep(0.05)


class Consumer:
    """A fresh environment, into which packages come from one index and nowhere else."""

    def __init__(self, folder: Path, installer: str, offer: Offer) -> None:
        venv.create(folder, with_pip=False)
        self._folder = folder
        self._python = folder / "bin" / "python"
        self._offer = offer
        own = [sys.executable, "-m"]
        self._command = {
            "pip": [*own, "pip", "--python", str(self._python), "install", "--no-cache-dir"],
            "uv": [*own, "uv", "pip", "install", "--python", str(self._python), "--no-cache"],
        }[installer]

    def install(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return run([*self._command, "--index-url", self._offer.simple_url, *arguments])

    def installs(self, *arguments: str) -> None:
        ended = self.install(*arguments)
        assert ended.returncode == 0, ended.stdout + ended.stderr

    def require(self, line: str) -> tuple[str, ...]:
        """Arguments that install what a requirements file of this one line says."""
        requirements = self._folder / "requirements.txt"
        requirements.write_text(line + "\n")
        return "--require-hashes", "--requirement", str(requirements)

    @property
    def version(self) -> str:
        program = (
            f"from importlib.metadata import version; print(version('{self._offer.distribution}'))"
        )
        return self._ran(program).strip()

    def write(self, file: Path, more: str = "") -> None:
        self._ran(WRITE_FILE.format(package=self._offer.package, more=more), str(file))

    def read(self, file: Path) -> str:
        return self._ran(READ_FILE.format(package=self._offer.package), str(file)).strip()

    def _ran(self, program: str, *arguments: str) -> str:
        ended = run([str(self._python), "-c", program, *arguments])
        assert ended.returncode == 0, ended.stderr
        return ended.stdout


def run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """The installers see none of this machine's settings, as a user's would not."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "UV_", "PYTHON"))}
    environment = {**kept, "PIP_CONFIG_FILE": os.devnull, "UV_NO_CONFIG": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@contextmanager
def daemon(folder: Path, metastore: Metastore, index: str) -> Iterator[Service]:
    config = folder / "schema-publisher.toml"
    config.write_text(
        f"""\
[artifacts]
prefix = "{PREFIX}"
[catalog]
kind = "hive"
uri = "{metastore.uri}"
[[events]]
kind = "notification-log"
[state]
url = "sqlite:///{folder}/state.db"
[index]
{index}
[snapshot]
runner = "local"
on_start = false
[engine]
debounce_seconds = 0
staleness_seconds = 0
[http]
port = 0
"""
    )
    with Service(load_settings(config), config) as service:
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not service.engine.position("notification-log"):
            assert time.monotonic() < deadline, service.engine.status()
            time.sleep(0.02)
        yield service


@contextmanager
def offered(metastore: Metastore, database: str, index: PackageIndex, url: str) -> Iterator[Offer]:
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_table(database, "company", BEFORE)
        offer = Offer(
            RelationName.of(database, "company"),
            index,
            url,
            lambda: ddl.replace_columns(database, "company", AFTER),
        )
        offer.wait_for("1.0.0")
        yield offer


@pytest.fixture
def own(tmp_path: Path, metastore: Metastore, database: str) -> Iterator[Offer]:
    """At the index that the daemon itself serves."""
    path = tmp_path / "index"
    with daemon(tmp_path, metastore, f'kind = "static"\npath = "{path}"') as service:
        url = f"{service.url}/simple/"
        with offered(metastore, database, StaticIndex(path), url) as offer:
            yield offer


@pytest.fixture
def foreign(
    tmp_path: Path, metastore: Metastore, database: str, package_server: PyPiServer
) -> Iterator[Offer]:
    """At a pypiserver, to which the daemon uploads."""
    server = package_server
    account = (server.upload_url, server.simple_url, server.username, server.password)
    settings = (
        f'kind = "twine"\nrepository_url = "{server.upload_url}"\n'
        f'simple_url = "{server.simple_url}"\nusername = "{server.username}"\n'
        f'password = "{server.password}"'
    )
    index = TwineIndex(*account)
    with (
        daemon(tmp_path, metastore, settings),
        offered(metastore, database, index, server.simple_url) as offer,
    ):
        yield offer
    index.close()


@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_a_range_follows_and_a_pin_and_a_hash_stay(
    own: Offer, installer: str, tmp_path: Path
) -> None:
    ranged, pinned, hashed = (
        Consumer(tmp_path / kind, installer, own) for kind in ("ranged", "pinned", "hashed")
    )
    line = constraint(own)
    ranged.installs(f"{own.distribution}~=1.0")
    pinned.installs(f"{own.distribution}==1.0.0")
    hashed.installs(*hashed.require(line))
    assert [c.version for c in (ranged, pinned, hashed)] == ["1.0.0"] * 3

    own.alter()
    own.wait_for("1.1.0")
    ranged.installs("--upgrade", f"{own.distribution}~=1.0")
    pinned.installs("--upgrade", f"{own.distribution}==1.0.0")
    hashed.installs("--upgrade", *hashed.require(line))

    assert [c.version for c in (ranged, pinned, hashed)] == ["1.1.0", "1.0.0", "1.0.0"]
    newer, older = tmp_path / "newer.avro", tmp_path / "older.avro"
    ranged.write(newer, ', unit="42"')
    pinned.write(older)
    assert pinned.read(newer) == "{'id': 7, 'name': 'Ada'}"
    assert hashed.read(newer) == "{'id': 7, 'name': 'Ada'}"
    assert ranged.read(older) == "{'id': 7, 'name': 'Ada', 'unit': None}"


@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_another_files_hash_is_refused(own: Offer, installer: str, tmp_path: Path) -> None:
    consumer = Consumer(tmp_path / "hashed", installer, own)
    requirement, _, sha256 = constraint(own).rpartition(":")

    ended = consumer.install(*consumer.require(f"{requirement}:{sha256[::-1]}"))

    assert ended.returncode != 0
    assert "hash" in ended.stderr.lower()


@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_a_range_follows_and_a_pin_stays_at_another_index(
    foreign: Offer, installer: str, tmp_path: Path
) -> None:
    ranged, pinned = (
        Consumer(tmp_path / kind, installer, foreign) for kind in ("ranged", "pinned")
    )
    ranged.installs(f"{foreign.distribution}~=1.0")
    pinned.installs(f"{foreign.distribution}==1.0.0")

    foreign.alter()
    foreign.wait_for("1.1.0")
    ranged.installs("--upgrade", f"{foreign.distribution}~=1.0")
    pinned.installs("--upgrade", f"{foreign.distribution}==1.0.0")

    assert [c.version for c in (ranged, pinned)] == ["1.1.0", "1.0.0"]
    newer = tmp_path / "newer.avro"
    ranged.write(newer, ', unit="42"')
    assert pinned.read(newer) == "{'id': 7, 'name': 'Ada'}"


def constraint(offer: Offer) -> str:
    """The package's line in the constraints file that stands beside the daemon's index."""
    address = offer.simple_url.removesuffix("simple/") + "constraints.txt"
    with urllib.request.urlopen(address, timeout=TIMEOUT_SECONDS) as answer:
        lines = answer.read().decode().splitlines()
    (line,) = (line for line in lines if line.startswith(f"{offer.distribution}=="))
    return str(line)
