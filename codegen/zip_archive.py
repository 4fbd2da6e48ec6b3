"""Files as a ZIP archive whose bytes depend on nothing else.

Entries are stored, not deflated (compressors differ), and dated 1980, the earliest year of ZIP. It is
written here since the standard library needs more time for each entry's headers than all the rest of
a small package takes (APPNOTE.TXT 6.3, sections 4.3.7 to 4.3.16).
"""

from __future__ import annotations

import functools
import struct
import zlib
from collections.abc import Iterable

_VERSION = 20
_UNIX = 3
_FIRST_DATE = 1 << 5 | 1
_REGULAR_FILE = 0o100644 << 16

# Version, flags, no compression, time, date: the fields that all entries share.
_SHARED = struct.pack("<5H", _VERSION, 0, 0, 0, _FIRST_DATE)
_LOCAL_HEADER = b"PK\3\4" + _SHARED
_DIRECTORY_ENTRY = b"PK\1\2" + struct.pack("<H", _UNIX << 8 | _VERSION) + _SHARED
_EXTRA_LENGTH = struct.pack("<H", 0)
# Lengths of extra field and comment, number of the disk, attributes.
_PLACE = struct.pack("<4HL", 0, 0, 0, 0, _REGULAR_FILE)
# Checksum, both sizes, length of the name.
_CONTENT = struct.Struct("<3LH")
_OFFSET = struct.Struct("<L")
_LOCAL_LENGTH = len(_LOCAL_HEADER) + _CONTENT.size + len(_EXTRA_LENGTH)
_END = struct.Struct("<4s4H2LH")


# Most files are the same objects in every package, which cache their hash.
_checksum = functools.lru_cache(maxsize=128)(zlib.crc32)


def stored_zip(entries: Iterable[tuple[str, bytes]]) -> bytes:
    """The archive of paths and their contents, in this order.

    Raises:
        ValueError: a path is not ASCII.
        struct.error: an entry, or the archive, exceeds 4 GB.
    """
    files: list[bytes] = []
    directory: list[bytes] = []
    offset = count = 0
    for path, data in entries:
        name = path.encode("ascii")
        size = len(data)
        content = _CONTENT.pack(_checksum(data), size, size, len(name))
        files += (_LOCAL_HEADER, content, _EXTRA_LENGTH, name, data)
        directory += (_DIRECTORY_ENTRY, content, _PLACE, _OFFSET.pack(offset), name)
        offset += _LOCAL_LENGTH + len(name) + size
        count += 1
    size = sum(map(len, directory))
    end = _END.pack(b"PK\5\6", 0, 0, count, count, size, offset, 0)
    return b"".join([*files, *directory, end])
