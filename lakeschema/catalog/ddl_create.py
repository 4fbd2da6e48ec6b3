"""Reads CREATE TABLE and CREATE VIEW, from the token after these words to the end of the statement."""

from __future__ import annotations

import re

from lakeschema.catalog.ddl_columns import (
    column_body,
    column_name,
    table_columns,
    view_columns,
)
from lakeschema.catalog.ddl_cursor import Cursor, Unreadable
from lakeschema.catalog.ddl_statements import (
    CreateTable,
    CreateTableAs,
    CreateTableLike,
    CreateView,
    IfExists,
    NameParts,
)
from lakeschema.catalog.ddl_tokens import TokenKind
from lakeschema.catalog.letter_case import lower_case_columns
from lakeschema.catalog.relations import Column, Dialect, SchemaMode, as_nullable
from lakeschema.catalog.storage_formats import (
    DEFAULT_PROVIDER,
    HIVE_SERDES,
    LAZY_SIMPLE_SERDE,
    PROVIDER,
    SPARK_SERDES,
)


def create_table(
    cursor: Cursor, name: NameParts, if_exists: IfExists
) -> CreateTable | CreateTableAs | CreateTableLike:
    if cursor.skip("LIKE"):
        return _create_table_like(cursor, name, if_exists)
    body = cursor.next.start
    # USING comes after the columns but decides how they are read, so it is searched for first.
    if cursor.dialect is Dialect.HIVE and _spark_table(cursor):
        cursor.dialect = Dialect.SPARK
    cursor.rewind(body)
    column_names = _column_names(cursor) if cursor.dialect is Dialect.TRINO else ()
    has_columns = cursor.sees("(") and not cursor.sees("(", "SELECT")
    columns = table_columns(cursor) if has_columns else ()
    clauses = _TableClauses()
    while not (cursor.at_end() or _sees_query(cursor)):
        _table_clause(cursor, clauses)
    if cursor.dialect is Dialect.SPARK:
        columns = _as_spark_creates(columns, clauses)
    partitions = clauses.partition_columns
    if cursor.dialect is not Dialect.SPARK:
        columns, partitions = lower_case_columns(columns), lower_case_columns(partitions)
    table = CreateTable(
        name=name,
        columns=columns,
        partition_columns=partitions,
        partition_names=clauses.partition_names,
        comment=clauses.comment,
        properties=clauses.properties,
        serde=clauses.serde_or_default(),
        serde_properties=clauses.serde_properties,
        if_exists=if_exists,
    )
    if cursor.at_end():
        return table
    if has_columns:
        raise cursor.refuse("no query: the columns are listed, and here comes")
    cursor.skip("AS")
    return CreateTableAs(table, _made_query(cursor), cursor.dialect, column_names)


def _sees_query(cursor: Cursor) -> bool:
    if cursor.sees("WITH"):
        return not (cursor.sees("WITH", "(") or cursor.sees("WITH", "SERDEPROPERTIES"))
    return cursor.sees_any(("AS", "SELECT", "FROM", "VALUES", "TABLE", "("))


_WITH_DATA = re.compile(r"\s+WITH\s+(?:NO\s+)?DATA\s*\Z", re.IGNORECASE)


def _made_query(cursor: Cursor) -> str:
    text = query(cursor)
    return _WITH_DATA.sub("", text) if cursor.dialect is Dialect.TRINO else text


def _column_names(cursor: Cursor) -> tuple[str, ...]:
    """Reads ``(name, …)``, which Trino allows before AS; empty if columns are declared."""
    start = cursor.next.start
    names: list[str] = []
    if cursor.skip("("):
        try:
            names.append(column_name(cursor))
            while cursor.skip(","):
                names.append(column_name(cursor))
        except Unreadable:
            names = []
        if names and cursor.skip(")"):
            return tuple(names)
    cursor.rewind(start)
    return ()


def _as_spark_creates(columns: tuple[Column, ...], clauses: _TableClauses) -> tuple[Column, ...]:
    """The table's columns as Spark creates them: Spark chooses a provider if no format is named."""
    if clauses.is_of_hive:
        # Spark accepts NOT NULL for such a table, but lets nulls in.
        return tuple(map(as_nullable, columns))
    if PROVIDER not in clauses.properties:
        clauses.use(DEFAULT_PROVIDER)
    return columns


