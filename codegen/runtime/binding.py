"""The schema of this package with its classes and its codec."""

from __future__ import annotations

import functools
import struct
from _thread import RLock
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

from .aliases import nodes
from .entries import Entry, mark_entries
from .errors import AvroError, InvalidAvro, InvalidValue
from .frozen import freeze
from .schema import Node, parse

Reader: TypeAlias = Callable[[bytes, int], tuple[Any, int]]
Writer: TypeAlias = Callable[[Any, bytearray], None]
V = TypeVar("V")


class Binding:
    """By full name: classes, records' attributes in the order of their fields, and their codecs.

    The records of keys and values that are dicts in Python have no class of the package's.
    """

    def __init__(
        self,
        schema_text: str,
        classes: Mapping[str, type],
        attributes: Mapping[str, tuple[str, ...]],
        readers: Mapping[str, Reader],
        writers: Mapping[str, Writer],
        *,
        immutable: bool = False,
    ) -> None:
        self.schema_text = schema_text
        self.classes = classes
        self.attributes = attributes
        self.readers = readers
        self.writers = writers
        self.immutable = immutable
        self._lock = RLock()
        self._root: Node | None = None

    def put(self, record: object, attribute: str, value: Any) -> None:
        """Sets an attribute of a record under construction."""
        object.__setattr__(record, attribute, freeze(value) if self.immutable else value)

    @property
    def root(self) -> Node:
        if self._root is None:
            # Others know nodes by identity, so that there must be one root for all threads.
            with self._lock:
                if self._root is None:
                    root = parse(self.schema_text)
                    entries = mark_entries(root, self.classes)
                    self.classes = {**self.classes, **dict.fromkeys(entries, Entry)}
                    self.attributes = {
                        **self.attributes,
                        **dict.fromkeys(entries, ("key", "value")),
                    }
                    self._root = root
        return self._root

    @functools.cached_property
    def nodes(self) -> Mapping[str, Node]:
        """Every named type of the schema."""
        return {node.name: node for node in nodes(self.root) if node.name}


def make_decoder(reader: Callable[[bytes, int], tuple[V, int]]) -> Callable[[bytes], V]:
    """A function that decodes exactly one value.

    It raises ``InvalidAvro`` if the bytes are invalid, truncated, or longer than the value.
    """

    def read(data: bytes) -> V:
        if type(data) is not bytes:
            data = bytes(data)
        try:
            value, at = reader(data, 0)
        except Exception as error:  # noqa: BLE001 - errors of other causes are raised again
            raise _decoding_error(error) from None
        if at != len(data):
            raise InvalidAvro(_describe_end(at, data))
        return value

    return read


def read_all(reader: Reader, data: bytes) -> Any:
    """Decodes ``data``, which is exactly one value; raises as ``make_decoder`` does."""
    return make_decoder(reader)(data)


def read_one(reader: Reader, data: bytes, at: int) -> tuple[Any, int]:
    """The value at ``at``, and the position after it.

    Raises:
        InvalidAvro: the bytes are invalid or truncated.
    """
    try:
        value, at = reader(data, at)
    except Exception as error:  # noqa: BLE001 - errors of other causes are raised again
        raise _decoding_error(error) from None
    if at > len(data):
        raise InvalidAvro(_describe_end(at, data))
    return value, at


def _describe_end(at: int, data: bytes) -> str:
    beyond = len(data) - at
    return f"{beyond} bytes follow the value" if beyond > 0 else "unexpected end of input"


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
        case IndexError():
            # Of the input or of an enum's members: the decoder does not ask which.
            return InvalidAvro("unexpected end of input, or enum symbol index out of range")
        case struct.error():
            return InvalidAvro("unexpected end of input")
        case ValueError() | TypeError() | ArithmeticError():
            return InvalidAvro(f"invalid value: {error}")
        case _:
            return error
