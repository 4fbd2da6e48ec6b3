"""A metastore in a thread, over real Thrift, for behaviour that a correct server never shows."""

from __future__ import annotations

import ssl
import struct
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from socket import SHUT_RDWR, create_server, socket
from typing import Any

from hive_metastore import ThriftHiveMetastore
from hive_metastore.ttypes import (
    AlreadyExistsException,
    CurrentNotificationEventId,
    Database,
    GetTableResult,
    InvalidOperationException,
    MetaException,
    NoSuchObjectException,
    NotificationEventResponse,
    NotNullConstraintsResponse,
    SerDeInfo,
    StorageDescriptor,
    Table,
    UnknownDBException,
)
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TApplicationException
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport, TTransportBase, TTransportException


class _AnyBytesProtocol(TBinaryProtocol):  # type: ignore[misc]  # thrift is untyped
    """Sends escaped surrogates as the bytes they stand for."""

    def writeString(self, text: str) -> None:  # noqa: N802
        self.writeBinary(text.encode("utf-8", "surrogateescape"))


def _unknown_method() -> TApplicationException:
    return TApplicationException(TApplicationException.UNKNOWN_METHOD, "Invalid method name")


class Handler:
    """What the server answers; fields may be changed while it runs.

    Attributes:
        tables: by database, then by name.
        event_id: the newest event.
        poisoned: tables that make the server fail.
        lists: whether it can name a database's tables.
        gives_single: whether it answers a request for one table.
        gives_single_by_name: whether it knows the form of that request before Hive 4.
        failure: with which every request for tables fails; "" for none.
        drops: how many of the next requests end in a closed connection.
        events: the log, as ids and Thrift events.
        functions: by database, then by name.
        not_null: constraints by table; None for a metastore that does not know them.
    """

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, Any]] = {"default": {}}
        self.event_id = 0
        self.poisoned: set[str] = set()
        self.lists = True
        self.gives_single = True
        self.gives_single_by_name = True
        self.failure = ""
        self.drops = 0
        self.requests: list[str] = []
        self.events: list[Any] = []
        self.functions: dict[str, dict[str, Any]] = {}
        self.not_null: dict[str, list[Any]] | None = {}

    def _arrived(self, request: str) -> None:
        self.requests.append(request)
        if self.drops:
            self.drops -= 1
            raise TTransportException(TTransportException.END_OF_FILE, "dropped by the test")

    def get_all_databases(self) -> list[str]:
        self._arrived("get_all_databases")
        return list(self.tables)

    def get_database(self, name: str) -> Any:
        self._arrived("get_database")
        if name not in self.tables:
            raise NoSuchObjectException(name)
        return Database(name=name, locationUri=f"file:/{name}")

    def create_database(self, database: Any) -> None:
        self._arrived("create_database")
        if self.failure:
            raise MetaException(self.failure)
        if database.name in self.tables:
            raise AlreadyExistsException(database.name)
        self.tables[database.name] = {}

    def drop_database(self, name: str, deleteData: bool, cascade: bool) -> None:  # noqa: N803
        self._arrived("drop_database")
        if name not in self.tables:
            # Hive 4.0 says this instead of NoSuchObjectException.
            raise MetaException("java.lang.NullPointerException")
        if name == "locked":
            raise MetaException(self.failure)
        if name == "default":
            raise InvalidOperationException("Can not drop default database")
        if self.tables[name]:
            raise InvalidOperationException(f"Database {name} is not empty")
        assert not deleteData
        assert not cascade
        del self.tables[name]

    def get_tables_by_type(self, db_name: str, pattern: str, tableType: str) -> list[str]:  # noqa: N803
        self._arrived("get_tables_by_type")
        assert pattern == "*"
        tables = self.tables.get(db_name, {})
        return [name for name, table in tables.items() if table.tableType == tableType]

    def get_all_tables(self, db_name: str) -> list[str]:
        self._arrived("get_all_tables")
        if self.failure:
            raise MetaException(self.failure)
        if not self.lists:
            raise MetaException("cannot list")
        return list(self.tables.get(db_name, {}))

    def get_table(self, dbname: str, tbl_name: str) -> Any:
        self._arrived("get_table")
        if not self.gives_single_by_name:
            raise _unknown_method()
        return self._table(dbname, tbl_name)

    def get_table_req(self, req: Any) -> GetTableResult:
        self._arrived("get_table_req")
        return GetTableResult(self._table(req.dbName, req.tblName))

    def _table(self, dbname: str, tbl_name: str) -> Any:
        if self.failure or not self.gives_single or tbl_name in self.poisoned:
            raise MetaException(self.failure or f"cannot give {tbl_name}")
        if tbl_name not in self.tables.get(dbname, {}):
            raise NoSuchObjectException(f"hive.{dbname}.{tbl_name} table not found")
        return self.tables[dbname][tbl_name]

    def get_table_objects_by_name(self, dbname: str, tbl_names: Sequence[str]) -> list[Any]:
        self._arrived("get_table_objects_by_name")
        if self.failure:
            raise MetaException(self.failure)
        if dbname not in self.tables:
            raise UnknownDBException(dbname)
        for name in tbl_names:
            if name in self.poisoned:
                raise MetaException(f"cannot give {name}")
        return [self.tables[dbname][name] for name in tbl_names if name in self.tables[dbname]]

    def get_not_null_constraints(self, request: Any) -> NotNullConstraintsResponse:
        self._arrived("get_not_null_constraints")
        if self.not_null is None:
            raise _unknown_method()
        return NotNullConstraintsResponse(self.not_null.get(request.tbl_name, []))

    def get_functions(self, dbName: str, pattern: str) -> list[str]:  # noqa: N803 (Thrift's name)
        self._arrived("get_functions")
        return [name for name in self.functions.get(dbName, {}) if pattern in {"*", name}]

    def get_function(self, dbName: str, funcName: str) -> Any:  # noqa: N803 (Thrift's name)
        self._arrived("get_function")
        return self.functions[dbName][funcName]

    def get_current_notificationEventId(self) -> Any:  # noqa: N802
        self._arrived("get_current_notificationEventId")
        return CurrentNotificationEventId(self.event_id)

    def get_next_notification(self, rqst: Any) -> Any:
        self._arrived("get_next_notification")
        found = [event for event in self.events if event.eventId > rqst.lastEvent]
        return NotificationEventResponse(events=found[: rqst.maxEvents])


