"""Reads DDL text into statements. The parser is written by hand: it starts fast and tolerates errors.

It reads only the head of a CREATE VIEW, and keeps the query as text. An unreadable statement becomes
``MalformedStatement``; all other statements still apply.
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
    AlterIfExists,
    ChangeColumns,
    ColumnChange,
    CreateNamespace,
    CreateTemporary,
    CreateView,
    DropFunction,
    DropNamespace,
    DropRelation,
    IfExists,
    NameParts,
    NoFacts,
    SetComment,
    Statement,
    UnknownChange,
    UseNamespace,
)
from lakeschema.catalog.ddl_tokens import statements
from lakeschema.catalog.relations import Dialect


@dataclass(frozen=True, slots=True)
class Subject:
    """The relation that a malformed statement is about.

    Attributes:
        creates: whether it would have created the relation; otherwise it would have changed or
            dropped it.
    """

    name: NameParts
    is_view: bool
    creates: bool = False


@dataclass(frozen=True, slots=True)
class MalformedStatement:
    """A statement that could not be read.

    Attributes:
        offset: the first character that does not fit, in the whole text.
        text: the statement.
        subject: the relation it is about, if known.
    """

    offset: int
    message: str
    text: str
    subject: Subject | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A statement, perhaps malformed, and its offset in the text."""

    statement: Statement | MalformedStatement
    offset: int


def read_statements(source: str, dialect: Dialect) -> Iterator[Placed]:
    """Every statement in order; ``-- dialect: trino`` at the beginning sets the text's dialect."""
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
    """The dialect in a comment before the first statement."""
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
    "START", "COMMIT", "ROLLBACK", "CALL", "DECLARE", "OPTIMIZE", "VACUUM", "REPAIR", "FSCK", "REORG",
    "GENERATE", "CONVERT", "COPY", "DFS", "ABORT", "KILL", "TABLE",
})  # fmt: skip
"""First words of statements about data, settings and rights."""

_OTHER_OBJECTS = frozenset({
    "FUNCTION", "ROLE", "INDEX", "MACRO", "CATALOG", "CONNECTOR", "DATACONNECTOR", "SCHEDULED",
    "RESOURCE", "VARIABLE", "FLOW", "BRANCH", "TAG",
})  # fmt: skip
"""Other objects that are created, altered and dropped, without facts about relations."""

_GLOBAL = ("global_temp",)
"""The database of Spark's global temporary views."""
_NAMESPACE = ("DATABASE", "SCHEMA", "NAMESPACE")
_MODIFIERS = ("EXTERNAL", "MANAGED", "TRANSACTIONAL", "REMOTE", "MATERIALIZED", "STREAMING")


