"""The letter case of columns' and struct fields' names: Spark keeps it, Hive and Trino do not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lakeschema.catalog.column_types import (
    ArrayType,
    ColumnType,
    MapType,
    StructType,
    Uniontype,
    map_type,
)
from lakeschema.catalog.relations import Column


def lower_case_columns(columns: Iterable[Column]) -> tuple[Column, ...]:
    """The columns with names in lower case, as in Hive."""
    return tuple(
        replace(column, name=column.name.lower(), type=lower_case_fields(column.type))
        for column in columns
    )


def lower_case_fields(type_: ColumnType) -> ColumnType:
    """The type with the field names of its structs in lower case.

    Names that differ only in case are kept.
    """
    return map_type(type_, _lower_case_struct) if has_capital_fields(type_) else type_


def lower_case_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names in lower case, or unchanged if two would become equal."""
    lower = tuple(name.lower() for name in names)
    return lower if len(set(lower)) == len(lower) else names


def have_capitals(columns: Iterable[Column]) -> bool:
    """Whether a column, or a field in its type, has a name with capitals."""
    return any(c.name != c.name.lower() or has_capital_fields(c.type) for c in columns)


def has_capital_fields(type_: ColumnType) -> bool:
    """Whether a struct in the type has a field with capitals in its name."""
    match type_:
        case ArrayType(element):
            return has_capital_fields(element)
        case MapType(key, value):
            return has_capital_fields(key) or has_capital_fields(value)
        case StructType(fields):
            return any(f.name != f.name.lower() or has_capital_fields(f.type) for f in fields)
        case Uniontype(branches):
            return any(map(has_capital_fields, branches))
        case _:
            return False


def _lower_case_struct(type_: ColumnType) -> ColumnType:
    if not isinstance(type_, StructType):
        return type_
    names = lower_case_names(tuple(field.name for field in type_.fields))
    pairs = zip(type_.fields, names, strict=True)
    return StructType(tuple(replace(field, name=name) for field, name in pairs))
