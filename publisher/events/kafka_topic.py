"""A Kafka topic of events as an event source.

Reading continues from the position in the state, never from the group's offsets. The group's
offsets are committed only so that tools can show the lag.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kafka import ConsumerRebalanceListener, KafkaConsumer, OffsetAndMetadata, TopicPartition
from kafka.errors import AuthorizationError, KafkaError, OffsetOutOfRangeError

from lakeschema.catalog.identifiers import RelationName
from lakeschema.kafka_clients import bounded_client
from publisher.events.apiary_events import decode_apiary_message
from publisher.events.decoding import Heard
from publisher.events.messages import Message, from_kafka
from publisher.events.protocol import (
    FIRST_START,
    Batch,
    SourceUnavailable,
    add_times,
)

logger = logging.getLogger(__name__)

_REQUEST_MILLISECONDS = 5_000
_OFFSET_CHECK_SECONDS = 5.0
_SLICE_MILLISECONDS = 500


_RIGHTS = "allow this user DESCRIBE and READ of the topic, and READ of the group"


class KafkaSource:
    """A topic as a source. Not safe for threads; only one thread polls a source.

    The position is JSON: the next offset of each partition. An offset that the broker no longer
    has, or does not have yet, means that events are lost: reading continues at the earliest
    offset, and the batch reports it in ``gap``.
    """

    def __init__(
        self,
        bootstrap_servers: str,
        topic: str,
        *,
        group_id: str = "schema-publisher",
        name: str | None = None,
        options: Mapping[str, Any] | None = None,
        decode: Callable[[Message], Heard] = decode_apiary_message,
        setting: str = "events.topic",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Reads a topic; connects at the first poll.

        ``options`` are passed to kafka-python: ``security_protocol``, ``sasl_…``, ``ssl_…``.
        ``setting`` is the setting that names the topic, for errors.
        """
        self._name = name or f"kafka:{topic}"
        self._topic = topic
        self._setting = setting
        self._settings = {
            "max_poll_records": 1000,
            "fetch_max_wait_ms": 100,
            "bootstrap_timeout_ms": 5000,
            # A static member that returns gets its partitions at once, even after a kill; otherwise
            # the broker waits 45 s for the dead member's session to expire. If two processes share
            # a group, the broker fences the earlier one. Nothing is lost, since both continue from
            # the state's position, but each has to join again. So each needs a separate ``group_id``.
            "group_instance_id": group_id,
            "client_id": "schema-publisher",
            **(options or {}),
            "bootstrap_servers": bootstrap_servers.split(","),
            "group_id": group_id,
            "enable_auto_commit": False,
            "auto_offset_reset": "none",
            "allow_auto_create_topics": False,
        }
        self._decode = decode
        self._clock = clock
        self._consumer: Any = None
        self._consumer_offsets: dict[int, int] = {}
        self._next_offsets: dict[int, int] = {}
        self._gap: str | None = None
        self._checked_at = 0.0

    @property
    def name(self) -> str:
        return self._name

    def poll(self, position: str | None, timeout_seconds: float) -> Batch | None:
        try:
            return self._poll(position, timeout_seconds)
        except (KafkaError, OSError) as error:
            # A new consumer starts from the state's position and the configured addresses.
            self.close()
            raise _unavailable(self._name, error) from error

    def count_partitions(self) -> int:
        """The number of the topic's partitions.

        The request is made outside of the group, so that a running service is not disturbed.

        Raises:
            SourceUnavailable: no broker answers, or the topic does not exist.
        """
        alone = {**self._settings, "group_id": None, "group_instance_id": None}
        try:
            self._consumer = _new_consumer(alone)
            return len(self._partitions())
        except (KafkaError, OSError) as error:
            raise _unavailable(self._name, error) from error
        finally:
            self.close()

    def acknowledge(self, position: str) -> None:
        """Commits the group's offsets; a failure is harmless, because nothing reads them."""
        if self._consumer is None:
            return
        offsets = _parse_position(position) or {}
        assigned = {tp.partition for tp in self._consumer.assignment()}
        committed = {
            TopicPartition(self._topic, partition): OffsetAndMetadata(offset, "", -1)
            for partition, offset in offsets.items()
            if partition in assigned
        }
        if not committed:
            return
        try:
            self._consumer.commit(committed, timeout_ms=_REQUEST_MILLISECONDS)
        except KafkaError as error:
            logger.warning(
                "group offsets not committed", extra={"source": self._name, "reason": repr(error)}
            )

    def close(self) -> None:
        consumer, self._consumer = self._consumer, None
        self._consumer_offsets = {}
        if consumer is not None:
            try:
                consumer.close(autocommit=False, timeout_ms=2000)
            except KafkaError as error:
                logger.debug("closing the kafka consumer failed", extra={"reason": repr(error)})

    def _poll(self, position: str | None, timeout_seconds: float) -> Batch | None:
        consumer = self._connect()
        stored = None if position is None else _parse_position(position)
        if stored is None:
            return self._start(FIRST_START if position is None else "the position is unreadable")
        self._next_offsets = stored
        self._seek(consumer.assignment())
        deadline = self._clock() + timeout_seconds
        while True:
            left = max(0.0, deadline - self._clock())
            wait = min(_SLICE_MILLISECONDS, int(left * 1000))
            records = self._fetch(consumer, wait)
            self._check_offsets()
            if records or self._gap:
                return self._batch(records)
            if self._clock() >= deadline:
                return None

    def _fetch(self, consumer: Any, wait_milliseconds: int) -> Sequence[Any]:
        try:
            found = consumer.poll(timeout_ms=wait_milliseconds)
        except OffsetOutOfRangeError:
            # Old events were deleted during the read. The check of the offsets finds where to
            # continue.
            self._checked_at = 0.0
            return ()
        return [record for records in found.values() for record in records]

    def _connect(self) -> Any:
        if self._consumer is None:
            self._consumer = _new_consumer(self._settings)
            self._consumer.subscribe([self._topic], listener=_Rebalance(self._begin, self._forget))
            self._checked_at = 0.0
        return self._consumer

    def _start(self, reason: str) -> Batch:
        """The first batch, at the end of every partition, since a later snapshot sees all earlier changes."""
        ends = self._consumer.end_offsets(self._partitions(), timeout_ms=_REQUEST_MILLISECONDS)
        return Batch(
            (), (), _position_text({tp.partition: end for tp, end in ends.items()}), gap=reason
        )

    def _partitions(self) -> list[Any]:
        partitions = self._consumer.partitions_for_topic(self._topic)
        if not partitions:
            reason = f"there is no topic {self._topic}, or this user may not see it"
            hint = f"create it, correct {self._setting}, or {_RIGHTS}"
            raise SourceUnavailable(self._name, reason, hint)
        return [TopicPartition(self._topic, partition) for partition in sorted(partitions)]

    def _seek(self, assigned: set[Any]) -> None:
        """Moves to the state's position.

        Partitions that the position does not name are new, and are read from their start.
        """
        for tp in assigned:
            offset = self._next_offsets.get(tp.partition, 0)
            if self._consumer_offsets.get(tp.partition) != offset:
                self._consumer.seek(tp, offset)
                self._consumer_offsets[tp.partition] = offset

    def _begin(self, assigned: set[Any]) -> None:
        self._seek(assigned)
        # The offsets of the new partitions have not been checked.
        self._checked_at = 0.0

    def _forget(self, revoked: set[Any]) -> None:
        for tp in revoked:
            self._consumer_offsets.pop(tp.partition, None)

    def _check_offsets(self) -> None:
        """Checks from time to time that the broker responds and still has the next events."""
        if self._clock() - self._checked_at < _OFFSET_CHECK_SECONDS and self._checked_at:
            return
        assigned = list(self._consumer.assignment())
        # This also runs without an assignment, since a poll returns nothing if no broker responds.
        asked = assigned or self._partitions()
        first = self._consumer.beginning_offsets(asked, timeout_ms=_REQUEST_MILLISECONDS)
        after = self._consumer.end_offsets(asked, timeout_ms=_REQUEST_MILLISECONDS)
        self._checked_at = self._clock()
        for tp in assigned:
            at = self._consumer_offsets.get(tp.partition, 0)
            if first[tp] <= at <= after[tp]:
                continue
            named = tp.partition in self._next_offsets
            if named:
                self._gap = (
                    f"partition {tp.partition} has offsets {first[tp]} to {after[tp]}, not {at}"
                )
            self._next_offsets[tp.partition] = first[tp]
        self._seek(set(assigned))

    def _batch(self, records: Sequence[Any]) -> Batch:
        heard: list[Heard] = []
        times: dict[RelationName, float] = {}
        offsets = dict(self._next_offsets)
        for record in records:
            if record.offset < offsets.get(record.partition, 0):
                continue
            found = self._decode(from_kafka(record.value or b"", record.headers))
            heard.append(found)
            if record.timestamp and record.timestamp > 0:
                add_times(times, found.hints, record.timestamp / 1000)
            offsets[record.partition] = record.offset + 1
        self._next_offsets = offsets
        self._consumer_offsets |= {
            partition: offsets[partition] for partition in self._consumer_offsets
        }
        gap, self._gap = self._gap, None
        stamps = [record.timestamp / 1000 for record in records if record.timestamp]
        every = Heard.together(heard)
        return Batch(
            every.hints,
            every.dead_letters,
            _position_text(offsets),
            gap=gap,
            seen=len(records),
            behind=self._count_left(offsets),
            # An event's time is nearer to the change than the time of the broker.
            event_times={**times, **every.times},
            newest_event_at=max(stamps, default=None),
        )

    def _count_left(self, offsets: Mapping[int, int]) -> int:
        """The number of events left in this process's partitions, by their newest responses."""
        ends = {tp.partition: self._consumer.highwater(tp) for tp in self._consumer.assignment()}
        return sum(
            max(0, end - offsets.get(partition, 0))
            for partition, end in ends.items()
            if end is not None
        )


