"""Makes the scan of an upstream relation from its interface.

Column types get the letter case and nullability of the Avro schema, which is more precise than
Hive's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from lakeschema.avro.model import (
    is_nullable,
)
from lakeschema.catalog.column_types import (
    STRING,
    TIMESTAMP,
    TIMESTAMP_LOCAL,
    ColumnType,
    PrimitiveType,
    map_type,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.catalog.trino_types import UUID
from lakeschema.translation.functions.coercion import as_spark_reads
from lakeschema.translation.functions.trino_coercion import as_trino_reads
from lakeschema.translation.model.errors import Position, UnknownRelation
from lakeschema.translation.model.interface import Interface
from lakeschema.translation.model.nullability import with_nullability_and_case
from lakeschema.translation.plan.relations import Plan, PlanColumn, Scan


def open_interfaces(
    upstreams: Mapping[RelationName, Interface], dialect: Dialect
) -> Callable[[RelationName, Position | None], Plan]:
    """A function that opens each relation as a scan of its interface, without expanding views."""
    scans: dict[RelationName, Scan] = {}

    def open_relation(name: RelationName, position: Position | None) -> Plan:
        scan = scans.get(name)
        if scan is None:
            interface = upstreams.get(name)
            if interface is None:
                raise UnknownRelation(
                    name, position=position, hint="create it, or correct the view's text"
                )
            scan = scans[name] = scan_of(interface, dialect)
        return scan

    return open_relation


def scan_of(interface: Interface, dialect: Dialect) -> Scan:
    known = interface.definitions
    read = _reader(dialect)
    columns: list[PlanColumn] = []
    for place in interface.places:
        if not isinstance(place, int):
            omitted = place.column
            columns.append(PlanColumn(omitted.name, read(omitted.type), omitted.nullable))
            continue
        column, field = interface.columns[place], interface.schema.fields[place]
        name = field.name if field.name.lower() == column.name.lower() else column.name
        type_ = column.type
        if not isinstance(type_, PrimitiveType):
            type_ = with_nullability_and_case(type_, field.type, known)
        columns.append(PlanColumn(name, read(type_), is_nullable(field.type)))
    return Scan(interface.name, tuple(columns))


def _reader(dialect: Dialect) -> Callable[[ColumnType], ColumnType]:
    """A function from a catalog's type to the type that the dialect's engine reads."""
    change = _READERS.get(dialect)
    return (lambda type_: type_) if change is None else partial(map_type, change=change)


def as_spark_scans(type_: ColumnType) -> ColumnType:
    """The type as Spark scans it: Spark has one instant type, and no type for Iceberg's UUIDs."""
    return _OF_SPARK.get(type_, as_spark_reads(type_))


_OF_SPARK: Mapping[ColumnType, ColumnType] = MappingProxyType(
    {TIMESTAMP_LOCAL: TIMESTAMP, UUID: STRING}
)
_READERS: Mapping[Dialect, Callable[[ColumnType], ColumnType]] = MappingProxyType(
    {Dialect.SPARK: as_spark_scans, Dialect.TRINO: as_trino_reads}
)
