"""DDL text to statements: hand-written, because a catalog must start fast and read malformed files.

A view's query is kept as written; only its head is read. A statement that cannot be read becomes
``MalformedStatement``; the others still apply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from lakeschema.catalog.ddl_alter import alter_relation
from lakeschema.catalog.ddl_create import create_table, create_view
from lakeschema.catalog.ddl_cursor import Cursor, Unreadable
from lakeschema.catalog.ddl_functions import create_function
from lakeschema.catalog.ddl_statements import (
    CreateNamespace,
    CreateView,
    DropFunction,
    DropNamespace,
    DropRelation,
    IfExists,
    NameParts,
    NoFacts,
    SetComment,
    Statement,
    UseNamespace,
)
from lakeschema.catalog.ddl_tokens import statements
from lakeschema.catalog.relations import Dialect


@dataclass(frozen=True, slots=True)
class Subject:
    """What a malformed statement would have created."""

    name: NameParts
    is_view: bool


@dataclass(frozen=True, slots=True)
class MalformedStatement:
    """A statement that could not be read.

    Attributes:
        offset: the first character that does not fit, in the whole text.
        text: the statement.
        subject: the relation that it would create, if it came so far.
    """

    offset: int
    message: str
    text: str
    subject: Subject | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A statement, or what is known of a malformed one, and its offset in the text."""

    statement: Statement | MalformedStatement
    offset: int


def read_statements(source: str, dialect: Dialect) -> Iterator[Placed]:
    """Every statement of the text, in order.

    A text that begins with the comment ``-- dialect: trino`` says itself whose statements it holds.
    """
    stated = _stated_dialect(source)
    dialect = stated or dialect
    for start, end in statements(source, plain=dialect is Dialect.TRINO):
        found = _read(source, start, end, dialect)
        if stated is not None and isinstance(found, CreateView):
            found = replace(found, dialect=stated)
        yield Placed(found, start)


_STATED = re.compile(
    r"\s*(?:--[^\n]*\n\s*)*?--[ \t]*dialect:[ \t]*(hive|spark|trino)[ \t]*\r?(?:\n|\Z)"
)


def _stated_dialect(source: str) -> Dialect | None:
    """What a comment before the first statement says."""
    found = _STATED.match(source)
    return None if found is None else Dialect(found[1])


def _read(source: str, start: int, end: int, dialect: Dialect) -> Statement | MalformedStatement:
    reader = _StatementReader(Cursor(source, start, end, dialect))
    try:
        statement = reader.statement()
        if not reader.cursor.at_end():
            raise reader.cursor.refuse("the end of the statement")
    except Unreadable as unreadable:
        return MalformedStatement(
            unreadable.offset, unreadable.message, source[start:end], reader.subject
        )
    return statement


_NO_FACTS = frozenset({
    "SET", "RESET", "INSERT", "SELECT", "WITH", "FROM", "VALUES", "ANALYZE", "MSCK", "GRANT", "REVOKE",
    "ADD", "LOAD", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "REFRESH", "CACHE", "UNCACHE", "CLEAR",
    "TRUNCATE", "UPDATE", "DELETE", "MERGE", "RELOAD", "LIST", "IMPORT", "EXPORT", "LOCK", "UNLOCK",
    "START", "COMMIT", "ROLLBACK", "CALL", "DECLARE", "OPTIMIZE", "VACUUM",
})  # fmt: skip
"""First words of statements about data, settings and rights."""

_OTHER_OBJECTS = frozenset({
    "FUNCTION", "ROLE", "INDEX", "MACRO", "CATALOG", "CONNECTOR", "DATACONNECTOR", "SCHEDULED",
    "RESOURCE", "VARIABLE",
})  # fmt: skip
"""What else is created, altered and dropped, and holds no relation's facts."""

_NAMESPACE = ("DATABASE", "SCHEMA", "NAMESPACE")
_MODIFIERS = ("EXTERNAL", "MANAGED", "TRANSACTIONAL", "REMOTE", "MATERIALIZED")


