"""Outages of Kafka with an authenticating broker: one line each, and no restart of the service."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, KafkaProducer
from kafka.admin import (
    ACL,
    ACLOperation,
    ACLPermissionType,
    ResourcePattern,
    ResourceType,
)

from deploy.local_stack import Kafka
from tests.publisher.daemon.outages.running import LogFile, Running, check_told
from tests.publisher.daemon.outages.worlds import folder_config, static_wheels, wheels, write_ddl
from tests.waiting import PATIENCE_SECONDS, eventually

BROKER = {
    # The name of the listener stays.
    "listener.security.protocol.map": "PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT",
    "sasl.enabled.mechanisms": "PLAIN",
    "sasl.mechanism.inter.broker.protocol": "PLAIN",
    "listener.name.plaintext.plain.sasl.jaas.config": (
        "org.apache.kafka.common.security.plain.PlainLoginModule required "
        'username="admin" password="of-admin" user_admin="of-admin" user_reader="of-reader";'
    ),
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    # Whoever speaks on the controller's listener has no name.
    "super.users": "User:admin;User:ANONYMOUS",
    "auto.create.topics.enable": "false",
}


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafka]:
    with Kafka.start(tmp_path_factory.mktemp("kafka"), options=BROKER) as broker:
        yield broker


def client(broker: Kafka) -> dict[str, str]:
    return {
        "bootstrap_servers": broker.bootstrap_servers,
        "security_protocol": "SASL_PLAINTEXT",
        "sasl_mechanism": "PLAIN",
        "sasl_plain_username": "admin",
        "sasl_plain_password": "of-admin",
    }


@contextmanager
def administering(broker: Kafka) -> Iterator[KafkaAdminClient]:
    """Never while the broker is away: kafka-python leaves refused sockets to the garbage collector."""
    admin = KafkaAdminClient(**client(broker))
    yield admin
    admin.close()


@pytest.fixture
def topic() -> str:
    return f"events-{secrets.token_hex(4)}"


def create(broker: Kafka, topic: str) -> None:
    with administering(broker) as admin:
        admin.create_topics({topic: {"num_partitions": 1, "replication_factor": 1}})


def allow(broker: Kafka, topic: str) -> None:
    resources = [
        ResourcePattern(ResourceType.TOPIC, topic),
        ResourcePattern(ResourceType.GROUP, f"group-of-{topic}"),
    ]
    given = [
        ACL("User:reader", "*", ACLOperation.READ, ACLPermissionType.ALLOW, resource)
        for resource in resources
    ]
    with administering(broker) as admin:
        admin.create_acls(given)


@contextmanager
def daemon(broker: Kafka, topic: str, folder: Path) -> Iterator[Running]:
    """``schema-publisher run`` as the user ``reader``."""
    write_ddl(folder, "id BIGINT")
    events = (
        f'[catalog]\nkind = "ddl"\npath = "{folder}/ddl"\n[[events]]\nkind = "kafka"\n'
        f'bootstrap_servers = "{broker.bootstrap_servers}"\ntopic = "{topic}"\n'
        f'group_id = "group-of-{topic}"\nsecurity_protocol = "SASL_PLAINTEXT"\n'
        'sasl_mechanism = "PLAIN"\nusername = "reader"\npassword = "of-reader"\n'
    )
    command = [sys.executable, "-m", "publisher", "run", "--config"]
    command.append(str(folder_config(folder, events)))
    log = folder / "log"
    with (
        log.open("w") as stream,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stream, text=True) as process,
    ):
        assert process.stdout is not None
        try:
            yield Running(json.loads(process.stdout.readline())["http"], LogFile(log))
        finally:
            process.terminate()


def change(broker: Kafka, topic: str, folder: Path) -> None:
    write_ddl(folder, "id BIGINT, note STRING")
    producer = KafkaProducer(**client(broker))
    for table in ("items", "orders"):
        event = {"eventType": "ON_CREATE_TABLE", "databaseName": "shop", "tableName": table}
        sent = producer.send(topic, value=json.dumps(event).encode(), partition=0)
        sent.get(timeout=PATIENCE_SECONDS)
    producer.close()


def check_publishes_once(running: Running, broker: Kafka, topic: str, folder: Path) -> None:
    assert eventually(lambda: static_wheels(folder) == wheels("1.0.0"))
    change(broker, topic, folder)
    assert eventually(lambda: static_wheels(folder) == wheels("1.0.0", "1.1.0"))
    assert eventually(lambda: running.metric("published_total") == 4.0)


def check_fails(running: Running, service: str) -> None:
    assert eventually(lambda: not running.is_ready())
    assert "events" in running.trouble()
    assert eventually(lambda: running.is_up(service) is False)


def check_works(running: Running, service: str) -> None:
    assert eventually(running.is_ready)
    assert running.is_up(service) is True


def test_a_broker_that_goes_away_is_one_warning_and_is_heard_again(
    broker: Kafka, topic: str, tmp_path: Path
) -> None:
    create(broker, topic)
    allow(broker, topic)
    service = f"events kafka:{topic}"
    with daemon(broker, topic, tmp_path) as running:
        assert eventually(lambda: running.is_ready() and running.metric("work") == 0.0)
        assert eventually(lambda: running.is_up(service) is True)
        broker.kill()
        check_fails(running, service)
        broker.restart()
        check_works(running, service)
        check_publishes_once(running, broker, topic, tmp_path)
        started, *lines = running.log.lines()

    assert started["level"] == "info"
    told = [line for line in lines if line["event"] != "events may be missing"]
    check_told(told, service, "NoBrokersAvailable|Timeout|Connection", "check that it runs")


def test_a_topic_that_does_not_exist_is_one_warning_and_is_heard_once_it_does(
    broker: Kafka, topic: str, tmp_path: Path
) -> None:
    allow(broker, topic)
    service = f"events kafka:{topic}"
    with daemon(broker, topic, tmp_path) as running:
        check_fails(running, service)
        create(broker, topic)
        check_works(running, service)
        check_publishes_once(running, broker, topic, tmp_path)
        lines = running.log.lines()

    told = [line for line in lines if line["event"] != "events may be missing"]
    check_told(told, service, f"no topic {topic}", "create it")


def test_a_user_without_rights_is_one_warning_and_is_heard_once_they_are_given(
    broker: Kafka, topic: str, tmp_path: Path
) -> None:
    create(broker, topic)
    service = f"events kafka:{topic}"
    with daemon(broker, topic, tmp_path) as running:
        check_fails(running, service)
        allow(broker, topic)
        check_works(running, service)
        check_publishes_once(running, broker, topic, tmp_path)
        lines = running.log.lines()

    told = [line for line in lines if line["event"] != "events may be missing"]
    check_told(told, service, "may not see it|Authorization", "READ of the group")