class _StatementReader:
    """Reads one statement.

    ``subject`` is known even if the rest of the statement cannot be read.
    """

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
            case "REPLACE":
                cursor.expect("TABLE")
                return self._create_relation(IfExists.REPLACE, is_view=False)
            case "RESTORE":
                return self._restore()
            case "INSERT" | "MERGE" if cursor.skip("WITH", "SCHEMA", "EVOLUTION"):
                return self._evolve()
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
        is_global = cursor.skip("GLOBAL")
        temporary = cursor.skip("TEMPORARY") or cursor.skip("TEMP")
        if_exists = IfExists.REPLACE if replace else IfExists.REFUSE
        if not temporary and cursor.skip("FUNCTION"):
            return create_function(cursor, if_exists)
        if cursor.sees_any(_OTHER_OBJECTS):
            return self._no_facts()
        for modifier in _MODIFIERS:
            cursor.skip(modifier)
        if temporary:
            return self._create_temporary(_GLOBAL if is_global else ())
        if self._skips_namespace():
            cursor.skip("IF", "NOT", "EXISTS")
            namespace = cursor.name()
            cursor.rest()
            return CreateNamespace(namespace)
        is_view = cursor.skip("VIEW")
        if not is_view and not cursor.skip("TABLE"):
            raise cursor.refuse("TABLE, VIEW or DATABASE")
        return self._create_relation(if_exists, is_view=is_view)

    def _create_temporary(self, namespace: NameParts) -> CreateTemporary:
        self._is_view()
        self.cursor.skip("IF", "NOT", "EXISTS")
        name = self.cursor.name()
        self.cursor.rest()
        return CreateTemporary((*namespace, *name))

    def _create_relation(self, if_exists: IfExists, *, is_view: bool) -> Statement:
        cursor = self.cursor
        if cursor.skip("IF", "NOT", "EXISTS") and if_exists is IfExists.REFUSE:
            if_exists = IfExists.KEEP
        name = cursor.relation_name()
        self.subject = Subject(name, is_view, creates=True)
        create = create_view if is_view else create_table
        return create(cursor, name, if_exists)

    def _alter(self) -> Statement:
        cursor = self.cursor
        if cursor.sees_any(_OTHER_OBJECTS):
            return self._no_facts()
        if self._skips_namespace():
            cursor.name()
            if cursor.sees("RENAME"):
                raise cursor.refuse("a form of ALTER that keeps the names of relations")
            return self._no_facts()
        for modifier in _MODIFIERS:
            cursor.skip(modifier)
        is_view = self._is_view()
        if_exists = cursor.skip("IF", "EXISTS")
        name = self._changed(is_view=is_view)
        statement = alter_relation(cursor, name, is_view=is_view)
        return AlterIfExists(statement) if if_exists else statement

    def _is_view(self) -> bool:
        if self.cursor.skip("TABLE"):
            return False
        self.cursor.expect("VIEW")
        return True

    def _changed(self, *, is_view: bool) -> NameParts:
        """The name of the relation that the statement changes."""
        name = self.cursor.relation_name()
        self.subject = Subject(name, is_view)
        return name

    def _restore(self) -> UnknownChange:
        """Reads Delta's RESTORE, which returns to an earlier version's columns."""
        self.cursor.skip("TABLE")
        name = self._changed(is_view=False)
        self.cursor.rest()
        return UnknownChange(name, "RESTORE brings back the columns of another version")

    def _evolve(self) -> UnknownChange:
        cursor = self.cursor
        if not cursor.skip("INTO"):
            cursor.expect("OVERWRITE")
        cursor.skip("TABLE")
        name = self._changed(is_view=False)
        cursor.rest()
        return UnknownChange(name, "WITH SCHEMA EVOLUTION adds the columns that the rows have")

    def _drop(self) -> Statement:
        cursor = self.cursor
        if cursor.skip("FUNCTION"):
            cursor.skip("IF", "EXISTS")
            return DropFunction(cursor.name())
        if cursor.sees_any(_OTHER_OBJECTS) or cursor.sees("TEMPORARY"):
            return self._no_facts()
        if self._skips_namespace():
            if_exists = cursor.skip("IF", "EXISTS")
            namespace = cursor.name()
            cascade = cursor.skip("CASCADE")
            cursor.skip("RESTRICT")
            return DropNamespace(namespace, if_exists, cascade)
        for modifier in _MODIFIERS:
            cursor.skip(modifier)
        is_view = self._is_view()
        if_exists = cursor.skip("IF", "EXISTS")
        name = self._changed(is_view=is_view)
        cursor.skip("PURGE")
        return DropRelation(name, if_exists, is_view)

    def _skips_namespace(self) -> bool:
        if not self.cursor.sees_any(_NAMESPACE):
            return False
        self.cursor.take()
        return True

    def _use(self) -> Statement:
        cursor = self.cursor
        self._skips_namespace()
        return UseNamespace(cursor.name())

    def _comment(self) -> Statement:
        cursor = self.cursor
        cursor.expect("ON")
        if cursor.skip("COLUMN"):
            *relation, column = cursor.name()
            self.subject = Subject(tuple(relation), is_view=False)
            change = ColumnChange((column,), comment=self._comment_text() or "")
            return ChangeColumns(tuple(relation), (change,))
        if not cursor.sees_any(("TABLE", "VIEW")):
            return self._no_facts()
        is_view = self._is_view()
        return SetComment(self._changed(is_view=is_view), self._comment_text(), is_view)

    def _comment_text(self) -> str | None:
        self.cursor.expect("IS")
        return None if self.cursor.skip("NULL") else self.cursor.string()
