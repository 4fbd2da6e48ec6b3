"""Iceberg's tables in a real metastore, which pyiceberg writes to."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hive_metastore import ThriftHiveMetastore
from hive_metastore.ttypes import FieldSchema, SerDeInfo, StorageDescriptor, Table
from pyiceberg.catalog.hive import HiveCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from deploy.local_stack import Metastore
from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.iceberg import IcebergCatalog
from lakeschema.catalog.iceberg_databases import DatabasesSource
from lakeschema.catalog.iceberg_hive import HiveDatabases
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.table_files.access import ReadingLimits
from lakeschema.table_files.limited import LimitedOwnSchemas


def test_only_icebergs_tables_are_read_and_each_commit_is_one_change(
    metastore: Metastore, metastore_client: ThriftHiveMetastore.Client, database: str
) -> None:
    writer = HiveCatalog(
        "hms",
        uri=metastore.uri,
        warehouse=metastore.warehouse.as_uri(),
        **{"hive.hive2-compatible": "true"},
    )
    table = writer.create_table(
        (database, "t"), Schema(NestedField(1, "Id", LongType(), required=True))
    )
    storage = StorageDescriptor(
        cols=[FieldSchema("x", "int", "")],
        location=(metastore.warehouse / database / "plain").as_uri(),
        serdeInfo=SerDeInfo(),
    )
    metastore_client.create_table(Table("plain", database, sd=storage, partitionKeys=[]))
    source = DatabasesSource(HiveDatabases(metastore.uri, name="lake"))
    name = RelationName.of(database, "t")

    with LimitedOwnSchemas(ReadingLimits(at_once=1)) as schemas:
        catalog = IcebergCatalog(source, schemas)
        listed = catalog.relations(Namespace((database,)))
        first = source.look({})
        before = catalog.read([name])
        table.append(pa.Table.from_pylist([{"Id": 1}], schema=table.schema().as_arrow()))
        after_data = source.look(first.marks)
        same = catalog.read([name])
        with table.update_schema() as update:
            update.rename_column("Id", "Key")
        after_rename = source.look(after_data.marks)
        renamed = catalog.read([name])[name]
    source.close()

    assert [*listed] == [name]
    assert [after_data.changed, after_rename.changed] == [[name], [name]]
    assert same == before
    assert [(c.name, c.nullable, c.former_names) for c in renamed.columns] == [
        ("Key", False, ("Id",))
    ]


def test_a_port_without_a_metastore_is_unavailable() -> None:
    source = DatabasesSource(HiveDatabases("thrift://127.0.0.1:9", name="lake", attempts=1))

    with pytest.raises(CatalogUnavailable, match="catalog lake does not answer"):
        source.look({})
    source.close()
