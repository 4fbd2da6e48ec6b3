"""When messages start, and how many facts they have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.notifications.facts import Kind, broken
from publisher.notifications.pacing import Pace, claim_message, is_due
from publisher.notifications.recording import Interest, Notices
from publisher.state.records import MessageRecord
from publisher.state.sqlite import SqliteState

PACE = Pace(burst=3, window_seconds=100.0)
NOTICES = Notices([Interest("team", frozenset(Kind))])


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SqliteState]:
    state = SqliteState(tmp_path / "state.db", synchronous="OFF")
    yield state
    state.close()


def record(state: SqliteState, count: int, now: float) -> None:
    facts = [broken(f"shop.t{n}", "BROKEN", "why") for n in range(count)]
    state.write(lambda tx: NOTICES.record(tx, facts, now))


def claim(state: SqliteState, now: float) -> MessageRecord | None:
    due = state.read(lambda tx: is_due(tx.outbox, "team", PACE, now))
    found = state.write(lambda tx: claim_message(tx.outbox, "team", PACE, now))
    assert (found is not None) is due
    return found


def size(state: SqliteState, message: MessageRecord) -> int:
    return len(state.read(lambda tx: tx.outbox.notices_of(message)))


def end(state: SqliteState, message: MessageRecord, now: float) -> None:
    assert state.write(lambda tx: tx.outbox.end(message, now))


def sizes(state: SqliteState, times: Iterator[int]) -> list[tuple[int, int]]:
    """The time and size of each message of a receiver that accepts all."""
    found = []
    for now in times:
        while (message := claim(state, now)) is not None:
            found.append((now, size(state, message)))
            end(state, message, now)
    return found


def test_few_facts_are_told_one_by_one(state: SqliteState) -> None:
    record(state, 3, 0.0)

    assert sizes(state, iter(range(10))) == [(0, 1)] * 3


def test_ten_thousand_facts_are_one_message_after_a_window(state: SqliteState) -> None:
    record(state, 10_000, 0.0)

    assert sizes(state, iter(range(0, 1000, 10))) == [(100, 10_000)]


def test_facts_that_keep_coming_are_one_message_in_a_window(state: SqliteState) -> None:
    found = []
    for now in range(0, 1000, 10):
        record(state, 5, now)
        found += sizes(state, iter([now]))

    assert len(found) <= 1000 / 100 + PACE.burst
    waiting = state.read(lambda tx: tx.outbox.waiting("team", 9999)).count
    assert sum(count for _, count in found) + waiting == 500


def test_after_a_burst_facts_are_told_one_by_one_again(state: SqliteState) -> None:
    record(state, 50, 0.0)
    assert sizes(state, iter([0, 100])) == [(100, 50)]
    record(state, 1, 150.0)

    assert sizes(state, iter([150])) == [(150, 1)]


def test_nothing_starts_while_a_message_is_open(state: SqliteState) -> None:
    record(state, 2, 0.0)
    first = claim(state, 0.0)

    assert first is not None
    assert claim(state, 1.0) is None
    end(state, first, 2.0)
    assert claim(state, 2.0) is not None


def test_a_killed_attempt_is_repeated_with_its_id_after_a_minute(state: SqliteState) -> None:
    record(state, 1, 0.0)
    first = claim(state, 0.0)

    assert claim(state, 59.0) is None
    again = claim(state, 61.0)

    assert first is not None
    assert again is not None
    assert (again.id, again.attempts) == (first.id, 2)


def test_a_message_of_one_fact_has_its_id_and_a_digest_its_own(state: SqliteState) -> None:
    fact = broken("shop.t", "BROKEN", "why")
    state.write(lambda tx: NOTICES.record(tx, [fact], 0.0))
    message = claim(state, 0.0)
    assert message is not None
    assert message.id == fact.id
