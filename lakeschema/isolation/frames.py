"""Messages on a pipe between a process and its child: eight bytes of length, then the content.

The content is a JSON value in ASCII, optionally followed by a zero byte and attached bytes: a wheel
inside JSON would cost as much as building it.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO, NamedTuple

_LENGTH = struct.Struct(">Q")
HEADER_BYTES = _LENGTH.size

_END_OF_JSON = b"\0"


class Attached(NamedTuple):
    """A JSON value with attached bytes."""

    value: Any
    data: bytes


def encode(value: Any) -> bytes:
    """A value as a message; it is a JSON value, or ``Attached``."""
    if isinstance(value, Attached):
        return _END_OF_JSON.join((json.dumps(value.value).encode("ascii"), value.data))
    return json.dumps(value).encode("ascii")


def decode(message: bytes) -> Any:
    """The inverse of ``encode``.

    Raises:
        ValueError, RecursionError: the frame is not JSON, or is nested too deeply.
    """
    text, end, data = message.partition(_END_OF_JSON)
    value = json.loads(text)
    return Attached(value, data) if end else value


def frame(message: bytes) -> bytes:
    return _LENGTH.pack(len(message)) + message


def frame_length(header: bytes) -> int:
    """The length of the message after a header of ``HEADER_BYTES``."""
    (length,) = _LENGTH.unpack(header)
    return int(length)


def read_frame(pipe: BinaryIO) -> bytes | None:
    """The next message, from a trusted pipe; None once the pipe is closed."""
    header = pipe.read(HEADER_BYTES)
    if len(header) < HEADER_BYTES:
        return None
    length = frame_length(header)
    message = pipe.read(length)
    return message if len(message) == length else None
