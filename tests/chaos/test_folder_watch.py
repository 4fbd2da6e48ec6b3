from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from tests.chaos.faults import DamageFiles
from tests.chaos.folder_watch import FolderWatch, static_files
from tests.chaos.histories import OF_ID, wheel_bytes
from tests.chaos.journal import Journal, read_journal

FILENAME = "acme_schema_lake_t1-1.0.0-py3-none-any.whl"


def write(index: Path, data: bytes, **listed: object) -> None:
    folder = index / "simple" / "acme-schema-lake-t1"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILENAME).write_bytes(data)
    list_file(index, **listed)


def list_file(index: Path, **listed: object) -> None:
    page = index / "simple" / "acme-schema-lake-t1" / "index.json"
    page.write_text(json.dumps({"files": [{"filename": FILENAME, **listed}]}))


def watch(tmp_path: Path) -> tuple[FolderWatch, Journal]:
    log = Journal(tmp_path / "shown.jsonl", lambda: 0.0)
    return FolderWatch(tmp_path / "index", log), log


def hashes(log: Journal) -> list[str]:
    return [line["sha256"] for line in read_journal(log.path) if line["event"] == "arrived"]


def test_a_listed_file_is_recorded_once(tmp_path: Path) -> None:
    watched, log = watch(tmp_path)
    write(tmp_path / "index", b"a")

    watched.look()
    watched.look()

    assert len(hashes(log)) == 1


def test_a_file_whose_bytes_change_is_recorded_again(tmp_path: Path) -> None:
    watched, log = watch(tmp_path)
    write(tmp_path / "index", b"a")
    watched.look()

    wheel = next((tmp_path / "index").rglob("*.whl"))
    wheel.unlink()
    wheel.write_bytes(b"bb")
    watched.look()

    assert len(set(hashes(log))) == 2


def test_a_yanked_file_is_not_offered(tmp_path: Path) -> None:
    write(tmp_path, wheel_bytes(OF_ID))
    (offered,) = static_files(tmp_path)
    list_file(tmp_path, yanked="dropped")
    (withdrawn,) = static_files(tmp_path)

    assert offered.offered
    assert not withdrawn.offered
    assert offered.content is not None
    assert offered.content.content == OF_ID


@pytest.mark.parametrize("seed", range(8))
def test_damage_is_no_arrival_and_its_mend_is_none(tmp_path: Path, seed: int) -> None:
    watched, log = watch(tmp_path)
    write(tmp_path / "index", wheel_bytes(OF_ID))
    watched.look()
    folder = watched.simple / "acme-schema-lake-t1"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}

    told = DamageFiles(watched, Random(seed)).start()
    damaged = {path.name: path.read_bytes() for path in folder.iterdir()}
    watched.look()
    static_files(tmp_path / "index")
    for name, data in before.items():
        (folder / name).write_bytes(data)
    watched.look()

    assert all(damaged.get(name) != data for name, data in before.items())
    assert all(name in told for name in before)
    assert len(hashes(log)) == 1
