"""Questions of readiness and metrics to the work queue: retried work, and the age of the oldest request."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.progress import Retried
from publisher.state.opening import StoredState
from publisher.state.protocol import StateUnavailable, Transaction
from publisher.state.records import Cause, Claim, Urgency, WorkRequest
from publisher.state.sqlite import SqliteState

A, B, C = (RelationName.of("db", n) for n in "abc")


def claimed(state: StoredState) -> dict[RelationName, Claim]:
    requests = [WorkRequest(name, at) for name, at in ((A, 1.0), (B, 2.0), (C, 3.0))]
    state.write(lambda tx: tx.work.request(requests))
    claims = state.write(lambda tx: tx.work.claim(10.0, 10.0, 10))
    return {claim.relation: claim for claim in claims}


def test_what_is_deferred_is_retried_and_what_is_done_or_read_again_is_not(
    state: StoredState,
) -> None:
    claims = claimed(state)

    state.write(lambda tx: tx.work.defer(claims[A], 20.0, "away", Cause.PASSING))
    state.write(lambda tx: tx.work.clear(claims[B]))
    state.write(lambda tx: tx.work.clear_until(claims[C], 20.0))

    found = state.read(lambda tx: tx.work.retried(claims.values()))
    assert found == {A: Retried("away", 0)}


def test_the_oldest_request_is_not_that_of_a_relation_in_trouble_of_its_own(
    state: StoredState,
) -> None:
    claims = claimed(state)
    assert state.read(lambda tx: tx.work.oldest_at()) == 1.0

    state.write(lambda tx: tx.work.defer(claims[A], 20.0, "refused", Cause.OWN))

    assert state.read(lambda tx: tx.work.oldest_at()) == 2.0


def test_without_work_there_is_no_oldest_request(state: StoredState) -> None:
    assert state.read(lambda tx: tx.work.oldest_at()) is None


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_the_oldest_request_is_found_by_an_index(state: StoredState, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "state.db")) as connection:
        (plan,) = connection.execute(
            "EXPLAIN QUERY PLAN SELECT min(first_asked) FROM work WHERE failures = 0"
        )

    assert "work_oldest" in plan[-1]


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_claim_and_the_next_due_time_read_no_more_of_the_queue_than_they_answer(
    state: StoredState, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ask(tx: Transaction) -> None:
        tx.work.due_at()
        # More than is claimed, and due for long: every one of the queue's questions is asked.
        assert len(tx.work.claim(1e6, 10.0, 4)) in {1, 3, 4}
        tx.work.in_namespace(Namespace(("db",)))

    state.write(lambda tx: tx.work.request(_requests(20)))
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: _traced(connect(*a, **k), asked))
    with closing(SqliteState(tmp_path / "state.db")) as traced:
        traced.write(ask)

    asked = [each for each in asked if each.startswith("SELECT") and "FROM work" in each]
    with closing(connect(tmp_path / "state.db")) as connection:
        plans = [
            (step, statement)
            for statement in asked
            for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {statement}")
        ]
    assert len(plans) >= 5
    assert [plan for plan in plans if not plan[0].startswith("SEARCH work USING")] == []


def _requests(count: int) -> list[WorkRequest]:
    return [
        WorkRequest(RelationName.of("db", f"t{n:02}"), 1.0, Urgency(n % len(Urgency)))
        for n in range(count)
    ]


def _traced(connection: sqlite3.Connection, asked: list[str]) -> sqlite3.Connection:
    connection.set_trace_callback(asked.append)
    return connection


def test_the_most_urgent_work_is_claimed_first_and_what_is_due_first_of_it(
    state: StoredState,
) -> None:
    state.write(lambda tx: tx.work.request(_requests(9)))

    claims = state.write(lambda tx: tx.work.claim(2.0, 10.0, 5))

    assert [claim.relation.name for claim in claims] == ["t00", "t03", "t06", "t01", "t04"]


def test_work_is_due_when_its_lease_or_its_time_comes_whichever_is_later(
    state: StoredState,
) -> None:
    state.write(lambda tx: tx.work.request([WorkRequest(A, 1.0)]))
    state.write(lambda tx: tx.work.claim(5.0, 10.0, 1))
    assert state.read(lambda tx: tx.work.due_at()) == 15.0

    state.write(lambda tx: tx.work.request([WorkRequest(B, 12.0)]))

    assert state.read(lambda tx: tx.work.due_at()) == 12.0


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_file_that_was_removed_or_replaced_takes_no_writes(
    state: StoredState, tmp_path: Path
) -> None:
    file, aside = tmp_path / "state.db", tmp_path / "aside"
    file.rename(aside)
    with pytest.raises(StateUnavailable, match="removed") as removed:
        state.write(lambda tx: tx.journal.write_note("a", "b"))
    file.touch()
    with pytest.raises(StateUnavailable, match="replaced"):
        state.read(lambda tx: tx.journal.note("a"))
    aside.replace(file)

    state.write(lambda tx: tx.journal.write_note("a", "c"))

    assert "put the file back" in removed.value.hint
    assert state.read(lambda tx: tx.journal.note("a")) == "c"
