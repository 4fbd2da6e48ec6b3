"""Sends DDL to a metastore over Thrift, as Hive does: for the demo, tests and benchmarks.

Hive expands a view's text and computes its columns. Here the caller must pass both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from hive_metastore import ThriftHiveMetastore
from hive_metastore.ttypes import (
    Database,
    EnvironmentContext,
    FieldSchema,
    SerDeInfo,
    StorageDescriptor,
    Table,
)
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from deploy.stopping import StopsOnExit

AVRO_SERDE = "org.apache.hadoop.hive.serde2.avro.AvroSerDe"
_AVRO = (
    AVRO_SERDE,
    "org.apache.hadoop.hive.ql.io.avro.AvroContainerInputFormat",
    "org.apache.hadoop.hive.ql.io.avro.AvroContainerOutputFormat",
)
_TEXT = (
    "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
    "org.apache.hadoop.mapred.TextInputFormat",
    "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
)
Columns = Sequence[tuple[str, str]]
"""Names and Hive type texts."""


class MetastoreDdl(StopsOnExit):
    """One Thrift connection. Only one thread may use it at a time."""

    def __init__(self, uri: str) -> None:
        address = urlsplit(uri)
        self._transport = TBufferedTransport(TSocket(address.hostname, address.port))
        self._client = ThriftHiveMetastore.Client(TBinaryProtocol(self._transport))
        self._transport.open()

    def stop(self) -> None:
        self._transport.close()

    def create_database(self, name: str) -> None:
        self._client.create_database(Database(name=name, parameters={}))

    def drop_database(self, name: str) -> None:
        self._client.drop_database(name, deleteData=True, cascade=True)

    def create_table(
        self,
        database: str,
        name: str,
        columns: Columns,
        *,
        properties: Mapping[str, str] | None = None,
        comment: str | None = None,
        avro: bool = False,
    ) -> None:
        """Creates a managed table of Avro files or text files."""
        parameters = dict(properties or {}) | ({"comment": comment} if comment else {})
        self._client.create_table(
            Table(
                tableName=name,
                dbName=database,
                owner="hive",
                sd=_storage(columns, *(_AVRO if avro else _TEXT)),
                partitionKeys=[],
                parameters=parameters,
                tableType="MANAGED_TABLE",
            )
        )

    def create_view(
        self,
        database: str,
        name: str,
        columns: Columns,
        expanded_text: str,
        *,
        original_text: str | None = None,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        """Creates a view in the form in which Hive stores it."""
        self._client.create_table(
            Table(
                tableName=name,
                dbName=database,
                owner="hive",
                sd=_storage(columns, *_TEXT),
                partitionKeys=[],
                parameters=dict(properties or {}),
                viewOriginalText=original_text or expanded_text,
                viewExpandedText=expanded_text,
                tableType="VIRTUAL_VIEW",
            )
        )

    def table(self, database: str, name: str) -> Any:
        """The Thrift table. The caller may change it and pass it to ``alter``."""
        return self._client.get_table(database, name)

    def alter(self, database: str, name: str, changed: Any) -> None:
        """Replaces a table's definition, also its name; changes its partitions as Hive's ALTER CASCADE does."""
        context = EnvironmentContext(properties={"CASCADE": "true"})
        self._client.alter_table_with_environment_context(database, name, changed, context)

    def replace_columns(
        self,
        database: str,
        name: str,
        columns: Columns,
        *,
        properties: Mapping[str, str] | None = None,
    ) -> None:
        changed = self.table(database, name)
        changed.sd.cols = _fields(columns)
        changed.parameters.update(properties or {})
        self.alter(database, name, changed)

    def rename(self, database: str, name: str, new_name: str) -> None:
        changed = self.table(database, name)
        changed.tableName = new_name
        self.alter(database, name, changed)

    def drop(self, database: str, name: str) -> None:
        self._client.drop_table(database, name, deleteData=True)

    def location(self, database: str, name: str) -> str:
        return str(self.table(database, name).sd.location)

    def current_event_id(self) -> int:
        return int(self._client.get_current_notificationEventId().eventId)


def _fields(columns: Columns) -> list[Any]:
    return [FieldSchema(name=name, type=type_, comment=None) for name, type_ in columns]


def _storage(columns: Columns, serde: str, input_format: str, output_format: str) -> Any:
    return StorageDescriptor(
        cols=_fields(columns),
        inputFormat=input_format,
        outputFormat=output_format,
        compressed=False,
        numBuckets=-1,
        serdeInfo=SerDeInfo(serializationLib=serde, parameters={}),
        bucketCols=[],
        sortCols=[],
        parameters={},
    )
