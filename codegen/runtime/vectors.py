"""Reads Arrow's columns and Python values for ``rows``, a column at a time.

A vector is a column of one type. Its fields and items are vectors, too, so parts that nobody reads
are neither decoded nor checked.
"""

from __future__ import annotations

import bisect
import datetime as dt
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol

from . import scalars
from .arrow_times import TimeColumns
from .columnar import Convert, layout_of
from .entries import pairs_as_rows
from .errors import InvalidValue, short_repr
from .schema import Node

Offsets = Sequence[int]
Number = Callable[[int], int]
"""By a value's place in a vector, the number of the row that it is in, from 1 on."""


def numbered(first: int) -> Number:
    return lambda place: first + place


def _within(offsets: Offsets, number: Number) -> Number:
    """The row number of each item; ``offsets`` are the positions where the rows' arrays begin."""
    return lambda place: number(bisect.bisect_right(offsets, place) - 1)


class Vector(Protocol):
    """A column of one type. A method for another structure raises ``InvalidValue``."""

    @property
    def number(self) -> Number: ...
    def __len__(self) -> int: ...
    def one(self, index: int) -> Vector:
        """The vector of a single value."""
        ...

    def values(self) -> list[Any]:
        """The format's own value in each place."""
        ...

    def leaves(self, node: Node, read: Convert, /) -> list[Any]:
        """Typed values of a leaf's type, with None for nulls. ``read`` converts and checks a value."""
        ...

    def nulls(self) -> Sequence[bool] | None:
        """Which values are null; None if there are no nulls."""
        ...

    def layout(self) -> Hashable:
        """A value that changes if ``names`` change."""
        ...

    def names(self) -> Sequence[str]:
        """The names of the fields."""
        ...

    def field(self, place: int) -> Vector: ...
    def items(self) -> tuple[Offsets, Vector]:
        """The start of each array and the end of the last array, and the items of all arrays."""
        ...

    def entry_items(self) -> tuple[Offsets, Vector]:
        """Like ``items``, but also for maps, whose items are rows of a key and a value."""
        ...

    def entries(self) -> tuple[Offsets, Vector, Vector]:
        """Like ``items``, for maps: offsets, keys and values."""
        ...


_WHOLE: Final = ("int8", "int16", "int32", "uint8", "uint16")
_TEXT: Final = ("string", "large_string", "string_view")
_MILLIS: Final = ("timestamp[s]", "timestamp[ms]")
_DIRECT: Final[Mapping[tuple[str, str], frozenset[str]]] = {
    ("null", ""): frozenset({"null"}),
    ("boolean", ""): frozenset({"bool"}),
    ("int", ""): frozenset(_WHOLE),
    ("long", ""): frozenset({*_WHOLE, "uint32", "int64"}),
    ("float", ""): frozenset({"halffloat", "float"}),
    ("double", ""): frozenset({"halffloat", "float", "double"}),
    ("string", ""): frozenset(_TEXT),
    ("bytes", ""): frozenset({"binary", "large_binary", "binary_view"}),
    ("int", "date"): frozenset({"date32[day]"}),
    ("long", "local-timestamp-millis"): frozenset(_MILLIS),
    ("long", "local-timestamp-micros"): frozenset({*_MILLIS, "timestamp[us]"}),
    ("long", "day-time-interval-micros"): frozenset({"duration[us]"}),
}
"""Arrow's types whose every value is a typed value already."""

_INSTANTS: Final[Mapping[tuple[str, str], frozenset[str]]] = {
    ("long", "timestamp-millis"): frozenset({"timestamp[s, tz=UTC]", "timestamp[ms, tz=UTC]"}),
    ("long", "timestamp-micros"): frozenset(
        {"timestamp[s, tz=UTC]", "timestamp[ms, tz=UTC]", "timestamp[us, tz=UTC]"}
    ),
}
"""Arrow's types whose every value is an instant, in a zone of another class than ours."""


