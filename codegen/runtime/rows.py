"""Arrow's batches and Spark's rows as typed rows, whose columns are decoded when they are read.

A column is converted for a window of rows at once. An invalid value in the window is an error only
when it is read; the error is the same as from ``from_arrow`` or ``from_rows``.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from . import arrow, spark
from .arrow_times import TimeColumns
from .binding import Binding
from .columnar import (
    Format,
    column_places,
    entry_paths,
    field_reader,
    field_writer,
    is_nullable,
    join_path,
    layout_of,
    one_member,
    prefix_path,
)
from .entries import key_and_value
from .errors import InvalidValue, located
from .plain import default_of
from .schema import Node
from .union_columns import column_type, is_of_members
from .units import Narrowing
from .vectors import ArrowVector, Number, ValueVector, Vector, numbered
from .views import Items, Row, class_with_values, row_classes

_FIRST_WINDOW: Final = 1_024
"""Of Arrow's rows: few, so that later ones know which columns are read."""
_WINDOW: Final = 4_096
"""What fits into a processor's cache: larger windows take longer for each row."""
_PLACES: Final = [*range(_WINDOW)]
"""Of a window's rows; to take numbers from a list is faster than to make them."""
_FIRST_ROWS: Final = 16
"""Of Spark's rows, which may come one by one."""
_MOST_ROWS: Final = 1_024
_SINGLE_RECORDS: Final = 64
"""One in so many rows becomes a record by itself, before whole columns are decoded for all."""


def typed_rows(binding: Binding, source: Any, narrowing: Narrowing = "exact") -> Iterator[Any]:
    """The rows of a table, a reader, batches, or Spark; finds columns as ``from_arrow`` does.

    Raises:
        InvalidValue: a batch lacks a field, or a value that is read does not match its type.
        NotInArrow, NotInSpark: the format does not have the type of a column that is read.
    """
    batches = arrow.batches_of(source)
    if batches is None:
        given = iter(source)
        first = next(given, None)
        if first is None:
            return iter(())
        source = itertools.chain([first], given)
        batches = source if hasattr(first, "to_struct_array") else None
    if batches is not None:
        pa = importlib.import_module("pyarrow")
        times = TimeColumns(pa, binding, pa.schema([]), narrowing)
        reader = RecordReader(binding, arrow.FORMAT, binding.root, "")
        return itertools.chain.from_iterable(map(reader.rows, _windows(batches, times)))
    form = spark.ROUNDING if narrowing == "down" else spark.FORMAT
    reader = RecordReader(binding, form, binding.root, "")
    return itertools.chain.from_iterable(map(reader.rows, _groups(source)))


def _windows(batches: Iterable[Any], times: TimeColumns) -> Iterator[Vector]:
    size = _FIRST_WINDOW
    first = 1
    for batch in batches:
        times.look_at(batch.schema)
        rows = batch.to_struct_array()
        start = 0
        while start < len(rows):
            yield ArrowVector(rows.slice(start, size), times, numbered(first + start))
            start += size
            size = _WINDOW
        first += len(rows)


def _groups(rows: Iterable[Any]) -> Iterator[Vector]:
    """The rows, grouped into runs with the same columns."""
    size = _FIRST_ROWS
    first = 1
    for _, alike in itertools.groupby(rows, layout_of):
        while group := list(itertools.islice(alike, size)):
            yield ValueVector(group, numbered(first))
            first += len(group)
            size = min(size * 4, _MOST_ROWS)


Places: TypeAlias = Mapping[str, int | None]
"""By attribute, which field of the columns it is; None for a default."""


class Columns(dict[str, Any]):
    """The columns of a window that were read, by attribute; reads the others on demand."""

    __slots__ = ("_places", "_reader", "_records", "_vector")

    def __init__(self, reader: RecordReader, vector: Vector, places: Places) -> None:
        super().__init__()
        self._reader = reader
        self._vector = vector
        self._places = places
        self._records = 0

    def __missing__(self, attribute: str) -> Sequence[Any]:
        column = self._read(attribute)
        self._reader.wanted[attribute] = None
        return column

    def record(self, place: int) -> Any:
        """The record at a place. The first few of a window are read alone, not by whole columns."""
        self._records += 1
        if self._records * _SINGLE_RECORDS <= len(self._vector):
            single = Columns(self._reader, self._vector.one(place), self._places)
            return single.record(0)
        reader = self._reader
        made: Any = object.__new__(reader.record_class)
        for attribute in reader.attributes:
            column = self.get(attribute)
            value = (self._read(attribute) if column is None else column)[place]
            reader.binding.put(made, attribute, _as_record(value))
        return made

    def _read(self, attribute: str) -> Sequence[Any]:
        column = self[attribute] = self._reader.column(
            attribute, self._vector, self._places[attribute]
        )
        return column