def create_view(cursor: Cursor, name: NameParts, if_exists: IfExists) -> CreateView:
    columns: tuple[Column, ...] = ()
    partitions: tuple[Column, ...] = ()
    clauses = _TableClauses()
    mode: SchemaMode | None = None
    body = cursor.next.start
    if cursor.sees("("):
        columns = view_columns(cursor)
    while not cursor.skip("AS"):
        if cursor.skip("WITH", "SCHEMA"):
            mode = schema_mode(cursor)
        elif cursor.skip("PARTITIONED", "ON", "SPEC"):
            cursor.balanced()
        elif cursor.skip("PARTITIONED", "ON"):
            partitions = view_columns(cursor)
        elif any(cursor.skip(word, "ON") for word in _ORGANIZED):
            cursor.balanced()
        elif not (
            cursor.skip("DISABLE", "REWRITE")
            or _shared_clause(cursor, clauses)
            or (cursor.dialect is Dialect.TRINO and _trinos_clause(cursor))
        ):
            raise cursor.refuse("AS")
    if columns and partitions:
        columns, partitions = _last_columns(columns, partitions, body)
    return CreateView(
        name=name,
        query=query(cursor),
        columns=columns,
        partition_columns=partitions,
        comment=clauses.comment,
        properties=clauses.properties,
        schema_mode=mode,
        if_exists=if_exists,
    )


_ORGANIZED = ("CLUSTERED", "DISTRIBUTED", "SORTED")
"""Clauses on the file layout of Hive's materialized views."""


def _last_columns(
    columns: tuple[Column, ...], partitions: tuple[Column, ...], body: int
) -> tuple[tuple[Column, ...], tuple[Column, ...]]:
    """A view's declared columns and its partition columns. Hive requires partition columns to be last."""
    first = len(columns) - len(partitions)
    last = columns[max(first, 0) :]
    if [column.name.lower() for column in last] != [column.name.lower() for column in partitions]:
        raise Unreadable(body, "the view is not partitioned by the last of its columns")
    return columns[:first], last


def _trinos_clause(cursor: Cursor) -> bool:
    """Skips a clause that does not affect a view's columns, if one comes next."""
    if cursor.skip("SECURITY"):
        cursor.word("DEFINER or INVOKER")
    elif cursor.skip("WHEN", "STALE"):
        cursor.word("INLINE or FAIL")
    elif cursor.skip("GRACE", "PERIOD"):
        cursor.expect("INTERVAL")
        cursor.string("an interval in quotes")
        cursor.word("a unit of time")
    elif cursor.skip("WITH"):
        cursor.balanced()
    else:
        return False
    return True


def query(cursor: Cursor) -> str:
    """Reads the text after AS."""
    if cursor.at_end():
        raise cursor.refuse("a query")
    return cursor.rest()


def schema_mode(cursor: Cursor) -> SchemaMode:
    """The mode after WITH SCHEMA."""
    if cursor.skip("TYPE", "EVOLUTION"):
        return SchemaMode.TYPE_EVOLUTION
    for mode in (SchemaMode.BINDING, SchemaMode.COMPENSATION, SchemaMode.EVOLUTION):
        if cursor.skip(mode.value):
            return mode
    raise cursor.refuse("BINDING, COMPENSATION, TYPE EVOLUTION or EVOLUTION")


class _TableClauses:
    """The clauses after a table's columns, which may come in any order."""

    def __init__(self) -> None:
        self.partition_columns: tuple[Column, ...] = ()
        self.partition_names: tuple[str, ...] = ()
        self.comment: str | None = None
        self.properties: dict[str, str] = {}
        self.serde: str | None = None
        self.serde_properties: dict[str, str] = {}
        self.stored_by_handler = False
        self.is_of_hive = False

    def use(self, provider: str) -> None:
        if provider == "hive":
            # A Hive table, whose format is an option.
            self.is_of_hive = True
            return
        self.serde = SPARK_SERDES.get(provider)
        self.properties[PROVIDER] = provider

    def serde_or_default(self) -> str | None:
        if self.serde is not None or self.stored_by_handler or PROVIDER in self.properties:
            return self.serde
        file_format = self.serde_properties.get("fileFormat", "")
        return HIVE_SERDES.get(file_format.upper(), LAZY_SIMPLE_SERDE)


def _table_clause(cursor: Cursor, clauses: _TableClauses) -> None:
    if cursor.skip("PARTITIONED", "BY"):
        _partitioned_by(cursor, clauses)
    elif cursor.skip("USING"):
        clauses.use(".".join(cursor.name()).lower())
    elif cursor.dialect is Dialect.TRINO and cursor.sees("WITH", "("):
        cursor.skip("WITH")
        cursor.balanced()
    elif cursor.skip("OPTIONS") or cursor.skip("WITH", "SERDEPROPERTIES"):
        clauses.serde_properties |= cursor.properties()
    elif cursor.skip("CLUSTERED", "BY") or cursor.skip("CLUSTER", "BY"):
        cursor.balanced()
        _buckets(cursor)
    elif cursor.skip("SKEWED", "BY"):
        cursor.balanced()
        cursor.expect("ON")
        cursor.balanced()
        cursor.skip("STORED", "AS", "DIRECTORIES")
    elif not _shared_clause(cursor, clauses):
        raise cursor.refuse("a clause of CREATE TABLE")


