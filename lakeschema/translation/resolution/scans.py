"""An upstream's interface → the scan that reads it.

The columns' types get the case and nullability of the Avro schema, which knows more than Hive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from lakeschema.avro.definitions import definitions as definitions_of
from lakeschema.avro.model import (
    is_nullable,
)
from lakeschema.catalog.column_types import ColumnType, map_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Column, Dialect
from lakeschema.translation.errors import Position, UnknownRelation
from lakeschema.translation.functions.coercion import as_spark_reads
from lakeschema.translation.functions.trino_coercion import as_trino_reads
from lakeschema.translation.interface import Interface
from lakeschema.translation.nullability import with_nullability_and_case
from lakeschema.translation.plan.relations import Plan, PlanColumn, Scan


def open_interfaces(
    upstreams: Mapping[RelationName, Interface], dialect: Dialect
) -> Callable[[RelationName, Position | None], Plan]:
    """Opens relations as scans of their interfaces; a view is not looked into."""
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
    known = definitions_of(interface.schema)
    columns: list[PlanColumn] = []
    for place in interface.places:
        if not isinstance(place, int):
            columns.append(_plan_column(place.column, dialect))
            continue
        column, field = interface.columns[place], interface.schema.fields[place]
        name = field.name if field.name.lower() == column.name.lower() else column.name
        type_ = with_nullability_and_case(column.type, field.type, known)
        shown = Column(name, type_, nullable=is_nullable(field.type))
        columns.append(_plan_column(shown, dialect))
    return Scan(interface.name, tuple(columns))


def _plan_column(column: Column, dialect: Dialect) -> PlanColumn:
    read = _READERS.get(dialect)
    type_ = column.type if read is None else map_type(column.type, read)
    return PlanColumn(column.name, type_, column.nullable)


_READERS: Mapping[Dialect, Callable[[ColumnType], ColumnType]] = MappingProxyType(
    {Dialect.SPARK: as_spark_reads, Dialect.TRINO: as_trino_reads}
)
"""What a dialect makes of a column's type."""
