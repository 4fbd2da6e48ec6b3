"""How long the newest event of a namespace is required, and how many are kept."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lakeschema.catalog.identifiers import Namespace, RelationName
from publisher.policy import Policy
from publisher.settling.namespace_events import (
    MAX_REMEMBERED,
    PREFIX,
    demand_namespace_events,
    remember_namespace_events,
)
from publisher.state.protocol import State
from publisher.state.records import Claim
from publisher.state.sqlite import SqliteState

T = RelationName.of("d", "t")
NOW = 1000.0
POLICY = Policy(max_lag_seconds=10.0)


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    opened = SqliteState(tmp_path / "state.db", synchronous="OFF")
    yield opened
    opened.close()


_D = Namespace(("d",))


def remember(state: State, event_id: int, now: float = NOW, namespace: Namespace = _D) -> None:
    state.write(lambda tx: remember_namespace_events(tx, {namespace: event_id}, now, POLICY))


def demanded(
    state: State, now: float = NOW, name: RelationName = T, own: int | None = None
) -> int | None:
    claim = Claim(
        relation=name,
        generation=1,
        fence=1,
        claimed_at=now,
        lease_until=now + 60.0,
        attempts=1,
        retries=0,
        min_event_id=own,
        reread_at=None,
        first_asked=now,
    )
    return state.read(lambda tx: demand_namespace_events(tx, [claim], now, POLICY))[0].min_event_id


def remembered(state: State) -> int:
    return len(state.read(lambda tx: tx.journal.notes(PREFIX)))


def test_its_relations_demand_the_newest_event(state: State) -> None:
    remember(state, 7)
    remember(state, 5)

    assert demanded(state) == 7
    assert demanded(state, own=6) == 7
    assert demanded(state, own=8) == 8


def test_relations_of_other_namespaces_do_not(state: State) -> None:
    remember(state, 7)

    assert demanded(state, name=RelationName.of("d.x", "t")) is None
    assert demanded(state, name=RelationName.of("c", "d", "t")) is None


def test_it_is_demanded_for_as_long_as_a_replica_may_lag(state: State) -> None:
    remember(state, 7)

    assert demanded(state, NOW + 9.9) == 7
    assert demanded(state, NOW + 10.0) is None


def test_an_older_event_counts_once_the_newer_is_shown_everywhere(state: State) -> None:
    remember(state, 7)
    remember(state, 5, NOW + 10.0)

    assert demanded(state, NOW + 10.0) == 5


def test_those_that_are_shown_everywhere_are_forgotten(state: State) -> None:
    for number in range(5):
        remember(state, number, namespace=Namespace((f"d{number}",)))

    remember(state, 9, NOW + 10.0)

    assert remembered(state) == 1


@pytest.mark.thorough
def test_a_flood_of_namespaces_is_not_remembered(state: State) -> None:
    for number in range(MAX_REMEMBERED + 5):
        remember(state, number, namespace=Namespace((f"d{number}",)))

    assert remembered(state) == MAX_REMEMBERED


@pytest.mark.thorough
def test_a_flood_of_namespaces_in_one_batch_is_not_remembered(state: State) -> None:
    events: dict[Namespace, int] = {
        Namespace((f"d{number}",)): number for number in range(MAX_REMEMBERED + 5)
    }

    state.write(lambda tx: remember_namespace_events(tx, events, NOW, POLICY))

    assert remembered(state) == MAX_REMEMBERED
