"""Each file of a folder's index, damaged in each way: reported by name; --repair and snapshots repair it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from publisher.daemon.service import Service
from publisher.settings import load_settings
from tests.publisher.commands.folder import Folder
from tests.waiting import eventually

TABLES = """\
CREATE TABLE shop.orders (id bigint, note string);
CREATE VIEW shop.ids AS SELECT id FROM shop.orders;
"""
PROJECT = "acme-schema-shop-orders"
WHEEL = "acme_schema_shop_orders-1.0.0-py3-none-any.whl"


def bend(path: Path) -> None:
    """One byte is another; of a page, a digit of a hash."""
    data = bytearray(path.read_bytes())
    at = data.find(b"sha256") + 12 if path.suffix in {".html", ".json"} else len(data) // 2
    data[at] = ord("1") if data[at] != ord("1") else ord("2")
    path.write_bytes(data)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def replace_by_others(path: Path) -> None:
    """By the file of that kind that another package has."""
    other = path.parent.parent / PROJECT.replace("orders", "ids")
    path.write_bytes((other / path.name.replace("orders", "ids")).read_bytes())


DAMAGES: Mapping[str, Callable[[Path], object]] = {
    "bent": bend,
    "truncated": truncate,
    "emptied": empty,
    "replaced": replace_by_others,
    "deleted": Path.unlink,
}
FILES = {
    "wheel": WHEEL,
    "metadata": f"{WHEEL}.metadata",
    "page for programs": "index.json",
    "page for people": "index.html",
}
every_damage = pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
every_file = pytest.mark.parametrize("name", FILES.values(), ids=FILES)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = Folder(tmp_path_factory.mktemp("original"))
    folder.write_ddl(TABLES)
    assert folder.run("snapshot").status == 0
    return folder


@pytest.fixture
def whole(original: Folder, tmp_path: Path) -> Folder:
    return copied(original, tmp_path)


@pytest.fixture(scope="module")
def served(original: Folder, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One service for all tests, each of which leaves the index whole."""
    folder = copied(original, tmp_path_factory.mktemp("served"))
    settings = folder.config.read_text().replace("[snapshot]", "[snapshot]\non_start = false")
    folder.config.write_text(settings + "[http]\nport = 0\n")
    with Service(load_settings(folder.config), folder.config) as service:
        yield Served(folder, service)


@dataclass(frozen=True)
class Served:
    folder: Folder
    service: Service


def copied(original: Folder, path: Path) -> Folder:
    folder = Folder(path)
    folder.write_ddl(TABLES)
    shutil.copytree(original.path / "index", path / "index")
    shutil.copy(original.path / "state.db", path / "state.db")
    return folder


def files_of(folder: Folder) -> dict[str, bytes]:
    project = folder.path / "index" / "simple" / PROJECT
    return {path.name: path.read_bytes() for path in project.iterdir()}


def damage_file(folder: Folder, name: str, damage: Callable[[Path], object]) -> None:
    damage(folder.path / "index" / "simple" / PROJECT / name)


def assert_is_as_before(folder: Folder, before: Mapping[str, bytes]) -> None:
    """But for the times in pages: that of an upload is known from one page only."""
    after = files_of(folder)
    assert without_time(after) == without_time(before)
    assert folder.run("verify").status == 0


def without_time(files: Mapping[str, bytes]) -> Mapping[str, object]:
    page = json.loads(files["index.json"])
    for file in page["files"]:
        assert file.pop("upload-time")
    return {**files, "index.json": page}


@pytest.mark.thorough
@pytest.mark.alike("damage", keep=1)
@every_file
@every_damage
def test_a_damaged_file_is_named_and_repaired(
    whole: Folder, name: str, damage: Callable[[Path], object]
) -> None:
    before = files_of(whole)
    damage_file(whole, name, damage)

    found = whole.run("verify")

    assert found.status == 1
    assert {line["relation"] for line in found.lines} == {"shop.orders"}
    assert [line for line in found.lines if name in line["reason"].split()], found.out
    assert "not ours" not in found.out

    assert whole.run("verify", "--repair").status == 0
    assert_is_as_before(whole, before)


@pytest.mark.thorough
@pytest.mark.alike("damage", keep=1)
@every_file
@every_damage
def test_the_next_snapshot_mends_a_damaged_file(
    whole: Folder, name: str, damage: Callable[[Path], object]
) -> None:
    before = files_of(whole)
    damage_file(whole, name, damage)

    ended = whole.run("snapshot")

    assert ended.status == 0
    assert ended.lines[0]["counters"].get("published", 0) == 0
    assert_is_as_before(whole, before)


