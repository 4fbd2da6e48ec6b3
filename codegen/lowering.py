"""Decides the shape of a schema's package: which class, or which part of a class, each type becomes."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import lru_cache
from typing import assert_never

from codegen.errors import UnfitSchema
from codegen.key_value_maps import dict_entries
from codegen.naming import TypeNamer, member_name
from codegen.original_names import field_attribute
from codegen.shapes import (
    Attribute,
    DecimalShape,
    DictShape,
    EntriesShape,
    EnumClass,
    EnumReference,
    FixedClass,
    FixedReference,
    ListShape,
    PackageShape,
    RecordClass,
    RecordReference,
    Scalar,
    Shape,
    UnionShape,
)
from codegen.type_remarks import type_remark
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
from lakeschema.avro.omissions import omissions_of

MAX_DIGITS = 1000
"""The largest precision of a decimal. With more digits, arithmetic on untrusted input takes too long."""

_PRIMITIVES = {
    "null": Scalar.NULL,
    "boolean": Scalar.BOOLEAN,
    "int": Scalar.INT,
    "long": Scalar.LONG,
    "float": Scalar.FLOAT,
    "double": Scalar.DOUBLE,
    "bytes": Scalar.BYTES,
    "string": Scalar.STRING,
}

# The shapes by Avro type and logical type. Values of other logical types, such as nanoseconds, stay
# values of the Avro type.
_LOGICAL = {
    ("int", "date"): Scalar.DATE,
    ("int", "time-millis"): Scalar.TIME_MILLIS,
    ("long", "time-micros"): Scalar.TIME_MICROS,
    ("long", "timestamp-millis"): Scalar.TIMESTAMP_MILLIS,
    ("long", "timestamp-micros"): Scalar.TIMESTAMP_MICROS,
    ("long", "local-timestamp-millis"): Scalar.LOCAL_MILLIS,
    ("long", "local-timestamp-micros"): Scalar.LOCAL_MICROS,
    ("long", "day-time-interval-micros"): Scalar.INTERVAL_MICROS,
    ("string", "uuid"): Scalar.UUID_TEXT,
}


@dataclass(frozen=True, slots=True)
class NamingRules:
    """The current or former rules for naming types, fields and symbols."""

    class_names: Callable[[Record], Callable[[str], str]]
    attribute_name: Callable[[Field], str]
    member_name: Callable[[str], str] = member_name


CURRENT = NamingRules(lambda root: TypeNamer.of(root).class_name, field_attribute)


def lower(schema: Record, rules: NamingRules = CURRENT) -> PackageShape:
    """Decides the classes of a schema's package.

    Raises:
        UnfitSchema: two names become equal in Python, or a type cannot be represented there.
    """
    entries = dict_entries(schema)
    lowerer = _Lowerer(rules, rules.class_names(schema), entries)
    lowerer.shape(schema)
    shape = lowerer.package()
    _check_distinct(shape)
    return shape


MAX_UNION_TYPES = 2_000
"""The limit of a union's types. The code for a union is a chain of conditions, and compilers nest each
condition in the previous condition."""


class _Lowerer:
    def __init__(
        self,
        rules: NamingRules,
        class_name: Callable[[str], str],
        entries: Collection[str],
    ) -> None:
        self._entries = entries
        self._class_name = class_name
        self._attribute_name = rules.attribute_name
        self._member_name = rules.member_name
        self._named: dict[str, Shape] = {}
        # Keys are added in document order; a record's value is set once its fields are known.
        self._records: dict[str, RecordClass | None] = {}
        self._enums: list[EnumClass] = []
        self._fixeds: list[FixedClass] = []
        self._fixed_schemas: dict[str, Fixed] = {}

    def package(self) -> PackageShape:
        records = tuple(record for record in self._records.values() if record is not None)
        return PackageShape(records, tuple(self._enums), tuple(self._fixeds))

    def shape(self, schema: Schema) -> Shape:
        match schema:
            case Primitive(name, logical):
                return _primitive(name, logical)
            case Array(Record() | Reference() as items) if items.full_name in self._entries:
                return self._dict(items)
            case Array(items):
                return _list_of(self.shape(items))
            case MapSchema(values):
                return _dict_of(self.shape(values))
            case Union(branches) if len(branches) > MAX_UNION_TYPES:
                raise UnfitSchema(
                    f"union of {len(branches)} types",
                    f"Python compiles code for at most {MAX_UNION_TYPES}",
                )
            case Union(branches):
                return _union_of(tuple([self.shape(branch) for branch in branches]))
            case Reference(full_name):
                if full_name not in self._named:
                    raise UnfitSchema(full_name, "referenced before its definition")
                return self._named[full_name]
            case Fixed():
                return self._fixed(schema)
            case EnumSchema():
                return self._enum(schema)
            case Record():
                return self._record(schema)
            case _:
                assert_never(schema)

    def _doc(self, field: Field) -> str | None:
        """The type and then the field's documentation: ``decimal(12,2). What the customer owes.``"""
        remark = type_remark(field.type, self._fixed_schemas)
        return field.doc if remark is None else f"{remark}. {field.doc}" if field.doc else remark

    def _fixed(self, schema: Fixed) -> Shape:
        if schema.full_name in self._named:
            return self._named[schema.full_name]
        self._fixed_schemas[schema.full_name] = schema
        if type(schema.size) is not int or schema.size < 0:
            raise UnfitSchema(
                schema.full_name, f"expected a size of 0 bytes or more, got {schema.size!r}"
            )
        shape = _logical_fixed(schema)
        if shape is None:
            name = self._class_name(schema.full_name)
            shape = FixedReference(name, schema.size)
            self._fixeds.append(FixedClass(schema.full_name, name, schema.doc, schema.size))
        self._named[schema.full_name] = shape
        return shape

    def _dict(self, entry: Record | Reference) -> Shape:
        """The shape of an array of entries that becomes a dict; the entries' record has no class."""
        if isinstance(entry, Record) and entry.full_name not in self._named:
            key, value = entry.fields
            default = None if isinstance(value.default, NoDefault) else json.dumps(value.default)
            shape = _entries_of(self.shape(key.type), self.shape(value.type), default)
            self._named[entry.full_name] = shape
        return self._named[entry.full_name]

    def _enum(self, schema: EnumSchema) -> Shape:
        if schema.full_name in self._named:
            return self._named[schema.full_name]
        name = self._class_name(schema.full_name)
        members = tuple((self._member_name(symbol), symbol) for symbol in schema.symbols)
        self._enums.append(EnumClass(schema.full_name, name, schema.doc, members))
        self._named[schema.full_name] = EnumReference(name)
        return self._named[schema.full_name]

    def _record(self, schema: Record) -> Shape:
        if schema.full_name in self._named:
            return self._named[schema.full_name]
        name = self._class_name(schema.full_name)
        reference = RecordReference(name)
        self._named[schema.full_name] = reference
        self._records[schema.full_name] = None
        attributes = tuple(
            [
                Attribute(
                    field.name,
                    self._attribute_name(field),
                    self.shape(field.type),
                    field.default,
                    self._doc(field),
                )
                for field in schema.fields
            ]
        )
        self._records[schema.full_name] = RecordClass(
            schema.full_name, name, schema.doc, attributes, tuple(map(str, omissions_of(schema)))
        )
        return reference


