"""A real broker, and the metastore's own listener writing to it."""

from __future__ import annotations

import contextlib
import json
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition

from deploy.local_stack import EVENTS_TOPIC, Kafka, Metastore
from deploy.metastore_ddl import MetastoreDdl
from lakeschema.catalog.identifiers import RelationName
from publisher.events.kafka_topic import KafkaSource
from publisher.events.protocol import Batch, RelationHint, SourceUnavailable
from tests.waiting import PATIENCE_SECONDS


@pytest.fixture
def topic(kafka: Kafka) -> Iterator[str]:
    """An empty topic of two partitions."""
    name = f"events-{secrets.token_hex(4)}"
    create_topic(kafka, name)
    yield name
    admin = KafkaAdminClient(bootstrap_servers=kafka.bootstrap_servers)
    admin.delete_topics([name])
    admin.close()


def create_topic(kafka: Kafka, name: str) -> None:
    admin = KafkaAdminClient(bootstrap_servers=kafka.bootstrap_servers)
    admin.create_topics({name: {"num_partitions": 2, "replication_factor": 1}})
    admin.close()


@pytest.fixture
def source(kafka: Kafka, topic: str) -> Iterator[KafkaSource]:
    source = new_source(kafka, topic)
    yield source
    source.close()


def new_source(kafka: Kafka, topic: str) -> KafkaSource:
    return KafkaSource(kafka.bootstrap_servers, topic, group_id=f"group-of-{topic}")


def send(kafka: Kafka, topic: str, *values: bytes, partition: int = 0) -> None:
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap_servers)
    for value in values:
        producer.send(topic, value=value, partition=partition).get(timeout=PATIENCE_SECONDS)
    producer.close()


def created(table: str) -> bytes:
    event = {"eventType": "ON_CREATE_TABLE", "databaseName": "db", "tableName": table}
    return json.dumps(event).encode()


def start(source: KafkaSource) -> str:
    batch = source.poll(None, 0)
    assert batch is not None
    assert batch.gap == "first start"
    return batch.position


def heard(source: KafkaSource, position: str, count: int) -> tuple[list[str], Batch]:
    """The tables of the next ``count`` hints, and the last batch."""
    tables: list[str] = []
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        batch = source.poll(position, 5)
        assert time.monotonic() < deadline
        if batch is None:
            continue
        tables += [h.relation.name for h in batch.hints if isinstance(h, RelationHint)]
        position = batch.position
        if len(tables) >= count:
            return tables, batch


def test_the_metastores_listener_is_heard(
    kafka: Kafka, metastore: Metastore, database: str
) -> None:
    source = KafkaSource(kafka.bootstrap_servers, EVENTS_TOPIC, group_id=f"g-{database}")
    position = start(source)
    with MetastoreDdl(metastore.uri) as ddl:
        ddl.create_table(database, "T", [("id", "int")])
        ddl.alter(database, "t", ddl.table(database, "t"))
        ddl.replace_columns(database, "t", [("id", "bigint")])
        ddl.rename(database, "t", "u")
        ddl.drop(database, "u")
        newest = ddl.current_event_id()

    hints: list[RelationHint] = []
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(hints) < 5 and time.monotonic() < deadline:
        batch = source.poll(position, 5)
        if batch is not None:
            assert not batch.dead_letters
            hints += [hint for hint in batch.hints if isinstance(hint, RelationHint)]
            position = batch.position
    source.close()

    t, u = RelationName.of(database, "t"), RelationName.of(database, "u")
    # The listener spreads a table's events over partitions, so that their order is lost.
    assert sorted(hint.relation for hint in hints) == [t, t, t, u, u]
    assert max(hint.event_id or 0 for hint in hints) == newest


def test_events_of_all_partitions_are_heard_from_the_start_on(
    kafka: Kafka, topic: str, source: KafkaSource
) -> None:
    send(kafka, topic, created("before"))
    position = start(source)
    send(kafka, topic, created("a"), created("b"))
    send(kafka, topic, created("c"), partition=1)

    tables, batch = heard(source, position, 3)

    assert sorted(tables) == ["a", "b", "c"]
    assert json.loads(batch.position) == {"offsets": {"0": 3, "1": 1}}
    assert batch.behind == 0
    assert batch.newest_event_at == max(batch.event_times.values())


def test_an_uncommitted_batch_comes_again(kafka: Kafka, topic: str, source: KafkaSource) -> None:
    position = start(source)
    send(kafka, topic, created("a"), created("b"))

    first, _ = heard(source, position, 2)
    second, _ = heard(source, position, 2)

    assert first == second == ["a", "b"]


def test_a_restart_goes_on_from_the_states_position_not_the_groups(
    kafka: Kafka, topic: str, source: KafkaSource
) -> None:
    position = start(source)
    send(kafka, topic, created("a"))
    _, batch = heard(source, position, 1)
    source.acknowledge(batch.position)
    source.close()

    again = new_source(kafka, topic)

    tables, _ = heard(again, position, 1)
    again.close()
    assert tables == ["a"]


