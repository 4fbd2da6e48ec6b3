"""Reads members of a ZIP archive that may be hostile: sizes are checked before decompression."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

MAX_DIRECTORY_BYTES = 4 * 1024 * 1024
"""The maximum size of the list of members: about 40,000 members. Our wheels have some tens."""

_END = struct.Struct("<4s4H2LH")
_END_SIGNATURE = b"PK\5\6"
_MAX_COMMENT_BYTES = 0xFFFF
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})


class UnreadableArchive(ValueError):
    """The bytes are not a supported archive; the message says why."""


class ArchiveReader:
    """An archive in memory, stored or deflated. Every method may raise ``UnreadableArchive``."""

    def __init__(self, data: bytes) -> None:
        _check_directory_size(data)
        with _unreadable():
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        self.names = tuple(member.filename for member in self._archive.infolist())
        if len(set(self.names)) != len(self.names):
            raise UnreadableArchive("two members have the same name")

    def read(self, name: str, max_bytes: int) -> bytes:
        """A member's bytes; a member of more than ``max_bytes`` is refused."""
        with _unreadable():
            member = self._archive.getinfo(name)
            if member.compress_type not in _METHODS:
                raise UnreadableArchive(f"{name[:300]}: expected it stored or deflated")
            with self._archive.open(member) as stream:
                # The directory may state any size, so the number of bytes actually read is checked.
                data = stream.read(max_bytes + 1)
        if len(data) > max_bytes:
            raise UnreadableArchive(f"{name[:300]} is larger than {max_bytes} bytes")
        return data


def _check_directory_size(data: bytes) -> None:
    """Checks the size first, since the standard library reads the whole list of members at once."""
    start = data.rfind(_END_SIGNATURE, max(0, len(data) - _END.size - _MAX_COMMENT_BYTES))
    if start < 0 or start + _END.size > len(data):
        raise UnreadableArchive("not a zip archive")
    *_, size, _offset, _comment = _END.unpack_from(data, start)
    # ZIP64, for archives of more than 4 GB, states the largest number here, so it is refused, too.
    if size > MAX_DIRECTORY_BYTES:
        raise UnreadableArchive(f"its list of members is larger than {MAX_DIRECTORY_BYTES} bytes")


@contextmanager
def _unreadable() -> Iterator[None]:
    try:
        yield
    except UnreadableArchive:
        raise
    except (
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        LookupError,
        # zipfile also raises RuntimeError for unsupported methods and encrypted members.
        RuntimeError,
        EOFError,
        OSError,
        ValueError,
        OverflowError,
    ) as error:
        raise UnreadableArchive(f"damaged: {error}") from error
