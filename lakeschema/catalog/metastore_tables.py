"""Reads tables of a metastore in batches. If one table fails, all others are still read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, TypeVar

from hive_metastore.ttypes import (
    GetTableRequest,
    GetTablesRequest,
    NoSuchObjectException,
    UnknownDBException,
)
from thrift.Thrift import TApplicationException, TException

from lakeschema.catalog.errors import CatalogRefused
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.metastore_client import MetastoreClient

Found = TypeVar("Found")
Result = TypeVar("Result")

BATCH_SIZE = 200
"""Tables per request: larger batches are not faster and hold a metastore thread for longer."""


class MetastoreTables(Generic[Found]):
    """Reads tables, and makes a value of each. Safe for threads, like the client."""

    def __init__(
        self,
        client: MetastoreClient,
        convert: Callable[[Any, Sequence[Any]], Mapping[RelationName, Found]],
        unreadable: Callable[[RelationName, str], Found],
        batch_size: int = BATCH_SIZE,
    ) -> None:
        """Reads no table yet.

        ``convert`` gets a Thrift client and Thrift tables, and returns their values. ``unreadable``
        gets the name of a table that the server cannot return, and the reason; it returns its value.
        """
        self._client = client
        self._convert = convert
        self._unreadable = unreadable
        self._batch_size = batch_size

    def listed(self, database: str) -> Sequence[str]:
        """The names of all tables and views.

        Raises:
            CatalogUnavailable: no server answers.
            CatalogRefused: the server refuses.
        """
        found = ask(
            self._client,
            f"the tables of {database}",
            lambda client: client.get_all_tables(database),
        )
        return tuple(table for table in found if table)

    def read(self, names: Iterable[RelationName]) -> dict[RelationName, Found]:
        """The values of the tables that exist; raises the errors of ``listed``."""
        found: dict[RelationName, Found] = {}
        for database, tables in batches(dict.fromkeys(names), self._batch_size):
            found |= self._batch(database, tables)
        return found

    def _batch(self, database: str, tables: Sequence[str]) -> Mapping[RelationName, Found]:
        if len(tables) == 1:
            try:
                return self._single(database, tables[0])
            except TException:
                # Smaller requests show whether the server or a single table is at fault.
                pass
        try:
            return self._existing(database, tables)
        except TException as error:
            if self._is_missing(database, error):
                return {}
        # If the server cannot list tables either, the fault is not in one table: raise it.
        listed = {table.lower() for table in self.listed(database)}
        return self._one_by_one(database, [table for table in tables if table in listed])

    def _single(self, database: str, table: str) -> Mapping[RelationName, Found]:
        """The value of one table; takes a third of the time of a request for a list of one."""
        try:
            return self._client.run(
                lambda client: self._convert(client, [_table_object(client, database, table)])
            )
        except NoSuchObjectException:
            return {}

    def _existing(self, database: str, tables: Sequence[str]) -> Mapping[RelationName, Found]:
        return self._client.run(
            lambda client: self._convert(client, table_objects(client, database, tables))
        )

    def _one_by_one(self, database: str, tables: Sequence[str]) -> Mapping[RelationName, Found]:
        """The tables.

        A failing batch is halved again and again, so that a failing table does not hide others.
        """
        try:
            return self._existing(database, tables) if tables else {}
        except TException as error:
            if len(tables) == 1:
                name = RelationName.of(database, *tables)
                return {name: self._unreadable(name, reason_of(error))}
        middle = len(tables) // 2
        return {
            **self._one_by_one(database, tables[:middle]),
            **self._one_by_one(database, tables[middle:]),
        }

    def _is_missing(self, database: str, error: TException) -> bool:
        """Whether the error only means that the database does not exist.

        Metastore 2.3 uses an exception for this that newer bindings do not have.
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
            self._client.run(lambda client: client.get_database(database))
        except NoSuchObjectException:
            return True
        except TException:
            return False
        return False


def batches(names: Iterable[RelationName], size: int) -> Iterator[tuple[str, Sequence[str]]]:
    """Batches of at most ``size`` names, each with their database.

    Leaves out names in namespaces that are not databases: they have no tables.
    """
    by_database: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        if len(name.namespace) == 1:
            by_database[name.namespace[0]].append(name.name)
    for database, tables in by_database.items():
        for start in range(0, len(tables), size):
            yield database, tables[start : start + size]


def ask(client: MetastoreClient, what: str, call: Callable[[Any], Result]) -> Result:
    """The result of a call.

    Raises:
        CatalogUnavailable: no server answers.
        CatalogRefused: the server refuses ``what``.
    """
    try:
        return client.run(call)
    except TException as error:
        raise CatalogRefused(client.name, what, reason_of(error)) from error


def reason_of(error: TException) -> str:
    message = str(getattr(error, "message", None) or type(error).__name__)
    return message.splitlines()[0][:500]


def table_objects(client: Any, database: str, tables: Sequence[str]) -> Sequence[Any]:
    """The Thrift tables that exist, in one request."""
    try:
        return list(client.get_table_objects_by_name(database, list(tables)))
    except TApplicationException as error:
        if error.type != TApplicationException.UNKNOWN_METHOD:
            raise
    # Hive 4 deprecates the short form.
    request = GetTablesRequest(dbName=database, tblNames=list(tables))
    return list(client.get_table_objects_by_name_req(request).tables)


def _table_object(client: Any, database: str, table: str) -> Any:
    try:
        return client.get_table(database, table)
    except TApplicationException as error:
        if error.type != TApplicationException.UNKNOWN_METHOD:
            raise
    # Hive 4 no longer has the short form.
    return client.get_table_req(GetTableRequest(dbName=database, tblName=table)).table
