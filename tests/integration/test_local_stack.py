"""The servers behave as the rest of the tests rely on."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

from hive_metastore import ThriftHiveMetastore
from hive_metastore.ttypes import (
    FieldSchema,
    NotificationEventRequest,
    SerDeInfo,
    StorageDescriptor,
    Table,
)
from kafka import KafkaConsumer
from pyspark.sql import SparkSession

from deploy.local_stack import EVENTS_TOPIC, Kafka, PyPiServer


def test_a_table_created_over_thrift_shows_in_the_notification_log(
    metastore_client: ThriftHiveMetastore.Client, database: str
) -> None:
    before = metastore_client.get_current_notificationEventId().eventId

    metastore_client.create_table(small_table(database, "members"))

    (event,) = metastore_client.get_next_notification(NotificationEventRequest(before)).events
    assert (event.eventType, event.dbName, event.tableName) == ("CREATE_TABLE", database, "members")
    assert "members" in json.loads(event.message)["tableObjJson"]


def test_a_table_created_over_thrift_shows_on_the_kafka_topic(
    kafka: Kafka, metastore_client: ThriftHiveMetastore.Client, database: str
) -> None:
    metastore_client.create_table(small_table(database, "members"))

    events = events_of(kafka, database, count=1)
    assert [(event["eventType"], event["tableName"]) for event in events] == [
        ("ON_CREATE_TABLE", "members")
    ]


def test_spark_creates_alters_and_reads_relations_of_the_metastore(
    spark: SparkSession, metastore_client: ThriftHiveMetastore.Client
) -> None:
    before = metastore_client.get_current_notificationEventId().eventId

    spark.sql("CREATE DATABASE spark_ddl")
    spark.sql("CREATE TABLE spark_ddl.t (id INT, home STRUCT<street: STRING>) STORED AS PARQUET")
    spark.sql("CREATE VIEW spark_ddl.v AS SELECT id, home.street FROM spark_ddl.t")
    spark.sql("ALTER TABLE spark_ddl.t ADD COLUMNS (age INT)")
    spark.sql("INSERT INTO spark_ddl.t VALUES (1, named_struct('street', 'Elm'), 30)")
    rows = spark.sql("SELECT * FROM spark_ddl.v").collect()
    spark.sql("DROP DATABASE spark_ddl CASCADE")

    events = metastore_client.get_next_notification(NotificationEventRequest(before)).events
    assert [tuple(row) for row in rows] == [(1, "Elm")]
    assert [event.eventType for event in events if event.eventType != "INSERT"] == [
        "CREATE_DATABASE",
        "CREATE_TABLE",
        "CREATE_TABLE",
        "ALTER_TABLE",
        "DROP_TABLE",
        "DROP_TABLE",
        "DROP_DATABASE",
    ]


def test_the_package_server_takes_an_upload_with_the_password(
    package_server: PyPiServer, tmp_path: Path
) -> None:
    upload = upload_with_twine(package_server, package_server.password, "accepted", tmp_path)

    assert upload.returncode == 0, upload.stdout
    with urllib.request.urlopen(package_server.simple_url + "accepted/") as page:
        assert b"accepted-1.0-py3-none-any.whl" in page.read()


def test_the_package_server_refuses_an_upload_with_a_wrong_password(
    package_server: PyPiServer, tmp_path: Path
) -> None:
    upload = upload_with_twine(package_server, "guessed", "refused", tmp_path)

    assert upload.returncode != 0
    assert "403" in upload.stdout
    assert not list(package_server.packages.glob("refused*"))


def small_table(database: str, name: str) -> Table:
    columns = [FieldSchema("id", "int", ""), FieldSchema("name", "string", "")]
    storage = StorageDescriptor(
        cols=columns,
        inputFormat="org.apache.hadoop.mapred.TextInputFormat",
        outputFormat="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        serdeInfo=SerDeInfo(
            serializationLib="org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe", parameters={}
        ),
        parameters={},
        bucketCols=[],
        sortCols=[],
    )
    return Table(
        tableName=name, dbName=database, sd=storage, partitionKeys=[], parameters={}, owner="test"
    )


def events_of(kafka: Kafka, database: str, count: int) -> list[dict[str, Any]]:
    """The first ``count`` events of a database that are on the topic, in 20 s at most."""
    found = []
    consumer = KafkaConsumer(
        EVENTS_TOPIC,
        bootstrap_servers=kafka.bootstrap_servers,
        auto_offset_reset="earliest",
        consumer_timeout_ms=20_000,
    )
    try:
        for message in consumer:
            event = json.loads(message.value)
            if event["databaseName"] == database:
                found.append(event)
            if len(found) == count:
                break
    finally:
        consumer.close()
    return found


def upload_with_twine(
    server: PyPiServer, password: str, name: str, directory: Path
) -> subprocess.CompletedProcess[str]:
    wheel = directory / f"{name}-1.0-py3-none-any.whl"
    info = f"{name}-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{name}/__init__.py", "")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return subprocess.run(
        [
            *(
                sys.executable,
                "-m",
                "twine",
                "upload",
                "--non-interactive",
                "--disable-progress-bar",
            ),
            *("--config-file", str(directory / "none.pypirc")),
            *("--repository-url", server.upload_url),
            *("--username", server.username, "--password", password, str(wheel)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
