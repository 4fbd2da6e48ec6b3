"""Events that only name tables, in a topic of a real broker: in the body, and in headers."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from kafka import KafkaProducer

from deploy.local_stack import Kafka
from lakeschema.catalog.identifiers import RelationName
from publisher.event_formats import FORMATS
from publisher.events.kafka_topic import KafkaSource
from publisher.events.named_events import NamedEvents
from publisher.events.protocol import Batch, RelationHint
from tests.integration.events.test_kafka_topic import start, topic
from tests.waiting import PATIENCE_SECONDS, eventually

__all__ = ["topic"]
SAMPLES = Path(__file__).parents[2] / "publisher" / "events" / "samples"


def sample(name: str) -> Any:
    return json.loads((SAMPLES / name).read_text())


def send(kafka: Kafka, topic: str, body: bytes | None, headers: Any = (), times: int = 1) -> None:
    producer = KafkaProducer(bootstrap_servers=kafka.bootstrap_servers)
    for _ in range(times):
        producer.send(topic, value=body, key=b"k", headers=list(headers)).get(PATIENCE_SECONDS)
    producer.close()


def opened(kafka: Kafka, topic: str, format_: str, **options: Any) -> KafkaSource:
    decoder = NamedEvents(FORMATS[format_], **options)
    return KafkaSource(kafka.bootstrap_servers, topic, group_id=f"g-{topic}", decode=decoder.decode)


def batches(source: KafkaSource, position: str, messages: int) -> list[Batch]:
    found: list[Batch] = []

    def read() -> bool:
        batch = source.poll(found[-1].position if found else position, 1)
        if batch is not None:
            found.append(batch)
        return sum(each.seen for each in found) >= messages

    assert eventually(read, PATIENCE_SECONDS)
    return found


def names(found: list[Batch]) -> list[RelationName]:
    hints = [hint for batch in found for hint in batch.hints]
    return [hint.relation for hint in hints if isinstance(hint, RelationHint)]


def test_lakekeepers_headers_name_the_table_of_the_sources_catalog(
    kafka: Kafka, topic: str
) -> None:
    record = sample("lakekeeper_update_table.json")
    headers = [(name, str(value).encode()) for name, value in record["headers"].items()]
    with closing(opened(kafka, topic, "lakekeeper", catalog="lake")) as source:
        position = start(source)
        send(kafka, topic, json.dumps(record["value"]).encode(), headers)
        send(kafka, topic, None, headers)

        found = batches(source, position, 2)

    assert names(found) == [RelationName(("analytics",), "page_views", "lake")] * 2
    assert not any(batch.dead_letters for batch in found)


def test_polaris_is_heard_again_after_a_restart_and_bad_messages_are_kept(
    kafka: Kafka, topic: str
) -> None:
    renamed = json.dumps(sample("polaris_rename_table.json")).encode()
    new, old = (RelationName.of("analytics", each) for each in ("page_views_v2", "page_views"))
    with closing(opened(kafka, topic, "polaris")) as source:
        position = start(source)
        send(kafka, topic, renamed, times=2)
        first = batches(source, position, 2)
        assert names(first) == [new, old, new, old]
        assert first[-1].event_times[new] == 1787307331.0
    send(kafka, topic, b"{")
    send(kafka, topic, renamed)

    with closing(opened(kafka, topic, "polaris")) as source:
        second = batches(source, first[-1].position, 2)

    assert names(second) == [new, old]
    assert [letter.payload for batch in second for letter in batch.dead_letters] == [b"{"]
