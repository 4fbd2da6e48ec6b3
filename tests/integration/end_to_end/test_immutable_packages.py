"""``artifacts.immutable`` from the settings to the consumer, and the versions that a change of it publishes."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fastavro
import pytest
from mypy import api

from codegen.wheel import read_wheel
from publisher.commands.snapshot import run_snapshot
from publisher.index.static import StaticIndex
from publisher.publishing.versioning import REGENERATED
from publisher.settings import Settings
from publisher.web.app import create_app
from publisher.web.server import WebServer
from tests.integration.end_to_end.consumers import Command, Offered
from tests.integration.end_to_end.published import configured, distribution, publish
from tests.publisher.web.daemon_double import IdleDaemon

SHOP = distribution("shop")
COLUMNS = """\
id BIGINT, tags ARRAY<STRING>, grid ARRAY<ARRAY<INT>>, prices MAP<STRING, ARRAY<DOUBLE>>,
home STRUCT<street: STRING, rooms: ARRAY<STRUCT<name: STRING, size: INT>>>"""
PLAIN = {
    "id": 7,
    "tags": ["a", None],
    "grid": [[1, 2], []],
    "prices": {"EUR": [1.5, 2.5]},
    "home": {"street": "Elm", "rooms": [{"name": "hall", "size": 9}]},
}
USE = """\
import copy, json, pickle, sys
import acme_schemas.shop.company as package

plain = json.loads(sys.argv[1])
record = package.RECORD.from_dict(plain)
refused = []
for target, name in (record, "id"), (record.home, "street"), (record.home.rooms[0], "size"):
    try:
        setattr(target, name, None)
    except AttributeError as error:
        refused.append(str(error))
try:
    record.prices["EUR"] = ()
except TypeError as error:
    refused.append(str(error))
data = record.to_avro()
same = [
    package.RECORD.from_dict(plain),
    package.RECORD.from_avro(data),
    pickle.loads(pickle.dumps(record)),
    copy.copy(record),
    copy.deepcopy(record),
    record.replace(id=8).replace(id=record.id),
]
found = {record: "found"}
print(json.dumps({
    "refused": refused,
    "found": [found[each] for each in same],
    "equal": [each == record for each in same],
    "lists": [type(each).__name__ for each in (
        record.tags, record.grid, record.grid[0], record.prices["EUR"], record.home.rooms)],
    "plain": record.to_dict() == plain,
    "avro": data.hex(),
    "schema": package.SCHEMA,
}))
"""
STRICT = """\
from acme_schemas.shop.company import RECORD

def largest(records: dict[RECORD, int]) -> tuple[RECORD, int | None]:
    record, _ = max(records.items(), key=lambda item: item[1])
    rooms = record.home.rooms if record.home is not None else None
    return record.replace(id=1), len(rooms) if rooms is not None else None
"""
REFUSED = """\
from acme_schemas.shop.company import RECORD

def change(record: RECORD) -> None:
    record.id = 8
    if record.tags is not None:
        record.tags.append("b")
"""


def settings(folder: Path, *, immutable: bool) -> Settings:
    section = f'kind = "static"\npath = "{folder}/index"'
    return configured(folder, section, artifacts=f"immutable = {str(immutable).lower()}")


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    """Has installed the package of a service that was set to make them immutable."""
    folder = tmp_path_factory.mktemp("immutable")
    publish(settings(folder, immutable=True), "shop", COLUMNS)
    index = StaticIndex(folder / "index")
    with WebServer(create_app(index, IdleDaemon())) as web:
        installed = Command("pip", folder / "consumer", Offered(SHOP, f"{web.url}/simple/"))
        installed.installs("==1.0.0")
        yield installed


def test_installed_records_are_values(consumer: Command) -> None:
    used = json.loads(consumer.environment.ran(USE, json.dumps(PLAIN)))

    assert [text.partition(":")[2].split()[0] for text in used["refused"][:3]] == [
        "id",
        "street",
        "size",
    ]
    assert "cannot be changed" in used["refused"][3]
    assert used["found"] == ["found"] * 6
    assert used["equal"] == [True] * 6
    assert used["lists"] == ["tuple"] * 5
    assert used["plain"]
    assert used["avro"] == fastavros(used["schema"], PLAIN)


def fastavros(schema: str, plain: dict[str, Any]) -> str:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(json.loads(schema)), plain)
    return out.getvalue().hex()


def test_a_strict_type_checker_lets_records_be_keys_and_refuses_their_change(
    consumer: Command, tmp_path: Path
) -> None:
    (tmp_path / "strict.py").write_text(STRICT)
    (tmp_path / "refused.py").write_text(REFUSED)

    clean = checked(consumer, tmp_path, "strict.py")
    refused = checked(consumer, tmp_path, "refused.py")

    assert clean == []
    assert [line.rpartition("  ")[2] for line in refused] == ["[misc]", "[attr-defined]"]


def checked(consumer: Command, folder: Path, file: str) -> list[str]:
    with contextlib.chdir(folder):
        out, err, _ = api.run([
            "--strict", "--no-error-summary", "--config-file=",
            f"--python-executable={consumer.environment.python}", file,
        ])  # fmt: skip
    assert err == ""
    return out.splitlines()


def test_another_choice_is_a_major_version_of_what_is_published(tmp_path: Path) -> None:
    publish(settings(tmp_path, immutable=False), "shop", COLUMNS)
    index = StaticIndex(tmp_path / "index")
    (first,) = index.files(SHOP)

    flipped = settings(tmp_path, immutable=True)
    published = run_snapshot(flipped, "local").counters.get("published")
    again = run_snapshot(flipped, "local").counters.get("published")

    assert (published, again) == (1, None)
    assert [file.version for file in index.files(SHOP)] == ["1.0.0", "2.0.0"]
    assert index.files(SHOP)[0] == first
    (release, _) = read_wheel(index.fetch(index.files(SHOP)[1])).changelog
    assert (release.version, release.change, release.lines) == ("2.0.0", "major", (REGENERATED,))
