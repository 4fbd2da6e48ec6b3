from __future__ import annotations

import errno
import hashlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from publisher.index.page_parsing import parse_html_page, parse_json_page
from publisher.index.protocol import IndexFile, IndexRefused
from publisher.index.simple_page import ProjectPage
from publisher.index.static import StaticIndex
from tests.publisher.index.behaviour import PackageIndexBehaviour
from tests.publisher.index.wheels import sample_wheel
from tests.waiting import PATIENCE_SECONDS, eventually

NOON = datetime(2026, 5, 4, 12, 30, 15, 250_000, tzinfo=UTC)
PROJECT = "acme-schema-shop-orders"


@pytest.fixture
def index(tmp_path: Path) -> StaticIndex:
    return StaticIndex(tmp_path / "index", now=lambda: NOON)


class TestStaticIndex(PackageIndexBehaviour):
    pass


def folder_of(tmp_path: Path) -> Path:
    return tmp_path / "index" / "simple" / PROJECT


def files_of(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(folder.iterdir())}


def test_both_pages_list_the_same_files(index: StaticIndex, tmp_path: Path) -> None:
    index.upload(sample_wheel(version="1.0.0"))
    index.upload(sample_wheel(version="1.1.0"))
    index.yank(index.files(PROJECT)[0], 'a "quoted" <reason>')

    folder = folder_of(tmp_path)
    from_json = parse_json_page((folder / "index.json").read_bytes(), PROJECT)
    from_html = parse_html_page((folder / "index.html").read_text(), PROJECT)

    def shown(page: ProjectPage) -> list[tuple[object, ...]]:
        return [
            (f.filename, f.url, f.sha256, f.requires_python, f.metadata_sha256, f.yanked)
            for f in page.files
        ]

    assert shown(from_json) == shown(from_html)
    assert [f.version for f in from_json.files] == ["1.0.0", "1.1.0"]


def test_the_json_page_has_the_fields_of_peps_691_700_and_714(
    index: StaticIndex, tmp_path: Path
) -> None:
    wheel = sample_wheel(version="1.0.0")
    index.upload(wheel)

    document = json.loads((folder_of(tmp_path) / "index.json").read_text())

    metadata = (folder_of(tmp_path) / f"{wheel.filename}.metadata").read_bytes()
    assert document == {
        "meta": {"api-version": "1.1"},
        "name": PROJECT,
        "versions": ["1.0.0"],
        "files": [
            {
                "filename": wheel.filename,
                "url": wheel.filename,
                "hashes": {"sha256": wheel.sha256},
                "requires-python": ">=3.11",
                "size": len(wheel.data),
                "upload-time": "2026-05-04T12:30:15.250000Z",
                "core-metadata": {"sha256": hashlib.sha256(metadata).hexdigest()},
                "yanked": False,
            }
        ],
    }
    assert metadata.startswith(b"Metadata-Version: 2.1\nName: acme-schema-shop-orders\n")


def test_every_project_is_listed_in_the_order_of_names(index: StaticIndex) -> None:
    index.upload(sample_wheel("acme-schema-b"))
    index.upload(sample_wheel("acme-schema-a"))

    assert index.projects() == ("acme-schema-a", "acme-schema-b")


def test_an_upload_touches_its_own_project_alone(index: StaticIndex, tmp_path: Path) -> None:
    for number in range(20):
        index.upload(sample_wheel(f"acme-schema-t{number}"))
    root = tmp_path / "index"
    before = {p: p.stat().st_mtime_ns for p in root.rglob("*") if p.is_file()}

    index.upload(sample_wheel("acme-schema-t7", "2.0.0"))

    touched = {p for p in root.rglob("*") if p.is_file() and p.stat().st_mtime_ns != before.get(p)}
    assert {p.parent.name for p in touched} == {"acme-schema-t7"}


def test_an_upload_of_the_same_wheel_writes_nothing(index: StaticIndex, tmp_path: Path) -> None:
    index.upload(sample_wheel())
    folder = folder_of(tmp_path)
    before = {p.name: (p.stat().st_ino, p.stat().st_mtime_ns) for p in folder.iterdir()}

    index.upload(sample_wheel())

    assert {p.name: (p.stat().st_ino, p.stat().st_mtime_ns) for p in folder.iterdir()} == before


