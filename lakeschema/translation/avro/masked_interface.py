"""Applies masks to a relation's interface, and removes columns from a schema."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from lakeschema.avro.definitions import definitions
from lakeschema.avro.model import (
    NO_DEFAULT,
    STRING,
    Array,
    EnumSchema,
    Field,
    Fixed,
    MapSchema,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
    nullable,
    without_null,
)
from lakeschema.catalog.column_types import STRING as TEXT
from lakeschema.catalog.relations import Column
from lakeschema.translation.avro.inlining import inline_fields
from lakeschema.translation.model.interface import Interface
from lakeschema.translation.policies.masks import masked_nullable, masked_type
from lakeschema.translation.policies.rules import (
    ConstantMask,
    DroppedColumn,
    HashMask,
    Mask,
    NullMask,
    PartialMask,
)


def masked_interface(interface: Interface, masks: Mapping[int, Mask]) -> Interface:
    """The interface with the types and nullability of masked columns.

    The keys of ``masks`` are places among all columns.
    """
    if not masks:
        return interface
    columns = list(interface.columns)
    fields = list(inline_fields(interface.schema, interface.definitions))
    omitted = list(interface.omitted)
    for place, known in enumerate(interface.places):
        mask = masks.get(place)
        if mask is None:
            continue
        if isinstance(known, int):
            columns[known] = _column(columns[known], mask)
            fields[known] = _field(fields[known], columns[known], mask)
        else:
            changed = replace(known, column=_column(known.column, mask))
            omitted[omitted.index(known)] = changed
    schema = replace(interface.schema, fields=_defined_once(interface.schema, fields))
    return replace(interface, columns=tuple(columns), schema=schema, omitted=tuple(omitted))


def without_columns(schema: Record, names: Collection[str]) -> Record:
    """The record without the fields of these names, in lower case."""
    if not names:
        return schema
    kept = [
        field
        for field in inline_fields(schema, definitions(schema))
        if field.name.lower() not in names
    ]
    return replace(schema, fields=_defined_once(schema, kept))


def _column(column: Column, mask: Mask) -> Column:
    type_ = masked_type(mask, column.type)
    return replace(column, type=type_, nullable=masked_nullable(mask, nullable=column.nullable))


def _field(field: Field, column: Column, mask: Mask) -> Field:
    """The field of a masked column: it keeps its documentation, and has the mask's plain type."""
    match mask:
        case NullMask() | DroppedColumn():
            return replace(field, type=nullable(without_null(field.type)), default=None)
        case ConstantMask() if column.type != TEXT:
            return replace(field, type=without_null(field.type), default=NO_DEFAULT)
        case ConstantMask() | HashMask() | PartialMask():
            type_ = nullable(STRING) if column.nullable else STRING
            return replace(field, type=type_, default=None if column.nullable else NO_DEFAULT)
        case _:
            assert_never(mask)


def _defined_once(record: Record, fields: Sequence[Field]) -> tuple[Field, ...]:
    """Makes complete fields parts of one record, which defines each type at its first use."""
    seen = {record.full_name}
    return tuple(replace(field, type=_once(field.type, seen)) for field in fields)


def _once(schema: Schema, seen: set[str]) -> Schema:
    match schema:
        case Primitive() | Reference():
            return schema
        case Array(items):
            return replace(schema, items=_once(items, seen))
        case MapSchema(values):
            return replace(schema, values=_once(values, seen))
        case Union(branches):
            return Union(tuple(_once(branch, seen) for branch in branches))
        case Record() | EnumSchema() | Fixed():
            if schema.full_name in seen:
                return Reference(schema.full_name)
            seen.add(schema.full_name)
            if not isinstance(schema, Record):
                return schema
            fields = tuple(replace(f, type=_once(f.type, seen)) for f in schema.fields)
            return replace(schema, fields=fields)
        case _:
            assert_never(schema)
