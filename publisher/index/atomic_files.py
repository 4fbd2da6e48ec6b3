"""Files that are written atomically and durably, and a lock between processes."""

from __future__ import annotations

import fcntl
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_TEMPORARY_SUFFIX = ".partial"


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file beside ``path``, syncs and renames it: a crash leaves the old file or the new.

    The rename is durable only after ``sync_folder``.
    """
    partial = path.with_name(f".{uuid.uuid4().hex}{_TEMPORARY_SUFFIX}")
    try:
        with partial.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


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
