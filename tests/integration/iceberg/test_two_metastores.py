"""Two metastores run at once, each with tables of Iceberg."""

from __future__ import annotations

from pathlib import Path

from pyiceberg.catalog.hive import HiveCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from deploy.local_stack import Metastore


def test_each_metastore_takes_commits_of_tables_with_the_same_name(
    metastore: Metastore, database: str, tmp_path: Path
) -> None:
    with Metastore.start(tmp_path) as second:
        for server, column in ((metastore, "first"), (second, "second")):
            catalog = client(server)
            if server is second:
                catalog.create_namespace(database)
            table = catalog.create_table(
                (database, "t"), Schema(NestedField(1, "id", LongType(), required=True))
            )
            with table.update_schema() as update:
                update.add_column(column, LongType())

        columns = [
            client(server).load_table((database, "t")).schema().column_names
            for server in (metastore, second)
        ]

    assert columns == [["id", "first"], ["id", "second"]]


def client(server: Metastore) -> HiveCatalog:
    properties = {"uri": server.uri, "warehouse": server.warehouse.as_uri()}
    return HiveCatalog("hms", **properties, **{"hive.hive2-compatible": "true"})