@dataclass(frozen=True)
class Entry:
    """What a connection must pass first: TLS, then SASL PLAIN with these credentials."""

    tls: ssl.SSLContext | None = None
    credentials: tuple[str, str] | None = None


@contextmanager
def serving(handler: Handler, entry: Entry = Entry()) -> Iterator[str]:
    """The address of a server that answers by the handler, a thread a connection."""
    listener = create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=_accept, args=(listener, handler, entry), daemon=True)
    thread.start()
    yield f"thrift://127.0.0.1:{listener.getsockname()[1]}"
    listener.shutdown(SHUT_RDWR)  # wakes the thread that waits for a connection
    thread.join()
    listener.close()


def _accept(listener: socket, handler: Handler, entry: Entry) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_answer, args=(connection, handler, entry), daemon=True).start()


def _answer(connection: socket, handler: Handler, entry: Entry) -> None:
    end = TSocket()
    try:
        end.setHandle(
            connection if entry.tls is None else entry.tls.wrap_socket(connection, server_side=True)
        )
        transport: Any = TBufferedTransport(end)
        if entry.credentials is not None:
            transport = _SaslServer(transport, entry.credentials)
            transport.negotiate()
    except (TTransportException, OSError):
        connection.close()
        return
    protocol = _AnyBytesProtocol(transport)
    processor = ThriftHiveMetastore.Processor(handler)
    try:
        while True:
            processor.process(protocol, protocol)
    except (TTransportException, OSError):
        transport.close()


class _SaslServer(TTransportBase):  # type: ignore[misc]  # thrift is untyped
    """Thrift's SASL framing as Hive's server speaks it, for PLAIN."""

    START, OK, BAD, COMPLETE = 1, 2, 3, 5

    def __init__(self, transport: Any, credentials: tuple[str, str]) -> None:
        self._transport = transport
        self._credentials = credentials
        self._written = b""
        self._frame = BytesIO()

    def negotiate(self) -> None:
        status, mechanism = self._receive()
        assert (status, mechanism) == (self.START, b"PLAIN")
        status, response = self._receive()
        assert status == self.OK
        expected = "\0".join(("", *self._credentials)).encode()
        accepted = response == expected
        body = b"" if accepted else b"Error validating the login"
        head = struct.pack(">BI", self.COMPLETE if accepted else self.BAD, len(body))
        self._transport.write(head + body)
        self._transport.flush()
        if not accepted:
            raise TTransportException(TTransportException.NOT_OPEN, "refused")

    def read(self, size: int) -> bytes:
        found = self._frame.read(size)
        if not found:
            (length,) = struct.unpack(">I", self._transport.readAll(4))
            self._frame = BytesIO(self._transport.readAll(length))
            found = self._frame.read(size)
        return found

    def write(self, data: bytes) -> None:
        self._written += data

    def flush(self) -> None:
        self._transport.write(struct.pack(">I", len(self._written)) + self._written)
        self._transport.flush()
        self._written = b""

    def close(self) -> None:
        self._transport.close()

    def _receive(self) -> tuple[int, bytes]:
        status, length = struct.unpack(">BI", self._transport.readAll(5))
        return status, self._transport.readAll(length) if length else b""


def thrift_table(
    name: str,
    columns: Sequence[Any] = (),
    *,
    properties: Mapping[str, str] | None = None,
    database: str = "default",
    table_type: str = "MANAGED_TABLE",
) -> Any:
    return Table(
        tableName=name,
        dbName=database,
        tableType=table_type,
        parameters=dict(properties or {}),
        partitionKeys=[],
        sd=StorageDescriptor(cols=list(columns), serdeInfo=SerDeInfo(parameters={})),
    )
