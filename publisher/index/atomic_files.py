"""Files that appear whole and durable, or not at all; and a lock that other processes respect."""

from __future__ import annotations

import fcntl
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_TEMPORARY_SUFFIX = ".partial"


def write_whole(path: Path, data: bytes) -> None:
    """Writes beside ``path``, syncs, then renames: a crash leaves the old file or the new one.

    The rename itself is durable only after ``sync_folder``.
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
    """Makes the names in a folder durable."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_partial_files(folder: Path) -> None:
    """Removes what a crash left half-written. The caller holds the folder's lock."""
    for path in folder.glob(f".*{_TEMPORARY_SUFFIX}"):
        path.unlink(missing_ok=True)


@contextmanager
def locked(folder: Path, timeout_seconds: float) -> Iterator[None]:
    """Holds a folder alone among processes and threads of this host; a killed process frees it.

    Raises:
        TimeoutError: someone else held it all the time.
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
