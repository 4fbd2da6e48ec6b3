"""Reads ALTER TABLE and ALTER VIEW, from the token after the name to the end of the statement.

An unknown form raises ``Unreadable``, because it may not be harmless.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lakeschema.catalog.column_types import UnknownType
from lakeschema.catalog.ddl_columns import (
    added_columns,
    column_body,
    column_name,
    column_path,
    column_type,
    past_one,
    table_columns,
)
from lakeschema.catalog.ddl_create import query, schema_mode
from lakeschema.catalog.ddl_cursor import Cursor, Unreadable
from lakeschema.catalog.ddl_statements import (
    AddColumns,
    Alteration,
    ChangeColumns,
    ColumnChange,
    ColumnPath,
    DropColumns,
    DropConstraint,
    NameParts,
    NoChange,
    Place,
    RenameRelation,
    ReplaceColumns,
    ReplaceQuery,
    SetProperties,
    SetSchemaMode,
    SetSerde,
    UnsetProperties,
    UnsetSerdeProperties,
)
from lakeschema.catalog.relations import Dialect
from lakeschema.catalog.storage_formats import HIVE_SERDES

_NO_CHANGE = (
    # Partitions and files.
    ("ADD", "PARTITION"),
    ("ADD", "IF", "NOT", "EXISTS", "PARTITION"),
    ("DROP", "PARTITION"),
    ("DROP", "IF", "EXISTS", "PARTITION"),
    ("REPLACE", "PARTITION"),
    ("PARTITION", "("),
    ("RECOVER", "PARTITIONS"),
    ("EXCHANGE", "PARTITION"),
    ("SET", "PARTITION"),
    ("SET", "DEFAULT", "PARTITION"),
    ("SET", "LOCATION"),
    ("SET", "SKEWED"),
    ("SKEWED", "BY"),
    ("CLUSTERED", "BY"),
    ("CLUSTER", "BY"),
    ("INTO",),
    ("NOT", "CLUSTERED"),
    ("NOT", "SORTED"),
    ("NOT", "SKEWED"),
    ("NOT", "STORED"),
    ("TOUCH",),
    ("ARCHIVE",),
    ("UNARCHIVE",),
    ("COMPACT",),
    ("CONCATENATE",),
    ("EXECUTE",),
    # Constraints and statistics. SerDes report their own columns anyway.
    ("ADD", "CONSTRAINT"),
    ("ADD", "PRIMARY", "KEY"),
    ("ADD", "FOREIGN", "KEY"),
    ("ADD", "UNIQUE"),
    ("ADD", "CHECK"),
    ("UPDATE", "STATISTICS"),
    ("UPDATE", "COLUMNS"),
    ("DEFAULT", "COLLATION"),
    # Grants and tags.
    ("SET", "OWNER"),
    ("OWNER", "TO"),
    ("SET", "AUTHORIZATION"),
    ("SET", "TAGS"),
    ("UNSET", "TAGS"),
    ("SET", "ROW", "FILTER"),
    ("DROP", "ROW", "FILTER"),
    # Materialized views: rewriting, rebuilding, schedules.
    ("ENABLE",),
    ("DISABLE",),
    ("INHERIT", "PREDICTIVE", "OPTIMIZATION"),
    ("REBUILD",),
    ("REFRESH",),
    ("ADD", "SCHEDULE"),
    ("ALTER", "SCHEDULE"),
    ("DROP", "SCHEDULE"),
    # Iceberg and Delta.
    ("WRITE",),
    ("SET", "IDENTIFIER", "FIELDS"),
    ("DROP", "IDENTIFIER", "FIELDS"),
    *((verb, thing) for verb in ("CREATE", "REPLACE", "DROP", "RENAME") for thing in ("BRANCH", "TAG")),
    ("CREATE", "OR", "REPLACE"),
    ("CONVERT", "TO"),
    ("DROP", "FEATURE"),
    ("SET", "MANAGED"),
    ("UNSET", "MANAGED"),
    ("SET", "PROPERTIES"),
)  # fmt: skip
"""The first words of forms that change no columns, comments or view texts."""

_QUERY_WORDS = ("SELECT", "FROM", "WITH", "VALUES", "TABLE", "MAP", "REDUCE", "(")


def alter_relation(
    cursor: Cursor, name: NameParts, *, is_view: bool
) -> Alteration | RenameRelation:
    if any(cursor.sees(*words) for words in _NO_CHANGE):
        cursor.rest()
        return NoChange(name)
    if cursor.skip("DROP", "CONSTRAINT"):
        cursor.rest()
        return DropConstraint(name)
    if cursor.skip("RENAME", "TO"):
        return RenameRelation(name, cursor.name(), is_view)
    if cursor.skip("SET"):
        return _set(cursor, name, is_view=is_view)
    if cursor.skip("UNSET"):
        return _unset(cursor, name, is_view=is_view)
    if cursor.skip("WITH", "SCHEMA"):
        return SetSchemaMode(name, schema_mode(cursor))
    if is_view and (cursor.skip("AS") or cursor.sees_any(_QUERY_WORDS)):
        return ReplaceQuery(name, query(cursor))
    return _columns(cursor, name)


def _set(cursor: Cursor, name: NameParts, *, is_view: bool) -> Alteration:
    if cursor.skip("TBLPROPERTIES"):
        return SetProperties(name, cursor.properties(), is_view)
    if cursor.skip("SERDEPROPERTIES"):
        return SetSerde(name, None, cursor.properties())
    if cursor.skip("SERDE"):
        serde = cursor.string("a SerDe's class in quotes")
        properties = cursor.properties() if cursor.skip("WITH", "SERDEPROPERTIES") else {}
        return SetSerde(name, serde, properties)
    if cursor.skip("FILEFORMAT"):
        return SetSerde(name, _file_format(cursor), {})
    raise cursor.refuse("TBLPROPERTIES, SERDEPROPERTIES, SERDE, FILEFORMAT or LOCATION")


def _file_format(cursor: Cursor) -> str | None:
    """Reads a file format; returns its SerDe."""
    if cursor.skip("INPUTFORMAT"):
        cursor.string("a class in quotes")
        cursor.expect("OUTPUTFORMAT")
        cursor.string("a class in quotes")
        cursor.expect("SERDE")
        serde = cursor.string("a SerDe's class in quotes")
        cursor.rest()  # an input driver and an output driver
        return serde
    start = cursor.next.start
    name = cursor.word("a file format").upper()
    if name not in HIVE_SERDES:
        raise Unreadable(start, f"unknown file format {name}")
    # Hive has no SerDe for these formats, and keeps the table's.
    return None if name in {"TEXTFILE", "SEQUENCEFILE"} else HIVE_SERDES[name]


def _unset(cursor: Cursor, name: NameParts, *, is_view: bool) -> Alteration:
    if cursor.skip("SERDEPROPERTIES"):
        return UnsetSerdeProperties(name, tuple(cursor.properties()))
    cursor.expect("TBLPROPERTIES")
    cursor.skip("IF", "EXISTS")
    return UnsetProperties(name, tuple(cursor.properties()), is_view)


def _columns(cursor: Cursor, name: NameParts) -> Alteration:
    if _skip_columns(cursor, "ADD"):
        if_not_exists = cursor.skip("IF", "NOT", "EXISTS")
        added = added_columns(cursor)
        _skip_scope(cursor)
        return AddColumns(name, added, if_not_exists)
    if cursor.skip("REPLACE", "COLUMNS"):
        replaced = table_columns(cursor)
        _skip_scope(cursor)
        return ReplaceColumns(name, replaced)
    if cursor.skip("RENAME", "COLUMN"):
        if_exists = cursor.skip("IF", "EXISTS")
        path = column_path(cursor)
        cursor.expect("TO")
        return ChangeColumns(name, (ColumnChange(path, column_name(cursor)),), if_exists)
    if _skip_columns(cursor, "DROP"):
        return _drop_columns(cursor, name)
    if cursor.skip("PARTITION", "COLUMN"):
        return ChangeColumns(name, (_partition_column(cursor),))
    is_change = cursor.skip("CHANGE")
    if not is_change and not cursor.skip("ALTER"):
        raise cursor.refuse("a supported form of ALTER")
    cursor.skip("COLUMN")
    readers = (_change_list, _renaming_change) if is_change else (_change_list,)
    if cursor.dialect is Dialect.HIVE:
        # CHANGE a type int renames a column to ``type``.
        readers = readers[::-1]
    changes = _first_that_reads(cursor, readers)
    changes = tuple(change for change in changes if change != ColumnChange(change.path))
    return ChangeColumns(name, changes) if changes else NoChange(name)


def _skip_columns(cursor: Cursor, verb: str) -> bool:
    return cursor.skip(verb, "COLUMNS") or cursor.skip(verb, "COLUMN")


def _drop_columns(cursor: Cursor, name: NameParts) -> DropColumns:
    if_exists = cursor.skip("IF", "EXISTS")
    bracketed = cursor.skip("(")
    columns = [column_path(cursor)]
    while cursor.skip(","):
        columns.append(column_path(cursor))
    if bracketed:
        cursor.expect(")")
    _skip_scope(cursor)
    return DropColumns(name, tuple(columns), if_exists)


def _partition_column(cursor: Cursor) -> ColumnChange:
    cursor.expect("(")
    name = column_name(cursor)
    column = column_body(cursor, name).column
    cursor.expect(")")
    return ColumnChange((name,), type=column.type, comment=column.comment)


def _first_that_reads(
    cursor: Cursor, readers: Sequence[Callable[[Cursor], tuple[ColumnChange, ...]]]
) -> tuple[ColumnChange, ...]:
    """The result of the first reader that accepts the text.

    If no reader accepts it, raises the error of the reader that got furthest.
    """
    start = cursor.next.start
    failures: list[Unreadable] = []
    for reader in readers:
        cursor.rewind(start)
        try:
            found = reader(cursor)
            if cursor.at_end():
                return found
            raise cursor.refuse("the end of the statement")
        except Unreadable as unreadable:
            failures.append(unreadable)
    raise max(failures, key=lambda failure: failure.offset)


def _renaming_change(cursor: Cursor) -> tuple[ColumnChange, ...]:
    """Hive's CHANGE, with a new name and type."""
    path = column_path(cursor)
    name = column_name(cursor)
    start = cursor.next.start
    body = column_body(cursor, name)
    column = body.column
    if isinstance(column.type, UnknownType):
        raise Unreadable(start, f"{column.type.text} is not a type")
    _skip_scope(cursor)
    nullable = None if column.nullable else False
    return (ColumnChange(path, name, column.type, column.comment, nullable, body.place),)