_list_of = lru_cache(10_000)(ListShape)
_dict_of = lru_cache(10_000)(DictShape)
_entries_of = lru_cache(10_000)(EntriesShape)
_union_of = lru_cache(10_000)(UnionShape)
_decimal_of = lru_cache(10_000)(DecimalShape)


def _primitive(name: str, logical: LogicalType | None) -> Shape:
    if logical is None:
        return _PRIMITIVES[name]
    if name == "bytes" and logical.name == "decimal":
        return _decimal(logical, None)
    return _LOGICAL.get((name, logical.name), _PRIMITIVES[name])


def _logical_fixed(schema: Fixed) -> Shape | None:
    if schema.logical is None:
        return None
    match schema.logical.name, schema.size:
        case "decimal", size:
            return _decimal(schema.logical, size)
        case "uuid", 16:
            return Scalar.UUID_FIXED
        case "duration", 12:
            return Scalar.DURATION
        case _:
            return None


def _decimal(logical: LogicalType, size: int | None) -> DecimalShape:
    precision = logical.precision
    # Both are checked to be integers at run time, too, since they are written into source.
    if type(precision) is not int or type(logical.scale) is not int:
        raise UnfitSchema("decimal", "expected integers as precision and scale")
    if precision > MAX_DIGITS:
        raise UnfitSchema(
            "decimal", f"precision {precision} is above the limit of {MAX_DIGITS} digits"
        )
    return _decimal_of(precision, logical.scale, size)


def _check_distinct(shape: PackageShape) -> None:
    """Checks for equal names. Two names are only equal if their hashes collide."""
    classes = [c.class_name for c in shape.classes]
    _refuse_duplicates(shape.root.full_name, classes)
    for record in shape.records:
        _refuse_duplicates(record.full_name, [attribute.name for attribute in record.attributes])
    for enum in shape.enums:
        _refuse_duplicates(enum.full_name, [member for member, _ in enum.members])
        if not enum.members:
            raise UnfitSchema(enum.full_name, "the enum has no symbols")


def _refuse_duplicates(where: str, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise UnfitSchema(where, f"two names become {name} in Python")
        seen.add(name)