def _shared_clause(cursor: Cursor, clauses: _TableClauses) -> bool:
    """A clause of both tables and Hive's materialized views, if one comes next."""
    if cursor.skip("COMMENT"):
        clauses.comment = cursor.string("a comment in quotes")
    elif cursor.skip("TBLPROPERTIES"):
        clauses.properties |= cursor.properties()
    elif cursor.skip("ROW", "FORMAT"):
        clauses.is_of_hive = True
        _row_format(cursor, clauses)
    elif cursor.skip("STORED"):
        clauses.is_of_hive = True
        _stored_as(cursor, clauses)
    elif cursor.skip("LOCATION"):
        cursor.string("a location in quotes")
    elif cursor.skip("DEFAULT", "COLLATION"):
        cursor.word("a collation")
    else:
        return False
    return True


def _partitioned_by(cursor: Cursor, clauses: _TableClauses) -> None:
    if cursor.skip("SPEC"):
        cursor.balanced()
        return
    cursor.expect("(")
    columns: list[Column] = []
    names: list[str] = []
    while True:
        name = column_name(cursor)
        if cursor.sees("("):
            cursor.balanced()  # Spark's transforms, such as bucket(4, id), make no column
        elif cursor.sees(",") or cursor.sees(")"):
            names.append(name)
        else:
            columns.append(column_body(cursor, name).column)
        if cursor.skip(")"):
            break
        cursor.expect(",")
    clauses.partition_columns = tuple(columns)
    clauses.partition_names = tuple(names)


def _row_format(cursor: Cursor, clauses: _TableClauses) -> None:
    if cursor.skip("SERDE"):
        clauses.serde = cursor.string("a SerDe's class in quotes")
        if cursor.skip("WITH", "SERDEPROPERTIES"):
            clauses.serde_properties |= cursor.properties()
        return
    cursor.expect("DELIMITED")
    clauses.serde = LAZY_SIMPLE_SERDE
    while True:
        for words, key in _DELIMITERS:
            if cursor.skip(*words):
                clauses.serde_properties[key] = cursor.string("a delimiter in quotes")
                break
        else:
            return


_DELIMITERS = (
    (("FIELDS", "TERMINATED", "BY"), "field.delim"),
    (("ESCAPED", "BY"), "escape.delim"),
    (("COLLECTION", "ITEMS", "TERMINATED", "BY"), "colelction.delim"),  # Hive's own spelling
    (("MAP", "KEYS", "TERMINATED", "BY"), "mapkey.delim"),
    (("LINES", "TERMINATED", "BY"), "line.delim"),
    (("NULL", "DEFINED", "AS"), "serialization.null.format"),
)


def _stored_as(cursor: Cursor, clauses: _TableClauses) -> None:
    if cursor.skip("BY"):
        handler = (
            cursor.string() if cursor.next.text[:1] in "'\"" else cursor.word("a storage handler")
        )
        clauses.properties["storage_handler"] = handler
        clauses.stored_by_handler = True
        if cursor.skip("WITH", "SERDEPROPERTIES"):
            clauses.serde_properties |= cursor.properties()
        return
    cursor.expect("AS")
    if cursor.skip("INPUTFORMAT"):
        cursor.string("a class in quotes")
        cursor.expect("OUTPUTFORMAT")
        cursor.string("a class in quotes")
        if cursor.skip("INPUTDRIVER"):
            cursor.string()
            cursor.expect("OUTPUTDRIVER")
            cursor.string()
        return
    start = cursor.next.start
    file_format = cursor.word("a file format").upper()
    if file_format not in HIVE_SERDES:
        raise Unreadable(start, f"unknown file format {file_format}")
    if clauses.serde is None or file_format not in {"TEXTFILE", "SEQUENCEFILE"}:
        clauses.serde = clauses.serde or HIVE_SERDES[file_format]


def _buckets(cursor: Cursor) -> None:
    if cursor.skip("SORTED", "BY"):
        cursor.balanced()
    if cursor.skip("INTO"):
        cursor.word("a number of buckets")
        cursor.expect("BUCKETS")


def _spark_table(cursor: Cursor) -> bool:
    while not cursor.at_end():
        if cursor.sees("("):
            cursor.balanced()
        elif cursor.skip("USING"):
            # A join's USING is followed by a parenthesis, a script's by a string.
            return cursor.next.kind in {TokenKind.WORD, TokenKind.QUOTED}
        else:
            cursor.take()
    return False


def _create_table_like(cursor: Cursor, name: NameParts, if_exists: IfExists) -> CreateTableLike:
    source = cursor.name()
    clauses = _TableClauses()
    while not cursor.at_end():
        _table_clause(cursor, clauses)
    return CreateTableLike(name, source, clauses.properties, if_exists)
