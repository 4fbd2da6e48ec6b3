"""Finds columns with nested tinyint or smallint values, for which Pig has no types."""

from __future__ import annotations

from lakeschema.catalog.column_types import (
    SMALLINT,
    TINYINT,
    ArrayType,
    ColumnType,
    MapType,
    StructType,
)
from lakeschema.translation.emission.pig.subqueries import all_expressions
from lakeschema.translation.plan.expressions import ColumnReference, OuterReference, walk
from lakeschema.translation.plan.relations import Plan


def holds_small_parts(type_: ColumnType) -> bool:
    match type_:
        case ArrayType(element):
            return _is_small(element)
        case MapType(key, value):
            return _is_small(key) or _is_small(value)
        case StructType(fields):
            return any(_is_small(field.type) for field in fields)
        case _:
            return False


def _is_small(type_: ColumnType) -> bool:
    return type_ in {TINYINT, SMALLINT} or holds_small_parts(type_)


def types_read(plan: Plan) -> frozenset[ColumnType]:
    """The types of all columns that the plan reads or yields."""
    read = [
        part.type
        for expression in all_expressions(plan)
        for part in walk(expression)
        if isinstance(part, (ColumnReference, OuterReference))
    ]
    return frozenset((*read, *(column.type for column in plan.columns)))
