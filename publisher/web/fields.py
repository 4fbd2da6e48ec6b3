"""A schema as the rows of a table for people: every field at every depth, by its path.

Paths are those of the changelog: ``address.unit``, ``items[]``, ``tags{}``, ``choice<boolean>``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import assert_never

from codegen.naming import attribute_name
from lakeschema.avro.definitions import definitions
from lakeschema.avro.model import (
    Array,
    EnumSchema,
    Field,
    Fixed,
    LogicalType,
    MapSchema,
    NamedSchema,
    NoDefault,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
    is_nullable,
)
from lakeschema.avro.parsing import branch_kind


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field.

    Attributes:
        attribute: what it is called in Python, where that is not its own name.
        symbols: of the enums in its type, those that no row before it has shown.
        default: as JSON; None if there is none.
        fields_at: the path under which the fields of its record type stand, if not below it.
    """

    path: str
    depth: int
    type: str
    required: bool
    default: str | None = None
    documentation: str = ""
    attribute: str = ""
    symbols: tuple[str, ...] = ()
    fields_at: str | None = None


def field_rows(record: Record) -> tuple[FieldRow, ...]:
    """The rows in document order, a record's own fields below the field that holds it."""
    return tuple(_Walk(definitions(record)).fields(record, "", 0))


class _Walk:
    """``_shown`` tells where the insides of each named type stand, so that recursion ends."""

    def __init__(self, known: Mapping[str, NamedSchema]) -> None:
        self._known = known
        self._shown: dict[str, str] = {}

    def fields(self, record: Record, path: str, depth: int) -> Iterator[FieldRow]:
        self._shown[record.full_name] = path
        for field in record.fields:
            where = f"{path}.{field.name}" if path else field.name
            yield from self._field(field, where, depth)

    def _field(self, field: Field, where: str, depth: int) -> Iterator[FieldRow]:
        inside = [(place, self._resolved(part)) for place, part in _named(field.type, where)]
        enums = [enum for _, enum in inside if isinstance(enum, EnumSchema)]
        records = [(place, record) for place, record in inside if isinstance(record, Record)]
        seen = [self._shown[r.full_name] for _, r in records if r.full_name in self._shown]
        attribute = attribute_name(field.name)
        yield FieldRow(
            path=where,
            depth=depth,
            type=type_words(field.type),
            required=not is_nullable(field.type),
            default=None if isinstance(field.default, NoDefault) else _json(field.default),
            documentation=field.doc or _doc_of(self._resolved(field.type)),
            attribute=attribute if attribute != field.name else "",
            symbols=tuple(s for enum in enums for s in self._new_symbols(enum, where)),
            fields_at=seen[0] if seen else None,
        )
        for place, record in records:
            if record.full_name not in self._shown:
                yield from self.fields(record, place, depth + 1)

    def _resolved(self, schema: Schema) -> Schema:
        return self._known[schema.full_name] if isinstance(schema, Reference) else schema

    def _new_symbols(self, enum: EnumSchema, where: str) -> tuple[str, ...]:
        if enum.full_name in self._shown:
            return ()
        self._shown[enum.full_name] = where
        return enum.symbols


def type_words(schema: Schema) -> str:
    """A type in words; that a field itself may be null is told apart."""
    match schema:
        case Primitive(name, logical):
            return name if logical is None else f"{_logical_words(logical)} ({name})"
        case Reference(name):
            return name.rpartition(".")[2]
        case Array(items):
            return f"array of {_part_words(items)}"
        case MapSchema(values):
            return f"map of {_part_words(values)}"
        case Record() | EnumSchema():
            return schema.name
        case Fixed(name=name, logical=logical):
            inner = f"{name}, {schema.size} bytes"
            return inner if logical is None else f"{_logical_words(logical)} ({inner})"
        case Union(branches):
            words = [type_words(branch) for branch in branches if not is_nullable(branch)]
            return " or ".join(words) or "null"
        case _:
            assert_never(schema)


def _part_words(schema: Schema) -> str:
    words = type_words(schema)
    return f"({words} or null)" if is_nullable(schema) and words != "null" else words


def _logical_words(logical: LogicalType) -> str:
    if logical.precision is None:
        return logical.name
    return f"{logical.name}({logical.precision},{logical.scale})"


def _named(schema: Schema, path: str) -> Iterator[tuple[str, Schema]]:
    """The named types that a field holds directly or through arrays, maps and unions."""
    match schema:
        case Array(items):
            yield from _named(items, f"{path}[]")
        case MapSchema(values):
            yield from _named(values, f"{path}{{}}")
        case Union(branches):
            one = sum(not is_nullable(branch) for branch in branches) == 1
            for branch in branches:
                yield from _named(branch, path if one else f"{path}<{branch_kind(branch)}>")
        case Record() | EnumSchema() | Reference():
            yield path, schema
        case Primitive() | Fixed():
            pass
        case _:
            assert_never(schema)


def _doc_of(schema: Schema) -> str:
    match schema:
        case Record(doc=doc) | EnumSchema(doc=doc) | Fixed(doc=doc):
            return doc or ""
        case _:
            return ""


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