def _as_record(value: Any) -> Any:
    match value:
        case Row():
            return value.to_record()
        case Items():
            return [_as_record(item) for item in value]
        case MappingProxyType():
            return {key: _as_record(item) for key, item in value.items()}
        case _:
            return value


class RecordReader:
    """Reads the columns of one type of record at one path.

    Attributes:
        wanted: the attributes that were read from any row, in the order of their first reading.
    """

    def __init__(self, binding: Binding, form: Format, node: Node, path: str) -> None:
        self.binding = binding
        self.record_class = binding.classes[node.name]
        self.attributes = binding.attributes[node.name]
        self.wanted: dict[str, None] = {}
        self._form = form
        self._path = path
        self._row_class = row_classes(binding)[node.name]
        self._fields = dict(zip(self.attributes, node.fields, strict=True))
        self._readers: dict[str, ColumnReader] = {}
        self._layout: object = None
        self._places: Places = {}

    def rows(self, vector: Vector) -> Iterator[Any]:
        """The rows of a vector.

        Raises ``InvalidValue`` if a field without a default has no column.
        """
        nulls = vector.nulls()
        if nulls is not None and all(nulls):
            # If all of Python's values are null, their fields are unknown.
            return itertools.repeat(None, len(nulls))
        if not len(vector):
            return iter(())
        columns = Columns(self, vector, self._places_in(vector))
        values = {name: columns[name] for name in self.wanted}
        # Other columns raise an error for some values. Perhaps nobody reads these values.
        values = {name: column for name, column in values.items() if type(column) is list}
        class_ = class_with_values(self._row_class, tuple(values))
        places = _PLACES[: len(vector)] if len(vector) <= _WINDOW else range(len(vector))
        contents = zip(itertools.repeat(columns), places, *values.values(), strict=False)
        return map(tuple.__new__, itertools.repeat(class_), contents)

    def column(self, attribute: str, vector: Vector, place: int | None) -> Sequence[Any]:
        """The attribute's value in each row; an invalid value raises when it is read."""
        field = self._fields[attribute]
        path = join_path(self._path, field.name)
        if place is None:
            default = default_of(self.binding, field, path)
            if default is None:
                # This also works for a type for which the format has no column.
                return [None] * len(vector)
            write = field_writer(self.binding, field.node, self._form.of_dicts(), path)
            written = default if write is None else write(default)
            column: Vector = ValueVector([written] * len(vector), vector.number)
        else:
            column = vector.field(place)
        reader = self._readers.get(attribute)
        if reader is None:
            reader = ColumnReader(self.binding, self._form, field.node, path)
            self._readers[attribute] = reader
        return reader.column(column)

    def _places_in(self, vector: Vector) -> Places:
        layout = vector.layout()
        if layout != self._layout:
            places = column_places(vector.names(), self._fields.values())
            for field, place in zip(self._fields.values(), places, strict=True):
                if place is None and not field.has_default:
                    raise InvalidValue(field.name, "is missing")
            self._places = dict(zip(self._fields, places, strict=True))
            self._layout = layout
        return self._places


