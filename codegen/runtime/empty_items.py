"""Limits the number of values that take no bytes: nulls, ``fixed`` of size 0, empty records.

Without a limit, a few bytes could claim billions of them. An input may have ``MAX_EMPTY_ITEMS`` such values,
and one more for each of its bytes. Only items of arrays and records of files are counted, because the schema
fixes the number of other values.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import Final

from .errors import InvalidAvro
from .schema import Node

MAX_EMPTY_ITEMS: Final = 10_000
"""Of an input, in addition to one for each of its bytes; of a file's records; of a record."""


_latest: Final[ContextVar[tuple[bytes, int, int]]] = ContextVar("latest", default=(b"", 0, 0))
"""The input that is decoded, how far, and the zero-byte items up to there."""


def check_empty_items(data: bytes, at: int, count: int) -> None:
    """Counts the items of an array's block that starts at ``at``.

    Raises:
        InvalidAvro: the input has too many.
    """
    latest, latest_at, before = _latest.get()
    # A decoder only moves forward. An earlier or equal position means that the input is read again.
    if data is latest and at > latest_at:
        count += before
    if count > MAX_EMPTY_ITEMS + len(data):
        raise InvalidAvro(f"more than {MAX_EMPTY_ITEMS} zero-byte items, and one for each byte")
    _latest.set((data, at, count))


class EmptyTypes:
    """The types of a schema whose values take no bytes."""

    def __init__(self) -> None:
        self._values: dict[int, int] = {}

    def values_in(self, node: Node) -> int:
        """How many values a value of this type contains, itself included; 0 if it takes bytes."""
        if id(node) not in self._values:
            # The value for a record inside itself. Another module refuses records without an end.
            self._values[id(node)] = 0
            self._values[id(node)] = self._count(node)
        return self._values[id(node)]

    def _count(self, node: Node) -> int:
        match node.kind:
            case "null":
                return 1
            case "fixed":
                return int(node.size == 0)
            case "record":
                parts = [self.values_in(field.node) for field in node.fields]
                return 1 + sum(parts) if all(parts) else 0
            case _:
                return 0
