"""The folder of files that are prepared once per machine: downloaded jars and compiled launchers.

An entry is named after its inputs, appears atomically and complete, and never changes.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path


def cache_directory() -> Path:
    """``SCHEMA_PUBLISHER_CACHE``, else ``schema-publisher`` in the user's cache folder."""
    chosen = os.environ.get("SCHEMA_PUBLISHER_CACHE")
    if chosen:
        return Path(chosen)
    user = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(user) / "schema-publisher"


def fingerprint(*parts: bytes | str) -> str:
    digest = sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()[:16]


def ensure_entry(name: str, prepare: Callable[[Path], None]) -> Path:
    """The entry ``name``, made by ``prepare`` in an empty directory if it does not exist yet.

    Safe for several processes at once: one prepares it, the others wait.
    """
    root = cache_directory()
    entry = root / name
    if entry.is_dir():
        return entry
    root.mkdir(parents=True, exist_ok=True)
    with locked(root / f".{name}.lock"):
        if not entry.is_dir():
            _prepare_atomically(entry, prepare)
    return entry


def discard_unused(pattern: str, *, days: float) -> None:
    """Removes the matching entries that no user has touched for ``days``."""
    oldest = time.time() - days * 24 * 3600
    for entry in cache_directory().glob(pattern):
        if entry.stat().st_mtime < oldest:
            shutil.rmtree(entry, ignore_errors=True)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds an advisory lock; leaves no file. The lock also ends if the process is killed."""
    while True:
        with path.open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not _is_at(lock.fileno(), path):
                continue  # its last holder removed it while we waited: locking it has no effect
            try:
                yield
            finally:
                path.unlink(missing_ok=True)
            return


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _prepare_atomically(entry: Path, prepare: Callable[[Path], None]) -> None:
    unfinished = Path(tempfile.mkdtemp(prefix=f".{entry.name}.", dir=entry.parent))
    try:
        prepare(unfinished)
        unfinished.rename(entry)
    except BaseException:
        shutil.rmtree(unfinished, ignore_errors=True)
        raise
