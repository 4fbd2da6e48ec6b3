"""Dicts whose keys are not text. In Avro they are arrays of records with a key and a value.

If the generator cannot use a dict, for example because Python cannot hash the keys, the value is a
list of records of a generated class.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from .aliases import nodes
from .errors import InvalidValue, short_repr
from .schema import Node


class Entry:
    """A key and its value, during the conversion between a dict and an array of entries."""

    __slots__ = ("key", "value")

    def __init__(self, *, key: Any, value: Any) -> None:
        self.key = key
        self.value = value


def mark_entries(root: Node, classes: Collection[str]) -> list[str]:
    """Marks the arrays that are dicts; returns the names of their records, which need no class."""
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
    """The entries of a dict, in the form of an array.

    Raises:
        InvalidValue: the value is not a dict.
    """
    if not isinstance(value, Mapping):
        raise InvalidValue(path, f"expected dict, got {short_repr(value)}")
    return [Entry(key=key, value=item) for key, item in value.items()]


def dict_of_entries(entries: Iterable[Any]) -> dict[Any, Any]:
    """A dict of the entries; the last of several equal keys wins."""
    return {entry.key: entry.value for entry in entries}


def pairs_as_rows(pairs: Iterable[Any]) -> list[Mapping[str, Any]]:
    """A map's keys and values, as rows of an array of entries."""
    return [{"key": key, "value": value} for key, value in pairs]
