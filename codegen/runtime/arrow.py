"""This package's records in Arrow. PyArrow is imported when a function is called.

Enums are strings: the batches of one stream could have different dictionaries, which Arrow's files
do not allow. A UUID is text or 16 bytes, as in the schema. Recursive records are not supported, and
neither are durations, because their months can exceed Arrow's intervals.
"""

from __future__ import annotations

import datetime as dt
import decimal
import importlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from . import scalars
from .acceptance import accept
from .arrow_times import TimeColumns
from .binding import Binding
from .columnar import (
    Convert,
    Format,
    column_places,
    entry_pair,
    entry_paths,
    field_reader,
    field_writer,
    is_nullable,
    join_path,
    read_numbered,
)
from .entries import key_and_value
from .errors import InvalidValue, NotInArrow, located, short_repr
from .field_ids import arrow_fields_by_id
from .plain_values import plain_of
from .schema import Node
from .union_columns import column_type
from .units import Narrowing

_TYPES: Final[Mapping[tuple[str, str], tuple[Any, ...]]] = {
    ("null", ""): ("null",),
    ("boolean", ""): ("bool_",),
    ("int", ""): ("int32",),
    ("long", ""): ("int64",),
    ("float", ""): ("float32",),
    ("double", ""): ("float64",),
    ("bytes", ""): ("binary",),
    ("string", ""): ("string",),
    ("enum", ""): ("string",),
    ("string", "uuid"): ("string",),
    ("int", "date"): ("date32",),
    ("int", "time-millis"): ("time32", "ms"),
    ("long", "time-micros"): ("time64", "us"),
    ("long", "timestamp-millis"): ("timestamp", "ms", "UTC"),
    ("long", "timestamp-micros"): ("timestamp", "us", "UTC"),
    ("long", "local-timestamp-millis"): ("timestamp", "ms"),
    ("long", "local-timestamp-micros"): ("timestamp", "us"),
    ("long", "day-time-interval-micros"): ("duration", "us"),
}
_DIGITS_IN_16_BYTES: Final = 38
_MAX_DIGITS: Final = 76


def arrow_schema(binding: Binding) -> Any:
    """The relation's ``pyarrow.Schema``, in the schema's casing and nullability.

    Raises:
        NotInArrow: Arrow has no column for the type of a field.
    """
    pa = importlib.import_module("pyarrow")
    if not binding.root.fields:
        raise NotInArrow(
            f"{binding.root.name} has no fields, and a batch needs at least one column"
        )
    return pa.schema(list(_type(pa, binding.root, "", ())))


def records_to_batches(binding: Binding, records: Iterable[Any], batch_size: int) -> Any:
    """A ``pyarrow.RecordBatchReader`` that consumes records as it is read.

    Raises:
        InvalidValue: a value does not match its type; raised when its batch is read.
        NotInArrow: Arrow has no column for the type of a field.
        ValueError: the batch size is not positive.
    """
    if batch_size < 1:
        raise ValueError(f"expected a positive batch size, got {batch_size}")
    pa = importlib.import_module("pyarrow")
    schema = arrow_schema(binding)
    return pa.RecordBatchReader.from_batches(
        schema, _batches(pa, schema, binding, records, batch_size)
    )


def batches_to_records(
    binding: Binding, source: Any, narrowing: Narrowing = "exact"
) -> Iterator[Any]:
    """The records of a table, a reader, batches, or an object with Arrow's C stream.

    Columns are found by name, case-insensitive if necessary. Times may have any unit.

    Raises:
        InvalidValue: a batch lacks a field or has two columns for it, or a value does not match its type. The
            path begins with the row's number, from 1.
        NotInArrow: Arrow has no column for the type of a field.
    """
    pa = importlib.import_module("pyarrow")
    fields = binding.root.fields
    convert = field_reader(binding, binding.root, FORMAT, "")
    times = TimeColumns(pa, binding, pa.schema([]), narrowing)
    schema = None
    named: Any = None
    read: list[tuple[str, int]] = []
    first = 1
    batches = batches_of(source)
    for batch in source if batches is None else batches:
        if schema is None or not batch.schema.equals(schema, check_metadata=True):
            schema = batch.schema
            by_id = arrow_fields_by_id(pa, schema, binding.root)
            named = schema if by_id is None else pa.schema(by_id, schema.metadata)
            times = TimeColumns(pa, binding, named, narrowing)
            convert = field_reader(binding, binding.root, _format(times.readers), "")
            places = column_places(named.names, fields)
            read = [
                (field.column, place)
                for field, place in zip(fields, places, strict=True)
                if place is not None
            ]
        names = [name for name, _ in read]
        columns = [
            _values(_viewed(batch.column(n), named.field(n).type), times.schema.field(n), first)
            for _, n in read
        ]
        rows = zip(*columns, strict=True) if columns else itertools.repeat((), batch.num_rows)
        yield from read_numbered(
            convert, (dict(zip(names, row, strict=True)) for row in rows), first
        )
        first += batch.num_rows


def batches_of(source: Any) -> Any:
    """An iterable of batches; None for other values, and for an iterable of unknown items."""
    if hasattr(source, "to_batches"):
        return source.to_batches()
    if hasattr(source, "to_struct_array"):
        # A single batch must be in a list: iterating over a batch yields its columns.
        return [source]
    if hasattr(source, "read_next_batch"):
        return source
    if hasattr(source, "__arrow_c_stream__"):
        return _stream_of(source)
    return None


def _stream_of(frame: Any) -> Any:
    pa = importlib.import_module("pyarrow")
    try:
        return pa.RecordBatchReader.from_stream(frame)
    except (pa.ArrowException, ValueError, TypeError) as error:
        # Pandas may have maps or mixed types as Python objects, or several columns of one name.
        raise InvalidValue(
            "",
            f"the frame has no form in Arrow: {error}; "
            "pandas.ArrowDtype keeps Arrow's types: table.to_pandas(types_mapper=pandas.ArrowDtype)",
        ) from None


