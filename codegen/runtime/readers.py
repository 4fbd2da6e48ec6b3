"""Readers of Avro's own types, for bytes that another writer's schema describes.

A reader takes the input and a position, and returns the value and the position after it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from . import scalars
from .binding import Reader
from .empty_items import check_empty_items
from .errors import short_repr
from .schema import Node
from .varints import block, length, long_after, more_int


class Misread(Exception):
    """An error inside nested values: the original error, and the path to its place."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(cause)
        self.cause = cause
        self.parts: list[str] = []

    @property
    def path(self) -> str:
        """The path to the error.

        It is empty if memory or recursion ran out, since no place is at fault then.
        """
        if isinstance(self.cause, (RecursionError, MemoryError)):
            return ""
        shown = "".join(self.parts[: -_SHOWN_PARTS - 1 : -1])
        return (shown + "…" * (len(self.parts) > _SHOWN_PARTS)).removeprefix(".")


_SHOWN_PARTS: Final = 30


def misread(part: str, error: Exception) -> Misread:
    """The error with ``part``, such as ``.price`` or ``[2]``, added in front of its path."""
    found = error if isinstance(error, Misread) else Misread(error)
    found.parts.append(part)
    return found


def base_reader(node: Node) -> Reader:
    """A reader of a primitive type or a fixed, without its logical type."""
    return _fixed_reader(node.size) if node.kind == "fixed" else _PRIMITIVES[node.kind]


def promotion(writer: str, reader: str) -> Callable[[Any], Any] | None:
    match writer, reader:
        case "int" | "long", "float":
            # Rounds to 32 bits, like Java's cast.
            return lambda number: scalars.FLOAT.unpack(scalars.FLOAT.pack(number))[0]
        case "int" | "long", "double":
            return float
        case "string", "bytes":
            return str.encode
        case "bytes", "string":
            return bytes.decode
        case _:
            return None


def list_reader(item: Reader, empty_values: int) -> Reader:
    """A reader of lists.

    ``empty_values``: how many values an item contains if it takes no bytes; otherwise 0.
    """

    def read(data: bytes, at: int) -> tuple[Any, int]:
        items: list[Any] = []
        try:
            while True:
                count, at = block(data, at + 1, data[at])
                if count == 0:
                    return items, at
                if empty_values:
                    check_empty_items(data, at, count * empty_values)
                for _ in range(count):
                    value, at = item(data, at)
                    items.append(value)
        except Exception as error:  # noqa: BLE001 - raised again
            raise misread(f"[{len(items)}]", error) from None

    return read


def dict_reader(value: Reader) -> Reader:
    def read(data: bytes, at: int) -> tuple[Any, int]:
        items: dict[str, Any] = {}
        key: str | None = None
        try:
            while True:
                count, at = block(data, at + 1, data[at])
                if count == 0:
                    return items, at
                for _ in range(count):
                    size, at = length(data, at + 1, data[at])
                    end = at + size
                    key = scalars.take(data, at, size).decode()
                    items[key], at = value(data, end)
                    key = None
        except Exception as error:  # noqa: BLE001 - raised again
            raise misread("[]" if key is None else f"[{short_repr(key)}]", error) from None

    return read


def _read_null(_data: bytes, at: int) -> tuple[Any, int]:
    return None, at


def _read_boolean(data: bytes, at: int) -> tuple[Any, int]:
    return scalars.boolean_of_byte[data[at]], at + 1


def _read_int(data: bytes, at: int) -> tuple[Any, int]:
    return long_after(data, at + 1, data[at], more_int)


def _read_long(data: bytes, at: int) -> tuple[Any, int]:
    return long_after(data, at + 1, data[at])


def _read_float(data: bytes, at: int) -> tuple[Any, int]:
    return scalars.FLOAT.unpack(scalars.take(data, at, 4))[0], at + 4


def _read_double(data: bytes, at: int) -> tuple[Any, int]:
    return scalars.DOUBLE.unpack(scalars.take(data, at, 8))[0], at + 8


def _read_bytes(data: bytes, at: int) -> tuple[Any, int]:
    size, at = length(data, at + 1, data[at])
    return scalars.take(data, at, size), at + size


def _read_string(data: bytes, at: int) -> tuple[Any, int]:
    value, at = _read_bytes(data, at)
    return value.decode(), at


_PRIMITIVES: Final[Mapping[str, Reader]] = {
    "null": _read_null,
    "boolean": _read_boolean,
    "int": _read_int,
    "long": _read_long,
    "float": _read_float,
    "double": _read_double,
    "bytes": _read_bytes,
    "string": _read_string,
}


def _fixed_reader(size: int) -> Reader:
    def read(data: bytes, at: int) -> tuple[Any, int]:
        return scalars.take(data, at, size), at + size

    return read