def _unavailable(source: str, error: Exception) -> SourceUnavailable:
    hint = _RIGHTS if isinstance(error, AuthorizationError) else ""
    return SourceUnavailable(source, f"{type(error).__name__}: {error}", hint)


def _new_consumer(settings: Mapping[str, Any]) -> Any:
    """A consumer. If no broker responds, its client is closed.

    Otherwise kafka-python would leave a thread that tries to connect forever.
    """
    clients: list[Any] = []

    def new_client(**config: Any) -> Any:
        clients.append(bounded_client(**config))
        return clients[-1]

    try:
        return KafkaConsumer(**settings, kafka_client=new_client)
    except Exception:
        for client in clients:
            client.close()
        raise


class _Rebalance(ConsumerRebalanceListener):  # type: ignore[misc]  # kafka-python has no types
    """Seeks in newly assigned partitions before anything is fetched from them."""

    def __init__(
        self, seek: Callable[[set[Any]], None], forget: Callable[[set[Any]], None]
    ) -> None:
        self._seek = seek
        self._forget = forget

    def on_partitions_revoked(self, revoked: set[Any]) -> None:
        self._forget(revoked)

    def on_partitions_assigned(self, assigned: set[Any]) -> None:
        self._seek(assigned)


def _position_text(offsets: Mapping[int, int]) -> str:
    named = {str(partition): offset for partition, offset in sorted(offsets.items())}
    return json.dumps({"offsets": named}, separators=(",", ":"))


def _parse_position(position: str) -> dict[int, int] | None:
    try:
        offsets = json.loads(position)["offsets"]
        return {int(partition): int(offset) for partition, offset in offsets.items()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
