"""Finds Avro types for column types.

A type that Avro cannot express raises ``UnsupportedType`` with the column's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import assert_never

from lakeschema.avro.key_value_maps import KEY, PROPERTIES, VALUE
from lakeschema.avro.legal_names import legal_name
from lakeschema.avro.model import (
    BOOLEAN as AVRO_BOOLEAN,
)
from lakeschema.avro.model import (
    BYTES,
    LONG,
    NO_DEFAULT,
    NULL,
    Array,
    Field,
    LogicalType,
    MapSchema,
    Primitive,
    Record,
    Schema,
    Union,
    full_name,
    is_nullable,
    nullable,
)
from lakeschema.avro.model import (
    DOUBLE as AVRO_DOUBLE,
)
from lakeschema.avro.model import (
    FLOAT as AVRO_FLOAT,
)
from lakeschema.avro.model import (
    INT as AVRO_INT,
)
from lakeschema.avro.model import (
    STRING as AVRO_STRING,
)
from lakeschema.avro.parsing import MAX_DEPTH, branch_kind
from lakeschema.catalog.column_types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    INTERVAL,
    SMALLINT,
    STRING,
    TIME,
    TIMESTAMP,
    TIMESTAMP_LOCAL,
    TIMESTAMP_NTZ,
    TINYINT,
    VARIANT,
    VOID,
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    IntervalType,
    MapType,
    PrimitiveType,
    StructField,
    StructType,
    Uniontype,
    UnknownType,
    VarcharType,
    print_type,
    time_digits,
)
from lakeschema.catalog.letter_case import lower_case_names
from lakeschema.catalog.trino_types import moment_of
from lakeschema.translation.avro.inexpressible import placeholder
from lakeschema.translation.avro.names import name_properties, type_name
from lakeschema.translation.avro.trino_types import trino_primitive, why_no_moment
from lakeschema.translation.model.errors import UnsupportedType
from lakeschema.translation.model.interface import Options

MAX_DECIMAL_PRECISION = 38
"""The maximum precision of decimals in Hive and Spark."""

_SIMPLE: Mapping[PrimitiveType, Primitive] = MappingProxyType(
    {
        BOOLEAN: AVRO_BOOLEAN,
        TINYINT: Primitive("int", LogicalType("byte")),
        SMALLINT: Primitive("int", LogicalType("short")),
        INT: AVRO_INT,
        BIGINT: LONG,
        FLOAT: AVRO_FLOAT,
        DOUBLE: AVRO_DOUBLE,
        STRING: AVRO_STRING,
        BINARY: BYTES,
        DATE: Primitive("int", LogicalType("date")),
        TIME: Primitive("long", LogicalType("time-micros")),
        VOID: NULL,
    }
)

_REASONS: Mapping[PrimitiveType, str] = MappingProxyType(
    {
        INTERVAL: "Avro has no type for intervals of months, days and fractions of seconds",
        VARIANT: "Avro has no type for values without a schema",
    }
)
_SHAPES = ("geometry", "geography")
_MICROSECONDS = 6


def avro_type(type_: ColumnType, *, name: str, namespace: str, options: Options) -> Schema:
    """The Avro type of a column's values other than null; the caller adds null.

    Parts are nullable as in the type. A struct becomes the record ``name`` in ``namespace``. A
    nested struct is named after its field, in the namespace of its parent's full name. Structs in
    branches of a uniontype are named ``tag_0``, ``tag_1``. ``name`` is the column's name, also for
    errors.

    Raises:
        UnsupportedType: Avro cannot express the type, or would confuse its branches.
    """
    return _AvroTyper(options).type(type_, _Place(name, type_name(name), namespace))


def avro_type_or_placeholders(type_: ColumnType, *, name: str, options: Options) -> Schema:
    """Like ``avro_type``, with a placeholder for each part that Avro cannot express.

    Values that a query computes need not become columns of the view.
    """
    return _PlacingTyper(options).type(type_, _Place(name, type_name(name), ""))


def avro_fields(
    fields: tuple[StructField, ...], *, subject: str, namespace: str, options: Options
) -> tuple[Field, ...]:
    """The fields of a record with the full name ``namespace``.

    ``subject`` prefixes their names in errors.
    """
    return _AvroTyper(options).fields(fields, subject, namespace, 0)


class _Place:
    """The place of a type: its column for errors, and the name and namespace for a record."""

    __slots__ = ("depth", "name", "namespace", "subject")

    def __init__(self, subject: str, name: str, namespace: str, depth: int = 0) -> None:
        self.subject = subject
        self.name = name
        self.namespace = namespace
        self.depth = depth

    def inside(self) -> _Place:
        return _Place(self.subject, self.name, self.namespace, self.depth + 1)

    def branch(self, tag: int) -> _Place:
        return _Place(
            self.subject, f"tag_{tag}", full_name(self.name, self.namespace), self.depth + 1
        )


class _AvroTyper:
    def __init__(self, options: Options) -> None:
        self._options = options

    def type(self, type_: ColumnType, place: _Place) -> Schema:
        if place.depth > MAX_DEPTH:
            raise UnsupportedType(
                f"column {place.subject}", "nested", f"at most {MAX_DEPTH} levels are supported"
            )
        match type_:
            case PrimitiveType():
                return self._primitive(type_, place)
            case DecimalType(precision, scale):
                if not (1 <= precision <= MAX_DECIMAL_PRECISION and 0 <= scale <= precision):
                    raise _unsupported(type_, place, "the precision or scale is out of range")
                return Primitive("bytes", LogicalType("decimal", precision, scale))
            case CharType() | VarcharType():
                return AVRO_STRING
            case IntervalType(unit):
                # With this property, Spark's Avro reader restores the interval type.
                of_spark = MappingProxyType({"spark.sql.catalyst.type": f"interval {unit}"})
                if type_.is_of_months:
                    return Primitive("int", LogicalType("year-month-interval"), of_spark)
                return Primitive("long", LogicalType("day-time-interval-micros"), of_spark)
            case ArrayType(element, element_nullable):
                return Array(self._part(element, place, optional=element_nullable))
            case MapType(key, value, value_nullable) if is_text(key):
                return MapSchema(self._part(value, place, optional=value_nullable))
            case MapType():
                return Array(self.type(entry_of(type_), place.inside()), PROPERTIES)
            case StructType(fields):
                full = full_name(place.name, place.namespace)
                return Record(
                    place.name,
                    place.namespace,
                    self.fields(fields, place.subject, full, place.depth + 1),
                )
            case Uniontype(branches):
                return self._union(type_, branches, place)
            case UnknownType():
                raise _unsupported(type_, place, "the type is unknown")
            case _:
                assert_never(type_)

    def fields(
        self, fields: tuple[StructField, ...], subject: str, parent: str, depth: int
    ) -> tuple[Field, ...]:
        names = require_distinct_names(tuple(field.name for field in fields), subject)
        return tuple(
            self._field(field, lower, subject, parent, depth)
            for field, lower in zip(fields, lower_case_names(names), strict=True)
        )

    def _field(
        self, field: StructField, lower: str, subject: str, parent: str, depth: int
    ) -> Field:
        name = field.name
        path = f"{subject}.{name}" if subject else name
        legal = legal_name(name)
        schema = self.type(field.type, _Place(path, type_name(lower), parent, depth))
        optional = field.nullable or is_nullable(schema)
        return Field(
            legal,
            nullable(schema) if optional else schema,
            None if optional else NO_DEFAULT,
            documentation(field.comment),
            self._aliases(legal, legal_name(lower)),
            properties=name_properties(name, legal),
        )

    def _aliases(self, name: str, lower: str) -> tuple[str, ...]:
        """Aliases for a name that earlier package versions wrote in lower case."""
        return () if name == lower else (lower,)

    def _primitive(self, type_: PrimitiveType, place: _Place) -> Schema:
        if type_ in (TIMESTAMP, TIMESTAMP_NTZ, TIMESTAMP_LOCAL):
            # Hive's timestamp has no zone, but is read as an instant unless the option says
            # otherwise.
            local = type_ == TIMESTAMP_NTZ or (
                type_ == TIMESTAMP and self._options.local_timestamps
            )
            prefix = "local-" if local else ""
            return Primitive(
                "long", LogicalType(f"{prefix}timestamp-{self._options.timestamp_unit}")
            )
        if type_ in _SIMPLE:
            return _SIMPLE[type_]
        found = trino_primitive(type_)
        if found is not None:
            return found
        digits = time_digits(type_)
        if digits is not None and digits < _MICROSECONDS:
            return _SIMPLE[TIME]
        raise _unsupported(type_, place, _reason(type_))

    def _part(self, type_: ColumnType, place: _Place, *, optional: bool) -> Schema:
        schema = self.type(type_, place.inside())
        return nullable(schema) if optional else schema

    def _union(self, type_: Uniontype, branches: tuple[ColumnType, ...], place: _Place) -> Schema:
        several = sum(1 for branch in branches if _names_records(branch)) > 1
        schemas = tuple(
            self.type(branch, place.branch(tag) if several else place.inside())
            for tag, branch in enumerate(branches)
        )
        require_distinct_branches(type_, schemas, place.subject)
        return Union(schemas)


def _reason(type_: PrimitiveType) -> str:
    if time_digits(type_) is not None:
        return "Avro has no type for times of more than six digits of a second"
    if moment_of(type_) is not None:
        return why_no_moment(type_)
    if type_.name.startswith(_SHAPES):
        return "Avro has no type for shapes"
    return _REASONS.get(type_, "the type is unknown")


class _PlacingTyper(_AvroTyper):
    def type(self, type_: ColumnType, place: _Place) -> Schema:
        try:
            return super().type(type_, place)
        except UnsupportedType as error:
            return placeholder(error)

    def _aliases(self, name: str, lower: str) -> tuple[str, ...]:  # noqa: ARG002
        return ()


def is_text(type_: ColumnType) -> bool:
    """Whether values are strings in Avro, like the keys of its maps."""
    return type_ == STRING or isinstance(type_, CharType | VarcharType)


def entry_of(type_: MapType) -> StructType:
    """The record of a key and a value, for a map whose keys are not text; keys are never null."""
    return StructType(
        (
            StructField(KEY, type_.key, nullable=False),
            StructField(VALUE, type_.value, type_.value_nullable),
        )
    )


def require_distinct_branches(
    type_: ColumnType, branches: tuple[Schema, ...], subject: str
) -> None:
    """Raises ``UnsupportedType`` if Avro cannot distinguish two of a union's branches."""
    kinds = [branch_kind(branch) for branch in branches]
    for kind in kinds:
        if kind == "union" or kinds.count(kind) > 1:
            raise UnsupportedType(
                f"column {subject}",
                print_type(type_),
                f"two branches of the union are both {kind}, and Avro cannot distinguish them",
                hint="wrap each branch in a separate struct",
            )


