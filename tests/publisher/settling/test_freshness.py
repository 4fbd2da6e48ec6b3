"""When the engine trusts an answer of the catalog."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lakeschema.catalog.identifiers import RelationName
from publisher.policy import Policy
from publisher.settling.freshness import Freshness, freshness, second_look
from publisher.state.records import Claim, RelationRecord

T = RelationName.of("d", "t")
POLICY = Policy(staleness_seconds=2.0, max_lag_seconds=10.0)
CLAIM = Claim(
    relation=T,
    generation=1,
    fence=1,
    claimed_at=100.0,
    lease_until=200.0,
    attempts=1,
    retries=0,
    min_event_id=None,
    reread_at=None,
    first_asked=95.0,
)


@pytest.mark.parametrize(
    ("demanded", "first_asked", "at_least", "expected"),
    [
        (None, 95.0, None, Freshness.FRESH),
        (7, 95.0, None, Freshness.UNPROVEN),
        (7, 95.0, 7, Freshness.FRESH),
        (7, 95.0, 6, Freshness.STALE),
        (7, 90.0, 6, Freshness.UNPROVEN),
        (None, 0.0, 0, Freshness.FRESH),
    ],
)
def test_an_event_is_waited_for_as_long_as_a_replica_may_lag(
    demanded: int | None, first_asked: float, at_least: int | None, expected: Freshness
) -> None:
    claim = replace(CLAIM, min_event_id=demanded, first_asked=first_asked)

    assert freshness(claim, None, at_least, POLICY) is expected


@pytest.mark.parametrize(
    ("read_at", "at_least", "expected"),
    [
        (95.0, 6, Freshness.STALE),
        (95.0, 7, Freshness.FRESH),
        (90.0, 6, Freshness.UNPROVEN),
        (None, 6, Freshness.UNPROVEN),
    ],
)
def test_an_answer_older_than_the_last_one_is_a_replicas_or_another_logs(
    read_at: float | None, at_least: int, expected: Freshness
) -> None:
    record = RelationRecord(T, read_event_id=7, read_at=read_at)

    assert freshness(CLAIM, record, at_least, POLICY) is expected


def test_a_second_look_is_owed_unless_answers_are_never_stale() -> None:
    assert second_look(CLAIM, None, 101.0, POLICY).reread_at == 103.0
    assert second_look(CLAIM, 7, 101.0, POLICY).reread_at == 111.0
    assert second_look(replace(CLAIM, reread_at=110.0), None, 101.0, POLICY).reread_at == 110.0
    assert second_look(CLAIM, None, 101.0, replace(POLICY, staleness_seconds=0.0)) == CLAIM
