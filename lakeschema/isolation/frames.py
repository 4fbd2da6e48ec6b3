"""Messages on a pipe between a process and its child: eight bytes of length, and as many bytes."""

from __future__ import annotations

import struct
from typing import BinaryIO

_LENGTH = struct.Struct(">Q")
HEADER_BYTES = _LENGTH.size


def frame(message: bytes) -> bytes:
    return _LENGTH.pack(len(message)) + message


def frame_length(header: bytes) -> int:
    """The length of the message after a header of ``HEADER_BYTES``."""
    (length,) = _LENGTH.unpack(header)
    return int(length)


def read_frame(pipe: BinaryIO) -> bytes | None:
    """The next message, from a pipe that may be trusted to send it; None once the pipe is closed."""
    header = pipe.read(HEADER_BYTES)
    if len(header) < HEADER_BYTES:
        return None
    length = frame_length(header)
    message = pipe.read(length)
    return message if len(message) == length else None
