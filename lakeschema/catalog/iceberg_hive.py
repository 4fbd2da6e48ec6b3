"""Iceberg's tables and views in a Hive Metastore, over the same connections as its other tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lakeschema.catalog.errors import CatalogRefused
from lakeschema.catalog.iceberg import Loaded
from lakeschema.catalog.iceberg_databases import loaded_from
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_client import MetastoreClient
from lakeschema.catalog.metastore_security import UNSECURED, Security
from lakeschema.catalog.metastore_tables import MetastoreTables, ask, batches
from lakeschema.catalog.own_schemas import UnreadSchema


class HiveDatabases:
    """A metastore as ``Databases``. Safe for threads: each thread has its own connection."""

    def __init__(
        self,
        uris: str,
        *,
        name: str,
        timeout_seconds: float = 30.0,
        attempts: int = 4,
        security: Security = UNSECURED,
    ) -> None:
        """Creates a client for the servers at ``uris``, which are addresses separated by commas.

        ``name`` is the catalog's name in errors.
        """
        self.name = name
        self._client = MetastoreClient(
            uris.split(","),
            name=name,
            timeout_seconds=timeout_seconds,
            attempts=attempts,
            security=security,
        )
        self._tables = MetastoreTables(self._client, _loaded, _unreadable)

    def databases(self) -> Sequence[str]:
        found = ask(
            self._client, "the list of databases", lambda client: client.get_all_databases()
        )
        return [database.lower() for database in found]

    def in_database(self, database: str) -> Mapping[RelationName, Loaded]:
        """Iceberg's tables in a database, and tables that cannot be read, which may be Iceberg's."""
        names = [RelationName.of(database, table) for table in self._tables.listed(database)]
        return _of_iceberg(self._tables.read(names))

    def load(self, names: Sequence[RelationName]) -> Mapping[RelationName, Loaded]:
        """Loads tables. If the metastore refuses a database, the others are still loaded."""
        found: dict[RelationName, Loaded] = {}
        for database, tables in batches(names, len(names)):
            asked = [RelationName((database,), table) for table in tables]
            try:
                found |= _of_iceberg(self._tables.read(asked))
            except CatalogRefused as error:
                refused = UnreadSchema(f"the catalog refuses to return it: {error.reason}")
                found |= dict.fromkeys(asked, refused)
        return found

    def close(self) -> None:
        self._client.close()


def _loaded(_client: Any, tables: Sequence[Any]) -> Mapping[RelationName, Loaded | None]:
    return {
        RelationName.of(table.dbName, table.tableName): loaded_from(table.parameters)
        for table in tables
    }


def _unreadable(_name: RelationName, reason: str) -> Loaded | None:
    return UnreadSchema(f"the catalog cannot return it: {reason}")


def _of_iceberg(found: Mapping[RelationName, Loaded | None]) -> dict[RelationName, Loaded]:
    return {name: loaded for name, loaded in found.items() if loaded is not None}
