"""Merges Hive's columns and an Avro schema of the same table into one schema.

Hive decides which columns exist, their order and their types. Avro decides letter case, nullability
and the place of null, doc, defaults, properties, aliases, order and names of types. Fields are
matched regardless of case; fields that only Avro has are dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from lakeschema.avro.defaults import Defaults
from lakeschema.avro.definitions import definitions as definitions_of
from lakeschema.avro.key_value_maps import PROPERTIES, key_and_value
from lakeschema.avro.legal_names import legal_name
from lakeschema.avro.logical_types import most_digits
from lakeschema.avro.model import (
    NO_DEFAULT,
    NO_PROPERTIES,
    NULL,
    Array,
    EnumSchema,
    Field,
    Fixed,
    Json,
    LogicalType,
    MapSchema,
    NamedSchema,
    NoDefault,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
    full_name,
    is_nullable,
    nullable,
    without_null,
)
from lakeschema.avro.parsing import MAX_DEPTH, branch_kind
from lakeschema.catalog.column_types import (
    BINARY,
    TIMESTAMP,
    TIMESTAMP_LOCAL,
    TIMESTAMP_NTZ,
    ArrayType,
    ColumnType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    Uniontype,
)
from lakeschema.translation.avro.column_types import column_type_of
from lakeschema.translation.avro.types import (
    avro_fields,
    avro_type,
    documentation,
    entry_of,
    is_text,
    require_distinct_branches,
    require_distinct_names,
)
from lakeschema.translation.model.errors import UnsupportedType
from lakeschema.translation.model.interface import Options

_TIMESTAMPS = (TIMESTAMP, TIMESTAMP_NTZ, TIMESTAMP_LOCAL)
_LOGICAL_ATTRIBUTES = ("logicalType", "precision", "scale")


def merge(columns: tuple[StructField, ...], literal: Record, options: Options) -> Record:
    """The table's record: one field for each column, in order.

    Raises:
        UnsupportedType: a column has a type that Avro cannot express.
    """
    merger = _Merger(definitions_of(literal), options)
    return replace(literal, fields=merger.root(columns, literal))


class _Merger:
    """Merges types. ``_given`` has the literal's named types, ``_made`` the named types of the result."""

    def __init__(self, given: Mapping[str, NamedSchema], options: Options) -> None:
        self._given = given
        self._options = options
        self._made: dict[str, NamedSchema] = {}
        self._sources: dict[str, tuple[str, ColumnType]] = {}

    def root(self, columns: tuple[StructField, ...], literal: Record) -> tuple[Field, ...]:
        self._sources[literal.full_name] = (literal.full_name, StructType(columns))
        return self._fields(columns, literal, "", literal.full_name, 0)

    def _fields(
        self,
        fields: tuple[StructField, ...],
        partner: Record,
        subject: str,
        parent: str,
        depth: int,
    ) -> tuple[Field, ...]:
        partners = {field.name.lower(): field for field in partner.fields}
        merged = []
        for field in fields:
            path = f"{subject}.{field.name}" if subject else field.name
            found = partners.get(field.name.lower()) or (
                partners.get(legal_name(field.name).lower()) if field.name else None
            )
            merged.append(self._field(field, found, path, parent, depth))
        require_distinct_names(tuple(field.name for field in merged), subject)
        return tuple(merged)

    def _field(
        self, field: StructField, partner: Field | None, path: str, parent: str, depth: int
    ) -> Field:
        if partner is None:
            return self._hive_only(replace(field, nullable=True), path, parent)
        schema = self._type(field.type, partner.type, path, parent, depth)
        default = partner.default
        if not isinstance(default, NoDefault) and not Defaults(self._made).fits_field(
            default, schema
        ):
            default = None if is_nullable(schema) else NO_DEFAULT
        return replace(
            partner, type=schema, default=default, doc=partner.doc or documentation(field.comment)
        )

    def _hive_only(self, field: StructField, path: str, parent: str) -> Field:
        subject = path.rpartition(".")[0]
        for namespace in _attempts(parent):
            (derived,) = avro_fields(
                (field,), subject=subject, namespace=namespace, options=self._options
            )
            if self._take(derived.type):
                return derived
        raise AssertionError

    def _derive(self, type_: ColumnType, path: str, parent: str) -> Schema:
        """Makes the schema of a type from the column alone, without the literal."""
        for namespace in _attempts(parent):
            name = path.rpartition(".")[2]
            try:
                schema = avro_type(type_, name=name, namespace=namespace, options=self._options)
            except UnsupportedType as error:
                raise UnsupportedType(f"column {path}", error.type_text, error.reason) from None
            if self._take(schema):
                return schema
        raise AssertionError

    def _take(self, schema: Schema) -> bool:
        """Reserves the names in a derived schema. If a name is taken, reserves none and returns False."""
        new = definitions_of(schema)
        if any(name in self._given or name in self._made for name in new):
            return False
        self._made.update(new)
        return True

    def _type(
        self, type_: ColumnType, partner: Schema, path: str, parent: str, depth: int
    ) -> Schema:
        if depth > MAX_DEPTH:
            raise UnsupportedType(
                f"column {path}", "nested", f"at most {MAX_DEPTH} levels are supported"
            )
        if isinstance(partner, Reference):
            return self._type(type_, self._given[partner.full_name], path, parent, depth)
        if is_nullable(partner):
            inner = self._branches(type_, without_null(partner), path, parent, depth)
            return _with_null_as_in(inner, partner)
        return self._branches(type_, partner, path, parent, depth)

    def _branches(
        self, type_: ColumnType, partner: Schema, path: str, parent: str, depth: int
    ) -> Schema:
        """The schema of a type without null; ``partner`` is the literal's schema without null."""
        match type_, partner:
            case Uniontype(types), Union(schemas) if len(types) == len(schemas):
                merged = tuple(
                    self._type(branch, schema, path, parent, depth + 1)
                    for branch, schema in zip(types, schemas, strict=True)
                )
                require_distinct_branches(type_, merged, path)
                return Union(merged)
            case Uniontype((only,)), _:
                return self._type(only, partner, path, parent, depth)
            case _, Union(schemas):
                derived = self._derived_kind(type_, path)
                for schema in schemas:
                    if self._kind(schema) == derived:
                        return self._type(type_, schema, path, parent, depth)
                return self._derive(type_, path, parent)
            case _, Reference(name):
                return self._branches(type_, self._given[name], path, parent, depth)
            case ArrayType(element), Array(items):
                merged_items = self._type(element, items, path, parent, depth + 1)
                return replace(partner, items=merged_items)
            case MapType(key, value), MapSchema(values) if is_text(key):
                return replace(partner, values=self._type(value, values, path, parent, depth + 1))
            case MapType(key), Array(items) if not is_text(key) and self._is_entry(items):
                merged_items = self._type(entry_of(type_), items, path, parent, depth + 1)
                return replace(partner, items=merged_items, properties=_as_map(partner.properties))
            case StructType(), Record():
                return self._record(type_, partner, path, depth)
            case ((StructType() | ArrayType() | MapType() | Uniontype()), _):
                return self._derive(type_, path, parent)
            case _:
                return self._scalar(type_, partner, path, parent)

    def _is_entry(self, items: Schema) -> bool:
        entry = self._given[items.full_name] if isinstance(items, Reference) else items
        return isinstance(entry, Record) and key_and_value(entry) is not None

    def _derived_kind(self, type_: ColumnType, path: str) -> str:
        schema = avro_type(type_, name=path.rpartition(".")[2], namespace="", options=self._options)
        return "record" if isinstance(schema, Record) else branch_kind(schema)

    def _kind(self, schema: Schema) -> str:
        match schema:
            case Reference(name):
                return self._kind(self._given[name])
            case Record():
                return "record"
            case EnumSchema():
                return "string"
            case Fixed():
                return "bytes"
            case _:
                return branch_kind(schema)

    def _record(self, type_: StructType, partner: Record, path: str, depth: int) -> Schema:
        """The struct as the partner's record; it is renamed if a different record has the name."""
        source = (partner.full_name, type_)
        for name in _attempts(partner.name):
            full = full_name(name, partner.namespace)
            if self._sources.get(full) == source and full in self._made:
                return Reference(full)
            if (
                full not in self._sources
                and full not in self._made
                and (name == partner.name or full not in self._given)
            ):
                break
        self._sources[full] = source
        fields = self._fields(type_.fields, partner, path, full, depth + 1)
        record = replace(partner, name=name, fields=fields)
        self._made[full] = record
        return record

    def _scalar(self, type_: ColumnType, partner: Schema, path: str, parent: str) -> Schema:
        match type_, partner:
            case _, EnumSchema() if is_text(type_):
                return self._define(partner)
            case _, Primitive("string") if is_text(type_):
                return partner
            case DecimalType(precision, scale), Fixed(size=size) if precision <= most_digits(size):
                return self._define(_as_decimal(partner, precision, scale))
            case _, Fixed(logical=LogicalType("decimal")) if type_ == BINARY:
                return self._define(replace(partner, logical=None))
            case _, Fixed() if type_ == BINARY:
                return self._define(partner)
            case _, Primitive("long", LogicalType(logical)) if (
                type_ in _TIMESTAMPS and "timestamp-" in logical
            ):
                return partner
            case _:
                derived = self._derive(type_, path, parent)
                if not isinstance(derived, Primitive) or not isinstance(partner, Primitive):
                    return derived
                return _refine(derived, partner, type_)

    def _define(self, schema: EnumSchema | Fixed) -> Schema:
        """Defines an enum or fixed at its first place; renames it if another type has its name."""
        for name in _attempts(schema.name):
            named = replace(schema, name=name)
            known = self._made.get(named.full_name)
            if known == named:
                return Reference(named.full_name)
            if known is None and (name == schema.name or named.full_name not in self._given):
                break
        self._made[named.full_name] = named
        return named


