"""Tables from pyiceberg, registered in a metastore as every engine's Iceberg catalog does.

pyiceberg's own Hive catalog calls ``get_table``, which Hive 4 no longer answers.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow as pa
from hive_metastore import ThriftHiveMetastore
from hive_metastore.ttypes import FieldSchema, SerDeInfo, StorageDescriptor, Table
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table as IcebergTable
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

SCHEMAS: dict[str, Schema] = {
    "i_plain": Schema(
        NestedField(1, "Id", LongType(), required=True, doc="The key."),
        NestedField(2, "userName", StringType()),
        NestedField(3, "Price", DecimalType(10, 2)),
        NestedField(4, "Born", DateType()),
        NestedField(5, "Flag", BooleanType()),
    ),
    "i_times": Schema(
        NestedField(1, "Local", TimestampType()),
        NestedField(2, "Zoned", TimestamptzType(), required=True),
        NestedField(3, "Time", TimeType()),
    ),
    "i_bytes": Schema(
        NestedField(1, "Uuid", UUIDType()),
        NestedField(2, "Fixed", FixedType(4)),
        NestedField(3, "Bin", BinaryType()),
        NestedField(4, "Real", FloatType()),
        NestedField(5, "Double", DoubleType()),
        NestedField(6, "Int", IntegerType()),
    ),
    "i_nested": Schema(
        NestedField(
            1,
            "Home",
            StructType(
                NestedField(2, "City", StringType(), required=True, doc="Where."),
                NestedField(3, "zipCode", IntegerType()),
            ),
        ),
        NestedField(4, "Tags", ListType(5, StringType(), element_required=True)),
        NestedField(6, "Maybe", ListType(7, StringType(), element_required=False)),
        NestedField(8, "Counts", MapType(9, StringType(), 10, LongType(), value_required=True)),
        NestedField(
            11, "Named", MapType(12, IntegerType(), 13, StringType(), value_required=False)
        ),
        NestedField(
            14,
            "Lines",
            ListType(
                15,
                StructType(NestedField(16, "Sku", StringType(), required=True)),
                element_required=True,
            ),
            required=True,
        ),
    ),
    "i_parts": Schema(
        NestedField(1, "Id", IntegerType()), NestedField(2, "Country", StringType(), required=True)
    ),
    "i_changed": Schema(
        NestedField(1, "Id", IntegerType(), required=True),
        NestedField(2, "oldName", StringType()),
        NestedField(3, "Price", DecimalType(10, 2)),
    ),
    "i_optional": Schema(NestedField(1, "Id", LongType(), required=True)),
    "i_dropped": Schema(NestedField(1, "Id", LongType()), NestedField(2, "Gone", StringType())),
    "i_empty": Schema(NestedField(1, "OnlyColumn", StringType())),
}
"""By name: the schemas that the tables are made with."""

_MOMENT = dt.datetime(2024, 2, 29, 12, 30, 0, 123456, tzinfo=dt.UTC)
ROWS: dict[str, dict[str, object]] = {
    "i_plain": {"Id": 1, "userName": "Ada", "Price": Decimal("1.50"), "Born": _MOMENT.date(), "Flag": True},
    "i_times": {"Local": _MOMENT.replace(tzinfo=None), "Zoned": _MOMENT, "Time": _MOMENT.time()},
    "i_bytes": {
        "Uuid": bytes(range(16)), "Fixed": b"abcd", "Bin": b"\0\xff", "Real": 0.5, "Double": None, "Int": -1,
    },
    "i_nested": {
        "Home": {"City": "Rome", "zipCode": None}, "Tags": ["a"], "Maybe": ["b", None], "Counts": [("k", 1)],
        "Named": [(1, None)], "Lines": [{"Sku": "s-1"}],
    },
    "i_parts": {"Id": 1, "Country": "IE"},
    "i_changed": {"Id": 1, "newName": "x", "Price": Decimal("1.50"), "More": {"Inner": 2}},
    "i_optional": {"Id": None},
    "i_dropped": {"Id": 1},
    "i_empty": {"OnlyColumn": None},
}  # fmt: skip
"""The row that a table has."""


def make_tables(folder: Path, uri: str) -> dict[str, IcebergTable]:
    """Makes and registers the tables of ``SCHEMAS``, some of which are changed then."""
    catalog = SqlCatalog("lake", uri=f"sqlite:///{folder}/iceberg.db", warehouse=folder.as_uri())
    catalog.create_namespace("lake")
    for name, schema in SCHEMAS.items():
        parts = (PartitionField(2, 1000, IdentityTransform(), "Country"),)
        spec = PartitionSpec(*parts) if name == "i_parts" else PartitionSpec()
        catalog.create_table(f"lake.{name}", schema, partition_spec=spec)
    with catalog.load_table("lake.i_changed").update_schema() as update:
        update.rename_column("oldName", "newName")
        update.update_column("Price", DecimalType(14, 2))
        update.add_column("More", StructType(NestedField(10, "Inner", LongType())))
    with catalog.load_table("lake.i_optional").update_schema() as update:
        update.make_column_optional("Id")
    with catalog.load_table("lake.i_dropped").update_schema() as update:
        update.delete_column("Gone")
    tables = {name: catalog.load_table(f"lake.{name}") for name in SCHEMAS}
    for name, row in ROWS.items():
        tables[name].append(pa.Table.from_pylist([row], schema=tables[name].schema().as_arrow()))
    _register(tables, uri)
    return tables


def _register(tables: dict[str, IcebergTable], uri: str) -> None:
    address = urlsplit(uri)
    transport = TBufferedTransport(TSocket(address.hostname, address.port))
    client = ThriftHiveMetastore.Client(TBinaryProtocol(transport))
    transport.open()
    try:
        for name, table in tables.items():
            client.create_table(_registered(name, table))
    finally:
        transport.close()


def _registered(name: str, table: IcebergTable) -> Table:
    """As Iceberg registers a table: engines without Iceberg see approximate columns."""
    columns = [FieldSchema(field.name.lower(), "string", None) for field in table.schema().fields]
    package = "org.apache.iceberg.mr.hive"
    return Table(
        tableName=name,
        dbName="lake",
        owner="iceberg",
        sd=StorageDescriptor(
            cols=columns,
            location=table.location(),
            inputFormat=f"{package}.HiveIcebergInputFormat",
            outputFormat=f"{package}.HiveIcebergOutputFormat",
            serdeInfo=SerDeInfo(serializationLib=f"{package}.HiveIcebergSerDe", parameters={}),
        ),
        partitionKeys=[],
        parameters={
            "EXTERNAL": "TRUE",
            "table_type": "ICEBERG",
            "metadata_location": table.metadata_location,
            "storage_handler": f"{package}.HiveIcebergStorageHandler",
        },
        tableType="EXTERNAL_TABLE",
    )