def test_a_yank_survives_a_later_upload(index: StaticIndex) -> None:
    index.upload(sample_wheel(version="1.0.0"))
    index.yank(index.files(PROJECT)[0], "")

    index.upload(sample_wheel(version="1.1.0"))

    assert [file.yanked for file in index.files(PROJECT)] == ["", None]


def test_a_yank_of_an_unknown_file_is_refused_and_makes_no_folder(
    index: StaticIndex, tmp_path: Path
) -> None:
    unlisted = IndexFile("acme_schema_x-1.0.0-py3-none-any.whl", "1.0.0", "", None)

    with pytest.raises(IndexRefused) as refused:
        index.yank(unlisted, "dropped")

    assert refused.value.status == 404
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize("filename", ["../../secret", "", "x", "/etc/passwd", "a-1.0-py3-none-any"])
def test_a_file_is_never_fetched_by_a_path(
    index: StaticIndex, tmp_path: Path, filename: str
) -> None:
    (tmp_path / "secret").write_text("secret")
    index.upload(sample_wheel())

    with pytest.raises(IndexRefused):
        index.fetch(IndexFile(filename, "1.0.0", filename, None))


def test_a_wheel_left_without_a_record_by_a_crash_keeps_its_bytes(
    index: StaticIndex, tmp_path: Path
) -> None:
    first = sample_wheel(body="ONE = 1\n")
    folder_of(tmp_path).mkdir(parents=True)
    (folder_of(tmp_path) / first.filename).write_bytes(first.data)

    with pytest.raises(IndexRefused) as refused:
        index.upload(sample_wheel(body="ONE = 2\n"))
    index.upload(first)

    assert refused.value.status == 409
    assert [file.sha256 for file in index.files(PROJECT)] == [first.sha256]


def test_a_damaged_record_is_reported_and_affects_no_other_project(
    index: StaticIndex, tmp_path: Path
) -> None:
    index.upload(sample_wheel("acme-schema-whole"))
    index.upload(sample_wheel())
    (folder_of(tmp_path) / "index.json").write_text('{"meta": {"api-version": "1.1"}, "fil')

    with pytest.raises(IndexRefused, match="damaged by another program"):
        index.files(PROJECT)

    assert len(index.files("acme-schema-whole")) == 1


