"""Converts default values in Iceberg's JSON to defaults of Avro fields.

The form is in Iceberg's specification, "JSON single-value serialization".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from lakeschema.avro.model import Json, LogicalType, Primitive, Schema

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def avro_default(value: Json, schema: Schema) -> Json:
    """The Avro default for a field; the schema is without null. None if Avro cannot express it."""
    if not isinstance(schema, Primitive):
        return None
    convert = _LOGICAL.get(schema.logical.name) if schema.logical else _PLAIN.get(schema.name)
    if convert is None:
        return None
    try:
        return convert(value, schema.logical)
    except (ValueError, TypeError, AttributeError, InvalidOperation, OverflowError):
        return None


def _of_type(*types: type) -> Callable[[Any, LogicalType | None], Json]:
    def convert(value: Any, _: LogicalType | None) -> Json:
        # In Python a bool is also an int.
        is_one = isinstance(value, types) and (bool in types or not isinstance(value, bool))
        return value if is_one else None

    return convert


def _float(value: Any, _: LogicalType | None) -> Json:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _bytes(value: Any, _: LogicalType | None) -> Json:
    return bytes.fromhex(value).decode("iso-8859-1")


def _decimal(value: Any, logical: LogicalType | None) -> Json:
    scale = (logical.scale or 0) if logical else 0
    number = int(Decimal(value).scaleb(scale))
    length = (number + (number < 0)).bit_length() // 8 + 1
    return number.to_bytes(length, "big", signed=True).decode("iso-8859-1")


def _date(value: Any, _: LogicalType | None) -> Json:
    return (date.fromisoformat(value) - _EPOCH.date()).days


def _time(value: Any, logical: LogicalType | None) -> Json:
    found = time.fromisoformat(value)
    since = timedelta(
        hours=found.hour,
        minutes=found.minute,
        seconds=found.second,
        microseconds=found.microsecond,
    )
    return _in_units(since, logical)


def _timestamp(value: Any, logical: LogicalType | None) -> Json:
    found = datetime.fromisoformat(value)
    return _in_units((found if found.tzinfo else found.replace(tzinfo=UTC)) - _EPOCH, logical)


def _in_units(since: timedelta, logical: LogicalType | None) -> Json:
    is_millis = logical is not None and logical.name.endswith("millis")
    return since // _MICROSECOND // (1000 if is_millis else 1)


_PLAIN: Mapping[str, Callable[[Any, LogicalType | None], Json]] = {
    "boolean": _of_type(bool),
    "int": _of_type(int),
    "long": _of_type(int),
    "float": _float,
    "double": _float,
    "string": _of_type(str),
    "bytes": _bytes,
}
_LOGICAL: Mapping[str, Callable[[Any, LogicalType | None], Json]] = {
    "decimal": _decimal,
    "uuid": _of_type(str),
    "date": _date,
    "time-millis": _time,
    "time-micros": _time,
    "timestamp-millis": _timestamp,
    "timestamp-micros": _timestamp,
    "local-timestamp-millis": _timestamp,
    "local-timestamp-micros": _timestamp,
}
