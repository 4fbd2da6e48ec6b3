"""The errors of catalogs.

CatalogError
├── MalformedName        text that is not a dotted name
├── MalformedType        text that is not a column type
├── MalformedDdl         a DDL file that cannot be read
├── CatalogUnavailable   a transient problem, which is retried
│   └── CatalogDown          one of several catalogs does not answer for any of its names
├── SchemaUnreachable    files that hold a table's schema cannot be read
├── CatalogRefused       permanent: the catalog refused the request
│   ├── NamespaceMissing     there is no such namespace
│   ├── NamespaceExists      there is one already
│   ├── NamespaceNotEmpty    it cannot be dropped
│   └── RelationMissing      there is no such table or view
└── SessionRefused       a name or statement that the session does not pass to a catalog
"""

from __future__ import annotations

from enum import Enum


class CatalogError(Exception):
    """The root of the package's errors; ``hint`` says what a person can do."""

    hint: str = ""


class MalformedName(CatalogError):
    hint = "write database.table, with back-ticks around a part that is not a plain word"

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        shown = self.text if len(self.text) <= 200 else self.text[:200] + "…"
        return f"{shown!r} is not a relation name"


class MalformedType(CatalogError):
    hint = "write a Hive type, such as array<struct<a:int,b:string>>"

    def __init__(self, text: str, position: int, expected: str) -> None:
        super().__init__(text, position, expected)
        self.text = text
        self.position = position
        self.expected = expected

    def __str__(self) -> str:
        shown = self.text if len(self.text) <= 200 else self.text[:200] + "…"
        return f"column type {shown!r} is malformed at {self.position}: expected {self.expected}"


class MalformedDdl(CatalogError):
    hint = (
        "correct the statement; what it names has to exist, or to be made by a statement before it"
    )

    def __init__(self, path: str, line: int, message: str, hint: str = "") -> None:
        super().__init__(path, line, message, hint)
        self.path = path
        self.line = line
        self.message = message
        self.hint = hint or self.hint

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


class CatalogUnavailable(CatalogError):
    hint = "check that it runs and that its address is right"

    def __init__(self, catalog: str, reason: str, hint: str = "") -> None:
        super().__init__(catalog, reason, hint)
        self.catalog = catalog
        self.reason = reason
        self.hint = hint or self.hint

    def __str__(self) -> str:
        return f"catalog {self.catalog} does not answer: {self.reason}"


class CatalogDown(CatalogUnavailable):
    """One of several catalogs does not answer at all: the fault is not in a single relation."""


class SchemaUnreachable(CatalogError):
    """Files that hold a table's schema cannot be read. ``reason`` also says what to do."""

    def __init__(self, format_: str, reason: str) -> None:
        super().__init__(format_, reason)
        self.format = format_
        self.reason = reason

    def __str__(self) -> str:
        return f"its schema is in files of {self.format}: {self.reason}"


class CatalogRefused(CatalogError):
    def __init__(self, catalog: str, operation: str, reason: str) -> None:
        super().__init__(catalog, operation, reason)
        self.catalog = catalog
        self.operation = operation
        self.reason = reason

    def __str__(self) -> str:
        return f"catalog {self.catalog} refused {self.operation}: {self.reason}"


class NamespaceMissing(CatalogRefused):
    def __init__(self, catalog: str, namespace: str) -> None:
        super().__init__(catalog, f"namespace {namespace}", "there is no such namespace")
        self.hint = f"to see those that exist: SHOW NAMESPACES IN {catalog}, or SHOW CATALOGS"


class NamespaceExists(CatalogRefused):
    hint = "to accept an existing one: CREATE NAMESPACE IF NOT EXISTS"

    def __init__(self, catalog: str, namespace: str) -> None:
        super().__init__(catalog, f"namespace {namespace}", "it exists already")


class NamespaceNotEmpty(CatalogRefused):
    hint = "drop the relations in it first"

    def __init__(self, catalog: str, namespace: str) -> None:
        super().__init__(catalog, f"to drop namespace {namespace}", "it is not empty")


class RelationMissing(CatalogRefused):
    def __init__(self, catalog: str, name: str, place: str) -> None:
        """``place`` is the text of the namespace, with the catalog."""
        super().__init__(catalog, f"relation {name}", "there is no such table or view")
        self.hint = f"to see those that exist: SHOW TABLES IN {place}"


class Refusal(Enum):
    """Why a session refuses a name or a statement."""

    SYNTAX = "syntax"
    UNKNOWN_CATALOG = "unknown catalog"
    NOT_LOADED = "catalog not loaded"
    NO_NAMESPACES = "the catalog has no namespaces"
    NO_PATHS = "the catalog takes no paths"
    NOT_A_PATH = "not a path"
    ONE_LEVEL = "the namespace must have one level"
    NO_ABILITY = "the catalog lacks the ability"
    NOT_IN_SPARK = "unknown to Spark"
    INEXPRESSIBLE = "no text has this meaning"


class SessionRefused(CatalogError):
    """A session refused a name or a statement. No catalog was called, and the session is unchanged."""

    def __init__(self, kind: Refusal, message: str, hint: str = "") -> None:
        super().__init__(kind, message, hint)
        self.kind = kind
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message
