"""The schema of this package with its classes and its codec."""

from __future__ import annotations

import functools
from _thread import RLock
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

from .aliases import nodes
from .entries import Entry, mark_entries
from .frozen import freeze
from .schema import Node, parse

Reader: TypeAlias = Callable[[bytes, int], tuple[Any, int]]
Writer: TypeAlias = Callable[[Any, bytearray], None]
V = TypeVar("V")


class Binding:
    """The package's classes, records' attributes in field order, and codecs, each by full name.

    The key-value records of an array that is a dict in Python have no generated class.
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
            # Other modules identify nodes by ``id``, so all threads must share one root.
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
