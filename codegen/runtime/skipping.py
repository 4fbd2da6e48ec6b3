"""Skips values that the reader's schema does not have, and builds nothing.

A skipper is a reader that returns None. It only checks the bytes that it needs to find the value's end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from .binding import Reader
from .empty_items import EmptyTypes
from .errors import InvalidAvro
from .readers import base_reader
from .schema import Node
from .varints import block, length


class Skippers:
    """The skippers for one writer's schema."""

    def __init__(self, empty: EmptyTypes) -> None:
        self._empty = empty
        self._made: dict[int, list[Reader]] = {}

    def of(self, writer: Node) -> Reader:
        if id(writer) in self._made:
            return _deferred(self._made[id(writer)])
        cell = self._made[id(writer)] = []
        cell.append(self._make(writer))
        return cell[0]

    def _make(self, writer: Node) -> Reader:
        if self._empty.values_in(writer):
            return _skip_nothing
        match writer.kind:
            case "record":
                return _skip_each([self.of(field.node) for field in writer.fields])
            case "union":
                return _skip_one([self.of(branch) for branch in writer.branches])
            case "array" if self._empty.values_in(writer.items):
                return _skip_empty_items
            case "array":
                return _skip_blocks([self.of(writer.items)])
            case "map":
                return _skip_blocks([_skip_sized, self.of(writer.items)])
            case "fixed":
                return _skip_bytes(writer.size)
            case kind:
                return _PRIMITIVES.get(kind) or base_reader(writer)


def _deferred(cell: Sequence[Reader]) -> Reader:
    """A skipper for a recursive type, whose own skipper does not exist yet."""

    def skip(data: bytes, at: int) -> tuple[Any, int]:
        return cell[0](data, at)

    return skip


def _skip_nothing(_data: bytes, at: int) -> tuple[Any, int]:
    return None, at


def _skip_each(parts: Sequence[Reader]) -> Reader:
    def skip(data: bytes, at: int) -> tuple[Any, int]:
        for part in parts:
            _, at = part(data, at)
        return None, at

    return skip


def _skip_one(branches: Sequence[Reader]) -> Reader:
    def skip(data: bytes, at: int) -> tuple[Any, int]:
        branch, at = length(data, at + 1, data[at])
        if branch >= len(branches):
            raise InvalidAvro(f"union branch index out of range: {branch}")
        return branches[branch](data, at)

    return skip


def _skip_blocks(parts: Sequence[Reader]) -> Reader:
    """A skipper for an array or map whose items each consist of these parts."""

    def skip(data: bytes, at: int) -> tuple[Any, int]:
        while True:
            count, at = block(data, at + 1, data[at])
            if count == 0:
                return None, at
            for _ in range(count):
                for part in parts:
                    _, at = part(data, at)

    return skip


def _skip_empty_items(data: bytes, at: int) -> tuple[Any, int]:
    count = -1
    while count != 0:
        count, at = block(data, at + 1, data[at])
    return None, at


def _skip_bytes(size: int) -> Reader:
    def skip(data: bytes, at: int) -> tuple[Any, int]:
        return None, _past(data, at, size)

    return skip


def _skip_sized(data: bytes, at: int) -> tuple[Any, int]:
    size, at = length(data, at + 1, data[at])
    return None, _past(data, at, size)


def _past(data: bytes, at: int, size: int) -> int:
    if size > len(data) - at:
        raise InvalidAvro("unexpected end of input")
    return at + size


def _skip_index(data: bytes, at: int) -> tuple[Any, int]:
    return length(data, at + 1, data[at])


_PRIMITIVES: Final[Mapping[str, Reader]] = {
    "boolean": _skip_bytes(1),
    "float": _skip_bytes(4),
    "double": _skip_bytes(8),
    "bytes": _skip_sized,
    "string": _skip_sized,
    "enum": _skip_index,
}
