"""A Hive Metastore over Thrift as a read-only catalog."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from hive_metastore.ttypes import (
    GetTableRequest,
    GetTablesRequest,
    NoSuchObjectException,
    NotNullConstraintsRequest,
    UnknownDBException,
)
from thrift.Thrift import TApplicationException, TException

from lakeschema.catalog.errors import CatalogRefused
from lakeschema.catalog.hive_facts import may_be_constrained, relation_from_table
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_client import MetastoreClient
from lakeschema.catalog.metastore_functions import MetastoreFunctions
from lakeschema.catalog.metastore_security import UNSECURED, Security
from lakeschema.catalog.own_schemas import UNREAD, OwnSchemas, with_own_schemas
from lakeschema.catalog.relations import Relation

Result = TypeVar("Result")

BATCH_SIZE = 200
"""Tables per request: larger batches are not faster and hold a metastore thread for longer."""


class HiveMetastoreCatalog:
    """Safe for threads: each has its own connection.

    ``current_event_id`` and the next ``read`` in the same thread use one connection, or another
    server that is at least as current.
    """

    def __init__(
        self,
        uris: str | Sequence[str],
        *,
        name: str = "hive",
        timeout_seconds: float = 30.0,
        attempts: int = 4,
        batch_size: int = BATCH_SIZE,
        security: Security = UNSECURED,
        own_schemas: OwnSchemas = UNREAD,
    ) -> None:
        """``uris`` may be in Hive's form, addresses separated by commas.

        ``own_schemas`` reads the files of Delta and Iceberg tables.
        """
        addresses = uris.split(",") if isinstance(uris, str) else tuple(uris)
        self.client = MetastoreClient(
            addresses,
            name=name,
            timeout_seconds=timeout_seconds,
            attempts=attempts,
            security=security,
        )
        self._batch_size = batch_size
        self._own_schemas = own_schemas

    def namespaces(self) -> Sequence[tuple[str, ...]]:
        found = self._ask("the list of databases", lambda client: client.get_all_databases())
        return tuple((database.lower(),) for database in found)

    def relations(self, namespace: tuple[str, ...]) -> Sequence[RelationName]:
        if len(namespace) != 1:
            return ()
        database = namespace[0]
        found = self._ask(
            f"the tables of {database}", lambda client: client.get_all_tables(database)
        )
        return tuple(RelationName.of(database, table) for table in found if table)

    def read(self, names: Sequence[RelationName]) -> Mapping[RelationName, Relation]:
        by_database: defaultdict[str, list[str]] = defaultdict(list)
        for name in dict.fromkeys(names):
            if len(name.namespace) == 1:
                by_database[name.namespace[0]].append(name.name)
        found: dict[RelationName, Relation] = {}
        for database, tables in by_database.items():
            for start in range(0, len(tables), self._batch_size):
                found |= self._batch(database, tables[start : start + self._batch_size])
        found = with_own_schemas(found, self._own_schemas)
        return MetastoreFunctions(self.client.run).given_to(found)

    def owners(self, names: Sequence[RelationName]) -> Mapping[RelationName, str]:
        """The owners of relations that have one; not facts, since they do not affect a meaning."""
        by_database: defaultdict[str, list[str]] = defaultdict(list)
        for name in names:
            if len(name.namespace) == 1:
                by_database[name.namespace[0]].append(name.name)
        found: dict[RelationName, str] = {}
        for database, tables in by_database.items():
            for start in range(0, len(tables), self._batch_size):
                part = tables[start : start + self._batch_size]
                objects = self._ask(
                    f"the owners of tables of {database}",
                    lambda client, d=database, p=part: _table_objects(client, d, p),
                )
                found |= {
                    RelationName.of(database, o.tableName): o.owner for o in objects if o.owner
                }
        return found

    def current_event_id(self) -> int | None:
        try:
            return self.client.current_event_id()
        except TException as error:
            raise self._refused("the current event id", error) from error

    def close(self) -> None:
        self.client.close()
        self._own_schemas.close()

    def _batch(self, database: str, tables: Sequence[str]) -> dict[RelationName, Relation]:
        if len(tables) == 1:
            try:
                return self._single(database, tables[0])
            except TException:
                # Reading several at once tells a fault of the server from a fault of one table.
                pass
        try:
            return self._existing(database, tables)
        except TException as error:
            if self._is_missing(database, error):
                return {}
        # If the server cannot list tables either, the fault is not in one table: raise it.
        listed = {name.name for name in self.relations((database,))}
        return self._one_by_one(database, [table for table in tables if table in listed])

    def _single(self, database: str, table: str) -> dict[RelationName, Relation]:
        """Takes a third of the time of a request for a list of one."""
        try:
            found = self.client.run(
                lambda client: _relations(client, [_table_object(client, database, table)])
            )
        except NoSuchObjectException:
            return {}
        return {relation.name: relation for relation in found}

    def _existing(self, database: str, tables: Sequence[str]) -> dict[RelationName, Relation]:
        found = self.client.run(
            lambda client: _relations(client, _table_objects(client, database, tables))
        )
        return {relation.name: relation for relation in found}

    def _one_by_one(self, database: str, tables: Sequence[str]) -> dict[RelationName, Relation]:
        """By halves, so that a table that the server cannot return does not hide the others."""
        try:
            return self._existing(database, tables) if tables else {}
        except TException as error:
            if len(tables) == 1:
                name = RelationName.of(database, *tables)
                return {name: Relation(name, (), unreadable=_reason(error))}
        middle = len(tables) // 2
        return self._one_by_one(database, tables[:middle]) | self._one_by_one(
            database, tables[middle:]
        )

    def _is_missing(self, database: str, error: TException) -> bool:
        """Whether the error only means that the database does not exist.

        Metastore 2.3 declares an exception for this that newer bindings lack.
        """
        if isinstance(error, UnknownDBException | NoSuchObjectException):
            return True
        unknown_result = (
            isinstance(error, TApplicationException)
            and error.type == TApplicationException.MISSING_RESULT
        )
        if not unknown_result:
            return False
        try:
            self.client.run(lambda client: client.get_database(database))
        except NoSuchObjectException:
            return True
        except TException:
            return False
        return False

    def _ask(self, what: str, call: Callable[..., Result]) -> Result:
        try:
            return self.client.run(call)
        except TException as error:
            raise self._refused(what, error) from error

    def _refused(self, what: str, error: TException) -> CatalogRefused:
        return CatalogRefused(self.client.name, what, _reason(error))


def _reason(error: TException) -> str:
    message = str(getattr(error, "message", None) or type(error).__name__)
    return message.splitlines()[0][:500]


def _relations(client: Any, tables: Sequence[Any]) -> list[Relation]:
    """Facts of Thrift tables with the NOT NULL that Hive enforces: one call for each table that may have any."""
    has_constraints = True
    found = []
    for table in tables:
        not_null: frozenset[str] | None = frozenset()
        if has_constraints and may_be_constrained(table):
            not_null = _not_null_columns(client, table)
            has_constraints = not_null is not None
        found.append(relation_from_table(table, not_null or ()))
    return found


def _not_null_columns(client: Any, table: Any) -> frozenset[str] | None:
    """The columns with an enforced NOT NULL; None for a metastore before Hive 3, which has no constraints."""
    catalog = getattr(table, "catName", None) or _HIVES_CATALOG
    request = NotNullConstraintsRequest(catalog, table.dbName, table.tableName)
    try:
        found = client.get_not_null_constraints(request).notNullConstraints
    except TApplicationException as error:
        if error.type != TApplicationException.UNKNOWN_METHOD:
            raise
        return None
    return frozenset(each.column_name.lower() for each in found or () if each.enable_cstr)


_HIVES_CATALOG = "hive"


def _table_object(client: Any, database: str, table: str) -> Any:
    try:
        return client.get_table(database, table)
    except TApplicationException as error:
        if error.type != TApplicationException.UNKNOWN_METHOD:
            raise
    # Hive 4 no longer has the short form.
    return client.get_table_req(GetTableRequest(dbName=database, tblName=table)).table


def _table_objects(client: Any, database: str, tables: Sequence[str]) -> Sequence[Any]:
    try:
        return list(client.get_table_objects_by_name(database, list(tables)))
    except TApplicationException as error:
        if error.type != TApplicationException.UNKNOWN_METHOD:
            raise
    # Hive 4 deprecates the short form.
    request = GetTablesRequest(dbName=database, tblNames=list(tables))
    return list(client.get_table_objects_by_name_req(request).tables)
