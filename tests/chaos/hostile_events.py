"""Forged and garbage messages on the Kafka topic of the metastore's events."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TypeAlias

from kafka import KafkaProducer
from kafka.errors import KafkaError

from deploy.kafka import Kafka
from deploy.metastore import EVENTS_TOPIC
from tests.chaos.lake import Lake, Name

PARTITIONS = 6
_EVENT_ID = "DB_NOTIFICATION_EVENT_ID_KEY_NAME"
_FORGED_ID = "999999999999999999"
_SECONDS = 10.0
_MEGABYTE = 1_000_000
_Columns: TypeAlias = Sequence[Mapping[str, str | None]]
_FORGED_COLUMNS: _Columns = [{"name": "forged", "type": "string", "comment": None}]
_WIDE: _Columns = [{"name": f"c{n}", "type": "int", "comment": None} for n in range(15_000)]
_DEEP_TYPE = "array<" * 50_000 + "int" + ">" * 50_000
_DEEP: _Columns = [{"name": "forged", "type": _DEEP_TYPE, "comment": None}]


def invented_names(database: str) -> list[Name]:
    """Names of relations that occur only in forged messages, never in the catalog."""
    return [Name(database, f"invented{number}") for number in range(10)]


class SendMessages:
    """Sends the messages that ``messages`` draws to random partitions, unless the broker is down."""

    def __init__(self, broker: Kafka, messages: Sequence[bytes], random: Random) -> None:
        self._broker = broker
        self._messages = messages
        self._random = random

    def start(self) -> str:
        sent = 0
        try:
            producer = KafkaProducer(
                bootstrap_servers=self._broker.bootstrap_servers, bootstrap_timeout_ms=2000
            )
        except KafkaError as error:
            return f"not sent: {error!r}"[:120]
        try:
            for message in self._messages:
                partition = self._random.randrange(PARTITIONS)
                producer.send(EVENTS_TOPIC, value=message, partition=partition).get(
                    timeout=_SECONDS
                )
                sent += 1
        except KafkaError as error:
            return f"{sent} sent, then {error!r}"[:120]
        finally:
            producer.close(timeout=_SECONDS)
        return f"{sent} sent"

    def stop(self) -> None:
        """Nothing to undo: the messages stay."""


def forged_messages(lake: Lake, database: str, random: Random) -> list[bytes]:
    """Messages about relations of ``database``, invented relations, or the database itself."""
    victims = sorted(name for name in lake if name.database == database)
    victims = random.sample(victims, min(3, len(victims)))
    drawn: list[Callable[[], bytes]] = [
        *(lambda name=name: _event("ON_ALTER_TABLE", name, _FORGED_ID) for name in victims),
        *(lambda name=name: _altered(name, _FORGED_COLUMNS) for name in victims),
        *(lambda name=name: _altered(name, _WIDE) for name in victims[:1]),
        *(lambda name=name: _altered(name, _DEEP) for name in victims[:1]),
        *(lambda name=name: _event("ON_DROP_TABLE", name, None) for name in victims),
        lambda: _event("ON_CREATE_TABLE", random.choice(invented_names(database)), None),
        lambda: _event("ON_CREATE_DATABASE", Name(database, ""), _FORGED_ID),
        lambda: _event("ON_CREATE_TABLE", Name(database, "\ud800"), None),
        lambda: _event("ON_CREATE_TABLE", Name("\ud800", "t"), None),
    ]
    return [draw() for draw in random.sample(drawn, min(4, len(drawn)))]


def garbage_messages(random: Random) -> list[bytes]:
    drawn: list[Callable[[], bytes]] = [
        lambda: random.randbytes(_MEGABYTE),
        lambda: b"[" * _MEGABYTE,
        lambda: b'{"eventType": "ON_CREATE_TABLE", "databaseName": "' + b"x" * (_MEGABYTE // 2),
        lambda: b"\xff{",
        lambda: b"",
        lambda: json.dumps({"eventType": "ON_ALTER_TABLE", "databaseName": 7}).encode(),
        lambda: _event("ON_CREATE_TABLE", Name("x" * 100_000, "y" * 100_000), None),
    ]
    return [draw() for draw in random.sample(drawn, 3)]


def _event(kind: str, name: Name, event_id: str | None) -> bytes:
    event: dict[str, object] = {"eventType": kind, "databaseName": name.database}
    if name.relation:
        event["tableName"] = name.relation
    if event_id is not None:
        event["parameters"] = {_EVENT_ID: event_id}
    return json.dumps(event).encode()


def _altered(name: Name, columns: _Columns) -> bytes:
    """A message that claims columns which the relation never had."""
    table = {
        "tableName": name.relation,
        "dbName": name.database,
        "tableType": "MANAGED_TABLE",
        "parameters": {},
        "partitionKeys": [],
        "sd": {"cols": columns, "serdeInfo": {"parameters": {}}},
    }
    event = {
        "eventType": "ON_ALTER_TABLE",
        "databaseName": name.database,
        "tableName": name.relation,
        "oldTable": None,
        "newTable": table,
    }
    return json.dumps(event).encode()
