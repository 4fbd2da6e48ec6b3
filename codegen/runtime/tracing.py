"""Locates errors in bytes that a decoder refused: reads them again, with readers that know paths."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable

from .binding import Binding, Reader
from .errors import AvroError, InvalidAvro, InvalidValue, located
from .readers import Misread
from .resolution import resolve


def traced_error(
    binding: Binding,
    name: str,
    reader: Callable[..., object],
    data: bytes,
    at: int,
    error: Exception,
) -> Exception:
    """A decoder's error, with the path of the invalid value."""
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
    """A decoder's error as ``InvalidAvro``, if the bytes caused it."""
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
