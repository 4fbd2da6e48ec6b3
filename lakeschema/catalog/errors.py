"""The errors of catalogs.

CatalogError
├── MalformedName        text that is not a dotted name
├── MalformedType        text that is not a column type
├── MalformedDdl         a DDL file that cannot be read
├── CatalogUnavailable   transient: retried
├── SchemaUnreachable    files that hold a table's schema cannot be read
└── CatalogRefused       permanent: the catalog refused the request
"""

from __future__ import annotations


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


class SchemaUnreachable(CatalogError):
    """``reason`` also says what to do."""

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
