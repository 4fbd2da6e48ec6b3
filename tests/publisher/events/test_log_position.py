"""A simulated log shows all faults of Derby; no event is lost, whatever happens."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from publisher.events.log_position import (
    LogPosition,
    MalformedPosition,
    read_log,
    start_position,
)
from publisher.events.metastore_events import LogEvent
from tests.effort import examples


def event(id_: int, table: str = "t", message: str = "") -> LogEvent:
    return LogEvent(id_, 1000 + id_, "CREATE_TABLE", "db", table, message, "json-0.2")


def after(log: list[LogEvent], id_: int) -> list[LogEvent]:
    return sorted((e for e in log if e.id > id_), key=lambda e: e.id)


def test_new_events_are_distinguished_from_those_read_again() -> None:
    position = start_position([event(1), event(2)], 2)

    reading = read_log(position, [event(1), event(2), event(3)], 3, complete=True)

    assert reading.new == (event(3),)
    assert reading.position.last == 3
    assert reading.gap is None


def test_a_second_event_with_a_known_id_is_new() -> None:
    position = start_position([event(1), event(2, "a")], 2)

    reading = read_log(position, [event(1), event(2, "a"), event(2, "b")], 2, complete=True)

    assert [e.table for e in reading.new] == ["b"]
    assert reading.position.last == 2


def test_an_event_that_becomes_visible_late_is_new() -> None:
    position = start_position([event(1)], 1)
    first = read_log(position, [event(1), event(3)], 3, complete=True)
    assert first.gap is None

    second = read_log(first.position, [event(1), event(2), event(3)], 3, complete=True)

    assert second.new == (event(2),)


def test_a_log_that_continues_at_a_later_id_was_trimmed() -> None:
    reading = read_log(LogPosition(5, 5), [event(9)], 9, complete=True)

    assert reading.gap is not None
    assert "continues at 9 after 5" in reading.gap
    assert reading.new == (event(9),)


def test_a_log_that_is_ahead_but_has_no_events_was_trimmed() -> None:
    reading = read_log(LogPosition(5, 5), [], 9, complete=True)

    assert reading.gap is not None
    assert "has no events after 5" in reading.gap


def test_a_log_that_is_behind_was_replaced() -> None:
    reading = read_log(LogPosition(5, 5), [], 3, complete=True)

    assert reading.gap is not None
    assert "replaced" in reading.gap


def test_a_log_with_other_events_under_known_ids_was_replaced() -> None:
    position = start_position([event(1), event(2)], 2)

    reading = read_log(position, [event(1), event(2, "other"), event(3)], 3, complete=True)

    assert reading.gap is not None
    assert "not those read before" in reading.gap


def test_a_trimmed_log_with_nothing_new_is_no_gap() -> None:
    position = start_position([event(1), event(2)], 2)

    assert read_log(position, [], 2, complete=True).gap is None


def test_large_events_are_not_read_again_and_again() -> None:
    large = [event(i, message="x" * 3_000_000) for i in range(1, 6)]

    position = start_position(large, 5)

    assert list(position.recent) == [5]
    assert position.after == 4


@given(st.text())
def test_any_other_text_is_not_a_position(text: str) -> None:
    try:
        position = LogPosition.from_text(text)
    except MalformedPosition:
        return
    assert LogPosition.from_text(position.to_text()) == position


@pytest.mark.parametrize("text", ["", "5", "null", '{"last":"x","recent":{}}', "[" * 5000])
def test_a_malformed_position_is_reported(text: str) -> None:
    with pytest.raises(MalformedPosition):
        LogPosition.from_text(text)


@settings(max_examples=examples(100))
@given(st.randoms(use_true_random=False), st.integers(1, 40), st.integers(5, 50))
def test_concurrent_ddl_on_derby_loses_no_event(rng: random.Random, count: int, limit: int) -> None:
    """Events share ids and become visible out of order, by up to a few ids; polls come between."""
    ids: list[int] = []
    current = 0
    for _ in range(count):
        current += rng.random() < 0.5 or current == 0
        ids.append(current)
    # A transaction that ends late shows its event after up to four others.
    order = sorted(range(count), key=lambda i: i + rng.randint(0, 4))
    events = [event(ids[i], f"t{i}") for i in range(count)]
    visible: list[LogEvent] = []
    position = LogPosition(0, 0)
    seen: list[LogEvent] = []

    def poll() -> None:
        nonlocal position
        newest = max((e.id for e in visible), default=0)
        answer = after(visible, position.after)
        reading = read_log(position, answer[:limit], newest, complete=len(answer) <= limit)
        seen.extend(reading.new)
        position = LogPosition.from_text(reading.position.to_text())

    for index in order:
        visible.append(events[index])
        if rng.random() < 0.4:
            poll()
    for _ in range(3 + count):
        poll()

    if limit > count:
        assert sorted(e.table for e in seen) == sorted(e.table for e in events)
    assert len({e.table for e in seen}) == len(seen)
