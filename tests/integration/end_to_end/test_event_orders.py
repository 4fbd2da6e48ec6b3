"""E1 CREATE T, E2 CREATE V1 on T, E3 CREATE V2 on V1, E4 ALTER T, delivered in every order.

The DDL runs interleaved with the deliveries: before an event is delivered, only the statements up
to the newest event delivered so far have run. The event is the one that the metastore's listener
wrote to Kafka, re-sent to a topic of the daemon's own in the order that the case says.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import pytest
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from pyspark.sql import SparkSession

from codegen.naming import distribution_name
from codegen.wheel import read_wheel
from deploy.local_stack import EVENTS_TOPIC, Kafka, Metastore
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.service import Service
from publisher.index.releases import newest_release
from publisher.index.static import StaticIndex
from publisher.settings import load_settings
from tests.waiting import PATIENCE_SECONDS, eventually

PREFIX = "acme-schema"
STATEMENTS = (1, 2, 3, 4)
DELIVERIES = [*permutations(STATEMENTS), *permutations(STATEMENTS, 3)]
"""Whole in each of the 24 orders, and with each one lost in each order of the other three."""


@dataclass(frozen=True, slots=True)
class Daemon:
    service: Service
    index: StaticIndex
    producer: KafkaProducer
    topic: str

    def deliver(self, message: bytes) -> None:
        """Returns when the daemon has heard the message and has nothing left to do."""
        heard = self.service.engine.counters.values().get("events_seen", 0)
        self.producer.send(self.topic, message).get(PATIENCE_SECONDS)
        self.wait(lambda: self.service.engine.counters.values().get("events_seen", 0) > heard)
        self.settle()

    def settle(self) -> None:
        self.wait(lambda: not self.service.engine.status().work)

    def wait(self, condition: Callable[[], bool]) -> None:
        assert eventually(lambda: bool(condition())), self.service.engine.status()

    def latest_schema(self, name: RelationName) -> Mapping[str, Any]:
        files = self.index.files(distribution_name(name, PREFIX))
        assert files, f"{name} has no package: {self.service.engine.status()}"
        newest = newest_release(files)[0]
        schema: Mapping[str, Any] = json.loads(read_wheel(self.index.fetch(newest)).schema_text)
        return schema


class Listened:
    """The listener's topic, read from its present end: each table's messages in order."""

    def __init__(self, kafka: Kafka) -> None:
        self._consumer = KafkaConsumer(bootstrap_servers=kafka.bootstrap_servers)
        self._messages: list[bytes] = []
        partitions: list[TopicPartition] = []
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not partitions and time.monotonic() < deadline:
            numbers = self._consumer.partitions_for_topic(EVENTS_TOPIC) or ()
            partitions = [TopicPartition(EVENTS_TOPIC, number) for number in sorted(numbers)]
        self._consumer.assign(partitions)
        self._consumer.seek_to_end(*partitions)
        for partition in partitions:
            self._consumer.position(partition)

    def of(self, database: str, table: str, kind: str) -> bytes:
        """The newest message of a kind about a table; waits for it."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            for message in reversed(self._messages):
                body = json.loads(message)
                if (body.get("databaseName", body.get("dbName")), body["tableName"]) == (
                    database,
                    table,
                ) and body["eventType"] == kind:
                    return message
            assert time.monotonic() < deadline, f"no {kind} of {database}.{table}"
            for records in self._consumer.poll(timeout_ms=200).values():
                self._messages += [record.value for record in records]

    def close(self) -> None:
        self._consumer.close()


@pytest.fixture(scope="module")
def listened(kafka: Kafka, metastore: Metastore) -> Iterator[Listened]:
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_database("listened")
        ddl.create_table("listened", "first", [("a", "int")])
        ddl.drop_database("listened")
    topic = Listened(kafka)
    yield topic
    topic.close()


