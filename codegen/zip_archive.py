"""Files as a ZIP archive whose bytes depend on nothing else.

Entries are stored and not deflated (compressors differ), and dated 1980, the first year that a ZIP
file can state. It is written here since the standard library takes longer over each entry's
headers than all the rest of a small package takes (APPNOTE.TXT 6.3, sections 4.3.7 to 4.3.16).
"""

from __future__ import annotations

import functools
import struct
import zlib
from collections.abc import Iterable

_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_DIRECTORY_ENTRY = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")
_VERSION = 20
_UNIX = 3
_FIRST_DATE = 1 << 5 | 1
_REGULAR_FILE = 0o100644 << 16


# Most files are the same in every package, and keep their own hash.
_checksum = functools.lru_cache(maxsize=128)(zlib.crc32)


def stored_zip(entries: Iterable[tuple[str, bytes]]) -> bytes:
    """The archive of paths and their contents, in this order.

    Raises:
        ValueError: a path is not ASCII.
        struct.error: an entry, or the whole, is past 4 GB.
    """
    files: list[bytes] = []
    directory: list[bytes] = []
    offset = 0
    for path, data in entries:
        name = path.encode("ascii")
        # Flags, no compression, time and date, checksum, both sizes, length of the name.
        common = (0, 0, 0, _FIRST_DATE, _checksum(data), len(data), len(data), len(name))
        header = _LOCAL_HEADER.pack(b"PK\3\4", _VERSION, *common, 0)
        files += (header, name, data)
        made_by = _UNIX << 8 | _VERSION
        directory += (
            _DIRECTORY_ENTRY.pack(
                b"PK\1\2", made_by, _VERSION, *common, 0, 0, 0, 0, _REGULAR_FILE, offset
            ),
            name,
        )
        offset += len(header) + len(name) + len(data)
    count = len(directory) // 2
    size = sum(map(len, directory))
    end = _END.pack(b"PK\5\6", 0, 0, count, count, size, offset, 0)
    return b"".join([*files, *directory, end])
