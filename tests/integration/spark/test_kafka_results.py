"""Answers in transactions on a real broker: all answers of a partition, or none."""

from __future__ import annotations

import secrets
from collections.abc import Iterator

import pytest
from kafka.errors import KafkaError

from deploy.local_stack import Kafka
from lakeschema.spark.kafka_results import KafkaResults, Message, write_partition
from tests.judges.killed_stream import Answers, create_topics


class Broken(Exception):
    pass


@pytest.fixture
def results(kafka: Kafka) -> KafkaResults:
    name = f"answers-{secrets.token_hex(4)}"
    create_topics(kafka.bootstrap_servers, [name, f"{name}-source"], 1)
    return KafkaResults(kafka.bootstrap_servers, name, name)


def up_to(end: int, *, failing: bool = False) -> Iterator[Message]:
    for offset in range(end):
        yield Message(offset, b"key", str(offset).encode())
    if failing:
        raise Broken


def write(results: KafkaResults, end: int, *, failing: bool = False) -> int:
    return write_partition(
        results,
        f"{results.topic}-source",
        0,
        lambda first: (m for m in up_to(end, failing=failing) if m.offset >= first),
    )


def seen(results: KafkaResults) -> list[object]:
    with Answers(results.bootstrap_servers, results.topic) as answers:
        answers.read_all()
        return list(answers.answers)


def test_what_was_written_is_not_written_again(results: KafkaResults) -> None:
    assert write(results, 3) == 3
    assert write(results, 3) == 0
    assert write(results, 5) == 2

    assert seen(results) == [0, 1, 2, 3, 4]


def test_nothing_is_seen_of_what_failed_on_its_way(results: KafkaResults) -> None:
    with pytest.raises(Broken):
        write(results, 100, failing=True)
    assert write(results, 3) == 3

    assert seen(results) == [0, 1, 2]


def test_whoever_was_overtaken_writes_nothing_more(results: KafkaResults) -> None:
    def overtaken(first: int) -> Iterator[Message]:
        yield from (m for m in up_to(2) if m.offset >= first)
        # Another attempt at the same partition, from its beginning to its end.
        assert write(results, 4) == 4
        yield Message(2, b"key", b"2")

    with pytest.raises(KafkaError):
        write_partition(results, f"{results.topic}-source", 0, overtaken)

    assert seen(results) == [0, 1, 2, 3]