def _change_list(cursor: Cursor) -> tuple[ColumnChange, ...]:
    """Spark's ALTER COLUMN, with TYPE, COMMENT and so on for each column."""
    changes: list[ColumnChange] = []
    while True:
        path = column_path(cursor)
        changes.append(_action(cursor, path))
        while not (cursor.at_end() or cursor.sees(",")):
            changes.append(_action(cursor, path))
        if not cursor.skip(","):
            return tuple(changes)


def _action(cursor: Cursor, path: ColumnPath) -> ColumnChange:
    if cursor.skip("TYPE") or cursor.skip("SET", "DATA", "TYPE"):
        type_ = column_type(cursor)
        if cursor.skip("COLLATE"):
            cursor.name()
        return ColumnChange(path, type=type_)
    if cursor.skip("COMMENT"):
        return ColumnChange(path, comment=cursor.string("a comment in quotes"))
    if cursor.skip("SET", "NOT", "NULL"):
        return ColumnChange(path, nullable=False)
    if cursor.skip("DROP", "NOT", "NULL"):
        return ColumnChange(path, nullable=True)
    if cursor.skip("FIRST"):
        return ColumnChange(path, place=Place(first=True))
    if cursor.skip("AFTER"):
        return ColumnChange(path, place=Place(after=column_name(cursor)))
    if any(cursor.sees(*words) for words in _NO_COLUMN_CHANGE):
        while not (cursor.at_end() or cursor.sees(",")):
            past_one(cursor)
        return ColumnChange(path)
    raise cursor.refuse("TYPE, COMMENT, SET, DROP, FIRST or AFTER")


_NO_COLUMN_CHANGE = (
    ("SET", "DEFAULT"),
    ("DROP", "DEFAULT"),
    ("SET", "MASK"),
    ("DROP", "MASK"),
    ("SET", "TAGS"),
    ("UNSET", "TAGS"),
    ("SYNC", "IDENTITY"),
)


def _skip_scope(cursor: Cursor) -> None:
    if not cursor.skip("CASCADE"):
        cursor.skip("RESTRICT")
