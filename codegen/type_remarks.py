"""Remarks for editors: facts of a schema that Python types lack, such as ``decimal(12,2)``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from types import MappingProxyType
from typing import Final

from lakeschema.avro.key_value_maps import map_parts
from lakeschema.avro.model import (
    Array,
    Fixed,
    LogicalType,
    Primitive,
    Reference,
    Schema,
    Union,
)

_REMARKS: Final[Mapping[tuple[str, str], str]] = MappingProxyType({
    ("int", "byte"): "tinyint",
    ("int", "short"): "smallint",
    ("int", "time-millis"): "time (milliseconds)",
    ("long", "time-micros"): "time (microseconds)",
    ("long", "timestamp-millis"): "timestamp (UTC, milliseconds)",
    ("long", "timestamp-micros"): "timestamp (UTC, microseconds)",
    ("long", "timestamp-nanos"): "timestamp (UTC, nanoseconds since 1970)",
    ("long", "local-timestamp-millis"): "timestamp (no time zone, milliseconds)",
    ("long", "local-timestamp-micros"): "timestamp (no time zone, microseconds)",
    ("long", "local-timestamp-nanos"): "timestamp (no time zone, nanoseconds since 1970)",
    ("long", "day-time-interval-micros"): "interval (microseconds)",
    ("int", "year-month-interval"): "interval (months)",
})  # fmt: skip


def type_remark(schema: Schema, fixeds: Mapping[str, Fixed]) -> str | None:
    """The remark on a value, or on the content of an array, a map or a union; None without one.

    ``fixeds`` has the fixed types that the schema may refer to, by full name.
    """
    return " or ".join(dict.fromkeys(_remarks(schema, fixeds))) or None


def _remarks(schema: Schema, fixeds: Mapping[str, Fixed]) -> Iterator[str]:
    parts = map_parts(schema)
    match schema:
        case Primitive(name, LogicalType(logical)) if (name, logical) in _REMARKS:
            yield _REMARKS[name, logical]
        case (
            Primitive("bytes", LogicalType("decimal", precision, scale))
            | Fixed(logical=LogicalType("decimal", precision, scale))
        ):
            yield f"decimal({precision},{scale})"
        case Reference(full_name) if full_name in fixeds:
            yield from _remarks(fixeds[full_name], fixeds)
        case Union(branches):
            for branch in branches:
                yield from _remarks(branch, fixeds)
        case _ if parts is not None:
            each = (
                _within(label, part, fixeds)
                for label, part in zip(("keys", "values"), parts, strict=True)
            )
            if text := ", ".join(chain.from_iterable(each)):
                yield text
        case Array(items):
            yield from _within("items", items, fixeds)
        case _:
            pass


def _within(label: str, part: Schema, fixeds: Mapping[str, Fixed]) -> Iterator[str]:
    remark = type_remark(part, fixeds)
    if remark is not None:
        yield f"{label}: {remark}"
