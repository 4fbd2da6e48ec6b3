"""Applies an ALTER to column lists, also inside structs, arrays and maps. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeAlias, assert_never

from lakeschema.catalog.column_types import (
    ArrayType,
    ColumnType,
    MapType,
    StructField,
    StructType,
    print_type,
)
from lakeschema.catalog.ddl_statements import (
    AddColumns,
    ChangeColumns,
    ColumnChange,
    ColumnPath,
    DropColumns,
    Place,
    ReplaceColumns,
)
from lakeschema.catalog.relations import Column, column_of

ColumnAlteration: TypeAlias = AddColumns | ReplaceColumns | ChangeColumns | DropColumns
Columns: TypeAlias = tuple[Column, ...]


class NoSuchColumn(Exception):
    """The error for a column or field that the statement names and the relation lacks."""

    def __init__(self, *path: str) -> None:
        super().__init__(*path)
        self.path = path

    def __str__(self) -> str:
        return ".".join(self.path)


class InvalidFields(Exception):
    """The error for a statement that would make an invalid type."""


def alter_columns(columns: Columns, statement: ColumnAlteration) -> Columns:
    """The altered columns.

    A renamed column keeps its former names, except names that another column has now.

    Raises:
        NoSuchColumn: the statement names a missing column.
        InvalidFields: the result would not be a valid type.
    """
    altered = _altered(columns, statement)
    names = {column.name.lower() for column in altered}
    return tuple(
        replace(c, former_names=tuple(n for n in c.former_names if n.lower() not in names))
        if c.former_names
        else c
        for c in altered
    )


def _altered(columns: Columns, statement: ColumnAlteration) -> Columns:
    match statement:
        case AddColumns(_, added, if_not_exists):
            for each in added:
                if if_not_exists and _has_path(columns, (*each.parent, each.column.name)):
                    continue
                columns = _within(columns, each.parent, _adding(each.column, each.place))
            return columns
        case ReplaceColumns(_, replaced):
            return replaced
        case ChangeColumns(_, changes, if_exists):
            for change in changes:
                if not if_exists or _has_path(columns, change.path):
                    columns = _within(columns, change.path[:-1], _changing(change))
            return columns
        case DropColumns(_, dropped, if_exists):
            for path in dropped:
                if not if_exists or _has_path(columns, path):
                    columns = _within(columns, path[:-1], _dropping(path[-1]))
            return columns
        case _:
            assert_never(statement)


def _within(columns: Columns, parent: ColumnPath, change: Callable[[Columns], Columns]) -> Columns:
    """``change`` applied to the fields of ``parent``, or to the columns themselves."""
    if not parent:
        return change(columns)
    index = _index(columns, parent[0])
    type_ = columns[index].type
    try:
        changed = _with_fields(type_, _within(_fields(type_), parent[1:], change))
    except NoSuchColumn as error:
        raise NoSuchColumn(parent[0], *error.path) from None
    return (*columns[:index], replace(columns[index], type=changed), *columns[index + 1 :])


def _fields(type_: ColumnType) -> Columns:
    """The parts of a type that a path can lead to, as columns."""
    match type_:
        case StructType(fields):
            return tuple(map(column_of, fields))
        case ArrayType(element, nullable):
            return (Column("element", element, nullable=nullable),)
        case MapType(key, value, nullable):
            return (Column("key", key, nullable=False), Column("value", value, nullable=nullable))
        case _:
            return ()


def _with_fields(type_: ColumnType, fields: Columns) -> ColumnType:
    """The type with ``fields`` in place of its ``_fields``.

    Only a struct's fields may get new names.
    """
    match type_, fields:
        case StructType(), _:
            twice = duplicate_name(fields)
            if twice is not None:
                raise InvalidFields(f"a struct would have two fields named {twice}")
            return StructType(
                tuple(StructField(f.name, f.type, f.nullable, f.comment) for f in fields)
            )
        case ArrayType(), (Column("element", element, nullable=nullable),):
            return ArrayType(element, nullable)
        case MapType(), (Column("key", key), Column("value", value, nullable=nullable)):
            return MapType(key, value, nullable)
        case _:
            raise InvalidFields(f"{print_type(type_)} is not a struct")


def _adding(column: Column, place: Place) -> Callable[[Columns], Columns]:
    return lambda columns: _place_column((*columns, column), len(columns), place)


def _dropping(name: str) -> Callable[[Columns], Columns]:
    def dropped(columns: Columns) -> Columns:
        index = _index(columns, name)
        return (*columns[:index], *columns[index + 1 :])

    return dropped


def _changing(change: ColumnChange) -> Callable[[Columns], Columns]:
    def changed(columns: Columns) -> Columns:
        index = _index(columns, change.path[-1])
        column = _changed(columns[index], change)
        return _place_column((*columns[:index], column, *columns[index + 1 :]), index, change.place)

    return changed


def _changed(old: Column, change: ColumnChange) -> Column:
    """The changed column, with its former names."""
    former = old.former_names
    if change.new_name is not None:
        former = tuple(dict.fromkeys((old.name, *former)))
    return Column(
        old.name if change.new_name is None else change.new_name,
        old.type if change.type is None else change.type,
        old.comment if change.comment is None else change.comment or None,
        old.nullable if change.nullable is None else change.nullable,
        former,
    )


def _place_column(columns: Columns, index: int, place: Place) -> Columns:
    column = columns[index]
    others = (*columns[:index], *columns[index + 1 :])
    if place.first:
        return (column, *others)
    if place.after is None:
        return columns
    after = _index(others, place.after)
    return (*others[: after + 1], column, *others[after + 1 :])


def _has_path(columns: Columns, path: ColumnPath) -> bool:
    return find_column(columns, path) is not None


def find_column(columns: Columns, path: ColumnPath) -> Column | None:
    """The column, or the field inside a column, at the path; None if it does not exist."""
    try:
        column = columns[_index(columns, path[0])]
    except NoSuchColumn:
        return None
    return column if len(path) == 1 else find_column(_fields(column.type), path[1:])


def _index(columns: Columns, name: str) -> int:
    for index, column in enumerate(columns):
        if column.name.lower() == name.lower():
            return index
    raise NoSuchColumn(name)


def has_column(columns: Iterable[Column], name: str) -> bool:
    return any(column.name.lower() == name.lower() for column in columns)


def duplicate_name(columns: Iterable[Column]) -> str | None:
    seen: set[str] = set()
    for column in columns:
        name = column.name.lower()
        if name in seen:
            return name
        seen.add(name)
    return None
