"""The judge's own view of the metastore, read over Thrift."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from hive_metastore import ThriftHiveMetastore
from hive_metastore.ttypes import NoSuchObjectException
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from deploy.stopping import StopsOnExit
from tests.chaos.lake import Columns, Definition, Lake, Name, Table, View

_TIMEOUT_MILLISECONDS = 30_000

Stored: TypeAlias = tuple[str, Columns | str]
"""A definition in the metastore: a table with its columns, or a view with its expanded text."""


def stored_form(definition: Definition) -> Stored:
    match definition:
        case Table(columns):
            return "table", columns
        case View():
            return "view", definition.text


class CatalogReader(StopsOnExit):
    """A separate connection; every method raises TException or OSError if it breaks."""

    # A class, since the bindings' exceptions cannot pass through a generator's context manager.
    def __init__(self, host: str, port: int, catalog: str = "") -> None:
        """``catalog``: the metastore's name in the deployments."""
        self._catalog = catalog
        socket = TSocket(host, port)
        socket.setTimeout(_TIMEOUT_MILLISECONDS)
        self._transport = TBufferedTransport(socket)
        self._client = ThriftHiveMetastore.Client(TBinaryProtocol(self._transport))
        self._transport.open()

    def stop(self) -> None:
        self._transport.close()

    def relation(self, name: Name) -> Stored | None:
        """The relation; None if it does not exist."""
        try:
            table = self._client.get_table(name.database, name.relation)
        except NoSuchObjectException:
            return None
        if table.tableType == "VIRTUAL_VIEW":
            return "view", str(table.viewExpandedText)
        return "table", tuple((field.name, field.type) for field in table.sd.cols)

    def relations(self, databases: Iterable[str]) -> Mapping[Name, Stored]:
        found: dict[Name, Stored] = {}
        for database in databases:
            for relation in self._client.get_all_tables(database):
                name = Name(database, relation, self._catalog)
                stored = self.relation(name)
                if stored is not None:
                    found[name] = stored
        return found


def stored_lake(lake: Lake) -> Mapping[Name, Stored]:
    return {name: stored_form(definition) for name, definition in lake.items()}
