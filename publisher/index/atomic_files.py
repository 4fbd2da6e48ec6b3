"""Files that are written atomically and durably, and a lock between processes."""

from __future__ import annotations

import fcntl
import os
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

_TEMPORARY_SUFFIX = ".partial"


def write_atomically(files: Mapping[Path, bytes]) -> None:
    """Writes each file beside its path, syncs all, and renames them in order.

    A crash leaves of each the old file or the new, and the new ones are the first of the order. The
    renames are durable only after ``sync_folder``.
    """
    partials = {path: path.with_name(f".{uuid.uuid4().hex}{_TEMPORARY_SUFFIX}") for path in files}
    try:
        for path, partial in partials.items():
            _write_durably(partial, files[path])
        for path, partial in partials.items():
            partial.replace(path)
    except BaseException:
        for partial in partials.values():
            partial.unlink(missing_ok=True)
        raise


def _write_durably(path: Path, data: bytes) -> None:
    with path.open("xb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())


def sync_folder(path: Path) -> None:
    """Makes the folder's entries durable: files that were added, renamed or removed."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_partial_files(folder: Path) -> None:
    """Removes files that a crash left half-written. The caller holds the folder's lock."""
    for path in folder.glob(f".*{_TEMPORARY_SUFFIX}"):
        path.unlink(missing_ok=True)


@contextmanager
def lock(folder: Path, timeout_seconds: float) -> Iterator[None]:
    """Holds an exclusive lock on a folder, on this host; the kernel frees it when the process dies.

    Raises:
        TimeoutError: another process or thread held it for ``timeout_seconds``.
    """
    deadline = time.monotonic() + timeout_seconds
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        while not _try_lock(descriptor):
            if time.monotonic() >= deadline:
                raise TimeoutError(f"{folder} is locked by another process")
            time.sleep(0.005)
        yield
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
