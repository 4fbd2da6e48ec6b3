"""ALTER TABLE and ALTER VIEW, from after the name to the end of the statement."""

from __future__ import annotations

from lakeschema.catalog.ddl_columns import (
    column_name,
    column_type,
    placed_column,
    placed_columns,
    table_columns,
)
from lakeschema.catalog.ddl_create import query, schema_mode
from lakeschema.catalog.ddl_cursor import Cursor
from lakeschema.catalog.ddl_statements import (
    AddColumns,
    AlterColumn,
    ChangeColumn,
    DropColumns,
    NameParts,
    NoFacts,
    Place,
    RenameColumn,
    RenameRelation,
    ReplaceColumns,
    ReplaceQuery,
    SetProperties,
    SetSchemaMode,
    SetSerde,
    Statement,
    UnsetProperties,
)
from lakeschema.catalog.ddl_tokens import TokenKind
from lakeschema.catalog.storage_formats import HIVE_SERDES

_NO_FACTS = (
    ("ADD", "PARTITION"),
    ("ADD", "IF"),
    ("DROP", "PARTITION"),
    ("DROP", "IF", "EXISTS", "PARTITION"),
    ("ADD", "CONSTRAINT"),
    ("DROP", "CONSTRAINT"),
    ("PARTITION", "("),
    ("RECOVER", "PARTITIONS"),
    ("EXCHANGE", "PARTITION"),
    ("SET", "LOCATION"),
    ("SET", "OWNER"),
    ("SET", "SKEWED"),
    ("SET", "PARTITION"),
    ("UPDATE", "STATISTICS"),
    ("CLUSTERED",),
    ("CLUSTER",),
    ("SKEWED",),
    ("NOT",),
    ("TOUCH",),
    ("ARCHIVE",),
    ("UNARCHIVE",),
    ("COMPACT",),
    ("CONCATENATE",),
    ("ENABLE",),
    ("DISABLE",),
    ("INTO",),
)


def alter_relation(cursor: Cursor, name: NameParts) -> Statement:
    if any(cursor.sees(*words) for words in _NO_FACTS):
        cursor.rest()
        return NoFacts()
    if cursor.skip("RENAME", "TO"):
        return RenameRelation(name, cursor.name())
    if cursor.skip("SET"):
        return _set(cursor, name)
    if cursor.skip("UNSET"):
        return _unset(cursor, name)
    if cursor.skip("AS"):
        return ReplaceQuery(name, query(cursor))
    if cursor.skip("WITH", "SCHEMA"):
        return SetSchemaMode(name, schema_mode(cursor))
    return _columns(cursor, name)


def _set(cursor: Cursor, name: NameParts) -> Statement:
    if cursor.skip("TBLPROPERTIES"):
        return SetProperties(name, cursor.properties())
    if cursor.skip("SERDEPROPERTIES"):
        return SetSerde(name, None, cursor.properties())
    if cursor.skip("SERDE"):
        serde = cursor.string("a SerDe's class in quotes")
        properties = cursor.properties() if cursor.skip("WITH", "SERDEPROPERTIES") else {}
        return SetSerde(name, serde, properties)
    if cursor.skip("FILEFORMAT"):
        if cursor.sees("INPUTFORMAT"):
            cursor.rest()
            return NoFacts()
        return SetSerde(name, HIVE_SERDES.get(cursor.word("a file format").upper()), {})
    raise cursor.refuse("TBLPROPERTIES, SERDEPROPERTIES, SERDE, FILEFORMAT or LOCATION")


def _unset(cursor: Cursor, name: NameParts) -> Statement:
    if not cursor.skip("TBLPROPERTIES"):
        cursor.expect("SERDEPROPERTIES")
        cursor.rest()
        return NoFacts()
    cursor.skip("IF", "EXISTS")
    return UnsetProperties(name, tuple(cursor.properties()))


def _columns(cursor: Cursor, name: NameParts) -> Statement:
    if cursor.skip("ADD", "COLUMNS") or cursor.skip("ADD", "COLUMN"):
        columns = placed_columns(cursor) if cursor.sees("(") else (placed_column(cursor),)
        _past_scope(cursor)
        return AddColumns(name, columns)
    if cursor.skip("REPLACE", "COLUMNS"):
        replaced = table_columns(cursor)
        _past_scope(cursor)
        return ReplaceColumns(name, replaced)
    if cursor.skip("RENAME", "COLUMN"):
        old = column_name(cursor)
        cursor.expect("TO")
        return RenameColumn(name, old, column_name(cursor))
    if cursor.skip("DROP", "COLUMNS") or cursor.skip("DROP", "COLUMN"):
        return _drop_columns(cursor, name)
    if cursor.skip("CHANGE") or cursor.skip("ALTER"):
        cursor.skip("COLUMN")
        return _change_column(cursor, name)
    raise cursor.refuse("a form of ALTER that is read here")


def _drop_columns(cursor: Cursor, name: NameParts) -> DropColumns:
    if_exists = cursor.skip("IF", "EXISTS")
    bracketed = cursor.skip("(")
    columns = [column_name(cursor)]
    while cursor.skip(","):
        columns.append(column_name(cursor))
    if bracketed:
        cursor.expect(")")
    return DropColumns(name, tuple(columns), if_exists)


def _change_column(cursor: Cursor, name: NameParts) -> Statement:
    old = column_name(cursor)
    if cursor.skip("TYPE"):
        return AlterColumn(name, old, type=column_type(cursor))
    if cursor.skip("SET", "NOT", "NULL"):
        return AlterColumn(name, old, nullable=False)
    if cursor.skip("DROP", "NOT", "NULL"):
        return AlterColumn(name, old, nullable=True)
    if cursor.sees("SET") or cursor.sees("DROP"):
        cursor.rest()  # SET DEFAULT and DROP DEFAULT
        return NoFacts()
    if cursor.skip("FIRST"):
        return AlterColumn(name, old, place=Place(first=True))
    if cursor.skip("AFTER"):
        return AlterColumn(name, old, place=Place(after=column_name(cursor)))
    if cursor.sees("COMMENT"):
        start = cursor.next.start
        cursor.take()
        if cursor.next.kind is TokenKind.STRING:
            return AlterColumn(name, old, comment=cursor.string())
        cursor.rewind(start)
    column, place = placed_column(cursor)
    return ChangeColumn(name, old, column, place)


def _past_scope(cursor: Cursor) -> None:
    if not cursor.skip("CASCADE"):
        cursor.skip("RESTRICT")
