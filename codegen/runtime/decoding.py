"""Decodes bytes, and locates errors in them.

Generated decoders are straight-line code without paths. When a decoder fails, ``tracing`` finds
the path; programs that only read valid bytes never import it.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from .binding import Binding, Reader, V
from .errors import InvalidAvro


def make_decoder(
    binding: Binding, name: str, reader: Callable[[bytes, int], tuple[V, int]]
) -> Callable[[bytes], V]:
    """A function that decodes exactly one value of the type of this name.

    It raises ``InvalidAvro`` if the bytes are invalid, truncated, or longer than the value.
    """

    def read(data: bytes) -> V:
        if type(data) is not bytes:
            data = bytes(data)
        try:
            value, at = reader(data, 0)
        except Exception as error:  # noqa: BLE001 - errors of other causes are raised again
            raise _traced(binding, name, reader, data, 0, error) from None
        if at != len(data):
            raise _wrong_end(binding, name, reader, data, 0, at)
        return value

    return read


def read_one(binding: Binding, name: str, reader: Reader, data: bytes, at: int) -> tuple[Any, int]:
    """The value at ``at``, and the position after it.

    Raises:
        InvalidAvro: the bytes are invalid or truncated.
    """
    try:
        value, end = reader(data, at)
    except Exception as error:  # noqa: BLE001 - errors of other causes are raised again
        raise _traced(binding, name, reader, data, at, error) from None
    if end > len(data):
        raise _wrong_end(binding, name, reader, data, at, end)
    return value, end


def _wrong_end(
    binding: Binding, name: str, reader: Callable[..., object], data: bytes, at: int, end: int
) -> Exception:
    if end < len(data):
        return InvalidAvro(f"{len(data) - end} bytes follow the value")
    error = InvalidAvro("unexpected end of input")
    return _traced(binding, name, reader, data, at, error)


def _traced(
    binding: Binding,
    name: str,
    reader: Callable[..., object],
    data: bytes,
    at: int,
    error: Exception,
) -> Exception:
    found: Exception = _tracing().traced_error(binding, name, reader, data, at, error)
    return found


@functools.cache
def _tracing() -> Any:
    return importlib.import_module(".tracing", __package__)