def test_the_group_learns_what_was_acknowledged(
    kafka: Kafka, topic: str, source: KafkaSource
) -> None:
    position = start(source)
    send(kafka, topic, created("a"))
    _, batch = heard(source, position, 1)

    source.acknowledge(batch.position)

    watcher = KafkaConsumer(bootstrap_servers=kafka.bootstrap_servers, group_id=f"group-of-{topic}")
    committed = watcher.committed(TopicPartition(topic, 0))
    watcher.close()
    assert committed == 1


def test_offsets_that_the_broker_trimmed_are_a_gap(
    kafka: Kafka, topic: str, source: KafkaSource
) -> None:
    position = start(source)
    send(kafka, topic, created("lost"), created("kept"))
    admin = KafkaAdminClient(bootstrap_servers=kafka.bootstrap_servers)
    admin.delete_records({TopicPartition(topic, 0): 1})
    admin.close()

    batch = next(filter(None, (source.poll(position, 5) for _ in range(10))))

    assert batch.gap is not None
    assert "partition 0 has offsets 1 to 2, not 0" in batch.gap
    hints = [*batch.hints]
    while not hints:
        later = source.poll(batch.position, 5)
        hints += [] if later is None else later.hints
    assert hints == [RelationHint(RelationName.of("db", "kept"))]


def test_offsets_ahead_of_the_topic_are_a_gap(
    kafka: Kafka, topic: str, source: KafkaSource
) -> None:
    send(kafka, topic, created("a"))
    ahead = json.dumps({"offsets": {"0": 500, "1": 0}})

    batch = next(filter(None, (source.poll(ahead, 5) for _ in range(10))))

    assert batch.gap is not None
    assert "not 500" in batch.gap


def test_a_partition_that_the_position_does_not_name_is_read_whole(
    kafka: Kafka, topic: str, source: KafkaSource
) -> None:
    send(kafka, topic, created("a"), partition=1)

    tables, batch = heard(source, json.dumps({"offsets": {"0": 0}}), 1)

    assert tables == ["a"]
    assert batch.gap is None


def test_what_cannot_be_read_is_a_dead_letter_and_blocks_nobody(
    kafka: Kafka, topic: str, source: KafkaSource
) -> None:
    position = start(source)
    send(kafka, topic, b"\xff{", created("a"))

    batch = next(filter(None, (source.poll(position, 5) for _ in range(10))))

    assert [letter.payload for letter in batch.dead_letters] == [b"\xff{"]
    assert len(batch.hints) == 1


def test_a_topic_that_does_not_exist_is_unavailable(kafka: Kafka) -> None:
    source = KafkaSource(kafka.bootstrap_servers, "no-such-topic", group_id="g")

    with pytest.raises(SourceUnavailable, match="no topic"):
        source.poll(None, 0)
    source.close()


LISTENER = """
import sys
from publisher.events.kafka_topic import KafkaSource
from publisher.events.protocol import SourceUnavailable
source = KafkaSource(sys.argv[1], "t", group_id="g")
position = source.poll(None, 0).position
print("ready", flush=True)
heard = 0
while heard < 2:
    try:
        batch = source.poll(position, 1)
    except SourceUnavailable:
        print("away", flush=True)
        continue
    if batch is not None:
        position = batch.position
        heard += len(batch.hints)
        print(*(hint.relation.name for hint in batch.hints), batch.gap, flush=True)
source.close()
"""


def test_a_broker_that_goes_away_is_told_and_heard_again_when_it_is_back(tmp_path: Path) -> None:
    # In a process of its own: kafka-python leaves refused sockets to the garbage collector.
    with Kafka.start(tmp_path) as kafka, listening(kafka) as listener:
        assert listener.stdout is not None
        assert next(listener.stdout) == "ready\n"
        send(kafka, "t", created("a"))
        assert next(listener.stdout) == "a None\n"

        kafka.kill()
        assert next(listener.stdout) == "away\n"
        kafka.restart()
        send(kafka, "t", created("b"))

        assert [line for line in listener.stdout if line != "away\n"] == ["b None\n"]


@contextlib.contextmanager
def listening(kafka: Kafka) -> Iterator[subprocess.Popen[str]]:
    create_topic(kafka, "t")
    command = [sys.executable, "-c", LISTENER, kafka.bootstrap_servers]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as listener:
        yield listener
        listener.kill()


def test_after_a_reader_was_killed_the_next_one_hears_at_once(kafka: Kafka, topic: str) -> None:
    # The broker holds the killed reader for a member until this session ends, long after the test.
    options = {"session_timeout_ms": 1_800_000}
    named = f'"{topic}", group_id="group-of-{topic}", options={options}'
    script = LISTENER.replace('"t", group_id="g"', named)
    with subprocess.Popen(
        [sys.executable, "-c", script, kafka.bootstrap_servers], stdout=subprocess.PIPE, text=True
    ) as killed:
        assert killed.stdout is not None
        assert next(killed.stdout) == "ready\n"
        send(kafka, topic, created("a"))
        assert next(killed.stdout) == "a None\n"
        killed.kill()

    source = KafkaSource(
        kafka.bootstrap_servers, topic, group_id=f"group-of-{topic}", options=options
    )
    tables, _ = heard(source, json.dumps({"offsets": {"0": 0, "1": 0}}), 1)
    source.close()

    assert tables == ["a"]
