"""Writes files atomically and durably, and locks them between processes.

Network file systems and FUSE may lack parts of POSIX; ``rehearse`` tries the parts that this module
needs.
"""

from __future__ import annotations

import errno
import fcntl
import os
import struct
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

_TEMPORARY_SUFFIX = ".partial"

# Errors of a file system that lacks the feature. Other errors, such as EIO, mean a failure.
_UNSUPPORTED = frozenset({errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EBADF})
NO_LOCKS = _UNSUPPORTED | {errno.ENOLCK}
"""Values of ``OSError.errno`` if the file system lacks this kind of lock, perhaps only for this file."""


def write_atomically(files: Mapping[Path, bytes]) -> None:
    """Writes a temporary file next to each path, syncs them all, and renames them in order.

    After a crash each file is either old or new, and the new files come first in the order. The
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


def sync_folder(path: Path) -> bool:
    """Makes added, renamed and removed files of a folder durable.

    Returns False if the file system cannot sync folders, like some Windows shares and FUSE.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        return False
    finally:
        os.close(descriptor)
    return True


def remove_partial_files(folder: Path) -> None:
    """Removes files that a crash left half-written. The caller holds the folder's lock."""
    for path in folder.glob(f".*{_TEMPORARY_SUFFIX}"):
        path.unlink(missing_ok=True)


@contextmanager
def lock(file: Path, timeout_seconds: float, also: Path | None = None) -> Iterator[None]:
    """Holds an exclusive lock on a file, made if missing; the kernel frees it when the process dies.

    NFS and SMB lock only files that are open for writing, and no folders. Earlier releases locked
    the folder ``also``. Where possible the folder is locked too, so that both releases exclude each
    other. On file systems without locks of folders, earlier releases did not work at all.

    Raises:
        TimeoutError: another process or thread held it for ``timeout_seconds``.
        OSError: locking failed; its errno is in ``NO_LOCKS`` if the file system has no locks.
    """
    deadline = time.monotonic() + timeout_seconds
    descriptors = [_open_lock(file)]
    try:
        if also is not None:
            descriptors.append(os.open(also, os.O_RDONLY))
            with _except_unsupported():
                _wait_for(_try_flock, descriptors[1], deadline, also)
        _wait_for(_try_lock, descriptors[0], deadline, file)
        yield
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _open_lock(file: Path) -> int:
    try:
        return os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except PermissionError:
        # The file belongs to another user. On a local disk it can be locked while open for reading.
        return os.open(file, os.O_RDONLY | os.O_CLOEXEC)


@contextmanager
def _except_unsupported() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise


def _wait_for(
    try_lock: Callable[[int], bool], descriptor: int, deadline: float, path: Path
) -> None:
    while not try_lock(descriptor):
        if time.monotonic() >= deadline:
            raise TimeoutError(f"{path} is locked by another process")
        time.sleep(0.005)


def _try_flock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _try_lock(descriptor: int) -> bool:
    """Tries flock or, if the file system has only range locks, a lock of the whole range."""
    try:
        return _try_flock(descriptor)
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
    # Unlike ``lockf``, this lock belongs to the open file, so threads of one process exclude each other.
    whole = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, whole)
    except (BlockingIOError, PermissionError):
        return False
    return True


def rehearse(folder: Path) -> bool:
    """Tries all file operations in a new folder within ``folder``, which it then removes.

    Returns False if everything works except the sync of folders.

    Raises:
        OSError: an operation fails; ``strerror`` says which, and why.
    """
    with _step(folder, "a folder cannot be made"):
        trial = Path(tempfile.mkdtemp(prefix=".schema-publisher-check-", dir=folder))
    try:
        with _step(folder, "files cannot be locked"):
            _rehearse_lock(trial / "lock")
        with _step(folder, "a file cannot be written next to another and replace it"):
            for data in (b"old", b"new"):
                write_atomically({trial / "file": data})
            if (trial / "file").read_bytes() != b"new":
                raise OSError(errno.EIO, "the old content is still there")
        with _step(folder, "a folder cannot be synced"):
            return sync_folder(trial)
    finally:
        for name in ("lock", "file"):
            (trial / name).unlink(missing_ok=True)
        with suppress(OSError):
            trial.rmdir()


def _rehearse_lock(file: Path) -> None:
    with lock(file, 0.0):
        try:
            with lock(file, 0.0):
                pass
        except TimeoutError:
            return
    raise OSError(errno.ENOLCK, "the file system grants a second lock while the first is held")


@contextmanager
def _step(folder: Path, failure: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = f"{failure}: {error.strerror or error}"
        raise OSError(error.errno, why, str(folder)) from error