def test_a_folder_that_may_not_be_read_hides_no_other_project(
    index: StaticIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.upload(sample_wheel("acme-schema-whole"))
    index.upload(sample_wheel())
    is_file = Path.is_file

    def deny(path: Path) -> bool:
        if path.parent.name == PROJECT:
            raise PermissionError(errno.EACCES, "denied")
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", deny)

    assert index.projects() == (PROJECT, "acme-schema-whole")


def test_a_removed_record_is_rebuilt_from_the_wheels(index: StaticIndex, tmp_path: Path) -> None:
    for version in ("1.0.0", "1.1.0"):
        index.upload(sample_wheel(version=version))
    before = index.files(PROJECT)
    (folder_of(tmp_path) / "index.json").unlink()

    index.upload(sample_wheel(version="1.1.0"))

    assert index.files(PROJECT) == before


def run_child(source: str, *arguments: str, limit_bytes: int | None = None) -> str:
    """Runs Python source in another process, whose files may not grow past ``limit_bytes``."""
    preamble = (
        "import resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit_bytes}, {limit_bytes}))\n"
        if limit_bytes is not None
        else ""
    )
    finished = subprocess.run(
        [sys.executable, "-c", preamble + textwrap.dedent(source), *arguments],
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=True,
        # A child that may not write files cannot write its coverage.
        env={k: v for k, v in os.environ.items() if not k.startswith("COVERAGE_")},
    )
    return finished.stdout


@pytest.mark.thorough
@pytest.mark.parametrize("limit_bytes", [0, 10, 200, 700, 900])
def test_a_full_disk_is_reported_and_leaves_no_partial_file(
    index: StaticIndex, tmp_path: Path, limit_bytes: int
) -> None:
    index.upload(sample_wheel(version="1.0.0"))
    before = files_of(folder_of(tmp_path))

    printed = run_child(
        """
        import sys
        from publisher.index.protocol import IndexUnavailable
        from publisher.index.static import StaticIndex
        from tests.publisher.index.wheels import sample_wheel
        try:
            StaticIndex(sys.argv[1]).upload(sample_wheel(version="1.1.0"))
        except IndexUnavailable as error:
            print(error)
        """,
        str(tmp_path / "index"),
        limit_bytes=limit_bytes,
    )

    assert "File too large" in printed
    left = files_of(folder_of(tmp_path))
    added = set(left) - set(before)
    assert not [name for name in left if name.endswith(".partial")]
    assert {name: left[name] for name in before} == before
    wheel = sample_wheel(version="1.1.0")
    assert all(left[n] == wheel.data for n in added if n.endswith(".whl"))
    index.upload(wheel)
    assert [file.version for file in index.files(PROJECT)] == ["1.0.0", "1.1.0"]


def upload_forever(path: str) -> None:
    index = StaticIndex(path)
    for number in range(100_000):
        index.upload(sample_wheel(version=f"1.{number}.0", body=f"N = {number}\n"))


def has_more_files(path: Path, than: int) -> bool:
    return len(StaticIndex(path).files(PROJECT)) > than


@pytest.mark.thorough
def test_a_process_killed_at_any_moment_leaves_a_consistent_index(tmp_path: Path) -> None:
    path = tmp_path / "index"
    context = multiprocessing.get_context("fork")
    for attempt in range(8):
        child = context.Process(target=upload_forever, args=(str(path),))
        before = len(StaticIndex(path).files(PROJECT))
        child.start()
        # It begins with the files that are there already: however long that takes, let it add one.
        assert eventually(partial(has_more_files, path, before))
        time.sleep(0.013 * attempt)
        os.kill(child.pid or 0, signal.SIGKILL)
        child.join()

        index = StaticIndex(path)
        for file in index.files(PROJECT):
            number = file.version.split(".")[1]
            expected = sample_wheel(version=file.version, body=f"N = {number}\n")
            assert file.sha256 == expected.sha256
            assert index.fetch(file) == expected.data

    assert len(StaticIndex(path).files(PROJECT)) > 0
    StaticIndex(path).upload(sample_wheel(version="9.0.0"))
    assert not list(path.rglob("*.partial"))


def upload_range(path: str, start: int, stop: int) -> None:
    index = StaticIndex(path)
    for number in range(start, stop):
        index.upload(sample_wheel(version=f"1.{number}.0"))


def test_two_processes_lose_no_upload(tmp_path: Path) -> None:
    path = tmp_path / "index"
    context = multiprocessing.get_context("fork")
    children = [
        context.Process(target=upload_range, args=(str(path), start, start + 30))
        for start in (0, 20)
    ]
    for child in children:
        child.start()
    for child in children:
        child.join(PATIENCE_SECONDS)

    assert [child.exitcode for child in children] == [0, 0]
    assert len(StaticIndex(path).files(PROJECT)) == 50


def upload_one_of_two(path: str, body: str, results: multiprocessing.Queue[str]) -> None:
    try:
        StaticIndex(path).upload(sample_wheel(body=body))
    except IndexRefused:
        results.put("refused")
    else:
        results.put("accepted")


@pytest.mark.thorough
def test_of_two_concurrent_uploads_with_different_bytes_one_is_refused(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    for attempt in range(5):
        path = tmp_path / str(attempt)
        results: multiprocessing.Queue[str] = context.Queue()
        children = [
            context.Process(target=upload_one_of_two, args=(str(path), f"N = {n}\n", results))
            for n in (1, 2)
        ]
        for child in children:
            child.start()
        answers = sorted(results.get(timeout=PATIENCE_SECONDS) for _ in children)
        for child in children:
            child.join(PATIENCE_SECONDS)

        assert answers == ["accepted", "refused"]
