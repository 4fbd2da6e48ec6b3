"""Tables of Delta and Iceberg in a live metastore, created and changed by their own writers."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hive_metastore import ThriftHiveMetastore
from hive_metastore.ttypes import FieldSchema, NotificationEventRequest, Table
from pyiceberg.catalog.hive import HiveCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import (
    LongType,
    NestedField,
    StringType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)
from pyspark.sql import SparkSession

from deploy.jars import downloaded_jars
from deploy.jdk import find_jdk
from deploy.local_stack import Metastore, spark_session_conf
from lakeschema.avro.printing import to_json
from lakeschema.catalog.facts_json import facts_hash
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Relation
from lakeschema.catalog.spark import SparkCatalog
from lakeschema.catalog.spark_schema import columns_from_json
from lakeschema.table_files.limited import LimitedOwnSchemas
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.interface import Options
from publisher.events.metastore_events import LogEvent, decode
from publisher.events.protocol import RelationHint
from tests.lakeschema.catalog.thrift_metastore import thrift_table

RECORDED = Path(__file__).parents[2] / "lakeschema/table_files/recorded"

EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
PLUGIN = "org.apache.spark.sql.delta.catalog.DeltaCatalog"
FIELDS = (
    NestedField(1, "Id", LongType(), required=True, doc="key"),
    NestedField(2, "name", StringType()),
    NestedField(3, "at", TimestamptzType()),
    NestedField(4, "wall", TimestampType()),
    NestedField(5, "t", TimeType()),
    NestedField(6, "u", UUIDType()),
)


@pytest.fixture
def catalog(metastore: Metastore) -> Iterator[HiveMetastoreCatalog]:
    schemas = LimitedOwnSchemas()
    with closing(HiveMetastoreCatalog(metastore.uri, own_schemas=schemas)) as catalog:
        yield catalog


@pytest.fixture
def iceberg(metastore: Metastore, database: str) -> HiveCatalog:
    found = HiveCatalog(
        "hms", uri=metastore.uri, warehouse=metastore.warehouse.as_uri(),
        **{"hive.hive2-compatible": "true"},
    )  # fmt: skip
    found.create_table(f"{database}.t", Schema(*FIELDS))
    return found


def read(catalog: HiveMetastoreCatalog, name: RelationName) -> Relation:
    return catalog.read([name])[name]


def test_an_iceberg_table_has_the_schema_of_its_metadata(
    iceberg: HiveCatalog, catalog: HiveMetastoreCatalog, database: str
) -> None:
    name = RelationName.of(database, "t")
    with iceberg.load_table(f"{database}.t").update_schema() as update:
        update.rename_column("name", "Title")

    relation = read(catalog, name)
    schema: Any = to_json(derive(relation, {}, Options()).interface.schema)

    assert [c.name for c in relation.columns] == ["Id", "Title", "at", "wall", "t", "u"]
    key, title, *others = schema["fields"]
    assert (key["type"], key["doc"]) == ("long", "key")
    assert title["aliases"] == ["title", "name"]
    assert [field["type"][1]["logicalType"] for field in others] == [
        "timestamp-micros",
        "local-timestamp-micros",
        "time-micros",
        "uuid",
    ]


def test_only_a_commit_that_changes_the_schema_changes_the_facts(
    iceberg: HiveCatalog,
    catalog: HiveMetastoreCatalog,
    metastore_client: ThriftHiveMetastore.Client,
    database: str,
) -> None:
    name = RelationName.of(database, "t")
    created = facts_hash(read(catalog, name))
    before = metastore_client.get_current_notificationEventId().eventId
    table = iceberg.load_table(f"{database}.t")

    table.append(pa.table({"Id": pa.array([1], pa.int64())}, schema=_only_id()))
    appended = facts_hash(read(catalog, name))
    with table.update_schema() as update:
        update.make_column_optional("Id")
    changed = facts_hash(read(catalog, name))

    assert appended == created
    assert changed != created
    request = NotificationEventRequest(lastEvent=before, maxEvents=100)
    events = metastore_client.get_next_notification(request).events
    hints = [hint for event in events for hint in _hints(event)]
    assert hints == [name, name]


def test_a_session_without_plugins_reads_the_same_facts(
    iceberg: HiveCatalog,
    catalog: HiveMetastoreCatalog,
    metastore_client: ThriftHiveMetastore.Client,
    spark: SparkSession,
    database: str,
) -> None:
    names = [RelationName.of(database, table) for table in ("t", "delta")]
    metastore_client.create_table(_delta_table(database, (RECORDED / "basic").as_uri()))

    with LimitedOwnSchemas() as schemas:
        by_spark = SparkCatalog(spark, own_schemas=schemas).read(names)

    by_metastore = catalog.read(names)
    assert [by_spark[name].columns for name in names] == [
        by_metastore[name].columns for name in names
    ]
    assert [len(by_metastore[name].columns) for name in names] == [6, 9]


def _delta_table(database: str, location: str) -> Table:
    table = thrift_table(
        "delta",
        [FieldSchema("col", "array<string>", "from deserializer")],
        database=database,
        properties={
            "spark.sql.sources.provider": "delta",
            "spark.sql.sources.schema": '{"type":"struct","fields":[]}',
        },
    )
    table.sd.serdeInfo.parameters = {"path": location}
    return table


def _only_id() -> pa.Schema:
    return pa.schema([pa.field("Id", pa.int64(), nullable=False)])


def _hints(event: Any) -> Sequence[RelationName]:
    decoded = decode(
        LogEvent(
            event.eventId,
            event.eventTime,
            event.eventType,
            event.dbName or "",
            event.tableName or "",
            event.message,
            event.messageFormat or "",
        )
    )
    assert isinstance(decoded, tuple)
    return [hint.relation for hint in decoded if isinstance(hint, RelationHint)]


def test_a_delta_table_has_the_schema_that_spark_says(
    metastore: Metastore, catalog: HiveMetastoreCatalog, database: str
) -> None:
    path = metastore.warehouse / f"{database}.db" / "by_path"
    statements = [
        f"""CREATE TABLE {database}.plain (
            Id BIGINT NOT NULL COMMENT 'key', s STRUCT<X: INT NOT NULL>, at TIMESTAMP,
            n TIMESTAMP_NTZ, c CHAR(3)
        ) USING delta PARTITIONED BY (c)""",
        f"""CREATE TABLE {database}.mapped (id INT, gone INT) USING delta
        TBLPROPERTIES ('delta.columnMapping.mode' = 'name')""",
        f"ALTER TABLE {database}.mapped RENAME COLUMN id TO Key",
        f"CREATE TABLE {database}.by_path (id INT, V VARIANT) USING delta",
        f"ALTER TABLE delta.`{path}` ADD COLUMNS (more DOUBLE FIRST)",
    ]
    tables = [f"{database}.{table}" for table in ("plain", "mapped", "by_path")]
    said = _by_delta(metastore, statements, tables)

    for table in tables:
        relation = read(catalog, RelationName.parse(table))
        assert relation.unreadable is None
        assert relation.columns == columns_from_json(json.dumps(said[table]))


def _by_delta(
    metastore: Metastore, statements: Sequence[str], tables: Sequence[str]
) -> dict[str, object]:
    conf = {
        **spark_session_conf(metastore, master="local[1]", memory_megabytes=512),
        "spark.jars": ",".join(map(str, downloaded_jars(find_jdk(), "delta"))),
        "spark.sql.extensions": EXTENSION,
        "spark.sql.catalog.spark_catalog": PLUGIN,
        "spark.databricks.delta.snapshotPartitions": "1",
    }
    asked = json.dumps({"conf": conf, "statements": statements, "tables": tables})
    writer = Path(__file__).with_name("delta_writer.py")
    ended = subprocess.run(
        [sys.executable, writer], input=asked, capture_output=True, text=True, check=True
    )
    found: dict[str, object] = json.loads(ended.stdout)
    return found
