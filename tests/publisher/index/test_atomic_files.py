"""Locks, atomic writes and folders that are synced, on file systems that lack some of it."""

from __future__ import annotations

import errno
import fcntl
import logging
import multiprocessing
import os
import signal
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

import pytest

from publisher.index.atomic_files import lock, rehearse, sync_folder
from publisher.index.protocol import IndexUnavailable
from publisher.index.static import StaticIndex
from tests.publisher.index.wheels import sample_wheel
from tests.waiting import PATIENCE_SECONDS

PROJECT = "acme-schema-shop-orders"
NONE_SUCH = [errno.EBADF, errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS]
every_refusal = pytest.mark.parametrize("number", NONE_SUCH, ids=errno.errorcode.get)


def is_folder(descriptor: int) -> bool:
    return stat.S_ISDIR(os.fstat(descriptor).st_mode)


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes a system call fail with an error number, for folders only or for all."""

    def act(module: Any, name: str, number: int, *, folders_only: bool = False) -> None:
        real = getattr(module, name)

        def call(descriptor: int, *arguments: Any) -> Any:
            if folders_only and not is_folder(descriptor):
                return real(descriptor, *arguments)
            raise OSError(number, os.strerror(number))

        monkeypatch.setattr(module, name, call)

    return act


@contextmanager
def locked_as_earlier_releases_do(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def test_two_that_lock_one_file_exclude_each_other(tmp_path: Path) -> None:
    with (
        lock(tmp_path / "lock", 0.0),
        pytest.raises(TimeoutError),
        lock(tmp_path / "lock", 0.0),
    ):
        pass
    with lock(tmp_path / "lock", 0.0):
        pass


def test_an_earlier_release_and_this_one_exclude_each_other(tmp_path: Path) -> None:
    with (
        locked_as_earlier_releases_do(tmp_path),
        pytest.raises(TimeoutError),
        lock(tmp_path / "lock", 0.0, also=tmp_path),
    ):
        pass
    with (
        lock(tmp_path / "lock", 0.0, also=tmp_path),
        pytest.raises(BlockingIOError),
        locked_as_earlier_releases_do(tmp_path),
    ):
        pass


@every_refusal
def test_a_file_system_that_locks_no_folders_locks_files(
    tmp_path: Path, refuse: Callable[..., None], number: int
) -> None:
    refuse(fcntl, "flock", number, folders_only=True)
    index = StaticIndex(tmp_path)

    index.upload(sample_wheel())

    assert [file.version for file in index.files(PROJECT)] == ["1.0.0"]
    test_two_that_lock_one_file_exclude_each_other(tmp_path)


@every_refusal
def test_a_file_system_that_has_ranges_only_locks_a_range(
    tmp_path: Path, refuse: Callable[..., None], number: int
) -> None:
    refuse(fcntl, "flock", number)

    StaticIndex(tmp_path).upload(sample_wheel())

    test_two_that_lock_one_file_exclude_each_other(tmp_path)


def test_a_file_system_without_locks_is_named(tmp_path: Path, refuse: Callable[..., None]) -> None:
    refuse(fcntl, "flock", errno.ENOLCK)
    refuse(fcntl, "fcntl", errno.ENOLCK)

    with pytest.raises(IndexUnavailable, match="No locks available") as raised:
        StaticIndex(tmp_path).upload(sample_wheel())

    assert "locks no files" in raised.value.hint
    with pytest.raises(OSError, match="files cannot be locked: No locks available"):
        rehearse(tmp_path)


def hold(file: Path, is_held: Event) -> None:
    with lock(file, 0.0):
        is_held.set()
        signal.pause()


def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    is_held = context.Event()
    child = context.Process(target=hold, args=(tmp_path / "lock", is_held))
    child.start()
    assert is_held.wait(PATIENCE_SECONDS)
    with pytest.raises(TimeoutError), lock(tmp_path / "lock", 0.0):
        pass

    child.kill()
    child.join()

    with lock(tmp_path / "lock", PATIENCE_SECONDS):
        pass


@pytest.mark.parametrize(
    "number", [errno.EINVAL, errno.ENOTSUP, errno.ENOSYS], ids=errno.errorcode.get
)
def test_a_file_system_that_syncs_no_folders_is_told_once(
    tmp_path: Path,
    refuse: Callable[..., None],
    number: int,
    caplog: pytest.LogCaptureFixture,
) -> None:
    refuse(os, "fsync", number, folders_only=True)
    index = StaticIndex(tmp_path)

    for version in ("1.0.0", "1.1.0"):
        index.upload(sample_wheel(version=version))

    assert len(index.files(PROJECT)) == 2
    assert [r.message for r in caplog.records if r.levelno >= logging.WARNING] == [
        "the file system of index.path cannot sync folders"
    ]
    assert not rehearse(tmp_path)


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC], ids=errno.errorcode.get)
def test_a_folder_that_could_not_be_synced_is_a_failure(
    tmp_path: Path, refuse: Callable[..., None], number: int
) -> None:
    refuse(os, "fsync", number, folders_only=True)

    with pytest.raises(OSError, match=os.strerror(number)):
        sync_folder(tmp_path)
    with pytest.raises(OSError, match="a folder cannot be synced"):
        rehearse(tmp_path)


REHEARSED = {
    "a folder cannot be made": (os, "mkdir"),
    "files cannot be locked": (os, "open"),
    "a file cannot be written next to another and replace it": (Path, "replace"),
}


@pytest.mark.parametrize("failure", REHEARSED)
def test_a_rehearsal_names_what_does_not_work_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: str
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(*REHEARSED[failure], fail)

    with pytest.raises(OSError, match=f"{failure}: Read-only file system"):
        rehearse(tmp_path)

    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


def test_a_rehearsal_of_what_works_leaves_nothing(tmp_path: Path) -> None:
    assert rehearse(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_locks_that_exclude_nobody_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fcntl, "flock", lambda *_: None)

    with pytest.raises(OSError, match="grants a second lock while the first is held"):
        rehearse(tmp_path)
