"""This package's records on Spark. PySpark is imported when a function is called.

Spark's catalogs compare column names without case, and metastores often keep them in lower case;
the schema's casing comes from this package. Enums and UUIDs in text are strings, fixed types are
binary, times of day are Avro's integers, as in Spark's own Avro reader.
"""

from __future__ import annotations

import datetime as dt
import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from . import scalars
from .acceptance import accept
from .binding import Binding
from .columnar import (
    Convert,
    Format,
    entry_pair,
    entry_paths,
    field_reader,
    field_writer,
    is_nullable,
    join_path,
    read_numbered,
)
from .entries import key_and_value
from .errors import InvalidValue, NotInSpark, short_repr
from .frozen import items_in
from .plain_values import plain_of, rounded_down
from .schema import Node
from .union_columns import column_type
from .units import Narrowing

_TYPES: Final[Mapping[tuple[str, str], str]] = {
    ("boolean", ""): "BooleanType",
    ("int", ""): "IntegerType",
    ("long", ""): "LongType",
    ("float", ""): "FloatType",
    ("double", ""): "DoubleType",
    ("bytes", ""): "BinaryType",
    ("string", ""): "StringType",
    ("enum", ""): "StringType",
    ("fixed", ""): "BinaryType",
    ("string", "uuid"): "StringType",
    ("fixed", "uuid"): "BinaryType",
    ("int", "date"): "DateType",
    ("int", "time-millis"): "IntegerType",
    ("long", "time-micros"): "LongType",
    ("long", "timestamp-millis"): "TimestampType",
    ("long", "timestamp-micros"): "TimestampType",
    ("long", "local-timestamp-millis"): "TimestampNTZType",
    ("long", "local-timestamp-micros"): "TimestampNTZType",
    ("long", "day-time-interval-micros"): "DayTimeIntervalType",
    ("null", ""): "NullType",
}
_MAX_DIGITS: Final = 38


def struct_type(binding: Binding) -> Any:
    """The relation's ``StructType``, in the schema's casing and nullability.

    Raises:
        NotInSpark: Spark has no column for the type of a field.
    """
    types = importlib.import_module("pyspark.sql.types")
    return _type(types, binding.root, "", ())


def rows_to_records(
    binding: Binding, rows: Iterable[Any], narrowing: Narrowing = "exact"
) -> Iterator[Any]:
    """Rows (or mappings) as records; columns by name, case-insensitive if necessary.

    Raises:
        InvalidValue: a row lacks a field or has two columns for it, or a value does not match its type. The
            path begins with the row's number, from 1.
        NotInSpark: Spark has no column for the type of a field.
    """
    form = ROUNDING if narrowing == "down" else FORMAT
    return read_numbered(field_reader(binding, binding.root, form, ""), rows)


def records_to_rows(binding: Binding, records: Iterable[Any]) -> Iterator[Any]:
    """Records as rows, which are tuples with the schema's names.

    Raises:
        InvalidValue: a value does not match its type.
        NotInSpark: Spark has no column for the type of a field.
    """
    convert = field_writer(binding, binding.root, FORMAT, "")
    assert convert is not None
    for record in records:
        yield convert(accept(binding, binding.root, record, ""))


def data_frame(binding: Binding, session: Any, records: Iterable[Any]) -> Any:
    """A DataFrame of records, which are all held in memory."""
    rows = list(records_to_rows(binding, records))
    # The rows were checked before, more strictly than PySpark checks them.
    return session.createDataFrame(rows, struct_type(binding), verifySchema=False)


def _type(types: Any, node: Node, path: str, above: tuple[str, ...]) -> Any:
    match node.kind:
        case "record":
            above = FORMAT.within(node, path, above)
            fields = [
                types.StructField(
                    field.column,
                    _type(types, field.node, join_path(path, field.name), above),
                    is_nullable(field.node),
                )
                for field in node.fields
            ]
            return types.StructType(fields)
        case "array" if node.map_form == "dict":
            keys, values = key_and_value(node)
            key_path, value_path = entry_paths(path)
            key = _type(types, keys, key_path, above)
            value = _type(types, values, value_path, above)
            return types.MapType(key, value, is_nullable(values))
        case "array":
            element = _type(types, node.items, f"{path}[]", above)
            return types.ArrayType(element, is_nullable(node.items))
        case "map":
            value = _type(types, node.items, f"{path}[]", above)
            return types.MapType(types.StringType(), value, is_nullable(node.items))
        case "union":
            return _type(types, column_type(node), path, above)
    if FORMAT.leaf(node, path).logical == "decimal":
        return types.DecimalType(node.precision, node.scale)
    return getattr(types, _TYPES[node.kind, node.logical])()


def _holds(node: Node) -> bool:
    if node.logical == "decimal":
        return node.precision <= _MAX_DIGITS
    return (node.kind, node.logical) in _TYPES


def _read_leaf(node: Node, *, rounds: bool) -> Convert | None:
    match node.kind, node.logical:
        case "fixed", "uuid":
            return lambda value: scalars.uuid_from_bytes(scalars.fixed_of(value, 16))
        case _, "time-millis":
            return lambda value: scalars.time_from_millis(scalars.int_of(value))
        case _, "time-micros":
            return lambda value: scalars.time_from_micros(scalars.long_of(value))
        case _, "timestamp-millis" if rounds:
            return lambda value: _whole_millis(_instant(rounded_down(value)))
        case _, "timestamp-micros" if rounds:
            return lambda value: _instant(rounded_down(value))
        case _, "local-timestamp-millis" if rounds:
            return lambda value: _whole_millis(rounded_down(value))
        case _, ("local-timestamp-micros" | "day-time-interval-micros") if rounds:
            return rounded_down
        case _, ("timestamp-millis" | "timestamp-micros"):
            return _instant
        case _:
            return None


def _instant(value: Any) -> Any:
    moment = plain_of(value)
    # PySpark returns instants as naive datetimes in the system's zone. NaT is no plain datetime.
    is_moment = isinstance(moment, dt.datetime) and moment == moment  # noqa: PLR0124
    return moment.astimezone(dt.UTC) if is_moment else value


def _whole_millis(value: Any) -> Any:
    if not isinstance(value, dt.datetime):
        return value
    return value.replace(microsecond=value.microsecond // 1000 * 1000)


_WRITTEN: Final[Mapping[tuple[str, str], Callable[[Any], Any]]] = {
    ("enum", ""): lambda value: value.value,
    ("fixed", ""): bytes,
    ("string", "uuid"): str,
    ("fixed", "uuid"): scalars.uuid_bytes_of,
    ("int", "time-millis"): scalars.time_millis_of,
    ("long", "time-micros"): scalars.time_micros_of,
}


def _pairs(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        return value.items()
    entries = items_in(value)
    if entries is None:
        raise InvalidValue("", f"expected dict, got {short_repr(value)}")
    # Hive's AvroSerDe shows the entries as structs.
    return map(entry_pair, entries)


def _row_of(names: tuple[str, ...]) -> Callable[[list[Any]], Any]:
    make = importlib.import_module("pyspark.sql.types").Row(*names)
    return lambda values: make(*values)


def _format(*, rounds: bool) -> Format:
    return Format(
        "Spark", NotInSpark, _holds, lambda node, _: _read_leaf(node, rounds=rounds),
        lambda node: _WRITTEN.get((node.kind, node.logical)), _pairs, dict, _row_of,
    )  # fmt: skip


FORMAT: Final = _format(rounds=False)
ROUNDING: Final = _format(rounds=True)