def _attempts(name: str) -> tuple[str, ...]:
    """The name, and further names to use if it is taken."""
    return (name, *(f"{name}_{number}" for number in range(2, 10_000)))


def _as_map(properties: Mapping[str, Json]) -> Mapping[str, Json]:
    return MappingProxyType({**properties, **PROPERTIES})


def _with_null_as_in(schema: Schema, partner: Schema) -> Schema:
    """The schema with null where the partner has it: first, last, or between branches."""
    if is_nullable(schema) or not isinstance(partner, Union):
        return nullable(schema)
    place = next(i for i, branch in enumerate(partner.branches) if is_nullable(branch))
    if isinstance(schema, Union):
        return Union((*schema.branches[:place], NULL, *schema.branches[place:]))
    return Union((NULL, schema) if place == 0 else (schema, NULL))


def _refine(derived: Primitive, partner: Primitive, type_: ColumnType) -> Schema:
    """The partner if Hive reads it as the column's type; else Hive's type with the partner's properties.

    The partner may have a logical type that Hive does not know (uuid, timestamp-micros). It may not
    have one that Hive reads as another type than the column's (date on an int column).
    """
    if partner.name == derived.name and _hive_reads(partner) == type_:
        return partner
    return replace(derived, properties=_without_logical(partner.properties))


def _hive_reads(schema: Schema) -> ColumnType | None:
    try:
        return column_type_of(schema)
    except UnsupportedType:
        return None


def _as_decimal(fixed: Fixed, precision: int, scale: int) -> Fixed:
    return replace(
        fixed,
        logical=LogicalType("decimal", precision, scale),
        properties=_without_logical(fixed.properties),
    )


def _without_logical(properties: Mapping[str, Json]) -> Mapping[str, Json]:
    rest = {key: value for key, value in properties.items() if key not in _LOGICAL_ATTRIBUTES}
    return MappingProxyType(rest) if rest else NO_PROPERTIES
