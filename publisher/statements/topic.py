"""Reads a Kafka topic of statements as a log."""

from __future__ import annotations

import time
from collections.abc import Iterator

from publisher.events.decoding import Heard
from publisher.events.kafka_topic import KafkaSource
from publisher.events.messages import Message
from publisher.settings.statements import StatementTopic
from publisher.statements.log_files import Piece

_POLL_SECONDS = 1.0


class Topic:
    """A topic as a source of statements; without a position, it starts at the topic's end."""

    def __init__(self, settings: StatementTopic) -> None:
        self.name = f"statements:{settings.topic}"
        self._messages: list[bytes] = []
        self._source = KafkaSource(
            settings.bootstrap_servers,
            settings.topic,
            group_id=settings.group_id,
            name=self.name,
            options=settings.client_options(),
            decode=self._keep,
            setting="statements.kafka.topic",
        )

    def read(self, position: str | None) -> Iterator[Piece]:
        """The messages since ``position``.

        Raises:
            SourceUnavailable: the brokers do not answer.
        """
        self._messages.clear()
        batch = self._source.poll(position, _POLL_SECONDS)
        if batch is None:
            return
        ran_at = time.time() if batch.newest_event_at is None else batch.newest_event_at
        yield Piece(self.name, tuple(self._messages), ran_at, batch.position)
        # The caller takes the next piece after it has stored this piece.
        self._source.acknowledge(batch.position)

    def close(self) -> None:
        self._source.close()

    def _keep(self, message: Message) -> Heard:
        # JSON allows a line break only between two values.
        self._messages.append(message.body.replace(b"\n", b" ") + b"\n")
        return Heard()