def require_distinct_names(names: tuple[str, ...], subject: str) -> tuple[str, ...]:
    """Returns the names. Raises ``UnsupportedType`` if a name is empty or occurs twice."""
    seen: set[str] = set()
    for name in names:
        whose = f"column {subject}" if subject else "the table"
        if not name:
            raise UnsupportedType(whose, "struct", "a field has no name")
        if name in seen:
            raise UnsupportedType(whose, "struct", f"it has the field {name} twice")
        seen.add(name)
    return names


def documentation(comment: str | None) -> str | None:
    """A comment as Avro's doc; None for Hive's "from deserializer", which means no comment."""
    if not comment or comment == "from deserializer":
        return None
    # Catalogs return undecodable text as lone surrogates, which cannot be encoded.
    return comment.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _names_records(type_: ColumnType) -> bool:
    """Whether the type contains a struct that would be named after the column itself."""
    match type_:
        case StructType():
            return True
        case ArrayType(element):
            return _names_records(element)
        case MapType(key, value):
            return not is_text(key) or _names_records(value)
        case Uniontype(branches):
            return any(_names_records(branch) for branch in branches)
        case _:
            return False


def _unsupported(type_: ColumnType, place: _Place, reason: str) -> UnsupportedType:
    return UnsupportedType(f"column {place.subject}", print_type(type_), reason)
