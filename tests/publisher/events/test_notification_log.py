"""A log that is trimmed, truncated, slow or replaced; the server is a double over real Thrift."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hive_metastore.ttypes import NotificationEvent

from lakeschema.catalog.identifiers import RelationName
from publisher.events.notification_log import NotificationLogSource
from publisher.events.protocol import RelationHint, SourceUnavailable
from tests.lakeschema.catalog.thrift_metastore import Handler, serving
from tests.simulation.world import FakeClock


@pytest.fixture
def handler() -> Handler:
    return Handler()


@pytest.fixture
def source(handler: Handler) -> Iterator[NotificationLogSource]:
    # Time passes only while the source waits, however slow the machine.
    clock = FakeClock()
    with serving(handler) as uri:
        source = NotificationLogSource(uri, clock=clock.now, sleep=clock.sleep)
        yield source
        source.close()


def happen(handler: Handler, *tables: str, kind: str = "CREATE_TABLE") -> None:
    for table in tables:
        handler.event_id += 1
        handler.events.append(
            NotificationEvent(
                eventId=handler.event_id,
                eventTime=1,
                eventType=kind,
                dbName="db",
                tableName=table,
                message="{}",
            )
        )


def start(source: NotificationLogSource) -> str:
    batch = source.poll(None, 0)
    assert batch is not None
    return batch.position


def heard(source: NotificationLogSource, position: str) -> list[str]:
    tables: list[str] = []
    while (batch := source.poll(position, 0)) is not None:
        assert batch.gap is None
        tables += [h.relation.name for h in batch.hints if isinstance(h, RelationHint)]
        position = batch.position
    return tables


def test_more_events_than_one_request_returns_are_all_read(
    handler: Handler, source: NotificationLogSource
) -> None:
    position = start(source)
    tables = [f"t{i}" for i in range(2500)]
    happen(handler, *tables)

    assert heard(source, position) == tables


def test_noise_is_not_a_batch_until_the_timeout(
    handler: Handler, source: NotificationLogSource
) -> None:
    position = start(source)
    happen(handler, *["t"] * 2500, kind="ADD_PARTITION")

    batch = source.poll(position, 0.5)

    assert batch is not None
    assert (batch.hints, batch.seen) == ((), 2500)
    assert source.poll(batch.position, 0) is None


def test_a_trimmed_log_is_a_gap_and_reading_continues_at_its_end(
    handler: Handler, source: NotificationLogSource
) -> None:
    position = start(source)
    happen(handler, "a", "b", "c")
    handler.events.clear()

    batch = source.poll(position, 0)

    assert batch is not None
    assert batch.gap is not None
    assert "trimmed" in batch.gap
    happen(handler, "d")
    assert heard(source, batch.position) == ["d"]


def test_a_log_trimmed_in_the_middle_returns_the_rest_with_the_gap(
    handler: Handler, source: NotificationLogSource
) -> None:
    happen(handler, "before")
    position = start(source)
    happen(handler, "a", "b", "c")
    del handler.events[:3]

    batch = source.poll(position, 0)

    assert batch is not None
    assert batch.gap is not None
    assert [h.relation.name for h in batch.hints if isinstance(h, RelationHint)] == ["c"]


def test_an_event_that_shares_a_known_id_is_found_while_waiting(
    handler: Handler, source: NotificationLogSource
) -> None:
    position = start(source)
    happen(handler, "a")
    batch = source.poll(position, 0)
    assert batch is not None
    handler.event_id -= 1
    happen(handler, "b")

    late = source.poll(batch.position, 5)

    assert late is not None
    assert [h.relation.name for h in late.hints if isinstance(h, RelationHint)] == ["b"]


def test_waiting_for_a_quiet_log_takes_few_requests(
    handler: Handler, source: NotificationLogSource
) -> None:
    position = start(source)
    source.poll(position, 0)
    handler.requests.clear()

    assert source.poll(position, 0.3) is None

    assert set(handler.requests) == {"get_current_notificationEventId"}


def test_a_metastore_that_does_not_run_is_unavailable() -> None:
    source = NotificationLogSource("thrift://127.0.0.1:1", timeout_seconds=1)

    with pytest.raises(SourceUnavailable, match="does not answer"):
        source.poll(None, 0)


def test_text_that_is_not_utf8_does_not_break_a_batch(
    handler: Handler, source: NotificationLogSource
) -> None:
    position = start(source)
    happen(handler, b"bad\xff".decode("utf-8", "surrogateescape"), "good")

    assert heard(source, position) == ["bad�", "good"]


def test_a_batch_knows_when_its_events_happened_and_how_many_are_left(
    handler: Handler, source: NotificationLogSource
) -> None:
    position = start(source)
    happen(handler, *[f"t{i}" for i in range(1500)])
    for number, event in enumerate(handler.events):
        event.eventTime = 1000 + number

    batch = source.poll(position, 0)

    assert batch is not None
    assert batch.behind == 1500 - len(batch.hints)
    assert batch.behind > 0
    assert batch.event_times[RelationName.of("db", "t7")] == 1007.0
    assert batch.newest_event_at == 999.0 + len(batch.hints)
