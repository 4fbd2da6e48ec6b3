"""Writes answers to a Kafka topic, each exactly once for readers of committed messages.

The answers to one partition's statements, and the offset after the last of them, are one
transaction: Kafka stores both or neither. A new writer ends its predecessor's transaction, reads
that offset, and skips statements before it. Only that offset counts. Spark's checkpoint does not,
because it is written after the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

_TRANSACTION_SECONDS: Final = 300
"""The limit for an open transaction; a dead process's transaction is ended by its successor at once."""
_BATCH_BYTES: Final = 256 * 1024
_LINGER_MILLISECONDS: Final = 20
_CLOSE_SECONDS: Final = 5


@dataclass(frozen=True, slots=True)
class KafkaResults:
    """The destination of answers.

    Attributes:
        bootstrap_servers: addresses, separated by commas.
        topic: the answers' topic; it must exist, unless the broker creates topics.
        group: the consumer group whose offsets mark the answered statements in their topics. No
            consumer may join the group. Transactions are named after it.
        options: options of kafka-python: ``security_protocol``, ``sasl_…``, ``ssl_…``.
    """

    bootstrap_servers: str
    topic: str
    group: str
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Message:
    """An answer, with the ``offset`` of its statement."""

    offset: int
    key: bytes
    value: bytes


def write_partition(
    results: KafkaResults,
    topic: str,
    partition: int,
    messages: Callable[[int], Iterable[Message]],
) -> int:
    """Writes the missing answers to a partition of statements; returns their number.

    Args:
        results: the destination.
        topic: the statements' topic.
        partition: the statements' partition.
        messages: a function that gives the answers from an offset on, in order; it is called once.

    Raises:
        kafka.errors.KafkaError: no answer of this call is visible, so the call may be repeated.
            ``ProducerFencedError`` means that another writer has taken over.
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
        # In this order: another writer's transaction is settled before the offset is read.
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
            # The commit waits for all messages, and fails if one of them failed.
            producer.commit_transaction()
    finally:
        # The next writer ends a transaction that is still open.
        with suppress(KafkaError):
            producer.close(timeout=_CLOSE_SECONDS)
    return count


def _answered(settings: Mapping[str, Any], group: str, source: Any) -> int:
    """The offset after the last answered statement."""
    from kafka import KafkaConsumer

    consumer = KafkaConsumer(
        **settings, group_id=group, enable_auto_commit=False, isolation_level="read_committed"
    )
    try:
        return consumer.committed(source) or 0
    finally:
        consumer.close()
