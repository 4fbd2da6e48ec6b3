"""Changes schemas to the form of plain Hive: names in lower case, and every part nullable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from lakeschema.avro.defaults import Defaults
from lakeschema.avro.definitions import definitions as definitions_of
from lakeschema.avro.float_defaults import is_not_finite
from lakeschema.avro.key_value_maps import is_key_value_array, key_and_value
from lakeschema.avro.model import (
    NO_DEFAULT,
    NULL,
    Array,
    EnumSchema,
    Field,
    Fixed,
    Json,
    MapSchema,
    NamedSchema,
    NoDefault,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
    is_nullable,
    nullable,
)
from lakeschema.catalog.letter_case import lower_case_columns
from lakeschema.translation.avro.names import has_case_twins
from lakeschema.translation.model.interface import Casing, Interface, Nullability, Options


def as_hive_sees(interface: Interface) -> Interface:
    """The interface of a relation that Spark made, with the lower-case names of Hive and Trino."""
    if not interface.has_capitals:
        return interface
    omitted = lower_case_columns(each.column for each in interface.omitted)
    return Interface(
        interface.name,
        lower_case_columns(interface.columns),
        lower_case_fields(interface.schema),
        tuple(
            replace(each, column=column)
            for each, column in zip(interface.omitted, omitted, strict=True)
        ),
    )


def apply_options(record: Record, options: Options) -> Record:
    """The record with the deployment's casing and nullability; names of types stay."""
    if options.casing is Casing.LOWER:
        # Data files of Spark, or of writers with the Avro schema, keep the names' letter case.
        record = lower_case_fields(record, with_aliases=True)
    if options.nullability is Nullability.ALL_NULLABLE:
        record = make_all_nullable(record)
    return record


def lower_case_fields(record: Record, *, with_aliases: bool = False) -> Record:
    """Every field's name in lower case, except in records where two names would become equal.

    ``with_aliases``: a field keeps its former name as an alias.
    """
    changed = _LowerCase(definitions_of(record), with_aliases).type(record)
    assert isinstance(changed, Record)
    return changed


def make_all_nullable(record: Record) -> Record:
    """The record with null added to every field, array element and map value.

    Null comes first and is the default. If the field already has a default, null comes last, since
    some readers only accept defaults of a union's first branch.
    """
    changed = _make_parts_nullable(record, null_last=False)
    assert isinstance(changed, Record)
    return changed


class _LowerCase:
    def __init__(self, known: Mapping[str, NamedSchema], with_aliases: bool) -> None:
        self._known = known
        self._with_aliases = with_aliases
        self._defaults = Defaults(known)

    def type(self, schema: Schema) -> Schema:
        match schema:
            case Array(items):
                return replace(schema, items=self.type(items))
            case MapSchema(values):
                return replace(schema, values=self.type(values))
            case Union(branches):
                return Union(tuple(self.type(branch) for branch in branches))
            case Record(fields=fields):
                return replace(schema, fields=tuple(self._field(f, schema) for f in fields))
            case Primitive() | EnumSchema() | Fixed() | Reference():
                return schema
            case _:
                assert_never(schema)

    def _field(self, field: Field, record: Record) -> Field:
        default = field.default
        if not isinstance(default, NoDefault):
            default = self._default(default, field.type)
        name = _lower(field.name, record)
        told = (*field.aliases, field.name) if self._with_aliases else field.aliases
        aliases = tuple(alias for alias in dict.fromkeys(told) if alias != name)
        return replace(
            field, name=name, type=self.type(field.type), default=default, aliases=aliases
        )

    def _default(self, value: Json, schema: Schema) -> Json:
        """A default value, with its field names changed in the same way as the names in its records."""
        match schema:
            case Reference(name):
                return self._default(value, self._known[name])
            case Union():
                return self._default(value, self._defaults.branch(value, schema))
            case Array(items) if isinstance(value, list):
                return [self._default(item, items) for item in value]
            case MapSchema(values) if isinstance(value, dict):
                return {key: self._default(item, values) for key, item in value.items()}
            case Record(fields=fields) if isinstance(value, dict):
                return {
                    _lower(field.name, schema): self._default(value[field.name], field.type)
                    for field in fields
                    if field.name in value
                }
            case _:
                return value


def _lower(name: str, record: Record) -> str:
    return name if has_case_twins(record) else name.lower()


def _make_parts_nullable(schema: Schema, *, null_last: bool) -> Schema:
    match schema:
        case Array(Record() as entry) if is_key_value_array(schema) and key_and_value(entry):
            # Entries and their keys are never null, like keys of an Avro map.
            key, value = entry.fields
            parts = _make_parts_nullable(key.type, null_last=null_last)
            fields = (
                replace(key, type=parts), _make_field_nullable(value, null_last=null_last),
            )  # fmt: skip
            return replace(schema, items=replace(entry, fields=fields))
        case Array(Reference()) if is_key_value_array(schema):
            return schema
        case Array(items):
            return replace(schema, items=_add_null(items, null_last=null_last))
        case MapSchema(values):
            return replace(schema, values=_add_null(values, null_last=null_last))
        case Union(branches):
            return Union(
                tuple(_make_parts_nullable(branch, null_last=null_last) for branch in branches)
            )
        case Record(fields=fields):
            return replace(
                schema, fields=tuple(_make_field_nullable(f, null_last=null_last) for f in fields)
            )
        case Primitive() | EnumSchema() | Fixed() | Reference():
            return schema
        case _:
            assert_never(schema)


def _make_field_nullable(field: Field, *, null_last: bool) -> Field:
    if is_not_finite(field.default, field.type):
        # Java accepts such a text as a default for a float, but not for a union.
        field = replace(field, default=NO_DEFAULT)
    last = null_last or (field.default is not NO_DEFAULT and field.default is not None)
    schema = _add_null(field.type, null_last=last)
    first = schema.branches[0] if isinstance(schema, Union) else schema
    if field.default is NO_DEFAULT and is_nullable(first):
        return replace(field, type=schema, default=None)
    return replace(field, type=schema)


def _add_null(schema: Schema, *, null_last: bool) -> Schema:
    inner = _make_parts_nullable(schema, null_last=null_last)
    if is_nullable(inner) or not null_last:
        return nullable(inner)
    return Union((*inner.branches, NULL)) if isinstance(inner, Union) else Union((inner, NULL))