def _batches(
    pa: Any, schema: Any, binding: Binding, records: Iterable[Any], batch_size: int
) -> Iterator[Any]:
    root = binding.root
    converters = [
        (attribute, field_writer(binding, field.node, FORMAT, field.name, (root.name,)))
        for field, attribute in zip(root.fields, binding.attributes[root.name], strict=True)
    ]
    pending = iter(records)
    while chunk := list(itertools.islice(pending, batch_size)):
        accepted = [accept(binding, root, record, "") for record in chunk]
        arrays = [
            pa.array(_column(accepted, attribute, convert), type=field.type)
            for field, (attribute, convert) in zip(schema, converters, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _column(records: list[Any], attribute: str, convert: Convert | None) -> list[Any]:
    values = [getattr(record, attribute) for record in records]
    return values if convert is None else [convert(value) for value in values]


def _viewed(column: Any, type_: Any) -> Any:
    """The column, with the names within its type replaced."""
    return column if column.type.equals(type_) else column.view(type_)


def _values(column: Any, field: Any, first: int) -> list[Any]:
    try:
        return _decoded(column, field)
    except (ValueError, OverflowError) as error:
        # A date outside Python's years.
        for row in range(len(column)):
            try:
                _decoded(column.slice(row, 1), field)
            except (ValueError, OverflowError) as found:
                raise located(f"row {first + row}", InvalidValue(field.name, str(found))) from None
        raise InvalidValue(field.name, str(error)) from None


def _decoded(column: Any, field: Any) -> list[Any]:
    counted = column if column.type.equals(field.type) else column.cast(field.type)
    values: list[Any] = counted.to_pylist()
    return values


def _type(pa: Any, node: Node, path: str, above: tuple[str, ...]) -> Any:
    match node.kind:
        case "record":
            above = FORMAT.within(node, path, above)
            return pa.struct([
                pa.field(
                    field.column,
                    _type(pa, field.node, join_path(path, field.name), above),
                    is_nullable(field.node),
                )
                for field in node.fields
            ])  # fmt: skip
        case "array" if node.map_form == "dict":
            keys, values = key_and_value(node)
            key_path, value_path = entry_paths(path)
            key, value = _type(pa, keys, key_path, above), _type(pa, values, value_path, above)
            return pa.map_(key, pa.field("value", value, is_nullable(values)))
        case "array":
            item = _type(pa, node.items, f"{path}[]", above)
            return pa.list_(pa.field("item", item, is_nullable(node.items)))
        case "map":
            value = _type(pa, node.items, f"{path}[]", above)
            return pa.map_(pa.string(), pa.field("value", value, is_nullable(node.items)))
        case "union":
            return _type(pa, column_type(node), path, above)
    if FORMAT.leaf(node, path).logical == "decimal":
        fits = node.precision <= _DIGITS_IN_16_BYTES
        return (pa.decimal128 if fits else pa.decimal256)(node.precision, node.scale)
    if node.kind == "fixed":
        return pa.binary(node.size)
    name, *arguments = _TYPES[node.kind, node.logical]
    return getattr(pa, name)(*arguments)


def _holds(node: Node) -> bool:
    if node.logical == "decimal":
        return node.precision <= _MAX_DIGITS
    if node.kind == "fixed":
        return node.logical in {"", "uuid"}
    return (node.kind, node.logical) in _TYPES


def _read_leaf(node: Node, path: str, times: Mapping[str, Convert]) -> Convert | None:
    if path in times:
        return times[path]
    match node.kind, node.logical:
        case "fixed", "uuid":
            return lambda value: scalars.uuid_from_bytes(scalars.fixed_of(value, 16))
        case _, ("timestamp-millis" | "timestamp-micros"):
            return _instant
        case _:
            return None


def _instant(value: Any) -> Any:
    moment = plain_of(value)
    if isinstance(moment, dt.datetime) and moment.tzinfo is not None:
        return moment.astimezone(dt.UTC)
    return moment


def _plain_zero(value: decimal.Decimal) -> decimal.Decimal:
    # PyArrow refuses a zero with a large exponent.
    return value if value or -_MAX_DIGITS <= value.adjusted() <= 0 else _ZERO


_ZERO: Final = decimal.Decimal()
_WRITTEN: Final[Mapping[tuple[str, str], Callable[[Any], Any]]] = {
    ("bytes", "decimal"): _plain_zero,
    ("fixed", "decimal"): _plain_zero,
    ("enum", ""): lambda value: value.value,
    ("fixed", ""): bytes,
    # PyArrow refuses the smallest timedeltas that fit into 64 bits.
    ("long", "day-time-interval-micros"): scalars.interval_micros_of,
    ("string", "uuid"): str,
    ("fixed", "uuid"): scalars.uuid_bytes_of,
}


def _pairs(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        return value.items()
    if not isinstance(value, list):
        raise InvalidValue("", f"expected a map, got {short_repr(value)}")
    return map(entry_pair, value)


def _dict_of(names: tuple[str, ...]) -> Callable[[list[Any]], Any]:
    return lambda values: dict(zip(names, values, strict=True))


def _format(times: Mapping[str, Convert]) -> Format:
    """The format whose ``times`` read integer counts; they are keyed by the path of the field."""
    return Format(
        "Arrow", NotInArrow, _holds, lambda node, path: _read_leaf(node, path, times),
        lambda node: _WRITTEN.get((node.kind, node.logical)), _pairs, list, _dict_of,
    )  # fmt: skip


FORMAT: Final = _format({})
