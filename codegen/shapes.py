"""Represents the classes of a package, and the shapes of their values, before they are rendered.

A shape is an Avro type after all decisions. It has the Python class of its values, the name of that
class, and the layout of its bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import TypeAlias, assert_never

from lakeschema.avro.model import Json, NoDefault


class Scalar(Enum):
    """A value without parameters, such as a number or a text.

    ``value`` is the Avro type, with its logical type.
    """

    # This is faster than the method of ``Enum``, which hashes the name in Python.
    __hash__ = object.__hash__

    NULL = "null"
    BOOLEAN = "boolean"
    INT = "int"
    LONG = "long"
    FLOAT = "float"
    DOUBLE = "double"
    BYTES = "bytes"
    STRING = "string"
    DATE = "date"
    TIME_MILLIS = "time-millis"
    TIME_MICROS = "time-micros"
    TIMESTAMP_MILLIS = "timestamp-millis"
    TIMESTAMP_MICROS = "timestamp-micros"
    LOCAL_MILLIS = "local-timestamp-millis"
    LOCAL_MICROS = "local-timestamp-micros"
    INTERVAL_MICROS = "day-time-interval-micros"
    UUID_TEXT = "uuid"
    UUID_FIXED = "uuid in 16 bytes"
    DURATION = "duration"


# Shapes are compared by identity, which is fast: ``lowering`` makes each shape only once.
@dataclass(frozen=True, slots=True, eq=False)
class DecimalShape:
    """The shape of a decimal. ``size`` is the size of its fixed type; None for bytes."""

    precision: int
    scale: int
    size: int | None


@dataclass(frozen=True, slots=True, eq=False)
class ListShape:
    items: Shape


@dataclass(frozen=True, slots=True, eq=False)
class DictShape:
    values: Shape


@dataclass(frozen=True, slots=True, eq=False)
class EntriesShape:
    """A dict whose keys are not text: in Avro, an array of key-value records.

    ``value_default`` is the JSON text of the default for entries without a value, or None.
    """

    keys: Shape
    values: Shape
    value_default: str | None


@dataclass(frozen=True, slots=True, eq=False)
class UnionShape:
    branches: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class RecordReference:
    class_name: str


@dataclass(frozen=True, slots=True)
class EnumReference:
    class_name: str


@dataclass(frozen=True, slots=True)
class FixedReference:
    class_name: str
    size: int


Shape: TypeAlias = (
    Scalar
    | DecimalShape
    | ListShape
    | DictShape
    | EntriesShape
    | UnionShape
    | RecordReference
    | EnumReference
    | FixedReference
)


@lru_cache(10_000)
def is_nameless(shape: Shape) -> bool:
    """Whether the shape contains no names, so that its code is the same in every package."""
    match shape:
        case Scalar() | DecimalShape():
            return True
        case ListShape(inner) | DictShape(inner):
            return is_nameless(inner)
        case EntriesShape(keys, values):
            return is_nameless(keys) and is_nameless(values)
        case UnionShape(branches):
            return all(map(is_nameless, branches))
        case RecordReference() | EnumReference() | FixedReference():
            return False
        case _:
            assert_never(shape)


@dataclass(frozen=True, slots=True)
class Attribute:
    """A record's field as an attribute. ``default`` is the schema's JSON, checked against ``shape``.

    Attributes:
        doc: the schema's documentation, preceded by details of its type that Python's lacks.
    """

    field: str
    name: str
    shape: Shape
    default: Json | NoDefault
    doc: str | None


@dataclass(frozen=True, slots=True)
class RecordClass:
    """A record's class.

    ``omitted`` has the columns without an attribute, each with its type and the reason.
    """

    full_name: str
    class_name: str
    doc: str | None
    attributes: tuple[Attribute, ...]
    omitted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EnumClass:
    """An enum's class; ``members`` are pairs of Python name and symbol, in the schema's order."""

    full_name: str
    class_name: str
    doc: str | None
    members: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class FixedClass:
    full_name: str
    class_name: str
    doc: str | None
    size: int


NamedClass: TypeAlias = RecordClass | EnumClass | FixedClass


@dataclass(frozen=True, slots=True)
class PackageShape:
    """The classes of a package.

    Attributes:
        records: the root record, and then the other records in document order.
        immutable: records' attributes cannot be set, and lists are tuples.
    """

    records: tuple[RecordClass, ...]
    enums: tuple[EnumClass, ...]
    fixeds: tuple[FixedClass, ...]
    immutable: bool = False

    @property
    def root(self) -> RecordClass:
        return self.records[0]

    @property
    def classes(self) -> tuple[NamedClass, ...]:
        return (*self.records, *self.enums, *self.fixeds)
