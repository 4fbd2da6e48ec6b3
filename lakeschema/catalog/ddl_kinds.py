"""The kinds of change that a statement makes to a relation.

``spark_refusals`` records which kinds Spark refuses. Spark refuses a statement if it refuses one of
the statement's kinds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from lakeschema.catalog.column_types import (
    ArrayType,
    CharType,
    ColumnType,
    DecimalType,
    IntervalType,
    MapType,
    PrimitiveType,
    StructType,
    Uniontype,
    UnknownType,
    VarcharType,
    with_nullable_parts,
)
from lakeschema.catalog.ddl_column_changes import find_column
from lakeschema.catalog.ddl_statements import (
    AddColumns,
    AddedColumn,
    Alteration,
    ChangeColumns,
    ColumnChange,
    CreateTable,
    CreateTableAs,
    CreateView,
    DropColumns,
    DropConstraint,
    IfExists,
    NoChange,
    Place,
    RenameRelation,
    ReplaceColumns,
    ReplaceQuery,
    SetComment,
    SetProperties,
    SetSchemaMode,
    SetSerde,
    UnknownChange,
    UnsetProperties,
    UnsetSerdeProperties,
)
from lakeschema.catalog.relations import Column, Relation

CHANGED_TYPE = "ALTER COLUMN TYPE"
"""A change to any type, for providers that accept none; also the prefix of kinds for pairs of types."""


def kinds_of_alteration(
    statement: Alteration | RenameRelation, relation: Relation
) -> Iterator[str]:
    match statement:
        case AddColumns(_, columns):
            for added in columns:
                yield from _of_added(added)
        case ReplaceColumns():
            yield "REPLACE COLUMNS"
        case ChangeColumns(_, changes):
            for change in changes:
                yield from _of_change(change, relation)
        case DropColumns(_, paths):
            for path in paths:
                yield "DROP COLUMN" if len(path) == 1 else "DROP COLUMN of a field"
        case SetProperties(is_view=is_view) | UnsetProperties(is_view=is_view):
            yield "ALTER VIEW … TBLPROPERTIES" if is_view else "ALTER TABLE … TBLPROPERTIES"
        case SetSerde(_, serde):
            yield "SERDEPROPERTIES" if serde is None else "SET SERDE"
        case UnsetSerdeProperties():
            yield "SERDEPROPERTIES"
        case SetComment(is_view=is_view):
            yield "COMMENT ON VIEW" if is_view else "COMMENT ON TABLE"
        case RenameRelation(_, new_name):
            if new_name[:-1] and new_name[-2].lower() != relation.name.namespace[-1]:
                yield "RENAME TO another database"
        case ReplaceQuery() | SetSchemaMode() | DropConstraint() | NoChange() | UnknownChange():
            pass
        case _:
            assert_never(statement)


def kinds_of_creation(
    statement: CreateTable | CreateTableAs | CreateView, before: Relation | None
) -> Iterator[str]:
    """The kinds of a creation; ``before`` is the relation that has the name already."""
    if statement.if_exists is not IfExists.REPLACE:
        return
    if not isinstance(statement, CreateView):
        yield "CREATE OR REPLACE TABLE"
    elif before is not None:
        yield "CREATE OR REPLACE VIEW"


def _of_added(added: AddedColumn) -> Iterator[str]:
    yield "ADD COLUMN of a field" if added.parent else "ADD COLUMN"
    if not added.column.nullable:
        yield "ADD COLUMN NOT NULL"
    if added.place != Place():
        yield "ADD COLUMN FIRST or AFTER"
    if added.has_default:
        yield "ADD COLUMN DEFAULT"


def _of_change(change: ColumnChange, relation: Relation) -> Iterator[str]:
    of_field = " of a field" if len(change.path) > 1 else ""
    if change.new_name is not None and change.type is None:
        yield f"RENAME COLUMN{of_field}"
        return
    yield f"ALTER COLUMN{of_field}"
    column = find_column(relation.every_column, change.path)
    if column is None:
        return
    if column in relation.partition_columns:
        yield "ALTER COLUMN of a partition column"
    yield from _of_parts(change, column)
    if change.new_name is not None and change.new_name.lower() != column.name.lower():
        yield "CHANGE COLUMN to another name"


def _of_parts(change: ColumnChange, column: Column) -> Iterator[str]:
    if change.type is not None:
        yield from kinds_of_type(column.type, change.type)
    if change.nullable is True:
        yield "DROP NOT NULL"
    elif change.nullable is False and column.nullable:
        yield "SET NOT NULL"
    if change.place != Place():
        yield "ALTER COLUMN FIRST or AFTER"


def kinds_of_type(old: ColumnType, new: ColumnType) -> Iterator[str]:
    """The kinds of a change of type; none for equal types."""
    if with_nullable_parts(old) == with_nullable_parts(new):
        return
    yield CHANGED_TYPE
    names = _family(old), _family(new)
    match old, new:
        case DecimalType(), DecimalType():
            yield f"{CHANGED_TYPE} from decimal to {_decimal_beside(old, new)}"
        case (CharType(before), CharType(after)) | (VarcharType(before), VarcharType(after)):
            longer = "longer" if after > before else "shorter"
            yield f"{CHANGED_TYPE} from {names[0]} to a {longer} one"
        case _:
            yield f"{CHANGED_TYPE} from {names[0]} to {names[1]}"


def _decimal_beside(old: DecimalType, new: DecimalType) -> str:
    if new.scale < old.scale or new.precision - new.scale < old.precision - old.scale:
        return "a narrower one"
    return "one of more digits" if new.scale == old.scale else "one of a larger scale"


def _family(type_: ColumnType) -> str:
    match type_:
        case PrimitiveType(name):
            return name
        case DecimalType():
            return "decimal"
        case CharType():
            return "char"
        case VarcharType():
            return "varchar"
        case IntervalType():
            return "interval"
        case ArrayType():
            return "array"
        case MapType():
            return "map"
        case StructType():
            return "struct"
        case Uniontype():
            return "uniontype"
        case UnknownType():
            return "an unknown type"
        case _:
            assert_never(type_)
