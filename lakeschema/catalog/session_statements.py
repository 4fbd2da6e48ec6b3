"""Reads the statements that choose catalogs and namespaces, list them, and resolve names.

The grammar is the proposal's. With ``Rules.SPARK`` it is Spark's, which lacks some of the statements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Final

from lakeschema.catalog.ddl_cursor import Cursor, Unreadable
from lakeschema.catalog.ddl_tokens import TokenKind
from lakeschema.catalog.errors import Refusal, SessionRefused
from lakeschema.catalog.name_resolution import WrittenName, not_readable, take_name
from lakeschema.catalog.relations import Dialect
from lakeschema.catalog.sessions import Levels, Rules

STATEMENTS: Final = (
    "USE [CATALOG | NAMESPACE] name [IN catalog]",
    "SHOW NAMESPACES | TABLES | VIEWS | FUNCTIONS [IN catalog.namespace] [LIKE 'pattern']",
    "SHOW CATALOGS",
    "CREATE NAMESPACE [IF NOT EXISTS] name",
    "DROP NAMESPACE [IF EXISTS] name",
    "RESOLVE name",
    "DESCRIBE name",
)
_NAMESPACE: Final = ("NAMESPACE", "DATABASE", "SCHEMA")


class Listed(Enum):
    """The kind of object that a statement lists."""

    NAMESPACES = "namespaces"
    TABLES = "tables"
    VIEWS = "views"
    FUNCTIONS = "functions"


_LISTED: Final[Mapping[str, Listed]] = {
    "NAMESPACES": Listed.NAMESPACES,
    "DATABASES": Listed.NAMESPACES,
    "SCHEMAS": Listed.NAMESPACES,
    "TABLES": Listed.TABLES,
    "VIEWS": Listed.VIEWS,
    "FUNCTIONS": Listed.FUNCTIONS,
}


@dataclass(frozen=True, slots=True)
class Use:
    """The statement ``USE a.b``, for a catalog, a namespace, or both."""

    parts: Levels


@dataclass(frozen=True, slots=True)
class UseCatalog:
    catalog: str


@dataclass(frozen=True, slots=True)
class UseNamespace:
    """The choice of a namespace of a catalog; None is the current catalog."""

    namespace: Levels
    catalog: str | None = None


@dataclass(frozen=True, slots=True)
class ShowCatalogs:
    like: str | None = None


@dataclass(frozen=True, slots=True)
class Show:
    """A SHOW. ``place`` is the name after IN; None without IN."""

    listed: Listed
    place: Levels | None = None
    like: str | None = None


@dataclass(frozen=True, slots=True)
class CreateNamespace:
    parts: Levels
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropNamespace:
    parts: Levels
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Resolve:
    name: WrittenName


@dataclass(frozen=True, slots=True)
class Describe:
    name: WrittenName


Statement = (
    Use
    | UseCatalog
    | UseNamespace
    | ShowCatalogs
    | Show
    | CreateNamespace
    | DropNamespace
    | Resolve
    | Describe
)


def read_statement(text: str, rules: Rules = Rules.PROPOSAL) -> Statement:
    """Reads one statement, with or without a semicolon at its end.

    Raises:
        SessionRefused: the text is not one of the statements.
    """
    cursor = Cursor(text, 0, len(text), Dialect.SPARK)
    shown = " ".join(text.split())
    shown = shown if len(shown) <= 200 else shown[:200] + "…"
    readers: Mapping[str, Callable[[Cursor], Statement]] = {
        "USE": partial(_use, rules),
        **_READERS,
    }
    for word, read in readers.items():
        if not cursor.skip(word):
            continue
        try:
            statement = read(cursor)
            cursor.skip(";")
            if not cursor.at_end():
                raise cursor.refuse("the end of the statement")
        except Unreadable as error:
            raise not_readable(f"cannot read {shown!r}", error) from error
        return statement
    raise SessionRefused(
        Refusal.SYNTAX,
        f"{shown!r} is not a statement of this shell",
        f"write one of: {'; '.join(STATEMENTS)}",
    )


def _use(rules: Rules, cursor: Cursor) -> Statement:
    if rules is Rules.PROPOSAL and _skip_keyword(cursor, "CATALOG"):
        return UseCatalog(cursor.identifier("a catalog"))
    is_namespace = any(_skip_keyword(cursor, word) for word in _NAMESPACE)
    parts = cursor.name()
    if rules is Rules.PROPOSAL and cursor.skip("IN"):
        return UseNamespace(parts, cursor.identifier("a catalog"))
    return UseNamespace(parts) if is_namespace else Use(parts)


def _skip_keyword(cursor: Cursor, word: str) -> bool:
    """Skips the word unless it is itself the name: ``USE catalog``, ``USE schema.x``."""
    start = cursor.next.start
    if not cursor.skip(word):
        return False
    if cursor.at_end() or cursor.sees_any((".", ";", "IN")):
        cursor.rewind(start)
        return False
    return True


def _set(cursor: Cursor) -> Statement:
    cursor.expect("CATALOG")
    return UseCatalog(cursor.identifier("a catalog"))


def _show(cursor: Cursor) -> Statement:
    if cursor.skip("CATALOGS"):
        return ShowCatalogs(_like(cursor))
    word = cursor.next.bare
    if word not in _LISTED:
        raise cursor.refuse(f"one of CATALOGS, {', '.join(_LISTED)}")
    cursor.take()
    place = cursor.name("a catalog") if cursor.skip("IN") or cursor.skip("FROM") else None
    return Show(_LISTED[word], place, _like(cursor))


def _like(cursor: Cursor) -> str | None:
    """Reads the pattern after LIKE; the proposal writes it without quotes."""
    if not cursor.skip("LIKE") and cursor.next.kind is not TokenKind.STRING:
        return None
    if cursor.next.kind is TokenKind.STRING:
        return cursor.string("a pattern")
    if cursor.next.kind is TokenKind.UNCLOSED:
        cursor.take()
    pattern = cursor.rest().rstrip("; \t\n")
    if not pattern or any(character.isspace() for character in pattern):
        raise Unreadable(cursor.last_end, "expected one pattern in quotes after LIKE")
    return pattern


def _create(cursor: Cursor) -> Statement:
    _expect_namespace(cursor)
    is_conditional = cursor.skip("IF", "NOT", "EXISTS")
    return CreateNamespace(cursor.name(), is_conditional)


def _drop(cursor: Cursor) -> Statement:
    _expect_namespace(cursor)
    is_conditional = cursor.skip("IF", "EXISTS")
    return DropNamespace(cursor.name(), is_conditional)


def _expect_namespace(cursor: Cursor) -> None:
    if not any(cursor.skip(word) for word in _NAMESPACE):
        raise cursor.refuse(f"one of {', '.join(_NAMESPACE)}")


def _resolve(cursor: Cursor) -> Statement:
    return Resolve(take_name(cursor))


def _describe(cursor: Cursor) -> Statement:
    _skip_keyword(cursor, "TABLE")
    return Describe(take_name(cursor))


_READERS: Final[Mapping[str, Callable[[Cursor], Statement]]] = {
    "SET": _set,
    "SHOW": _show,
    "CREATE": _create,
    "DROP": _drop,
    "RESOLVE": _resolve,
    "DESCRIBE": _describe,
    "DESC": _describe,
}
