"""Consumers' tools at both kinds of index: a range, a pin, a hash, and the effect of an ALTER on each."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from codegen.naming import distribution_name, import_name
from deploy.local_stack import Metastore, PyPiServer
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.service import Service
from publisher.index.protocol import PackageIndex
from publisher.index.static import StaticIndex
from publisher.index.twine_index import TwineIndex
from publisher.settings import load_settings
from tests.integration.end_to_end.consumers import Command, Offered, succeeded
from tests.waiting import PATIENCE_SECONDS, eventually

PREFIX = "acme-schema"
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
        assert eventually(
            lambda: version in {file.version for file in self.index.files(self.distribution)}
        ), f"no {self.distribution} {version}"


class Reader(Command):
    """Somebody who installs a package to read and write the relation's files with it."""

    def __init__(self, folder: Path, installer: str, offer: Offer) -> None:
        super().__init__(installer, folder, Offered(offer.distribution, offer.simple_url))
        self._package = offer.package

    def write(self, file: Path, more: str = "") -> None:
        self.environment.ran(WRITE_FILE.format(package=self._package, more=more), str(file))

    def read(self, file: Path) -> str:
        return self.environment.ran(READ_FILE.format(package=self._package), str(file)).strip()


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
        assert eventually(lambda: bool(service.engine.position("notification-log")))
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


@pytest.mark.parametrize("installer", ["pip", "uv pip"])
def test_a_range_follows_and_a_pin_and_a_hash_stay(
    own: Offer, installer: str, tmp_path: Path
) -> None:
    ranged, pinned, hashed = (
        Reader(tmp_path / kind, installer, own) for kind in ("ranged", "pinned", "hashed")
    )
    hashed.pin(pinned_line(own))
    ranged.installs("~=1.0")
    pinned.installs("==1.0.0")
    succeeded(hashed.sync())
    assert [c.version for c in (ranged, pinned, hashed)] == ["1.0.0"] * 3

    own.alter()
    own.wait_for("1.1.0")
    ranged.installs("~=1.0")
    pinned.installs("==1.0.0")
    succeeded(hashed.sync())

    assert [c.version for c in (ranged, pinned, hashed)] == ["1.1.0", "1.0.0", "1.0.0"]
    newer, older = tmp_path / "newer.avro", tmp_path / "older.avro"
    ranged.write(newer, ', unit="42"')
    pinned.write(older)
    assert pinned.read(newer) == "{'id': 7, 'name': 'Ada'}"
    assert hashed.read(newer) == "{'id': 7, 'name': 'Ada'}"
    assert ranged.read(older) == "{'id': 7, 'name': 'Ada', 'unit': None}"


@pytest.mark.parametrize("installer", ["pip", "uv pip"])
def test_another_files_hash_is_refused(own: Offer, installer: str, tmp_path: Path) -> None:
    consumer = Reader(tmp_path / "hashed", installer, own)
    requirement, _, sha256 = pinned_line(own).rpartition(":")

    consumer.pin(f"{requirement}:{sha256[::-1]}")
    ended = consumer.sync()

    assert ended.returncode != 0
    assert "hash" in ended.stderr.lower()


@pytest.mark.parametrize("installer", ["pip", "uv pip"])
def test_a_range_follows_and_a_pin_stays_at_another_index(
    foreign: Offer, installer: str, tmp_path: Path
) -> None:
    ranged, pinned = (Reader(tmp_path / kind, installer, foreign) for kind in ("ranged", "pinned"))
    ranged.installs("~=1.0")
    pinned.installs("==1.0.0")

    foreign.alter()
    foreign.wait_for("1.1.0")
    ranged.installs("~=1.0")
    pinned.installs("==1.0.0")

    assert [c.version for c in (ranged, pinned)] == ["1.1.0", "1.0.0"]
    newer = tmp_path / "newer.avro"
    ranged.write(newer, ', unit="42"')
    assert pinned.read(newer) == "{'id': 7, 'name': 'Ada'}"


def pinned_line(offer: Offer) -> str:
    """The package's line, with its hash, that the service has beside its index."""
    service = offer.simple_url.removesuffix("simple/")
    address = f"{service}requirements/{offer.distribution}.txt"
    with urllib.request.urlopen(address, timeout=PATIENCE_SECONDS) as answer:
        return str(answer.read().decode().strip())
