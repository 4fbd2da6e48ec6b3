"""The names of a relation's columns, for data frames: ``columns.address.city`` is "address.city"."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Final

from .binding import Binding
from .schema import Node

_ORDINARY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)

METHODS_OF_TEXT: Final = frozenset({
    "capitalize", "casefold", "center", "count", "encode", "endswith", "expandtabs", "find",
    "format", "format_map", "index", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit",
    "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper", "join",
    "ljust", "lower", "lstrip", "maketrans", "partition", "removeprefix", "removesuffix",
    "rfind", "rindex", "rjust", "rpartition", "rsplit", "rstrip", "split", "splitlines",
    "startswith", "strip", "swapcase", "title", "translate", "upper", "zfill",
})  # fmt: skip
"""A nested column with one of these names has an underscore behind it: libraries call these methods.

Not in it is ``replace``: a record has that method, too, so that no attribute has the name.
"""


class Column(str):
    """A column's name as Spark reads it; its attributes are the columns within a struct."""

    __slots__ = ("__binding__", "__node__")
    __binding__: Binding
    __node__: Node

    @property
    def __columns__(self) -> tuple[Column, ...]:
        """The columns within the struct, or within the structs of an array."""
        pairs = _fields(self.__binding__, self.__node__)
        return tuple(self.__within__(field) for field, _ in pairs)

    def __getattr__(self, name: str) -> Column:
        if not name.startswith("__"):
            for field, attribute in _fields(self.__binding__, self.__node__):
                if nested_name(attribute) == name:
                    return self.__within__(field)
        raise AttributeError(f"column {str(self)!r} has no field {name!r}", name=name, obj=self)

    def __within__(self, field: Any) -> Column:
        return _column(self.__binding__, field.node, f"{self}.{quoted(field.column)}")

    def __dir__(self) -> list[str]:
        pairs = _fields(self.__binding__, self.__node__)
        return [*super().__dir__(), *(nested_name(attribute) for _, attribute in pairs)]

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)


class Columns(ModuleType):
    """The module ``columns``, which iterates over the relation's columns."""

    __each__: Callable[[], Iterator[Column]]

    def __iter__(self) -> Iterator[Column]:
        return self.__each__()


def column_lookup(
    binding: Binding, module: str
) -> tuple[Callable[[str], Column], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of the module ``columns``; makes the module iterable, too."""
    pairs = {attribute: field for field, attribute in _fields(binding, binding.root)}

    def each() -> Iterator[Column]:
        return (_column(binding, field.node, quoted(field.column)) for field in pairs.values())

    columns: Any = sys.modules[module]
    columns.__each__ = each
    columns.__class__ = Columns

    def find(name: str) -> Column:
        field = pairs.get(name)
        if field is None:
            raise AttributeError(f"{binding.root.name} has no column {name!r}", name=name)
        return _column(binding, field.node, quoted(field.column))

    return find, lambda: [*pairs]


def nested_name(attribute: str) -> str:
    return f"{attribute}_" if attribute.rstrip("_") in METHODS_OF_TEXT else attribute


def quoted(name: str) -> str:
    """A name for Spark, in backticks unless Spark reads it as one name without them."""
    return name if _ORDINARY.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def _column(binding: Binding, node: Node, name: str) -> Column:
    column = Column(name)
    column.__binding__ = binding
    column.__node__ = _within(node)
    return column


def _within(node: Node) -> Node:
    """The type of the struct in which Spark finds fields: the column's or its items' type."""
    others = [branch for branch in node.branches if branch.kind != "null"]
    node = others[0] if len(others) == 1 else node
    if node.kind == "array" and node.map_form != "dict":
        items = [branch for branch in node.items.branches if branch.kind != "null"]
        return items[0] if len(items) == 1 else node.items
    return node


def _fields(binding: Binding, node: Node) -> list[tuple[Any, str]]:
    if node.kind != "record":
        return []
    return list(zip(node.fields, binding.attributes[node.name], strict=True))
