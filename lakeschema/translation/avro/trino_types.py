"""Finds Avro types for types that exist only in Trino."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from lakeschema.avro.model import NO_DEFAULT, STRING, Field, LogicalType, Primitive, Schema
from lakeschema.catalog.column_types import (
    ColumnType,
    IntervalType,
    PrimitiveType,
    map_type,
    print_type,
    time_digits,
)
from lakeschema.catalog.trino_types import JSON, UUID, moment_of
from lakeschema.translation.avro.inexpressible import placeholder
from lakeschema.translation.model.errors import UnsupportedType
from lakeschema.translation.plan.relations import PlanColumn

_MILLISECONDS: Final = 3
_MICROSECONDS: Final = 6


def trino_primitive(type_: PrimitiveType) -> Primitive | None:
    """The Avro type of one of Trino's own types; None if Avro has none.

    A timestamp without a zone is local. A timestamp with a zone keeps its instant, not its zone.
    """
    if type_ == UUID:
        return Primitive("string", LogicalType("uuid"))
    if type_ == JSON:
        return STRING
    moment = moment_of(type_)
    if moment is None or moment[1] > _MICROSECONDS:
        return None
    word, digits, zone = moment
    unit = "millis" if digits <= _MILLISECONDS else "micros"
    if word == "timestamp":
        return Primitive("long", LogicalType(f"{'' if zone else 'local-'}timestamp-{unit}"))
    if zone or time_digits(type_) is not None:
        # A time with a zone has no known instant; ``time(3)`` alone is Spark's type.
        return None
    return Primitive("int" if unit == "millis" else "long", LogicalType(f"time-{unit}"))


def why_no_moment(type_: PrimitiveType) -> str:
    """Why ``trino_primitive`` has no type for a time or timestamp."""
    word, digits, zone = moment_of(type_) or ("time", 0, False)
    if word == "time" and zone:
        return "Avro has no type for times of day with a zone"
    del digits
    return f"Avro has no type for {word}s of more than six digits of a second"


def without_intervals(columns: Sequence[PlanColumn], fields: Sequence[Field]) -> tuple[Field, ...]:
    """The fields, with placeholders for intervals, which Trino does not write to files.

    Avro types for intervals are only for Spark.
    """
    return tuple(
        replace(field, type=_refused(column), default=NO_DEFAULT)
        if _has_interval(column.type)
        else field
        for column, field in zip(columns, fields, strict=True)
    )


def _refused(column: PlanColumn) -> Schema:
    reason = "Avro has no type for Trino's intervals"
    return placeholder(UnsupportedType(f"column {column.name}", print_type(column.type), reason))


def _has_interval(type_: ColumnType) -> bool:
    found = False

    def look(part: ColumnType) -> ColumnType:
        nonlocal found
        found = found or isinstance(part, IntervalType)
        return part

    map_type(type_, look)
    return found
