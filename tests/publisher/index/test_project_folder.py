"""Damage in a project's folder, and its repair."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import pytest

from publisher.index.protocol import Damage
from publisher.index.static import StaticIndex
from tests.publisher.index.wheels import sample_wheel
from tests.waiting import PATIENCE_SECONDS

NOON = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)
PROJECT = "acme-schema-shop-orders"
WHEELS = [
    sample_wheel(version=version, body=f"V = {version!r}\n") for version in ("1.0.0", "1.1.0")
]
FIRST, SECOND = WHEELS
PUBLISHED = {wheel.filename: wheel.sha256 for wheel in WHEELS}
REASON = "the relation was dropped"


@pytest.fixture
def index(tmp_path: Path) -> StaticIndex:
    index = StaticIndex(tmp_path, now=lambda: NOON)
    for wheel in WHEELS:
        index.upload(wheel)
    index.yank(index.files(PROJECT)[0], REASON)
    for wheel in WHEELS:
        os.utime(tmp_path / "simple" / PROJECT / wheel.filename, (NOON.timestamp(),) * 2)
    return index


@pytest.fixture
def folder(index: StaticIndex, tmp_path: Path) -> Path:
    return tmp_path / "simple" / PROJECT


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def damages(
    index: StaticIndex,
    published: Mapping[str, str] = PUBLISHED,
    may_read: Callable[[int], bool] = lambda _: True,
) -> list[str]:
    return [str(damage) for damage in index.damages(PROJECT, published, may_read)]


def bent(data: bytes) -> bytes:
    return data[:500] + bytes([data[500] ^ 1]) + data[501:]


def test_a_whole_folder_has_no_damages(index: StaticIndex) -> None:
    assert damages(index) == []
    assert damages(index, {}) == []
    assert index.damages("acme-schema-never-seen", {}, lambda _: True) == []
    assert index.damages("../..", {}, lambda _: True) == ()


def test_a_wheel_with_other_bytes_is_damaged_whoever_knows_its_hash(
    index: StaticIndex, folder: Path
) -> None:
    (folder / FIRST.filename).write_bytes(bent(FIRST.data))

    expected = f"{FIRST.filename} is damaged: its bytes do not have the hash {FIRST.sha256}"
    assert damages(index) == [expected]
    assert damages(index, {}) == [expected]


def test_a_size_is_seen_without_reading_and_bytes_are_not(index: StaticIndex, folder: Path) -> None:
    asked: list[int] = []

    def refuse(size: int) -> bool:
        asked.append(size)
        return False

    (folder / FIRST.filename).write_bytes(bent(FIRST.data))
    assert damages(index, may_read=refuse) == []
    assert asked == [len(FIRST.data) + len(SECOND.data)]

    (folder / FIRST.filename).write_bytes(FIRST.data[:-1])
    assert [text.split(":")[0] for text in damages(index, may_read=refuse)] == [
        f"{FIRST.filename} is damaged"
    ]


def test_a_wheel_that_is_gone_is_missing_and_kept_on_the_page_if_it_was_published(
    index: StaticIndex, folder: Path
) -> None:
    (folder / FIRST.filename).unlink()
    before = files_of(folder)

    assert index.damages(PROJECT, PUBLISHED, lambda _: True) == [
        Damage(FIRST.filename, "is missing: the page lists it", is_missing=True)
    ]
    index.mend(PROJECT, PUBLISHED, [])

    assert files_of(folder) == before


def test_a_wheel_that_is_gone_and_given_up_leaves_the_page(
    index: StaticIndex, folder: Path
) -> None:
    (folder / FIRST.filename).unlink()
    known = {SECOND.filename: SECOND.sha256}

    index.mend(PROJECT, known, [])

    assert [file.filename for file in index.files(PROJECT)] == [SECOND.filename]
    assert damages(index, known) == []


def test_given_wheels_are_written_over_damaged_ones(index: StaticIndex, folder: Path) -> None:
    before = files_of(folder)
    (folder / FIRST.filename).write_bytes(b"")

    index.mend(PROJECT, PUBLISHED, [FIRST])

    assert files_of(folder) == before


def test_a_damaged_wheel_that_nobody_gives_keeps_the_hash_that_it_should_have(
    index: StaticIndex, folder: Path
) -> None:
    (folder / FIRST.filename).write_bytes(b"")
    (folder / "index.json").unlink()

    index.mend(PROJECT, PUBLISHED, [])

    listed = {file.filename: file.sha256 for file in index.files(PROJECT)}
    assert listed == PUBLISHED
    assert [text.split(":")[0] for text in damages(index)] == [f"{FIRST.filename} is damaged"]


def rewrite(change: Callable[[dict[str, object]], None]) -> Callable[[Path], None]:
    def act(folder: Path) -> None:
        page = json.loads((folder / "index.json").read_text())
        change(page["files"][0])
        (folder / "index.json").write_text(json.dumps(page, separators=(",", ":")))

    return act


PAGES: Mapping[str, Callable[[Path], object]] = {
    "another hash": rewrite(lambda file: file.update(hashes={"sha256": "0" * 64})),
    "no hash": rewrite(lambda file: file.update(hashes={})),
    "another size": rewrite(lambda file: file.update(size=7)),
    "another address": rewrite(lambda file: file.update(url="https://other.example/x.whl")),
    "another requirement": rewrite(lambda file: file.update({"requires-python": ">=3.99"})),
    "another hash of metadata": rewrite(
        lambda file: file.update({"core-metadata": {"sha256": "0" * 64}})
    ),
    "another name": rewrite(lambda file: file.update(filename="x")),
    "spaces": lambda folder: (folder / "index.json").write_bytes(
        b" " + (folder / "index.json").read_bytes()
    ),
    "no JSON page": lambda folder: (folder / "index.json").unlink(),
    "half a JSON page": lambda folder: (folder / "index.json").write_text('{"meta": {'),
    "no HTML page": lambda folder: (folder / "index.html").unlink(),
    "half an HTML page": lambda folder: (folder / "index.html").write_text("<a href="),
    "bytes for an HTML page": lambda folder: (folder / "index.html").write_bytes(b"\xff\xfe<a"),
    "no metadata": lambda folder: (folder / f"{FIRST.filename}.metadata").unlink(),
    "other metadata": lambda folder: (folder / f"{FIRST.filename}.metadata").write_bytes(b"x"),
}


# Of a wheel and a page that disagree about its hash nobody but the ledger says which is right.
CASES = [(name, PUBLISHED) for name in PAGES] + [
    (name, {}) for name in PAGES if name != "another hash"
]


@pytest.mark.parametrize(("spoiled", "known"), CASES)
def test_what_pages_and_metadata_say_is_made_of_the_wheels(
    index: StaticIndex,
    folder: Path,
    spoiled: str,
    known: Mapping[str, str],
) -> None:
    before = files_of(folder)
    PAGES[spoiled](folder)

    found = damages(index, known)
    index.mend(PROJECT, known, [])

    assert found
    assert all(" is damaged: " in text or " is missing: " in text for text in found)
    assert not any(text.startswith(tuple(PUBLISHED)) and ".whl " in text for text in found)
    assert files_of(folder) == before
    assert damages(index, known) == []


def test_a_lost_page_gives_no_damaged_wheel_a_new_hash(index: StaticIndex, folder: Path) -> None:
    before = files_of(folder)
    for page in ("index.json", "index.html"):
        (folder / page).unlink()
    (folder / FIRST.filename).write_bytes(bent(FIRST.data))

    found = damages(index)
    index.mend(PROJECT, PUBLISHED, [FIRST])

    assert f"{FIRST.filename} is damaged: its bytes do not have the hash {FIRST.sha256}" in found
    listed = {file.filename: file.sha256 for file in index.files(PROJECT)}
    assert listed == PUBLISHED
    assert (folder / FIRST.filename).read_bytes() == before[FIRST.filename]


def test_what_another_publisher_put_there_with_its_page_is_left_alone(
    index: StaticIndex, folder: Path, tmp_path: Path
) -> None:
    other = StaticIndex(tmp_path / "other", now=lambda: NOON)
    theirs = sample_wheel(version="1.0.0", body="V = 'theirs'\n")
    other.upload(theirs)
    elsewhere = tmp_path / "other" / "simple" / PROJECT
    for path in folder.iterdir():
        path.unlink()
    for path in elsewhere.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    known = {FIRST.filename: FIRST.sha256}
    before = files_of(folder)

    assert damages(index, known) == []
    index.mend(PROJECT, known, [])

    assert files_of(folder) == before


def test_an_upload_mends_its_own_wheel(index: StaticIndex, folder: Path) -> None:
    before = files_of(folder)
    (folder / SECOND.filename).write_bytes(bent(SECOND.data))

    index.upload(SECOND)

    assert files_of(folder) == before


def test_a_lost_provenance_is_signed_again(tmp_path: Path) -> None:
    def sign(filename: str, sha256: str) -> bytes:
        return f"{filename} {sha256}".encode()

    index = StaticIndex(tmp_path, now=lambda: NOON, sign=sign)
    index.upload(FIRST)
    folder = tmp_path / "simple" / PROJECT
    before = files_of(folder)
    (folder / f"{FIRST.filename}.provenance").unlink()

    assert f"{FIRST.filename}.provenance is missing: the page names it" in damages(index, {})
    index.mend(PROJECT, {}, [])

    assert files_of(folder) == before


def test_half_of_an_upload_is_no_damage(index: StaticIndex, folder: Path) -> None:
    """Whoever looks, and finds half of it, waits for the lock that the upload holds."""
    readers: list[Future[list[str]]] = []
    begun = Event()

    class Observed(StaticIndex):
        def _write_and_sync(self, *arguments: object) -> None:
            super()._write_and_sync(*arguments)  # type: ignore[arg-type]  # as they came
            if not readers:
                readers.append(pool.submit(look))
                assert begun.wait(PATIENCE_SECONDS)

    def look() -> list[str]:
        assert StaticIndex(folder.parent.parent)._folder(PROJECT).damages({}, lambda _: False)
        begun.set()
        return damages(index)

    with ThreadPoolExecutor(1) as pool:
        Observed(folder.parent.parent, now=lambda: NOON).upload(sample_wheel(version="1.2.0"))

        assert readers[0].result(PATIENCE_SECONDS) == []


def test_whoever_may_not_lock_is_told_all_the_same(
    index: StaticIndex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / FIRST.filename).write_bytes(b"")

    def forbid(*arguments: object, **named: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("publisher.index.static.lock", forbid)

    assert len(damages(index)) == 1


def test_random_bytes_for_any_file_are_mended(index: StaticIndex, folder: Path) -> None:
    before = files_of(folder)
    for number, name in enumerate(sorted(before)):
        (folder / name).write_bytes(hashlib.sha256(bytes([number])).digest() * 20)

        assert any(text.startswith(f"{name} is damaged") for text in damages(index)), name
        index.mend(PROJECT, PUBLISHED, WHEELS)

        assert damages(index) == [], name
        assert {k: v for k, v in files_of(folder).items() if k != "index.json"} == {
            k: v for k, v in before.items() if k != "index.json"
        }, name
    assert [file.yanked for file in index.files(PROJECT)] == [REASON, None]
