"""Adds Iceberg's facts about a table's fields to the table's Avro record.

Data written before a field was renamed or added must stay readable: former names of nested fields
become aliases, and initial defaults become Avro's defaults. Ids, identifier fields, the partition
spec and the sort order become properties of the record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType

from lakeschema.avro.errors import MalformedAvroSchema
from lakeschema.avro.json_text import read_json
from lakeschema.avro.key_value_maps import key_and_value
from lakeschema.avro.legal_names import legal_name
from lakeschema.avro.model import (
    NULL,
    Array,
    Field,
    Json,
    MapSchema,
    Record,
    Schema,
    Union,
    full_name,
    is_nullable,
    without_null,
)
from lakeschema.catalog.column_types import ArrayType, ColumnType, MapType, StructType
from lakeschema.catalog.iceberg_fields import (
    DEFAULTS,
    ELEMENT,
    FORMER_NAMES,
    INITIAL,
    KEY,
    VALUE,
    path_text,
)
from lakeschema.catalog.iceberg_metadata import DETAILS
from lakeschema.catalog.relations import Column
from lakeschema.translation.avro.iceberg_defaults import avro_default
from lakeschema.translation.avro.names import type_name

_MAX_FULL_NAMES = 64
"""The maximum number of a record's names: nested renamed structs multiply them."""


def with_iceberg_fields(
    record: Record, columns: Sequence[Column], properties: Mapping[str, str]
) -> Record:
    """The record with Iceberg's facts; the record of a table without such facts is unchanged."""
    stated = {key: _json(properties[key]) for key in DETAILS if key in properties}
    if not stated or len(columns) != len(record.fields):
        return record
    at_top: dict[str, Json] = {
        path_text((c.name,)): list(c.former_names) for c in columns if c.former_names
    }
    former_names = {**_object(stated.get(FORMER_NAMES)), **at_top}
    known = _Known(former_names, _object(stated.get(DEFAULTS)))
    if known.former_names or known.defaults:
        parts = [(column.name, column.type) for column in columns]
        place = _Place((), (record.full_name,))
        record = replace(record, fields=_fields(parts, record.fields, place, known))
    shown = {key: value for key, value in stated.items() if value is not None}
    return replace(record, properties=MappingProxyType({**record.properties, **shown}))


@dataclass(frozen=True, slots=True)
class _Known:
    """Iceberg's facts of fields, by the text of each field's path."""

    former_names: Mapping[str, Json]
    defaults: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a type in the record.

    Attributes:
        path: the path of its field.
        full_names: the full names that a record at this place has or had, the present one first.
            For an element, key or value, they are those of the field that contains it.
    """

    path: tuple[str, ...]
    full_names: tuple[str, ...]

    def part(self, name: str) -> _Place:
        """The place of an element, key or value; a record there is named after the field around it."""
        return replace(self, path=(*self.path, name))

    def field(self, name: str, names: Sequence[str]) -> _Place:
        """The place of a field of the record; ``names`` are its present and former names."""
        every = (full_name(each, owner) for owner in self.full_names for each in names)
        return _Place((*self.path, name), tuple(islice(dict.fromkeys(every), _MAX_FULL_NAMES)))


def _fields(
    parts: Sequence[tuple[str, ColumnType]], fields: tuple[Field, ...], place: _Place, known: _Known
) -> tuple[Field, ...]:
    if len(parts) != len(fields):
        return fields
    taken = {name.lower() for field in fields for name in (field.name, *field.aliases)}
    return tuple(
        _field(field, (name, type_), place, known, taken)
        for (name, type_), field in zip(parts, fields, strict=True)
    )


def _field(
    field: Field, part: tuple[str, ColumnType], parent: _Place, known: _Known, taken: set[str]
) -> Field:
    name, type_ = part
    text = path_text((*parent.path, name))
    told = known.former_names.get(text)
    names = [n for n in told if isinstance(n, str) and n] if isinstance(told, list) else []
    former = [n for n in dict.fromkeys(map(legal_name, names)) if n.lower() not in taken]
    taken.update(n.lower() for n in former)
    place = parent.field(name, [type_name(each.lower()) for each in (name, *names)])
    changed = replace(
        field, type=_type(field.type, type_, place, known), aliases=(*field.aliases, *former)
    )
    return _with_default(changed, _object(known.defaults.get(text)).get(INITIAL))


def _with_default(field: Field, initial: Json) -> Field:
    bare = without_null(field.type)
    default = None if initial is None else avro_default(initial, bare)
    if default is None:
        return field
    # A default has the type of the first branch.
    type_ = Union((bare, NULL)) if is_nullable(field.type) else field.type
    return replace(field, type=type_, default=default)


def _type(schema: Schema, type_: ColumnType, place: _Place, known: _Known) -> Schema:
    match schema, type_:
        case Union(branches), _:
            rest = (b if b == NULL else _type(b, type_, place, known) for b in branches)
            return Union(tuple(rest))
        case Record(fields=fields), StructType(parts):
            inner = [(part.name, part.type) for part in parts]
            changed = _renamed(schema, place)
            return replace(changed, fields=_fields(inner, fields, place, known))
        case Array(items), ArrayType(element):
            return replace(schema, items=_type(items, element, place.part(ELEMENT), known))
        case MapSchema(values), MapType(_, value):
            return replace(schema, values=_type(values, value, place.part(VALUE), known))
        case Array(Record() as entry), MapType(key, value):
            return replace(schema, items=_entry(entry, key, value, place, known))
        case _:
            return schema


def _renamed(record: Record, place: _Place) -> Record:
    """The record with its former full names as aliases.

    It is unchanged if its name does not follow the rule for names.
    """
    present, *former = place.full_names
    if present != record.full_name:
        return record
    return replace(record, aliases=(*record.aliases, *former))


def _entry(
    entry: Record, key: ColumnType, value: ColumnType, place: _Place, known: _Known
) -> Record:
    found = key_and_value(entry)
    if found is None:
        return entry
    at_key, at_value = place.field(KEY, [KEY]), place.field(VALUE, [VALUE])
    fields = (
        replace(found[0], type=_type(found[0].type, key, at_key, known)),
        replace(found[1], type=_type(found[1].type, value, at_value, known)),
    )
    return replace(_renamed(entry, place), fields=fields)


def _json(text: str) -> Json:
    """The JSON value of a table's property; None if the text is not JSON."""
    try:
        return read_json(text)
    except MalformedAvroSchema:
        return None


def _object(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}
