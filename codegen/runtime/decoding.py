"""Decoding bytes, and where they are wrong.

Generated decoders are straight-line code that knows no paths. Where one fails, the bytes are read
again by the readers of resolution, which raise ``Misread`` with the path.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable
from typing import Any

from .binding import Binding, Reader, V
from .errors import AvroError, InvalidAvro, InvalidValue, located
from .readers import Misread
from .resolution import resolve


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
            raise _with_path(binding, name, reader, data, 0, error) from None
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
        raise _with_path(binding, name, reader, data, at, error) from None
    if end > len(data):
        raise _wrong_end(binding, name, reader, data, at, end)
    return value, end


def _wrong_end(
    binding: Binding, name: str, reader: Callable[..., object], data: bytes, at: int, end: int
) -> Exception:
    if end < len(data):
        return InvalidAvro(f"{len(data) - end} bytes follow the value")
    error = InvalidAvro("unexpected end of input")
    return _with_path(binding, name, reader, data, at, error)


def _with_path(
    binding: Binding,
    name: str,
    reader: Callable[..., object],
    data: bytes,
    at: int,
    error: Exception,
) -> Exception:
    """The error of a decoder, with the path of the value that it is about."""
    if reader is binding.readers.get(name):
        try:
            _tracing_reader(binding, name)(data, at)
        except Exception as traced:  # noqa: BLE001 - the first error, or one that says more
            if isinstance(traced, Misread):
                error = traced
    if not isinstance(error, Misread):
        return _decoding_error(error)
    found = _decoding_error(error.cause)
    return located(error.path, found) if isinstance(found, AvroError) else found


@functools.lru_cache(64)
def _tracing_reader(binding: Binding, name: str) -> Reader:
    return resolve(binding, binding.nodes[name], binding.nodes[name])


def _decoding_error(error: Exception) -> Exception:
    """The error of a decoder as ``InvalidAvro``, where the bytes caused it."""
    match error:
        case InvalidValue():
            return InvalidAvro(f"invalid value: {error}")
        case AvroError():
            return error
        case RecursionError():
            return InvalidAvro("the value is nested too deeply")
        case MemoryError():
            return InvalidAvro("the value does not fit into memory")
        case IndexError() | struct.error():
            return InvalidAvro("unexpected end of input")
        case ValueError() | TypeError() | ArithmeticError():
            return InvalidAvro(f"invalid value: {error}")
        case _:
            return error
