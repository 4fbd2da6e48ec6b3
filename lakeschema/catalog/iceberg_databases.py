"""Iceberg's tables and views in a metastore's databases, which also have tables of other formats.

A table's parameters say that it is Iceberg's, and where its metadata is. Hive Metastores and AWS
Glue keep names in lower case, and their namespaces have one level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from lakeschema.catalog.errors import CatalogRefused
from lakeschema.catalog.iceberg import (
    TABLE_TYPE,
    Loaded,
    Look,
    look_at,
    mark_of,
    metadata_pointer,
)
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.own_schemas import OwnSchema, UnreadSchema

_METADATA_LOCATION = "metadata_location"
_TABLE_TYPES = frozenset({"ICEBERG", "ICEBERG-VIEW"})
"""The parameter's values for tables and views; letter case does not count, as in Iceberg for Java."""


class Databases(Protocol):
    """The client of one kind of metastore; safe for threads.

    Names are in lower case. Methods raise the errors of ``IcebergSource``.
    """

    @property
    def name(self) -> str:
        """The catalog's name in errors."""

    def databases(self) -> Sequence[str]:
        """Every database."""

    def in_database(self, database: str) -> Mapping[RelationName, Loaded]:
        """All of Iceberg's tables and views in a database; none if the database does not exist."""

    def load(self, names: Sequence[RelationName]) -> Mapping[RelationName, Loaded]:
        """Those of the names that are Iceberg's tables and views, with the answer for each."""

    def close(self) -> None: ...


class DatabasesSource:
    """The databases of a metastore as an ``IcebergSource``. Safe for threads."""

    def __init__(self, databases: Databases) -> None:
        self.databases = databases

    @property
    def name(self) -> str:
        return self.databases.name

    def namespaces_in(self, parent: tuple[str, ...]) -> Sequence[tuple[str, ...]]:
        return () if parent else self.namespaces()

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        return [(database,) for database in self.databases.databases()]

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        return [*self.databases.in_database(*namespace)] if len(namespace) == 1 else ()

    def load(self, names: Sequence[RelationName]) -> Mapping[RelationName, Loaded]:
        return self.databases.load([name for name in names if len(name.namespace) == 1])

    def look(self, known: Mapping[RelationName, str], _head: str = "", /) -> Look:
        """Looks for changes, with one listing of each database.

        Each commit of data moves a pointer, so a changed name may have the same facts. If the
        catalog refuses to list a database, the marks of that database stay.
        """
        marks: dict[RelationName, str] = {}
        for database in self.databases.databases():
            try:
                found = self.databases.in_database(database)
            except CatalogRefused:
                marks |= {name: m for name, m in known.items() if name.namespace == (database,)}
            else:
                marks |= {name: mark_of(_text(loaded)) for name, loaded in found.items()}
        return look_at(marks, known)

    def close(self) -> None:
        self.databases.close()


def loaded_from(parameters: Mapping[str, str] | None) -> Loaded | None:
    """The pointer in a table's parameters; None if the table is not Iceberg's."""
    given = parameters or {}
    if (given.get(TABLE_TYPE) or "").upper() not in _TABLE_TYPES:
        return None
    location = given.get(_METADATA_LOCATION)
    if not location:
        return UnreadSchema(
            f"the catalog has no {_METADATA_LOCATION} for it; drop it, or register it again"
        )
    return metadata_pointer(location)


def _text(loaded: Loaded) -> str:
    match loaded:
        case UnreadSchema(reason):
            return f"unread: {reason}"
        case OwnSchema():
            return ""
        case _:
            return loaded.location
