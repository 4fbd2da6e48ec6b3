"""Reads column lists in DDL: names, types, comments, NOT NULL; skips constraints."""

from __future__ import annotations

from dataclasses import replace

from lakeschema.catalog.column_types import ColumnType, UnknownType, parse_type_or_unknown
from lakeschema.catalog.ddl_cursor import Cursor
from lakeschema.catalog.ddl_statements import AddedColumn, ColumnPath, Place
from lakeschema.catalog.ddl_tokens import TokenKind
from lakeschema.catalog.relations import Column, Dialect
from lakeschema.catalog.trino_types import parse_trino_type_or_unknown

UNSTATED = UnknownType("")
"""The type of a view's declared column, since DDL names such columns without a type."""


def table_columns(cursor: Cursor) -> tuple[Column, ...]:
    """Reads ``(name type [NOT NULL] [COMMENT 'x'] …, [table constraints])``."""
    cursor.expect("(")
    columns: list[Column] = []
    while True:
        if _table_constraint(cursor):
            _past_options(cursor)
        else:
            columns.append(column_body(cursor, column_name(cursor)).column)
        if cursor.skip(")"):
            return tuple(columns)
        cursor.expect(",")


def added_columns(cursor: Cursor) -> tuple[AddedColumn, ...]:
    """Reads ``path type … [FIRST | AFTER name], …``, with or without parentheses around them."""
    bracketed = cursor.skip("(")
    columns: list[AddedColumn] = []
    while True:
        *parent, name = column_path(cursor)
        columns.append(replace(column_body(cursor, name), parent=tuple(parent)))
        if not cursor.skip(","):
            break
    if bracketed:
        cursor.expect(")")
    return tuple(columns)


def column_path(cursor: Cursor) -> ColumnPath:
    return cursor.name("a column's name")


def column_name(cursor: Cursor) -> str:
    """Reads a column's name as written.

    The table decides whether the letter case counts, and an ALTER does not show the kind of table.
    """
    return cursor.identifier("a column's name")


def column_body(cursor: Cursor, name: str) -> AddedColumn:
    """The parts after a column's name."""
    cursor.skip(":")
    column_type_ = column_type(cursor)
    comment: str | None = None
    nullable = True
    place = Place()
    has_default = False
    while not (cursor.sees_any(_ENDS) or cursor.at_end()):
        if cursor.skip("COMMENT"):
            comment = cursor.string("a comment in quotes")
        elif cursor.skip("NOT", "NULL"):
            # A constraint that is not enforced gives no guarantee, so the column stays nullable.
            nullable = cursor.skip("DISABLE") or cursor.skip("NOT", "ENFORCED")
        elif cursor.skip("FIRST"):
            place = Place(first=True)
        elif cursor.skip("LAST"):
            place = Place()
        elif cursor.skip("AFTER"):
            place = Place(after=column_name(cursor))
        else:
            has_default |= cursor.sees("DEFAULT")
            _past_column_option(cursor)
    column = Column(name, column_type_, comment, nullable)
    return AddedColumn(column, place, has_default=has_default)


_ENDS = (",", ")")
_OPTIONS = (
    "PRIMARY", "KEY", "UNIQUE", "CHECK", "GENERATED", "ALWAYS", "AS", "IDENTITY", "ENABLE", "DISABLE", "ENFORCED",
    "VALIDATE", "NOVALIDATE", "RELY", "NORELY", "CASCADE", "RESTRICT", "NULL", "NOT", "BY",
)  # fmt: skip


def _past_column_option(cursor: Cursor) -> None:
    if cursor.skip("CONSTRAINT") or cursor.skip("COLLATE"):
        cursor.identifier()
    elif cursor.skip("REFERENCES"):
        cursor.name()
    elif cursor.skip("DEFAULT"):
        cursor.take()
        while not (cursor.at_end() or cursor.sees_any(_AFTER_DEFAULT)):
            past_one(cursor)
    elif cursor.sees("("):
        cursor.balanced()
    elif not any(cursor.skip(word) for word in _OPTIONS):
        raise cursor.refuse("a comma, a parenthesis or a column's option")


