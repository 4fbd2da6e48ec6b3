"""The schema of this package tied to its classes: what everything that interprets reads."""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from .aliases import nodes
from .errors import AvroError, InvalidAvro, InvalidValue
from .schema import Node, parse

Reader: TypeAlias = Callable[[bytes, int], tuple[Any, int]]
Writer: TypeAlias = Callable[[Any, bytearray], None]

# What generated code raises on bytes that are wrong in ways it does not look for itself.
UNREADABLE = (ValueError, TypeError, ArithmeticError)


class Binding:
    """By full name: each class, a record's attributes in the order of its fields, and its codec."""

    def __init__(
        self,
        schema_text: str,
        classes: Mapping[str, type],
        attributes: Mapping[str, tuple[str, ...]],
        readers: Mapping[str, Reader],
        writers: Mapping[str, Writer],
    ) -> None:
        self.schema_text = schema_text
        self.classes = classes
        self.attributes = attributes
        self.readers = readers
        self.writers = writers

    @functools.cached_property
    def root(self) -> Node:
        return parse(self.schema_text)

    @functools.cached_property
    def nodes(self) -> Mapping[str, Node]:
        """Every named type of the schema."""
        return {node.name: node for node in nodes(self.root) if node.name}


def read_all(reader: Reader, data: bytes) -> Any:
    """The one value that ``data`` is.

    Raises:
        InvalidAvro: the bytes are no such value, end early or go on after it.
    """
    data = bytes(data)
    value, at = read_one(reader, data, 0)
    if at < len(data):
        raise InvalidAvro(f"{len(data) - at} bytes follow the value")
    return value


def read_one(reader: Reader, data: bytes, at: int) -> tuple[Any, int]:
    """The value at ``at``, and where it ends.

    Raises:
        InvalidAvro: the bytes there are no such value, or end early.
    """
    try:
        value, at = reader(data, at)
    except AvroError as error:
        if isinstance(error, InvalidValue):
            raise InvalidAvro(f"the bytes are no value of the schema: {error}") from None
        raise
    except RecursionError:
        raise InvalidAvro("the value is nested too deeply") from None
    except (IndexError, struct.error):
        raise InvalidAvro("the input ends within a value") from None
    except UNREADABLE as error:
        raise InvalidAvro(f"the bytes are no value of the schema: {error}") from None
    if at > len(data):
        raise InvalidAvro("the input ends within a value")
    return value, at
