"""Opens the places of records: paths, folders of part files, the caller's streams.

A new file is written next to the path, and gets the path's name at the end. So an error before that leaves
the old file intact.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, Final, TypeAlias

from .errors import AvroError, short_repr

Place: TypeAlias = str | os.PathLike[str] | IO[bytes]

_IN_PLACE: Final = (
    "a new file is written into the folder and renamed; to write in place, pass open(path, 'wb')"
)


def sources(place: Place) -> Iterator[tuple[str, IO[bytes], tuple[str, ...]]]:
    """The files of a place, each open until the caller asks for the next one.

    Yields each file with its name for errors, and with the names of the partition folders around it.

    For a folder, these are the files that Spark and Hive read: all files below it, in name order.
    Names that begin with ``_`` or ``.`` are left out, and so are empty files, which Hive writes.
    """
    if not isinstance(place, (str, os.PathLike)):
        if isinstance(_method(place, "read")(0), str):
            raise _text_refused("rb")
        name = getattr(place, "name", "")
        yield name if isinstance(name, str) else "", place, ()
        return
    path = _path(place)
    for each, partitions in _part_files(path, (), ()) if os.path.isdir(path) else [(path, ())]:
        with open(each, "rb") as file:
            yield each, file, partitions


@contextmanager
def target(place: Place) -> Iterator[IO[bytes]]:
    """The file to write to. A stream stays open, and keeps what was written before an error."""
    if not isinstance(place, (str, os.PathLike)):
        write = _method(place, "write")
        try:
            write(b"")
        except TypeError:
            raise _text_refused("wb") from None
        yield place
        return
    path = _path(place)
    if _is_written_straight(path):
        with open(path, "wb") as file:
            yield file
        return
    # Follows a link, so that the link itself stays.
    real = os.path.realpath(path)
    if os.path.islink(real):
        # The link leads to itself. ``stat`` raises the same error as opening it.
        os.stat(path)
    with _beside(real) as file:
        yield file


def put(file: IO[bytes], data: bytes) -> None:
    """Writes all bytes, also to an unbuffered stream, which may accept only a part at a time."""
    written = file.write(data)
    while isinstance(written, int) and written < len(data):
        data = data[written:]
        written = file.write(data)


def _path(place: str | os.PathLike[str]) -> str:
    """The path as text.

    Raises:
        OSError: the path is empty, or it ends in ``/`` and is not a folder.
    """
    name = os.fsdecode(place)
    if not name:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    if name.endswith(("/", os.sep)) and not os.path.isdir(name):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)
    return name


def _method(stream: Any, name: str) -> Any:
    try:
        return getattr(stream, name)
    except AttributeError:
        hint = "; io.BytesIO(data) is a file of bytes" if isinstance(stream, bytes) else ""
        raise AvroError(
            f"expected a path or a binary file, got {short_repr(stream)}{hint}"
        ) from None


def _text_refused(mode: str) -> AvroError:
    return AvroError(f"expected a binary file, got one of text: open it in the mode {mode!r}")


def _part_files(
    folder: str, above: tuple[str, ...], partitions: tuple[str, ...]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    real = os.path.realpath(folder)
    if real in above:
        raise AvroError(f"{folder} is a link to a folder that contains it")
    for name in sorted(os.listdir(folder)):
        # Spark decides in this way: a partition's folder begins with its column's name, perhaps with ``_``.
        if name.startswith(".") or (name.startswith("_") and "=" not in name):
            continue
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            inner = (*partitions, name) if "=" in name else partitions
            yield from _part_files(path, (*above, real), inner)
        elif os.stat(path).st_size:
            yield path, partitions


def _is_written_straight(path: str) -> bool:
    """Whether to write to the path itself: it is a pipe, a device, or an output of this process."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    first = os.path.abspath(path).split(os.sep)[1:2]
    is_of_a_process = os.path.islink(path) and first in (["dev"], ["proc"])
    return not stat.S_ISREG(mode) or is_of_a_process


@contextmanager
def _beside(path: str) -> Iterator[IO[bytes]]:
    """A new file in the path's folder, which is renamed to it after success."""
    found = os.stat(path) if os.path.exists(path) else None
    if found:
        # Raises an error if the file is read-only. Its folder might still allow replacing it.
        os.close(os.open(path, os.O_WRONLY))
    temporary = os.path.join(os.path.dirname(path), f".{os.urandom(8).hex()}.tmp")
    file = _create(temporary, path, found.st_mode & 0o600 if found else 0o666)
    try:
        with file:
            yield file
            file.flush()
            # Otherwise, after a crash of the machine, the new name might exist without the new content.
            os.fsync(file.fileno())
        if found:
            _give(temporary, found)
        os.replace(temporary, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _create(temporary: str, path: str, mode: int) -> IO[bytes]:
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        return os.fdopen(os.open(temporary, flags, mode), "wb")
    except OSError as error:
        error.filename = path
        if isinstance(error, PermissionError):
            error.add_note(_IN_PLACE)
        raise


def _give(file: str, before: os.stat_result) -> None:
    """Copies the permissions of the replaced file and, if the process may, its owner."""
    with suppress(OSError, AttributeError):
        os.chown(file, before.st_uid, before.st_gid)
    os.chmod(file, stat.S_IMODE(before.st_mode))