class ColumnReader:
    """Reads columns of one type at one path.

    The constructor raises ``NotInArrow`` or ``NotInSpark`` for a type that the format does not have.
    """

    def __init__(self, binding: Binding, form: Format, node: Node, path: str) -> None:
        self._nullable = is_nullable(node)
        self._path = path
        self._whole = node
        self._form = form
        self._binding = binding
        node = column_type(node) if node.kind == "union" else node
        self._node = node
        match node.kind:
            case "record" if is_of_members(node):
                self._members_of_union = [
                    ColumnReader(binding, form, field.node, join_path(path, field.name))
                    for field in node.fields
                ]
                self._make: Callable[[Vector], Sequence[Any]] = self._unions
            case "record":
                self._rows = RecordReader(binding, form, node, path)
                self._make = self._records
            case "array" if node.map_form == "dict":
                (keys, values), (key_path, value_path) = key_and_value(node), entry_paths(path)
                self._keys: ColumnReader | None = ColumnReader(binding, form, keys, key_path)
                self._items = ColumnReader(binding, form, values, value_path)
                self._make = self._maps
            case "array":
                self._items = ColumnReader(binding, form, node.items, f"{path}[]")
                self._make = self._arrays
            case "map":
                self._keys = None
                self._items = ColumnReader(binding, form, node.items, f"{path}[]")
                self._make = self._maps
            case _:
                self._leaf = field_reader(binding, node, form, path)
                self._members: dict[Any, Any] = {None: None}
                for symbol in node.symbols:
                    self._members[symbol] = binding.classes[node.name](symbol)
                self._make = self._enums if node.symbols else self._leaves

    def column(self, vector: Vector) -> Sequence[Any]:
        try:
            column = self._make(vector)
            nulls = None if self._nullable else vector.nulls()
        except InvalidValue:
            return _Single(self, vector)
        return column if nulls is None else _Required(column, self.refuse, vector.number)

    def single(self, vector: Vector) -> Any:
        """The value of a vector with one value; raises ``InvalidValue`` if it is invalid."""
        try:
            (value,) = self._make(vector)
        except InvalidValue as error:
            if self._node.kind not in {"record", "array", "map"}:
                raise prefix_path(self._path, error) from None
            try:
                values = vector.values()
            except InvalidValue:
                raise prefix_path(self._path, error) from None
            return self.refuse(*values)
        return self.refuse() if value is None and not self._nullable else value

    def refuse(self, value: Any = None) -> Any:
        """Reads a value with the format's reader of records, to raise the error of that reader."""
        try:
            return field_reader(self._binding, self._whole, self._form, self._path)(value)
        except InvalidValue as error:
            raise prefix_path(self._path, error) from None

    def _leaves(self, vector: Vector) -> Sequence[Any]:
        return vector.leaves(self._node, self._leaf)

    def _enums(self, vector: Vector) -> Sequence[Any]:
        members = self._members
        try:
            return [members[symbol] for symbol in vector.values()]
        except (KeyError, TypeError):
            return [None if symbol is None else self._leaf(symbol) for symbol in vector.values()]

    def _records(self, vector: Vector) -> Sequence[Any]:
        return _without_nulls(list(self._rows.rows(vector)), vector)

    def _unions(self, vector: Vector) -> Sequence[Any]:
        nulls = vector.nulls() or [False] * len(vector)
        if all(nulls):
            return [None] * len(nulls)
        places = column_places(vector.names(), self._node.fields)
        columns: list[tuple[Sequence[Any], Sequence[bool]]] = []
        for reader, place in zip(self._members_of_union, places, strict=True):
            if place is not None:
                member = vector.field(place)
                columns.append((reader.column(member), member.nulls() or [False] * len(member)))
        return [
            None
            if null
            else one_member(
                [column[row] for column, unset in columns if not unset[row]],
                may_be_null=self._nullable,
            )
            for row, null in enumerate(nulls)
        ]

    def _arrays(self, vector: Vector) -> Sequence[Any]:
        offsets, items = vector.entry_items() if self._node.map_form else vector.items()
        column = self._items.column(items)
        arrays = map(Items, itertools.repeat(column), offsets, offsets[1:])
        return _without_nulls(list(arrays), vector)

    def _maps(self, vector: Vector) -> Sequence[Any]:
        offsets, keys, items = vector.entries()
        if self._keys is not None:
            names: Sequence[Any] = list(self._keys.column(keys))
        else:
            names = keys.values()
            if not all(isinstance(key, str) for key in names):
                raise InvalidValue("", "a key is not text")
        column = self._items.column(items)
        maps = [
            MappingProxyType({names[place]: column[place] for place in range(*span)})
            for span in itertools.pairwise(offsets)
        ]
        return _without_nulls(maps, vector)


def _without_nulls(column: list[Any], vector: Vector) -> list[Any]:
    nulls = vector.nulls()
    if nulls is None:
        return column
    return [None if null else value for value, null in zip(column, nulls, strict=True)]


class _Single(Sequence[Any]):
    """A column that is read value by value, because one value is invalid."""

    def __init__(self, reader: ColumnReader, vector: Vector) -> None:
        self._reader = reader
        self._vector = vector

    def __len__(self) -> int:
        return len(self._vector)

    def __getitem__(self, place: Any) -> Any:
        try:
            return self._reader.single(self._vector.one(place))
        except InvalidValue as error:
            raise located(f"row {self._vector.number(place)}", error) from None


class _Required(Sequence[Any]):
    """A column with a null where the schema allows none; reading the null raises an error."""

    def __init__(self, column: Sequence[Any], refuse: Callable[[], Any], number: Number) -> None:
        self._column = column
        self._refuse = refuse
        self._number = number

    def __len__(self) -> int:
        return len(self._column)

    def __getitem__(self, place: Any) -> Any:
        value = self._column[place]
        if value is not None:
            return value
        try:
            return self._refuse()
        except InvalidValue as error:
            raise located(f"row {self._number(place)}", error) from None