_AFTER_DEFAULT = (",", ")", "COMMENT", "NOT", "CHECK", "FIRST", "AFTER", "ENABLE", "DISABLE")


def view_columns(cursor: Cursor) -> tuple[Column, ...]:
    """Reads ``(name [COMMENT 'x'], …)``."""
    cursor.expect("(")
    columns: list[Column] = []
    while True:
        name = column_name(cursor)
        comment = cursor.string("a comment in quotes") if cursor.skip("COMMENT") else None
        columns.append(Column(name, UNSTATED, comment))
        if cursor.skip(")"):
            return tuple(columns)
        cursor.expect(",")


def column_type(cursor: Cursor) -> ColumnType:
    """A type; invalid type text becomes ``UnknownType``, and the column stays."""
    start = cursor.next.start
    word = cursor.word("a column type").upper()
    end = start + len(word)
    if cursor.sees("<"):
        end = _past_angles(cursor)
    elif cursor.sees("("):
        end = _past_parentheses(cursor)
        if cursor.dialect is Dialect.TRINO and cursor.skip("WITH", "TIME", "ZONE"):
            end = cursor.last_end
    elif word == "INTERVAL":
        end = _past_interval(cursor, end)
    else:
        for suffix in _SUFFIXES.get(word, ()):
            if cursor.sees(*suffix):
                for _ in suffix:
                    end = cursor.take().end
                if cursor.sees("("):
                    end = _past_parentheses(cursor)
    text = cursor.source[start:end]
    found = parse_type_or_unknown(text)
    if isinstance(found, UnknownType) and cursor.dialect is Dialect.TRINO:
        # A table is stored in the metastore, whose spelling takes precedence.
        return parse_trino_type_or_unknown(text)
    return found


_SUFFIXES = {
    "TIMESTAMP": (
        ("WITH", "LOCAL", "TIME", "ZONE"),
        ("WITHOUT", "TIME", "ZONE"),
        ("WITH", "TIME", "ZONE"),
    ),
    "DOUBLE": (("PRECISION",),),
    "CHARACTER": (("VARYING",),),
}
_UNITS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")


def _past_angles(cursor: Cursor) -> int:
    depth = 0
    while True:
        if cursor.at_end():
            raise cursor.refuse(">")
        token = cursor.take()
        if token.kind is TokenKind.MARK:
            depth += {"<": 1, ">": -1}.get(token.text, 0)
            if depth == 0:
                return token.end


def _past_parentheses(cursor: Cursor) -> int:
    cursor.balanced()
    return cursor.last_end


def _past_interval(cursor: Cursor, end: int) -> int:
    for unit in _UNITS:
        if cursor.sees(unit):
            end = cursor.take().end
            if cursor.skip("TO"):
                end = cursor.take().end
            break
    return end


_CONSTRAINTS = ("CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "CHECK")


def _table_constraint(cursor: Cursor) -> bool:
    if not cursor.sees_any(_CONSTRAINTS):
        return False
    if cursor.sees("CONSTRAINT"):
        start = cursor.next.start
        cursor.take()
        constraint = cursor.next.kind in {TokenKind.WORD, TokenKind.QUOTED}
        if constraint:
            cursor.take()
            constraint = cursor.sees_any(_CONSTRAINTS[1:])
        cursor.rewind(start)
        return constraint
    return any(
        cursor.sees(*words)
        for words in (("PRIMARY", "KEY"), ("FOREIGN", "KEY"), ("UNIQUE", "("), ("CHECK", "("))
    )


def _past_options(cursor: Cursor) -> None:
    while not (cursor.sees_any(_ENDS) or cursor.at_end()):
        past_one(cursor)


def past_one(cursor: Cursor) -> None:
    """Skips a token, or parentheses with their content."""
    if cursor.sees("("):
        cursor.balanced()
    else:
        cursor.take()
