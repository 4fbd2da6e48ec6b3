"""Avro schemas as immutable values (Avro 1.12 specification, "Schema Declaration").

Names are full names, resolved when the schema is read. A named type's first occurrence in document order
is its definition. Later occurrences, including recursion, are ``Reference``s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Final, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

NO_PROPERTIES: Mapping[str, Json] = MappingProxyType({})


class NoDefault(Enum):
    NO_DEFAULT = "no default"


NO_DEFAULT: Final = NoDefault.NO_DEFAULT
"""The field has no default; None means a default of null."""


@dataclass(frozen=True, slots=True)
class LogicalType:
    """A logical type. ``precision`` and ``scale`` are for ``decimal`` only.

    Unknown names are kept.
    """

    name: str
    precision: int | None = None
    scale: int = 0


@dataclass(frozen=True, slots=True)
class Primitive:
    """A primitive type: null, boolean, int, long, float, double, bytes or string."""

    name: str
    logical: LogicalType | None = None
    properties: Mapping[str, Json] = field(default_factory=lambda: NO_PROPERTIES)


@dataclass(frozen=True, slots=True)
class Fixed:
    """A fixed type. ``namespace`` may be ""; ``aliases`` are full names."""

    name: str
    namespace: str
    size: int
    logical: LogicalType | None = None
    doc: str | None = None
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, Json] = field(default_factory=lambda: NO_PROPERTIES)

    @property
    def full_name(self) -> str:
        return full_name(self.name, self.namespace)


@dataclass(frozen=True, slots=True)
class EnumSchema:
    name: str
    namespace: str
    symbols: tuple[str, ...]
    default: str | None = None
    doc: str | None = None
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, Json] = field(default_factory=lambda: NO_PROPERTIES)

    @property
    def full_name(self) -> str:
        return full_name(self.name, self.namespace)


@dataclass(frozen=True, slots=True)
class Array:
    items: Schema
    properties: Mapping[str, Json] = field(default_factory=lambda: NO_PROPERTIES)


@dataclass(frozen=True, slots=True)
class MapSchema:
    values: Schema
    properties: Mapping[str, Json] = field(default_factory=lambda: NO_PROPERTIES)


@dataclass(frozen=True, slots=True)
class Union:
    """A union's branches in order; never nested, and at most one of each unnamed type."""

    branches: tuple[Schema, ...]


@dataclass(frozen=True, slots=True)
class Field:
    """A record's field. ``default`` is the JSON of the specification (bytes as ISO-8859-1 text)."""

    name: str
    type: Schema
    default: Json | NoDefault = NO_DEFAULT
    doc: str | None = None
    aliases: tuple[str, ...] = ()
    order: str = "ascending"
    properties: Mapping[str, Json] = field(default_factory=lambda: NO_PROPERTIES)


@dataclass(frozen=True, slots=True)
class Record:
    name: str
    namespace: str
    fields: tuple[Field, ...]
    doc: str | None = None
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, Json] = field(default_factory=lambda: NO_PROPERTIES)

    @property
    def full_name(self) -> str:
        return full_name(self.name, self.namespace)


@dataclass(frozen=True, slots=True)
class Reference:
    """A named type defined earlier in the same schema, by its full name."""

    full_name: str


Schema: TypeAlias = Primitive | Fixed | EnumSchema | Array | MapSchema | Union | Record | Reference
NamedSchema: TypeAlias = Record | EnumSchema | Fixed

NULL = Primitive("null")
BOOLEAN = Primitive("boolean")
INT = Primitive("int")
LONG = Primitive("long")
FLOAT = Primitive("float")
DOUBLE = Primitive("double")
BYTES = Primitive("bytes")
STRING = Primitive("string")


def full_name(name: str, namespace: str) -> str:
    return f"{namespace}.{name}" if namespace else name


def is_nullable(schema: Schema) -> bool:
    """Whether null is a value of the schema. References never mean null."""
    if isinstance(schema, Primitive):
        return schema.name == "null"
    if isinstance(schema, Union):
        for branch in schema.branches:
            if isinstance(branch, Primitive) and branch.name == "null":
                return True
    return False


def nullable(schema: Schema) -> Schema:
    """The schema with null added as the first branch, unless it has null already."""
    match schema:
        case _ if is_nullable(schema):
            return schema
        case Union(branches):
            return Union((NULL, *branches))
        case _:
            return Union((NULL, schema))


def without_null(schema: Schema) -> Schema:
    """The schema without its null branch; a single remaining branch replaces the union."""
    match schema:
        case Union(branches):
            rest = tuple(b for b in branches if not is_nullable(b))
            return rest[0] if len(rest) == 1 else Union(rest)
        case _:
            return schema
