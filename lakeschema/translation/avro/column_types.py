"""Converts Avro types to column types, as Hive's AvroSerDe does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from lakeschema.avro.definitions import definitions as definitions_of
from lakeschema.avro.model import (
    Array,
    EnumSchema,
    Fixed,
    LogicalType,
    MapSchema,
    NamedSchema,
    Primitive,
    Record,
    Reference,
    Schema,
    Union,
    is_nullable,
    without_null,
)
from lakeschema.catalog.column_types import (
    BINARY,
    DATE,
    STRING,
    TIMESTAMP,
    VOID,
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    MapType,
    StructField,
    StructType,
    Uniontype,
    VarcharType,
)
from lakeschema.translation.avro.types import MAX_DECIMAL_PRECISION
from lakeschema.translation.functions.avro_functions import OF_PRIMITIVES
from lakeschema.translation.model.errors import UnsupportedType

MAX_TYPE_PARTS = 20_000
"""The maximum number of parts: references can make a small schema stand for a huge type."""


def column_type_of(
    schema: Schema,
    definitions: Mapping[str, NamedSchema] | None = None,
    *,
    subject: str = "",
) -> ColumnType:
    """The column type that Hive's AvroSerDe gives a schema, with Avro's nullability for its parts.

    Null itself is not part of a column type: ``["null", "int"]`` is int. ``definitions`` resolves
        references in a schema that was cut out of another.

    Raises:
        UnsupportedType: no column can have the type. The schema is recursive, a decimal has too
            many digits, or references unfold to more than ``MAX_TYPE_PARTS`` parts.
    """
    known = {**(definitions or {}), **definitions_of(schema)}
    return _ColumnTyper(known, subject).type(schema)


class _ColumnTyper:
    def __init__(self, known: Mapping[str, NamedSchema], subject: str) -> None:
        self._known = known
        self._subject = subject
        self._open: set[str] = set()
        self._parts = 0

    def type(self, schema: Schema) -> ColumnType:
        self._parts += 1
        if self._parts > MAX_TYPE_PARTS:
            raise self._unsupported("its schema", f"unfolds to more than {MAX_TYPE_PARTS:,} parts")
        match schema:
            case Primitive():
                return self._primitive(schema)
            case Array(items):
                return ArrayType(self.type(items), is_nullable(items))
            case MapSchema(values):
                return MapType(STRING, self.type(values), is_nullable(values))
            case Union():
                return self._union(schema)
            case Reference(name):
                return self.type(self._known[name])
            case EnumSchema():
                return STRING
            case Fixed(logical=LogicalType("decimal", int() as precision, scale)):
                return self._decimal(precision, scale)
            case Fixed():
                return BINARY
            case Record():
                return self._struct(schema)
            case _:
                assert_never(schema)

    def _primitive(self, schema: Primitive) -> ColumnType:
        match schema.logical:
            case LogicalType("decimal", int() as precision, scale):
                return self._decimal(precision, scale)
            case LogicalType("date"):
                return DATE
            case LogicalType("timestamp-millis"):
                return TIMESTAMP
            case LogicalType("varchar" | "char" as kind) if schema.name == "string":
                length = schema.properties.get("maxLength")
                if type(length) is int and length > 0:
                    return VarcharType(length) if kind == "varchar" else CharType(length)
            case _:
                pass
        return OF_PRIMITIVES[schema.name]

    def _decimal(self, precision: int, scale: int) -> ColumnType:
        if precision > MAX_DECIMAL_PRECISION:
            raise self._unsupported(
                f"decimal({precision},{scale})",
                f"no engine holds more than {MAX_DECIMAL_PRECISION} digits",
            )
        return DecimalType(precision, scale)

    def _union(self, schema: Union) -> ColumnType:
        rest = without_null(schema)
        if not isinstance(rest, Union):
            return self.type(rest)
        if not rest.branches:
            return VOID
        return Uniontype(tuple(self.type(branch) for branch in rest.branches))

    def _struct(self, record: Record) -> ColumnType:
        if record.full_name in self._open:
            raise self._unsupported(f"record {record.full_name}", "a recursive type has no columns")
        self._open.add(record.full_name)
        fields = tuple(
            StructField(
                field.name.lower(), self.type(field.type), is_nullable(field.type), field.doc
            )
            for field in record.fields
        )
        self._open.discard(record.full_name)
        return StructType(fields)

    def _unsupported(self, text: str, reason: str) -> UnsupportedType:
        return UnsupportedType(f"column {self._subject}", text, reason)
