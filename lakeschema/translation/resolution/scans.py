"""An upstream's interface → the scan that reads it.

The columns' types get the case and nullability of the Avro schema, which knows more than Hive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lakeschema.avro.definitions import definitions as definitions_of
from lakeschema.avro.model import (
    is_nullable,
)
from lakeschema.catalog.column_types import (
    map_type,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.errors import Position, UnknownRelation
from lakeschema.translation.functions.coercion import as_spark_reads
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
    for column, field in zip(interface.columns, interface.schema.fields, strict=True):
        name = field.name if field.name.lower() == column.name.lower() else column.name
        type_ = with_nullability_and_case(column.type, field.type, known)
        if dialect is Dialect.SPARK:
            type_ = map_type(type_, as_spark_reads)
        columns.append(PlanColumn(name, type_, is_nullable(field.type)))
    return Scan(interface.name, tuple(columns))
