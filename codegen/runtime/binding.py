"""The schema of this package tied to its classes: what everything that interprets reads."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

from .aliases import nodes
from .errors import AvroError, InvalidAvro, InvalidValue
from .frozen import frozen
from .schema import Node, parse

Reader: TypeAlias = Callable[[bytes, int], tuple[Any, int]]
Writer: TypeAlias = Callable[[Any, bytearray], None]
V = TypeVar("V")


class Binding:
    """By full name: each class, a record's attributes in the order of its fields, and its codec."""

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

    def put(self, record: object, attribute: str, value: Any) -> None:
        """Sets an attribute of a record under construction."""
        object.__setattr__(record, attribute, frozen(value) if self.immutable else value)

    @functools.cached_property
    def root(self) -> Node:
        return parse(self.schema_text)

    @functools.cached_property
    def nodes(self) -> Mapping[str, Node]:
        """Every named type of the schema."""
        return {node.name: node for node in nodes(self.root) if node.name}


def reading(reader: Callable[[bytes, int], tuple[V, int]]) -> Callable[[bytes], V]:
    """A function for the one value that bytes are.

    It raises ``InvalidAvro`` if they are no such value, end early or go on after it.
    """

    def read(data: bytes) -> V:
        if type(data) is not bytes:
            data = bytes(data)
        try:
            value, at = reader(data, 0)
        except Exception as error:  # noqa: BLE001 - what is not the bytes' fault is raised again
            raise _of_bytes(error) from None
        if at != len(data):
            raise InvalidAvro(_wrong_end(at, data))
        return value

    return read


def read_all(reader: Reader, data: bytes) -> Any:
    """The one value that ``data`` is; raises as ``reading`` does."""
    return reading(reader)(data)


def read_one(reader: Reader, data: bytes, at: int) -> tuple[Any, int]:
    """The value at ``at``, and where it ends.

    Raises:
        InvalidAvro: the bytes there are no such value, or end early.
    """
    try:
        value, at = reader(data, at)
    except Exception as error:  # noqa: BLE001 - what is not the bytes' fault is raised again
        raise _of_bytes(error) from None
    if at > len(data):
        raise InvalidAvro(_wrong_end(at, data))
    return value, at


def _wrong_end(at: int, data: bytes) -> str:
    beyond = len(data) - at
    return f"{beyond} bytes follow the value" if beyond > 0 else "unexpected end of input"


def _of_bytes(error: Exception) -> Exception:
    """What generated code raised, as an error of the bytes where it is one."""
    match error:
        case InvalidValue():
            return InvalidAvro(f"invalid value: {error}")
        case AvroError():
            return error
        case RecursionError():
            return InvalidAvro("the value is nested too deeply")
        case IndexError():
            # Of the input or of an enum's members: the decoder does not ask which.
            return InvalidAvro("unexpected end of input, or enum symbol index out of range")
        case struct.error():
            return InvalidAvro("unexpected end of input")
        case ValueError() | TypeError() | ArithmeticError():
            return InvalidAvro(f"invalid value: {error}")
        case _:
            return error
