"""DDL statements as values. Their names are tuples of parts, not yet resolved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from lakeschema.catalog.column_types import ColumnType
from lakeschema.catalog.relations import NOTHING, Column, Dialect, SchemaMode
from lakeschema.catalog.sql_functions import Parameter

NameParts: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """A column's new place: first, or after another; if neither is set, the column stays."""

    first: bool = False
    after: str | None = None


@dataclass(frozen=True, slots=True)
class CreateNamespace:
    namespace: NameParts


@dataclass(frozen=True, slots=True)
class UseNamespace:
    namespace: NameParts


@dataclass(frozen=True, slots=True)
class DropNamespace:
    """DROP DATABASE. ``cascade``: it also drops everything in the database."""

    namespace: NameParts
    if_exists: bool = False
    cascade: bool = False


class IfExists(Enum):
    """The effect of CREATE on an existing relation."""

    REFUSE = "CREATE"
    KEEP = "CREATE … IF NOT EXISTS"
    REPLACE = "CREATE OR REPLACE"


@dataclass(frozen=True, slots=True)
class CreateTable:
    """CREATE TABLE. ``partition_names`` are names of ``columns``.

    ``partition_columns`` come in addition.
    """

    name: NameParts
    columns: tuple[Column, ...]
    partition_columns: tuple[Column, ...] = ()
    partition_names: tuple[str, ...] = ()
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    serde: str | None = None
    serde_properties: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    if_exists: IfExists = IfExists.REFUSE


@dataclass(frozen=True, slots=True)
class CreateTableAs:
    """CREATE TABLE AS: ``table`` gets the columns of a query.

    Attributes:
        dialect: the query's dialect.
        column_names: the column names that Trino's statement lists; empty without a list.
    """

    table: CreateTable
    query: str
    dialect: Dialect
    column_names: tuple[str, ...] = ()

    @property
    def name(self) -> NameParts:
        return self.table.name

    @property
    def if_exists(self) -> IfExists:
        return self.table.if_exists


@dataclass(frozen=True, slots=True)
class CreateTableLike:
    name: NameParts
    source: NameParts
    properties: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    if_exists: IfExists = IfExists.REFUSE


@dataclass(frozen=True, slots=True)
class CreateView:
    """CREATE VIEW. ``columns`` and ``partition_columns`` are the declared columns, without types.

    Attributes:
        schema_mode: as written; only Spark's views have one.
        dialect: the dialect in the text's leading comment; None for the session's dialect.
    """

    name: NameParts
    query: str
    columns: tuple[Column, ...] = ()
    partition_columns: tuple[Column, ...] = ()
    comment: str | None = None
    properties: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    schema_mode: SchemaMode | None = None
    if_exists: IfExists = IfExists.REFUSE
    dialect: Dialect | None = None


@dataclass(frozen=True, slots=True)
class CreateTemporary:
    """A temporary table or view, which hides relations of the same name and is not in the catalog."""

    name: NameParts


@dataclass(frozen=True, slots=True)
class DropRelation:
    name: NameParts
    if_exists: bool = False
    is_view: bool = False


@dataclass(frozen=True, slots=True)
class RenameRelation:
    name: NameParts
    new_name: NameParts
    is_view: bool = False


ColumnPath: TypeAlias = tuple[str, ...]
"""A column, or a nested field: ``element``, ``key`` and ``value`` lead into arrays and maps."""


@dataclass(frozen=True, slots=True)
class AddedColumn:
    """An added column, or an added field.

    ``parent``: the path of the column or field that gets the new field; empty for a column.
    """

    column: Column
    place: Place = Place()
    parent: ColumnPath = ()
    has_default: bool = False


@dataclass(frozen=True, slots=True)
class AddColumns:
    name: NameParts
    columns: tuple[AddedColumn, ...]
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class ReplaceColumns:
    name: NameParts
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """A change of a column: the attributes that are not None replace the old values."""

    path: ColumnPath
    new_name: str | None = None
    type: ColumnType | None = None
    comment: str | None = None
    nullable: bool | None = None
    place: Place = Place()


@dataclass(frozen=True, slots=True)
class ChangeColumns:
    """ALTER of columns; the changes apply in order."""

    name: NameParts
    changes: tuple[ColumnChange, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropColumns:
    name: NameParts
    columns: tuple[ColumnPath, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class SetProperties:
    """SET PROPERTIES.

    ``is_view``: whether the statement calls the relation a view. The classes below also have this
    attribute.
    """

    name: NameParts
    properties: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    is_view: bool = False


@dataclass(frozen=True, slots=True)
class UnsetProperties:
    name: NameParts
    keys: tuple[str, ...]
    is_view: bool = False


@dataclass(frozen=True, slots=True)
class SetSerde:
    """SET SERDE. If ``serde`` is ``None``, the table keeps its SerDe."""

    name: NameParts
    serde: str | None
    properties: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class UnsetSerdeProperties:
    name: NameParts
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetComment:
    name: NameParts
    comment: str | None
    is_view: bool = False


@dataclass(frozen=True, slots=True)
class ReplaceQuery:
    name: NameParts
    query: str


@dataclass(frozen=True, slots=True)
class SetSchemaMode:
    name: NameParts
    schema_mode: SchemaMode


@dataclass(frozen=True, slots=True)
class CreateFunction:
    """A Spark SQL function: ``RETURN`` with an expression or a query."""

    name: NameParts
    parameters: tuple[Parameter, ...]
    body: str
    is_table: bool = False
    returns: ColumnType | None = None
    columns: tuple[Parameter, ...] = ()
    if_exists: IfExists = IfExists.REFUSE


@dataclass(frozen=True, slots=True)
class DropFunction:
    name: NameParts


@dataclass(frozen=True, slots=True)
class DropConstraint:
    name: NameParts


@dataclass(frozen=True, slots=True)
class NoChange:
    """An ALTER of partitions, storage or grants, without effect on facts."""

    name: NameParts


@dataclass(frozen=True, slots=True)
class UnknownChange:
    """A change whose result does not follow from the text. ``why`` says how it may change the columns."""

    name: NameParts
    why: str


@dataclass(frozen=True, slots=True)
class NoFacts:
    """A statement without effect on facts: data, settings, grants."""


Alteration: TypeAlias = (
    AddColumns
    | ReplaceColumns
    | ChangeColumns
    | DropColumns
    | SetProperties
    | UnsetProperties
    | SetSerde
    | UnsetSerdeProperties
    | SetComment
    | ReplaceQuery
    | SetSchemaMode
    | DropConstraint
    | NoChange
    | UnknownChange
)
"""A statement that changes a relation but not its name."""


@dataclass(frozen=True, slots=True)
class AlterIfExists:
    """ALTER IF EXISTS: no effect if the relation does not exist."""

    statement: Alteration | RenameRelation


Statement: TypeAlias = (
    CreateNamespace
    | UseNamespace
    | DropNamespace
    | CreateTable
    | CreateTableAs
    | CreateTableLike
    | CreateView
    | CreateTemporary
    | DropRelation
    | RenameRelation
    | Alteration
    | AlterIfExists
    | CreateFunction
    | DropFunction
    | NoFacts
)
