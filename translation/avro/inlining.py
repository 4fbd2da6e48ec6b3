"""A relation's fields, each whole in itself: references replaced by what they refer to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from avro_schema.definitions import definitions as definitions_of
from avro_schema.model import (
    Array,
    EnumSchema,
    Field,
    Fixed,
    MapSchema,
    NamedSchema,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
)
from translation.errors import TooLarge

MAX_PARTS = 200_000
"""Types that refer to one another twice at each level double in size with each level."""


def inlined_fields(record: Record) -> tuple[Field, ...]:
    """The record's fields; a recursive type keeps the reference that closes its circle."""
    inliner = _Inliner(definitions_of(record))
    return tuple(replace(field, type=inliner.type(field.type)) for field in record.fields)


class _Inliner:
    def __init__(self, known: Mapping[str, NamedSchema]) -> None:
        self._known = known
        self._open: set[str] = set()
        self._parts = 0

    def type(self, schema: Schema) -> Schema:
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise TooLarge(f"a schema unfolds to more than {MAX_PARTS:,} parts")
        match schema:
            case Primitive() | EnumSchema() | Fixed():
                return schema
            case Array(items):
                return replace(schema, items=self.type(items))
            case MapSchema(values):
                return replace(schema, values=self.type(values))
            case Union(branches):
                return Union(tuple(self.type(branch) for branch in branches))
            case Reference(name):
                return schema if name in self._open else self.type(self._known[name])
            case Record():
                return self._record(schema)
            case _:
                assert_never(schema)

    def _record(self, record: Record) -> Schema:
        self._open.add(record.full_name)
        fields = tuple(replace(f, type=self.type(f.type)) for f in record.fields)
        self._open.discard(record.full_name)
        return replace(record, fields=fields)
