"""File storages: the local file system, and object stores and HDFS through Arrow.

Both kinds can only list a folder or open a file in it. They follow no link, except to a folder.
"""

from __future__ import annotations

import errno
import io
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO, Protocol

from lakeschema.table_files.access import Location
from lakeschema.table_files.errors import UnreadableFile

MAX_LISTED = 1_000_000
_AZURE_HOST = re.compile(r"([\w$-]+)@(\w+)\.(?:dfs|blob)\.core\.windows\.net")
_CODE = re.compile(r"AWS Error ([A-Z_]{1,60})")
_DENIED = ("ACCESS_DENIED", "403", "Permission", "INVALID_ACCESS_KEY", "SIGNATURE_DOES_NOT_MATCH")


class Storage(Protocol):
    """A storage. Its methods may raise ``UnreadableFile``."""

    def names(self, folder: Location) -> Sequence[str]:
        """The names of the files in a folder."""

    def open(self, file: Location) -> BinaryIO:
        """A file that can be read from any offset; the caller closes it."""


def storage_of(location: Location) -> Storage:
    """The storage of the location."""
    if location.scheme == "file" and location.host in {"", "localhost"}:
        return LocalStorage()
    return ArrowStorage(location)


class LocalStorage:
    def names(self, folder: Location) -> Sequence[str]:
        with _explained(folder):
            found = []
            with os.scandir(folder.path) as entries:
                for entry in entries:
                    found.append(entry.name)
                    _require_few(found, folder)
            return found

    def open(self, file: Location) -> BinaryIO:
        with _explained(file):
            # A pipe would never end, and a link could lead anywhere.
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
            descriptor = os.open(file.path, flags)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.close(descriptor)
                raise OSError(errno.EINVAL, "not a file")
            return os.fdopen(descriptor, "rb")


class ArrowStorage:
    def __init__(self, location: Location) -> None:
        with _explained(location):
            self._files, self._root = _file_system(location)

    def names(self, folder: Location) -> Sequence[str]:
        from pyarrow.fs import FileSelector

        with _explained(folder):
            found = self._files.get_file_info(FileSelector(self._path(folder)))
            names = [info.base_name for info in found]
            _require_few(names, folder)
            return names

    def open(self, file: Location) -> BinaryIO:
        with _explained(file):
            return io.BufferedReader(self._files.open_input_file(self._path(file)), 1 << 20)

    def _path(self, location: Location) -> str:
        return f"{self._root}{location.path}"


def _file_system(location: Location) -> tuple[Any, str]:
    """Arrow's file system, and the prefix of paths in it.

    The file system is not made from the URI, because a URI can carry options, such as another
    server's address.
    """
    make = _MAKERS.get(location.scheme)
    if make is None:
        raise UnreadableFile(
            f"{location} has an unknown scheme", f"the known ones are {', '.join(_KNOWN)}"
        )
    try:
        return make(location)
    except ImportError:
        raise UnreadableFile(
            f"{location} is read with pyarrow, which is not installed",
            "install schema-publisher with its extra tables",
        ) from None


def _s3(location: Location) -> tuple[Any, str]:
    from pyarrow.fs import S3FileSystem

    # The variables of Amazon's own clients, which Arrow does not read.
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    files = S3FileSystem(endpoint_override=endpoint, connect_timeout=10, request_timeout=20)
    return files, location.host


def _gs(location: Location) -> tuple[Any, str]:
    from datetime import timedelta

    from pyarrow.fs import GcsFileSystem

    return GcsFileSystem(retry_time_limit=timedelta(seconds=20)), location.host


def _abfs(location: Location) -> tuple[Any, str]:
    from pyarrow.fs import AzureFileSystem

    found = _AZURE_HOST.fullmatch(location.host)
    if found is None:
        raise UnreadableFile(
            f"{location} names no Azure container",
            "write abfss://CONTAINER@ACCOUNT.dfs.core.windows.net/…",
        )
    return AzureFileSystem(account_name=found[2]), found[1]


def _hdfs(location: Location) -> tuple[Any, str]:
    from pyarrow.fs import HadoopFileSystem

    host, _, port = location.host.partition(":")
    return HadoopFileSystem(host or "default", int(port) if port.isdecimal() else 0), ""


_MAKERS: dict[str, Callable[[Location], tuple[Any, str]]] = {
    "s3": _s3, "s3a": _s3, "gs": _gs, "abfs": _abfs, "abfss": _abfs, "hdfs": _hdfs,
}  # fmt: skip
_KNOWN = ("file", *_MAKERS)


def _require_few(names: Sequence[str], folder: Location) -> None:
    if len(names) > MAX_LISTED:
        raise UnreadableFile(
            f"{folder} has more than {MAX_LISTED} files", "clean up the table's log"
        )


@contextmanager
def _explained(location: Location) -> Iterator[None]:
    """A context that translates a storage's exceptions into stable words without content."""
    try:
        yield
    except FileNotFoundError:
        raise UnreadableFile(
            f"{location} does not exist", "restore the table's files, or drop the table"
        ) from None
    except OSError as error:
        raise _explanation(location, error) from None


def _explanation(location: Location, error: OSError) -> UnreadableFile:
    text = str(error)
    if isinstance(error, PermissionError) or any(word in text for word in _DENIED):
        return UnreadableFile(
            f"{location} may not be read", "give the service's user the right to read it"
        )
    code = _CODE.search(text)
    why = code[1] if code else errno.errorcode.get(error.errno or 0, type(error).__name__)
    return UnreadableFile(
        f"{location} cannot be read ({why})",
        "check that its storage answers and that the service's environment has credentials for it",
    )
