"""Answers → a Kafka topic, each exactly once for those who read what is committed.

The answers to one partition's statements, and the offset behind the last of them, are one
transaction: Kafka stores both or neither. Whoever begins again ends the transaction of whoever was
there before, asks for that offset, and leaves out what lies before it. That offset alone decides:
not Spark's checkpoint, which is written after the answers, nor how often a task was started.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

_TRANSACTION_SECONDS: Final = 300
"""How long a transaction may be open; one of a process that died is ended by the next at once."""
_BATCH_BYTES: Final = 256 * 1024
_LINGER_MILLISECONDS: Final = 20
_CLOSE_SECONDS: Final = 5


@dataclass(frozen=True, slots=True)
class KafkaResults:
    """Where answers are written.

    Attributes:
        bootstrap_servers: addresses, with commas between them.
        topic: of the answers; it needs to exist, or the broker to create it.
        group: whose offsets in the statements' topics say what has been answered. No consumer may
            be a member of it. Transactions are named after it.
        options: passed to kafka-python: ``security_protocol``, ``sasl_…``, ``ssl_…``.
    """

    bootstrap_servers: str
    topic: str
    group: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Message:
    """One answer. ``offset``: of its statement."""

    offset: int
    key: bytes
    value: bytes


def write_partition(
    results: KafkaResults,
    topic: str,
    partition: int,
    messages: Callable[[int], Iterable[Message]],
) -> int:
    """Writes the answers to a partition of statements that are not yet written; how many.

    Args:
        results: where to.
        topic: of the statements.
        partition: of the statements.
        messages: answers from an offset on, in the order of offsets; asked for once.

    Raises:
        kafka.errors.KafkaError: nothing of it is visible then, and it may be tried again. With
            ``ProducerFencedError`` somebody else has taken over.
    """
    from kafka import KafkaProducer, OffsetAndMetadata, TopicPartition
    from kafka.errors import KafkaError

    from lakeschema.kafka_clients import bounded_client

    settings = {
        **results.options,
        "kafka_client": bounded_client,
        "bootstrap_servers": results.bootstrap_servers.split(","),
    }
    producer = KafkaProducer(
        **settings,
        transactional_id=f"{results.group}-{topic}-{partition}",
        transaction_timeout_ms=_TRANSACTION_SECONDS * 1000,
        batch_size=_BATCH_BYTES,
        linger_ms=_LINGER_MILLISECONDS,
    )
    source = TopicPartition(topic, partition)
    try:
        # In this order: what another wrote is committed or gone before it is asked for.
        producer.init_transactions()
        count, last = 0, -1
        for message in messages(_answered(settings, results.group, source)):
            if not count:
                producer.begin_transaction()
            producer.send(results.topic, key=message.key, value=message.value)
            count, last = count + 1, message.offset
        if count:
            offsets = {source: OffsetAndMetadata(last + 1)}
            producer.send_offsets_to_transaction(offsets, results.group)
            # It waits for all that was sent, and fails if any of it failed.
            producer.commit_transaction()
    finally:
        # A transaction that is still open is ended by the next who begins.
        with suppress(KafkaError):
            producer.close(timeout=_CLOSE_SECONDS)
    return count


def _answered(settings: Mapping[str, Any], group: str, source: Any) -> int:
    """The offset behind the last statement that was answered."""
    from kafka import KafkaConsumer

    consumer = KafkaConsumer(
        **settings, group_id=group, enable_auto_commit=False, isolation_level="read_committed"
    )
    try:
        return consumer.committed(source) or 0
    finally:
        consumer.close()
