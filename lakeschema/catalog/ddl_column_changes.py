"""Column lists before an ALTER to column lists after it; pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias, assert_never

from lakeschema.catalog.ddl_statements import (
    AddColumns,
    AlterColumn,
    ChangeColumn,
    DropColumns,
    Place,
    RenameColumn,
    ReplaceColumns,
)
from lakeschema.catalog.relations import Column

ColumnAlteration: TypeAlias = (
    AddColumns | ReplaceColumns | ChangeColumn | AlterColumn | RenameColumn | DropColumns
)


class NoSuchColumn(Exception):
    """The statement names a column that the relation does not have."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


def alter_columns(columns: tuple[Column, ...], statement: ColumnAlteration) -> tuple[Column, ...]:
    """Columns that are renamed know their former names, until another column has them."""
    altered = _altered(columns, statement)
    names = {column.name.lower() for column in altered}
    return tuple(
        replace(c, former_names=tuple(n for n in c.former_names if n.lower() not in names))
        if c.former_names
        else c
        for c in altered
    )


def _altered(columns: tuple[Column, ...], statement: ColumnAlteration) -> tuple[Column, ...]:
    match statement:
        case AddColumns(_, added):
            for column, place in added:
                columns = _place_column((*columns, column), len(columns), place)
            return columns
        case ReplaceColumns(_, replaced):
            return replaced
        case ChangeColumn(_, old, column, place):
            index = _index(columns, old)
            column = _renamed(columns[index], column)
            return _place_column((*columns[:index], column, *columns[index + 1 :]), index, place)
        case AlterColumn():
            return _alter_column(columns, statement)
        case RenameColumn(_, old, new):
            index = _index(columns, old)
            renamed = _renamed(columns[index], replace(columns[index], name=new))
            return (*columns[:index], renamed, *columns[index + 1 :])
        case DropColumns(_, dropped, if_exists):
            if not if_exists:
                for name in dropped:
                    _index(columns, name)
            gone = {name.lower() for name in dropped}
            return tuple(column for column in columns if column.name.lower() not in gone)
        case _:
            assert_never(statement)


def _renamed(old: Column, new: Column) -> Column:
    """``new`` with the names that the column had before."""
    former = dict.fromkeys((old.name, *old.former_names))
    return replace(new, former_names=tuple(former))


def _alter_column(columns: tuple[Column, ...], statement: AlterColumn) -> tuple[Column, ...]:
    index = _index(columns, statement.column)
    old = columns[index]
    column = replace(
        old,
        type=old.type if statement.type is None else statement.type,
        comment=old.comment if statement.comment is None else statement.comment,
        nullable=old.nullable if statement.nullable is None else statement.nullable,
    )
    return _place_column((*columns[:index], column, *columns[index + 1 :]), index, statement.place)


def _place_column(columns: tuple[Column, ...], index: int, place: Place) -> tuple[Column, ...]:
    column = columns[index]
    others = (*columns[:index], *columns[index + 1 :])
    if place.first:
        return (column, *others)
    if place.after is None:
        return columns
    after = _index(others, place.after)
    return (*others[: after + 1], column, *others[after + 1 :])


def _index(columns: tuple[Column, ...], name: str) -> int:
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
