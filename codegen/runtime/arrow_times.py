"""Reads Arrow's time columns as integer counts. So every unit works, also in nested columns.

Python's datetimes have no nanoseconds: PyArrow refuses values with nanoseconds, or needs pandas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from .binding import Binding
from .columnar import Convert, column_places, entry_paths, join_path
from .entries import key_and_value
from .errors import InvalidValue
from .plain import INTERVAL
from .schema import Node
from .union_columns import column_type
from .units import MICROS, MILLIS, NANOS, Narrowing, conversion, unit_of
from .values import convert_leaf, from_base

_OF_SPARK: Final = b"org.apache.spark.sql.parquet.row.metadata"
"""What a Parquet file that Spark wrote has in its metadata."""

_PER_SECOND: Final[Mapping[str, int]] = {"s": 1, "ms": MILLIS, "us": MICROS, "ns": NANOS}


class TimeColumns:
    """The time columns in batches of one schema.

    ``schema`` is the batches' schema, with integers in place of times. ``readers`` convert these
    integers to values; their keys are the fields' paths in ``columnar.field_reader``.
    """

    def __init__(self, pa: Any, binding: Binding, schema: Any, narrowing: Narrowing) -> None:
        self._pa = pa
        self._binding = binding
        self._narrowing: Narrowing = narrowing
        self.readers: dict[str, Convert] = {}
        self.look_at(schema)
        self.schema = pa.schema(self._fields(list(schema), binding.root, ""))

    def look_at(self, schema: Any) -> None:
        """Decides whether nanoseconds without a zone are instants in batches of this schema.

        By default, Spark writes instants to Parquet as INT96, and PyArrow reads INT96 as nanoseconds
        without a zone. Spark itself has no type with nanoseconds.
        """
        self._nanos_are_instants = _OF_SPARK in (schema.metadata or {})

    def _fields(self, found: list[Any], record: Node, path: str) -> list[Any]:
        changed = list(found)
        try:
            places = column_places([each.name for each in found], record.fields)
        except InvalidValue as error:
            raise InvalidValue(join_path(path, error.path), error.reason) from None
        for field, index in zip(record.fields, places, strict=True):
            if index is not None:
                inner = join_path(path, field.name)
                type_ = self._type(found[index].type, field.node, inner)
                changed[index] = found[index].with_type(type_)
        return changed

    def _type(self, type_: Any, node: Node, path: str) -> Any:
        pa = self._pa
        node = column_type(node) if node.kind == "union" else node
        match node.kind:
            case "record" if pa.types.is_struct(type_):
                return pa.struct(self._fields(list(type_), node, path))
            case "array" if pa.types.is_list(type_):
                return pa.list_(self._items(type_.value_field, node, path))
            case "array" if pa.types.is_large_list(type_):
                return pa.large_list(self._items(type_.value_field, node, path))
            case "array" if pa.types.is_fixed_size_list(type_):
                return pa.list_(self._items(type_.value_field, node, path), type_.list_size)
            case "array" if pa.types.is_map(type_) and node.map_form:
                keys, values = key_and_value(node)
                key_path, value_path = entry_paths(path)
                key, item = type_.key_field, type_.item_field
                return pa.map_(
                    key.with_type(self._type(key.type, keys, key_path)),
                    item.with_type(self._type(item.type, values, value_path)),
                )
            case "map" if pa.types.is_map(type_):
                return pa.map_(type_.key_field, self._items(type_.item_field, node, path))
            case _:
                return self.leaf(type_, node, path)

    def _items(self, field: Any, node: Node, path: str) -> Any:
        return field.with_type(self._type(field.type, node.items, f"{path}[]"))

    def leaf(self, type_: Any, node: Node, path: str) -> Any:
        """The type to read a column as. If it differs from ``type_``, adds a reader for the path."""
        pa, wanted = self._pa, unit_of(node)
        if wanted is None:
            return type_
        kind, per_second = wanted
        if node.logical == INTERVAL:
            if not pa.types.is_duration(type_):
                return type_
            self.readers[path] = self._reader(type_, per_second, node)
            return pa.int64()
        if kind == "time":
            if not pa.types.is_time(type_):
                return type_
            self.readers[path] = self._reader(type_, per_second, node)
            return pa.int32() if pa.types.is_time32(type_) else pa.int64()
        if not pa.types.is_timestamp(type_):
            return type_
        is_instant = type_.tz is not None or (self._nanos_are_instants and type_.unit == "ns")
        if is_instant == (kind == "timestamp"):
            self.readers[path] = self._reader(type_, per_second, node)
        else:
            self.readers[path] = _refusal(kind, type_)
        return pa.int64()

    def _reader(self, type_: Any, per_second: int, node: Node) -> Convert:
        convert = conversion(_PER_SECOND[type_.unit], per_second, self._narrowing)
        # ``from_base`` returns None for nanoseconds, which stay numbers.
        finish = from_base(self._binding, node) or int
        return lambda count: None if count is None else convert_leaf(finish, convert(count), "")


def _refusal(kind: str, type_: Any) -> Callable[[Any], None]:
    zone = "with" if kind == "timestamp" else "without"

    def read(value: Any) -> None:
        if value is not None:
            raise InvalidValue("", f"expected timestamps {zone} time zone, got {type_}")

    return read