class _StatementReader:
    """Reads one statement; ``subject`` stays known if the rest fails."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.subject: Subject | None = None

    def statement(self) -> Statement:
        cursor = self.cursor
        start = cursor.next.start
        verb = cursor.word("a statement").upper()
        match verb:
            case "CREATE":
                return self._create()
            case "ALTER":
                return self._alter()
            case "DROP":
                return self._drop()
            case "USE":
                return self._use()
            case "COMMENT":
                return self._comment()
            case _ if verb in _NO_FACTS:
                return self._no_facts()
            case _:
                raise Unreadable(start, f"unknown statement {verb[:60]}")

    def _no_facts(self) -> NoFacts:
        self.cursor.rest()
        return NoFacts()

    def _create(self) -> Statement:
        cursor = self.cursor
        replace = cursor.skip("OR", "REPLACE")
        temporary = cursor.skip("GLOBAL", "TEMPORARY") or cursor.skip("TEMPORARY")
        temporary = cursor.skip("TEMP") or temporary
        if_exists = IfExists.REPLACE if replace else IfExists.REFUSE
        if not temporary and cursor.skip("FUNCTION"):
            return create_function(cursor, if_exists)
        if temporary or cursor.sees_any(_OTHER_OBJECTS):
            return self._no_facts()
        for modifier in _MODIFIERS:
            cursor.skip(modifier)
        if cursor.skip("DATABASE") or cursor.skip("SCHEMA") or cursor.skip("NAMESPACE"):
            cursor.skip("IF", "NOT", "EXISTS")
            namespace = cursor.name()
            cursor.rest()
            return CreateNamespace(namespace)
        is_view = cursor.skip("VIEW")
        if not is_view and not cursor.skip("TABLE"):
            raise cursor.refuse("TABLE, VIEW or DATABASE")
        if cursor.skip("IF", "NOT", "EXISTS") and not replace:
            if_exists = IfExists.KEEP
        name = cursor.name()
        self.subject = Subject(name, is_view)
        create = create_view if is_view else create_table
        return create(cursor, name, if_exists)

    def _alter(self) -> Statement:
        cursor = self.cursor
        if cursor.sees_any(_OTHER_OBJECTS) or cursor.sees_any(_NAMESPACE):
            return self._no_facts()
        cursor.skip("MATERIALIZED")
        if not cursor.skip("TABLE"):
            cursor.expect("VIEW")
        return alter_relation(cursor, cursor.name())

    def _drop(self) -> Statement:
        cursor = self.cursor
        if cursor.skip("FUNCTION"):
            cursor.skip("IF", "EXISTS")
            return DropFunction(cursor.name())
        if cursor.sees_any(_OTHER_OBJECTS) or cursor.sees("TEMPORARY"):
            return self._no_facts()
        cursor.skip("MATERIALIZED")
        is_namespace = cursor.skip("DATABASE") or cursor.skip("SCHEMA") or cursor.skip("NAMESPACE")
        is_view = not is_namespace and not cursor.skip("TABLE")
        if is_view:
            cursor.expect("VIEW")
        if_exists = cursor.skip("IF", "EXISTS")
        name = cursor.name()
        if is_namespace:
            cascade = cursor.skip("CASCADE")
            cursor.skip("RESTRICT")
            return DropNamespace(name, if_exists, cascade)
        cursor.skip("PURGE")
        return DropRelation(name, if_exists, is_view)

    def _use(self) -> Statement:
        cursor = self.cursor
        if not (cursor.skip("DATABASE") or cursor.skip("SCHEMA")):
            cursor.skip("NAMESPACE")
        return UseNamespace(cursor.name())

    def _comment(self) -> Statement:
        cursor = self.cursor
        cursor.expect("ON")
        if not (cursor.skip("TABLE") or cursor.skip("VIEW")):
            return self._no_facts()
        name = cursor.name()
        cursor.expect("IS")
        return SetComment(name, None if cursor.skip("NULL") else cursor.string())
