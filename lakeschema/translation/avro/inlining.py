"""Replaces references in a relation's fields by their types, so that each field is complete."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from lakeschema.avro.model import (
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
from lakeschema.translation.model.errors import TooLarge

MAX_PARTS = 200_000
"""The maximum number of parts: a record that refers twice to the next doubles the size each time."""


def inline_fields(record: Record, known: Mapping[str, NamedSchema]) -> tuple[Field, ...]:
    """The record's fields; recursive references stay. ``known`` are the record's named types."""
    inliner = _Inliner(known)
    return tuple(map(inliner.field, record.fields))


class _Inliner:
    def __init__(self, known: Mapping[str, NamedSchema]) -> None:
        self._known = known
        self._open: set[str] = set()
        self._parts = 0

    def field(self, field: Field) -> Field:
        if isinstance(field.type, Primitive):
            return field
        type_ = self.type(field.type)
        return field if type_ is field.type else replace(field, type=type_)

    def type(self, schema: Schema) -> Schema:
        """The type without references.

        It is the same object if the type has no references, which is usual.
        """
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise TooLarge(f"a schema unfolds to more than {MAX_PARTS:,} parts")
        match schema:
            case Primitive() | EnumSchema() | Fixed():
                return schema
            case Array(items):
                inner = self.type(items)
                return schema if inner is items else replace(schema, items=inner)
            case MapSchema(values):
                inner = self.type(values)
                return schema if inner is values else replace(schema, values=inner)
            case Union(branches):
                each = tuple(map(self.type, branches))
                same = all(map(operator.is_, each, branches))
                return schema if same else Union(each)
            case Reference(name):
                return schema if name in self._open else self.type(self._known[name])
            case Record():
                return self._record(schema)
            case _:
                assert_never(schema)

    def _record(self, record: Record) -> Schema:
        self._open.add(record.full_name)
        fields = tuple(map(self.field, record.fields))
        self._open.discard(record.full_name)
        same = all(map(operator.is_, fields, record.fields))
        return record if same else replace(record, fields=fields)