@pytest.mark.thorough
@pytest.mark.alike("damage", keep=1)
@every_file
@every_damage
def test_repair_mends_while_the_service_runs(
    served: Served, name: str, damage: Callable[[Path], object]
) -> None:
    before = files_of(served.folder)
    damage_file(served.folder, name, damage)

    assert served.folder.run("verify").status == 1
    assert served.folder.run("verify", "--repair").status == 0

    assert_is_as_before(served.folder, before)


@pytest.mark.thorough
@pytest.mark.alike("damage", keep=1)
@every_file
@every_damage
def test_the_next_snapshot_of_a_running_service_mends(
    served: Served, name: str, damage: Callable[[Path], object]
) -> None:
    before = files_of(served.folder)
    damage_file(served.folder, name, damage)

    served.service.engine.snapshot()

    assert eventually(lambda: is_whole(served.folder, before))
    assert_is_as_before(served.folder, before)


def is_whole(folder: Folder, before: Mapping[str, bytes]) -> bool:
    try:
        return without_time(files_of(folder)) == without_time(before)
    except (OSError, ValueError, KeyError):
        return False


# Beyond repair


def lose_what_it_was_made_of(folder: Folder) -> None:
    """As for a version of an earlier generator, or one that was adopted without being read."""
    with closing(sqlite3.connect(folder.path / "state.db")) as database, database:
        assert database.execute("UPDATE version SET provenance = ''").rowcount == 2


@pytest.mark.thorough
def test_what_cannot_be_built_again_is_told_with_its_remedy_until_it_is_removed(
    whole: Folder,
) -> None:
    lose_what_it_was_made_of(whole)
    damage_file(whole, WHEEL, bend)

    repaired = whole.run("verify", "--repair")

    assert repaired.status == 1
    (told,) = [line for line in repaired.lines if "cannot be built again" in line["reason"]]
    assert told["reason"].startswith(f"{WHEEL} is damaged: its bytes do not have the hash ")
    assert told["reason"].endswith("restore it from a backup of the index, or remove it")
    (successor,) = [name for name in files_of(whole) if name.endswith(".whl") and name != WHEEL]

    damage_file(whole, WHEEL, Path.unlink)
    whole.run("snapshot")

    assert whole.run("verify").status == 0
    listed = json.loads(files_of(whole)["index.json"])["files"]
    assert [file["filename"] for file in listed] == [successor]


@pytest.mark.thorough
def test_a_damaged_wheel_that_is_restored_from_a_backup_counts_again(whole: Folder) -> None:
    backup = files_of(whole)[WHEEL]
    lose_what_it_was_made_of(whole)
    damage_file(whole, WHEEL, bend)
    whole.run("snapshot")
    damage_file(whole, WHEEL, lambda path: path.write_bytes(backup))

    whole.run("snapshot")

    assert whole.run("verify").status == 0
    versions = whole.run("explain", "shop.orders", "--json").lines[0]["versions"]
    assert {v["number"]: v["status"] for v in versions}["1.0.0"] == "PUBLISHED"


@pytest.mark.thorough
@pytest.mark.alike("damage", keep=1)
@every_file
@every_damage
def test_a_state_that_was_lost_and_adopted_the_index_mends_it(
    whole: Folder, name: str, damage: Callable[[Path], object]
) -> None:
    for path in whole.path.glob("state.db*"):
        path.unlink()
    whole.run("adopt")
    whole.run("snapshot")
    before = files_of(whole)
    damage_file(whole, name, damage)

    whole.run("snapshot")

    assert_is_as_before(whole, before)


@pytest.mark.thorough
@every_file
def test_a_dropped_relations_files_are_looked_after(whole: Folder, name: str) -> None:
    whole.write_ddl("CREATE TABLE shop.other (id bigint);")
    whole.run("snapshot")
    assert whole.run("verify").status == 0
    before = files_of(whole)
    damage_file(whole, name, bend)

    found = whole.run("verify")
    assert found.status == 1
    assert any(name in line["reason"] for line in found.lines)
    assert whole.run("verify", "--repair").status == 0

    assert without_time(files_of(whole)) == without_time(before)


@pytest.mark.thorough
def test_a_package_that_was_removed_with_its_relation_is_not_missed(whole: Folder) -> None:
    whole.write_ddl("CREATE TABLE shop.other (id bigint);")
    whole.run("snapshot")
    shutil.rmtree(whole.path / "index" / "simple" / PROJECT)

    assert whole.run("verify").status == 0
    whole.run("snapshot")

    assert not (whole.path / "index" / "simple" / PROJECT / WHEEL).exists()


@pytest.mark.thorough
@every_damage
def test_without_a_state_the_page_says_which_bytes_are_right(
    whole: Folder, damage: Callable[[Path], object]
) -> None:
    for path in whole.path.glob("state.db*"):
        path.unlink()
    damage_file(whole, WHEEL, damage)

    found = whole.run("verify")

    assert found.status == 1
    assert any(WHEEL in line["reason"] and "not ours" not in line["reason"] for line in found.lines)
