"""Typed, read-only rows over columns, and sequences over the items of arrays.

A row is a tuple, because the interpreter makes and reads tuples fastest. The tuple holds the columns, the
row's place in them, and the values of columns that earlier rows of the call have read. Users do not see
it.
"""

from __future__ import annotations

import functools
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NoReturn, Self, overload

from .binding import Binding
from .entries import Entry
from .schema import Node


def _getter(place: int) -> Any:
    """The fastest descriptor of an item of a tuple.

    Its source contains only names from this module.
    """
    return vars(namedtuple("Items", [f"item{n}" for n in range(place + 1)]))[f"item{place}"]  # noqa: PYI024 - for its descriptors


_getter = functools.cache(_getter)
BEFORE_VALUES: Final = 2
"""A row's items before the values: its columns, and its place."""


class Row(tuple[Any, ...]):
    """A record that is decoded as it is read."""

    __slots__ = ()
    __match_args__ = ()
    __columns__ = _getter(0)
    __place__ = _getter(1)
    __binding__: Binding
    __node__: Node

    def __new__(cls, *_: object, **__: object) -> Self:
        raise TypeError(f"{cls.__name__} cannot be constructed; rows() makes rows")

    def to_record(self) -> Any:
        """The row as a record, with all that it contains."""
        return self.__columns__.record(self.__place__)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Row):
            same = other.__node__ is self.__node__
            return same and bool(self.to_record() == other.to_record())
        if isinstance(other, self.__binding__.classes[self.__node__.name]):
            return bool(self.to_record() == other)
        return NotImplemented

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self) -> int:
        return hash(self.to_record())

    def __repr__(self) -> str:
        shown = repr(self.to_record())
        return type(self).__name__ + shown[shown.index("(") :]

    def __bool__(self) -> bool:
        return True

    def __copy__(self) -> Row:
        return self

    def __deepcopy__(self, _: object) -> Row:
        return self

    def __reduce_ex__(self, _: object) -> NoReturn:
        raise TypeError(f"{type(self).__name__} cannot be pickled; to_record() makes a record")

    def __dir__(self) -> list[str]:
        return [*self.__binding__.attributes[self.__node__.name], "to_record"]


def _absent(name: str) -> property:
    def refuse(row: Row) -> NoReturn:
        raise AttributeError(f"{type(row).__name__!r} object has no attribute {name!r}")

    return property(refuse)


# Removes from rows the methods that make a tuple a sequence.
for _name in ("iter", "getitem", "len", "contains", "add", "mul", "rmul", "lt", "le", "gt", "ge"):
    setattr(Row, f"__{_name}__", None)
for _name in ("count", "index"):
    setattr(Row, _name, _absent(_name))


@functools.cache
def row_classes(binding: Binding) -> Mapping[str, type[Row]]:
    """The classes of rows, such as ``CompanyRow`` for ``Company``, by the record's full name."""
    return {
        node.name: _row_class(binding, node)
        for node in binding.nodes.values()
        if node.kind == "record" and binding.classes[node.name] is not Entry
    }


def _row_class(binding: Binding, node: Node) -> type[Row]:
    record = binding.classes[node.name]
    body: dict[str, Any] = {
        "__slots__": (),
        "__doc__": f"A row of {record.__name__}, which is decoded as it is read.",
        "__module__": f"{record.__module__.rpartition('.')[0]}.row_types",
        "__binding__": binding,
        "__node__": node,
        **{name: property(_reader(name)) for name in binding.attributes[node.name]},
    }
    return type(f"{record.__name__}Row", (Row,), body)


def _reader(attribute: str) -> Callable[[Row], Any]:
    return lambda row: row.__columns__[attribute][row.__place__]


@functools.lru_cache(256)
def class_with_values(class_: type[Row], attributes: tuple[str, ...]) -> type[Row]:
    """The class of rows that contain the values of these attributes."""
    if not attributes:
        return class_
    values = {
        attribute: _getter(place) for place, attribute in enumerate(attributes, BEFORE_VALUES)
    }
    inherited = {name: vars(class_)[name] for name in ("__doc__", "__module__")}
    return type(class_.__name__, (class_,), {"__slots__": (), **inherited, **values})


class Items(Sequence[Any]):
    """An array of a row: a part of a column of items. Equal to a list or tuple of equal items."""

    __slots__ = ("_column", "_start", "_stop")

    def __init__(self, column: Sequence[Any], start: int, stop: int) -> None:
        self._column = column
        self._start = start
        self._stop = stop

    def __len__(self) -> int:
        return self._stop - self._start

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        places = range(self._start, self._stop)[index]
        if isinstance(places, range):
            return [self._column[place] for place in places]
        return self._column[places]

    def __iter__(self) -> Iterator[Any]:
        return map(self._column.__getitem__, range(self._start, self._stop))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (list, tuple, Items)) or isinstance(other, Row):
            return NotImplemented
        return list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(list(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return list, (list(self),)
