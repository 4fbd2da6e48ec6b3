"""The behaviour of the servers that other tests rely on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hive_metastore import ThriftHiveMetastore
from hive_metastore.ttypes import NotificationEventRequest
from kafka import KafkaConsumer
from pyspark.sql import SparkSession

from deploy.local_stack import EVENTS_TOPIC, Kafka, Metastore, MetastoreOptions, PyPiServer
from deploy.metastore_ddl import MetastoreDdl
from deploy.server_process import ProcessIdentity
from deploy.stack_record import read_record
from tests.waiting import eventually

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "deploy.local_stack"]


def test_a_table_created_over_thrift_shows_in_the_notification_log(
    metastore: Metastore, metastore_client: ThriftHiveMetastore.Client, database: str
) -> None:
    before = metastore_client.get_current_notificationEventId().eventId

    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_table(database, "members", [("id", "int")])

    (event,) = metastore_client.get_next_notification(NotificationEventRequest(before)).events
    assert (event.eventType, event.dbName, event.tableName) == ("CREATE_TABLE", database, "members")
    assert "members" in json.loads(event.message)["tableObjJson"]


def test_a_table_created_over_thrift_shows_on_the_kafka_topic(
    kafka: Kafka, metastore: Metastore, database: str
) -> None:
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_table(database, "members", [("id", "int")])

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


def test_a_catalog_on_disk_survives_kill_9_with_its_event_ids(tmp_path: Path) -> None:
    options = MetastoreOptions(storage="disk")
    with Metastore.start(tmp_path, options) as metastore:
        with MetastoreDdl(metastore.uri) as ddl:
            ddl.create_database("kept")
            ddl.create_table("kept", "members", [("id", "int")])
            event_id = ddl.current_event_id()
        metastore.kill()

        metastore.restart()

        with MetastoreDdl(metastore.uri) as ddl:
            assert ddl.table("kept", "members").tableName == "members"
            assert ddl.current_event_id() == event_id
            ddl.create_table("kept", "companies", [("id", "int")])
            assert ddl.current_event_id() == event_id + 1


def test_ids_are_unique_under_concurrent_ddl(metastore: Metastore, database: str) -> None:
    with metastore.client() as client:
        before = client.get_current_notificationEventId().eventId

    def create_tables(worker: int) -> None:
        with MetastoreDdl(metastore.uri) as ddl:
            for number in range(5):
                ddl.create_table(database, f"t{worker}_{number}", [("id", "int")])

    with ThreadPoolExecutor(6) as workers:
        list(workers.map(create_tables, range(6)))

    with metastore.client() as client:
        events = client.get_next_notification(NotificationEventRequest(before)).events
    ids = [event.eventId for event in events if event.dbName == database]
    assert len(ids) == len(set(ids)) == 30


def test_up_and_down_leave_no_process_and_no_file(tmp_path: Path) -> None:
    stack = tmp_path / "stack"

    run_command("up", stack)
    record = read_record(stack)
    shown = run_command("status", stack)
    assert record is not None
    with MetastoreDdl(record.servers["metastore"].addresses["uri"]) as ddl:
        first_event = ddl.current_event_id()
    run_command("down", stack)

    assert list(record.servers) == ["kafka", "metastore", "pypiserver"]
    assert record.servers["pypiserver"].addresses["password"] not in shown
    assert first_event >= 0
    assert not any(server.process.is_alive() for server in record.servers.values())
    assert list(tmp_path.iterdir()) == []


def test_up_starts_the_rest_catalog_of_iceberg_when_it_is_asked_for(tmp_path: Path) -> None:
    stack = tmp_path / "stack"

    run_command("up", stack, "--only", "iceberg-rest")
    record = read_record(stack)
    assert record is not None
    uri = record.servers["iceberg-rest"].addresses["uri"]
    with urllib.request.urlopen(f"{uri}/v1/namespaces", timeout=60) as response:
        namespaces = json.load(response)["namespaces"]
    run_command("down", stack)

    assert list(record.servers) == ["iceberg-rest"]
    assert namespaces == []
    assert list(tmp_path.iterdir()) == []


def test_up_replaces_a_stack_of_which_a_server_died(tmp_path: Path) -> None:
    stack = tmp_path / "stack"
    try:
        run_command("up", stack, "--only", "pypiserver,metastore")
        before = read_record(stack)
        assert before is not None
        os.kill(before.servers["metastore"].process.pid, signal.SIGKILL)

        run_command("up", stack, "--only", "pypiserver,metastore")

        after = read_record(stack)
        assert after is not None
        assert after.is_running()
        assert not before.servers["pypiserver"].process.is_alive()
    finally:
        run_command("down", stack)


def test_a_killed_up_leaves_no_server(tmp_path: Path) -> None:
    stack = tmp_path / "stack"
    starting = subprocess.Popen([*COMMAND, "up", "--directory", str(stack)], cwd=ROOT)
    broker = str(stack / "kafka" / "server.properties")
    assert eventually(lambda: bool(processes_that_mention(broker)))
    started = processes_that_mention(broker)

    starting.kill()
    starting.wait()

    assert eventually(lambda: not any(each.is_alive() for each in started))
    assert started
    run_command("down", stack)
    assert not stack.exists()


def run_command(action: str, directory: Path, *options: str) -> str:
    done = subprocess.run(
        [*COMMAND, action, "--directory", str(directory), *options],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def processes_that_mention(text: str) -> list[ProcessIdentity]:
    """The processes with ``text`` on their command line."""
    listed = subprocess.run(
        ["ps", "-eww", "-o", "pid=,args="], capture_output=True, text=True, check=True
    ).stdout
    found = (
        ProcessIdentity.of(int(line.split()[0])) for line in listed.splitlines() if text in line
    )
    return [each for each in found if each is not None]


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
            # As one argument: a random password may begin with a dash.
            *("--username", server.username, f"--password={password}", str(wheel)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