@pytest.fixture(scope="module")
def evolution(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def daemon(
    evolution: str,
    kafka: Kafka,
    metastore: Metastore,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp(f"orders-{evolution}")
    topic = f"orders-{evolution}"
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap_servers)
    producer.send(topic, b"{}").get(PATIENCE_SECONDS)
    config = folder / "schema-publisher.toml"
    config.write_text(
        f"""\
[artifacts]
prefix = "{PREFIX}"
[catalog]
kind = "hive"
uri = "{metastore.uri}"
[[events]]
kind = "kafka"
bootstrap_servers = "{kafka.bootstrap_servers}"
topic = "{topic}"
group_id = "{topic}"
[state]
url = "sqlite:///{folder}/state.db"
[index]
kind = "static"
path = "{folder}/index"
[translation]
view_evolution = "{evolution}"
[snapshot]
runner = "local"
on_start = false
[engine]
debounce_seconds = 0
staleness_seconds = 0
[http]
enabled = false
"""
    )
    with Service(load_settings(config), config) as service:
        running = Daemon(service, StaticIndex(folder / "index"), producer, topic)
        running.wait(lambda: service.engine.position(f"kafka:{topic}") is not None)
        running.settle()
        yield running
    producer.close()


Ddl = Sequence[Callable[[], None]]


def nested_field_under_hive_text(ddl: MetastoreDdl, database: str) -> Ddl:
    before = [("id", "bigint"), ("place", "struct<street:string>")]
    after = [("id", "bigint"), ("place", "struct<street:string,unit:string>")]
    return (
        lambda: ddl.create_table(database, "t", before),
        lambda: ddl.create_view(
            database, "v1", before, f"SELECT `t`.`id`, `t`.`place` FROM `{database}`.`t`"
        ),
        lambda: ddl.create_view(
            database, "v2", before, f"SELECT `v1`.`id`, `v1`.`place` FROM `{database}`.`v1`"
        ),
        lambda: ddl.replace_columns(database, "t", after),
    )


def column_under_spark_views(spark: SparkSession, database: str, mode: str) -> Ddl:
    def run(statement: str) -> Callable[[], None]:
        def action() -> None:
            spark.sql(statement)

        return action

    return (
        run(f"CREATE TABLE {database}.t (id BIGINT) STORED AS PARQUET"),
        run(f"CREATE VIEW {database}.v1 {mode} AS SELECT * FROM {database}.t"),
        run(f"CREATE VIEW {database}.v2 {mode} AS SELECT * FROM {database}.v1"),
        run(f"ALTER TABLE {database}.t ADD COLUMNS (unit STRING)"),
    )


def has_unit(schema: Mapping[str, Any]) -> bool:
    return '"unit"' in json.dumps(schema)


EVENTS = {1: ("t", "ON_CREATE_TABLE"), 2: ("v1", "ON_CREATE_TABLE"),
          3: ("v2", "ON_CREATE_TABLE"), 4: ("t", "ON_ALTER_TABLE")}  # fmt: skip


@pytest.mark.alike("order", keep=12)
@pytest.mark.parametrize("order", DELIVERIES, ids=lambda order: "".join(map(str, order)))
@pytest.mark.parametrize(
    ("evolution", "kind"),
    [("engine", "hive-text"), ("engine", "spark-views"), ("follow", "spark-views")],
    indirect=["evolution"],
    scope="module",
)
def test_the_last_view_carries_the_tables_second_version(
    kind: str,
    order: tuple[int, ...],
    evolution: str,
    daemon: Daemon,
    listened: Listened,
    metastore: Metastore,
    request: pytest.FixtureRequest,
) -> None:
    database = f"orders_{secrets.token_hex(4)}"
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_database(database)
        if kind == "hive-text":
            statements = nested_field_under_hive_text(ddl, database)
        else:
            mode = "WITH SCHEMA EVOLUTION" if evolution == "engine" else ""
            spark = request.getfixturevalue("spark")
            statements = column_under_spark_views(spark, database, mode)

        done = 0
        for event in order:
            while done < event:
                statements[done]()
                done += 1
            daemon.deliver(listened.of(database, *EVENTS[event]))
        while done < len(statements):
            statements[done]()
            done += 1
        if len(order) < len(STATEMENTS):
            daemon.service.engine.snapshot()
            daemon.settle()

        assert has_unit(daemon.latest_schema(RelationName.of(database, "v2")))
        ddl.drop_database(database)
