"""Statements in a topic of a real broker: read once from the topic's end on, even after a restart."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing

import pytest

from deploy.local_stack import Kafka
from publisher.events.protocol import SourceUnavailable
from publisher.settings.statements import StatementTopic
from publisher.statements.log_files import Piece
from publisher.statements.topic import Topic
from tests.integration.events.test_kafka_topic import send, topic
from tests.waiting import PATIENCE_SECONDS, eventually

__all__ = ["topic"]
FILL = {"sql": "INSERT INTO shop.t\nSELECT a FROM shop.s"}


def opened(kafka: Kafka, name: str) -> Topic:
    return Topic(
        StatementTopic(
            bootstrap_servers=kafka.bootstrap_servers, topic=name, group_id=f"statements-{name}"
        )
    )


def pieces(source: Topic, position: str | None, messages: int) -> Iterator[Piece]:
    """Until so many messages were read."""
    found = 0

    def read() -> bool:
        nonlocal position, found
        for piece in source.read(position):
            position = piece.position
            found += len(piece.lines)
            kept.append(piece)
        return found >= messages

    kept: list[Piece] = []
    assert eventually(read, PATIENCE_SECONDS)
    yield from kept


def test_what_comes_is_read_once_also_after_a_restart(kafka: Kafka, topic: str) -> None:
    send(kafka, topic, json.dumps({"sql": "SELECT 'before'"}).encode())
    with closing(opened(kafka, topic)) as source:
        (first,) = source.read(None)
        assert first.lines == ()
        send(kafka, topic, json.dumps(FILL, indent=2).encode(), partition=1)
        *_, last = pieces(source, first.position, 1)
        assert [json.loads(line) for line in last.lines] == [FILL]
        assert last.lines[0].count(b"\n") == 1
    send(kafka, topic, json.dumps([FILL, FILL]).encode())
    with closing(opened(kafka, topic)) as source:
        *_, last = pieces(source, last.position, 1)
        assert [json.loads(line) for line in last.lines] == [[FILL, FILL]]


def test_a_topic_that_is_missing_is_told(kafka: Kafka) -> None:
    with (
        closing(opened(kafka, "no-such-topic")) as source,
        pytest.raises(SourceUnavailable, match="there is no topic"),
    ):
        list(source.read(None))