class ArrowVector:
    """A ``pyarrow.Array``."""

    def __init__(self, array: Any, times: TimeColumns, number: Number) -> None:
        self._array = array
        self._times = times
        self.number = number

    def __len__(self) -> int:
        return len(self._array)

    def one(self, index: int) -> Vector:
        return ArrowVector(self._array.slice(index, 1), self._times, lambda _: self.number(index))

    def values(self) -> list[Any]:
        try:
            values: list[Any] = self._array.to_pylist()
        except (ValueError, OverflowError) as error:
            # A date is outside Python's years, or a time has nanoseconds.
            raise InvalidValue("", str(error)) from None
        return values

    def leaves(self, node: Node, read: Convert, /) -> list[Any]:
        key, type_ = (node.kind, node.logical), self._array.type
        shown = str(type_)
        if shown in _DIRECT.get(key, ()) or (node.logical == "decimal" and _fits(type_, node)):
            return self.values()
        if shown in _INSTANTS.get(key, ()):
            return [value and value.replace(tzinfo=dt.UTC) for value in self.values()]
        counted = self._times.leaf(type_, node, "")
        if counted == type_:
            return _converted(self.values(), read)
        counts = ArrowVector(self._array.cast(counted), self._times, self.number)
        return _converted(counts.values(), self._times.readers[""])

    def nulls(self) -> Sequence[bool] | None:
        nulls: list[bool] | None = None
        if self._array.null_count:
            nulls = self._array.is_null().to_pylist()
        return nulls

    def layout(self) -> Hashable:
        layout: Hashable = self._array.type if self._is("StructArray") else self._decoded().layout()
        return layout

    def names(self) -> Sequence[str]:
        if not self._is("StructArray"):
            return self._decoded().names()
        type_ = self._array.type
        return [type_.field(place).name for place in range(type_.num_fields)]

    def field(self, place: int) -> Vector:
        if not self._is("StructArray"):
            return self._decoded().field(place)
        return ArrowVector(self._array.field(place), self._times, self.number)

    def items(self) -> tuple[Offsets, Vector]:
        if not self._is("ListArray", "LargeListArray"):
            return self._decoded().items()
        return self._items()

    def entry_items(self) -> tuple[Offsets, Vector]:
        return self._items() if self._is("MapArray") else self.items()

    def _items(self) -> tuple[Offsets, Vector]:
        offsets, first, count = self._span()
        items = self._array.values.slice(first, count)
        return offsets, ArrowVector(items, self._times, _within(offsets, self.number))

    def entries(self) -> tuple[Offsets, Vector, Vector]:
        if not self._is("MapArray"):
            return self._decoded().entries()
        offsets, first, count = self._span()
        number = _within(offsets, self.number)
        keys = ArrowVector(self._array.keys.slice(first, count), self._times, number)
        items = ArrowVector(self._array.items.slice(first, count), self._times, number)
        return offsets, keys, items

    def _is(self, *classes: str) -> bool:
        return type(self._array).__name__ in classes

    def _decoded(self) -> ValueVector:
        """Python values of rare structures: fixed-size lists, list views, dictionaries of structs."""
        return ValueVector(self.values(), self.number)

    def _span(self) -> tuple[Offsets, int, int]:
        """The offsets from this slice's first item, that item's position, and the item count."""
        offsets = self._array.offsets.to_pylist()
        first = offsets[0]
        return [offset - first for offset in offsets], first, offsets[-1] - first


def _fits(type_: Any, node: Node) -> bool:
    """Whether every value of Arrow's type fits the decimal."""
    scale, precision = getattr(type_, "scale", None), getattr(type_, "precision", None)
    return scale == node.scale and precision is not None and precision <= node.precision


class ValueVector:
    """Spark's rows, mappings, lists and leaves."""

    def __init__(self, values: list[Any], number: Number) -> None:
        self._values = values
        self.number = number

    def __len__(self) -> int:
        return len(self._values)

    def one(self, index: int) -> Vector:
        return ValueVector(self._values[index : index + 1], lambda _: self.number(index))

    def values(self) -> list[Any]:
        return self._values

    def leaves(self, _: Node, read: Convert, /) -> list[Any]:
        return _converted(self._values, read)

    def nulls(self) -> Sequence[bool] | None:
        nulls = [value is None for value in self._values]
        return nulls if True in nulls else None

    def layout(self) -> Hashable:
        layouts = {layout_of(value) for value in self._values if value is not None}
        if len(layouts) > 1:
            raise InvalidValue("", "the rows have different columns")
        return next(iter(layouts), ())

    def names(self) -> Sequence[str]:
        first = next(value for value in self._values if value is not None)
        return layout_of(first)[1]

    def field(self, place: int) -> Vector:
        names = next((layout_of(value)[1] for value in self._values if value is not None), ())
        return ValueVector([
            None if value is None
            else value[names[place]] if isinstance(value, Mapping)
            else value[place]
            for value in self._values
        ], self.number)  # fmt: skip

    def items(self) -> tuple[Offsets, Vector]:
        offsets = [0]
        items: list[Any] = []
        for value in self._values:
            items += () if value is None else scalars.list_of(value)
            offsets.append(len(items))
        return offsets, ValueVector(items, _within(offsets, self.number))

    def entry_items(self) -> tuple[Offsets, Vector]:
        lists = [
            pairs_as_rows(value.items()) if isinstance(value, Mapping) else value
            for value in self._values
        ]
        return ValueVector(lists, self.number).items()

    def entries(self) -> tuple[Offsets, Vector, Vector]:
        offsets = [0]
        keys: list[Any] = []
        items: list[Any] = []
        for value in self._values:
            if not isinstance(value, (Mapping, type(None))):
                raise InvalidValue("", f"expected dict, got {short_repr(value)}")
            keys += (value or {}).keys()
            items += (value or {}).values()
            offsets.append(len(keys))
        number = _within(offsets, self.number)
        return offsets, ValueVector(keys, number), ValueVector(items, number)


def _converted(values: Iterable[Any], read: Convert) -> list[Any]:
    return [None if value is None else read(value) for value in values]
