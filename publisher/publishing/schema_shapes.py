"""Finds the kinds of parts in a schema for which generated code may differ. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from lakeschema.avro.model import (
    Array,
    EnumSchema,
    Field,
    Fixed,
    LogicalType,
    MapSchema,
    NoDefault,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
)


def shapes_of(schema: Record) -> frozenset[str]:
    """Texts for the kinds of parts in a schema, such as ``record of 8>int``.

    They show which kind of type contains which other kind, which fields have defaults, and the width of
    records.

    There are only a few hundred texts, because each has a pair of kinds, not a path.
    """
    found: set[str] = set()
    waiting: list[tuple[str, Schema]] = [("", schema)]
    while waiting:
        within, each = waiting.pop()
        kind = _kind(each)
        found.add(f"{within}>{kind}")
        waiting += ((f"{kind}{part}", inner) for part, inner in _parts(each))
    return frozenset(found)


def _kind(schema: Schema) -> str:
    match schema:
        case Primitive(name, logical):
            return f"{name}{_logical(logical)}"
        case Fixed():
            return f"fixed{_logical(schema.logical)}"
        case Record():
            # The code of wide records differs from the code of narrow records.
            return f"record of {1 << len(schema.fields).bit_length()}"
        case EnumSchema() | Array() | MapSchema() | Union() | Reference():
            return type(schema).__name__
        case other:
            assert_never(other)


def _logical(logical: LogicalType | None) -> str:
    return "" if logical is None else f":{logical.name}"


def _parts(schema: Schema) -> Iterator[tuple[str, Schema]]:
    match schema:
        case Record():
            yield from ((_given(field), field.type) for field in schema.fields)
        case Array(items):
            yield "", items
        case MapSchema(values):
            yield "", values
        case Union(branches):
            yield from (("", branch) for branch in branches)
        case _:
            pass


def _given(field: Field) -> str:
    if isinstance(field.default, NoDefault):
        return ""
    return "=null" if field.default is None else "=value"
