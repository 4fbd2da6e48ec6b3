"""Dicts whose keys are no text: in Avro, arrays of records of a key and a value.

Where the generator could make no dict of them, as where Python cannot hash the keys, values are
lists of records of a class of the package.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from .aliases import nodes
from .errors import InvalidValue, short_repr
from .schema import Node


class Entry:
    """A key and its value, while a dict is made of them or they are made of a dict."""

    __slots__ = ("key", "value")

    def __init__(self, *, key: Any, value: Any) -> None:
        self.key = key
        self.value = value


def mark_entries(root: Node, classes: Collection[str]) -> list[str]:
    """The full names of records that are only entries, which are not among the package's classes."""
    found: list[str] = []
    for node in nodes(root):
        if node.map_form and node.items.name not in classes:
            node.map_form = "dict"
            found.append(node.items.name)
    return found


def is_dict(node: Node) -> bool:
    """Whether values of the type are dicts."""
    return node.kind == "map" or node.map_form == "dict"


def key_and_value(node: Node) -> tuple[Node, Node]:
    """The types of the keys and values of a dict or of a list of entries."""
    key, value = node.items.fields
    return key.node, value.node


def entries_of(value: Any, path: str = "") -> list[Any]:
    """The entries of a dict, as an array has them.

    Raises:
        InvalidValue: it is no dict.
    """
    if not isinstance(value, Mapping):
        raise InvalidValue(path, f"expected dict, got {short_repr(value)}")
    return [Entry(key=key, value=item) for key, item in value.items()]


def dict_of_entries(entries: Iterable[Any]) -> dict[Any, Any]:
    """Of entries with equal keys, the last."""
    return {entry.key: entry.value for entry in entries}


def pairs_as_rows(pairs: Iterable[Any]) -> list[Mapping[str, Any]]:
    """A map's keys and values as an array of entries has them."""
    return [{"key": key, "value": value} for key, value in pairs]
