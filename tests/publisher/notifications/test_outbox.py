"""The outbox in the state: one record for each fact and receiver."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from publisher.notifications.facts import Kind, broken, held_deletions
from publisher.notifications.recording import NO_NOTICES, Interest, Notices
from publisher.state.protocol import Transaction
from publisher.state.records import MessageRecord
from publisher.state.sqlite import SqliteState

BOTH = Notices(
    [Interest("team", frozenset({Kind.BROKEN})), Interest("bus", frozenset({Kind.HELD}))]
)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[SqliteState]:
    state = SqliteState(tmp_path / "state.db", synchronous="OFF")
    yield state
    state.close()


def count(state: SqliteState, receiver: str) -> int:
    return state.read(lambda tx: tx.outbox.waiting(receiver, 100)).count


def test_a_receiver_gets_the_kinds_that_it_wants(state: SqliteState) -> None:
    facts = [broken("t", "BROKEN", "why"), held_deletions("d", "why", "command")]

    state.write(lambda tx: BOTH.record(tx, [*facts, facts[0]], 1.0))

    assert (count(state, "team"), count(state, "bus")) == (1, 1)


def test_a_rolled_back_transaction_tells_nothing(state: SqliteState) -> None:
    def record_and_fail(tx: Transaction) -> None:
        BOTH.record(tx, [broken("t", "BROKEN", "why")], 1.0)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        state.write(record_and_fail)

    assert count(state, "team") == 0


def test_without_receivers_nothing_is_recorded(state: SqliteState) -> None:
    state.write(lambda tx: NO_NOTICES.record(tx, [broken("t", "BROKEN", "why")], 1.0))

    assert not NO_NOTICES.wants(Kind.BROKEN)
    assert state.read(lambda tx: tx.outbox.oldest_at()) is None


def test_the_oldest_notice_counts_until_its_message_ends(state: SqliteState) -> None:
    message = MessageRecord("team", "m", 5.0, 5.0, 1)
    state.write(lambda tx: BOTH.record(tx, [broken("t", "BROKEN", "why")], 3.0))
    state.write(lambda tx: tx.outbox.start(message, 1))
    assert state.read(lambda tx: tx.outbox.oldest_at()) == 3.0

    assert state.write(lambda tx: tx.outbox.end(message, 6.0))

    assert state.read(lambda tx: tx.outbox.oldest_at()) is None
    assert not state.write(lambda tx: tx.outbox.end(message, 7.0))


def test_only_other_receivers_are_forgotten(state: SqliteState) -> None:
    facts = [broken("t", "BROKEN", "why"), held_deletions("d", "why", "command")]
    state.write(lambda tx: BOTH.record(tx, facts, 1.0))

    assert state.write(lambda tx: tx.outbox.forget_other_receivers(["bus"])) == 1

    assert (count(state, "team"), count(state, "bus")) == (0, 1)
    assert state.write(lambda tx: tx.outbox.forget_other_receivers([])) == 1
