"""Which facts the engine records, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from publisher.daemon.assembly import Deployment
from publisher.daemon.engine import Engine
from publisher.notifications.facts import Kind
from publisher.notifications.recording import Interest, Notices
from publisher.policy import DeletionLimit
from publisher.state.records import MessageRecord, NoticeRecord
from tests.publisher.daemon.simulated import S, T, V, process_events
from tests.publisher.daemon.test_deletion_brake import drop_database, publish, tables
from tests.simulation.simulation import POLICY, Simulation, assemble
from tests.simulation.toy import table, view

NOTICES = Notices([Interest("team", frozenset(Kind))])


def assemble_telling(deployment: Deployment) -> Engine:
    return assemble(replace(deployment, runtime=replace(deployment.runtime, notices=NOTICES)))


@pytest.fixture
def telling(tmp_path: Path) -> Iterator[Simulation]:
    policy = replace(POLICY, deletion_limit=DeletionLimit())
    world = Simulation(tmp_path, lag_seconds=0.0, policy=policy, assemble=assemble_telling)
    world.index.shows_sha = True
    world.index.overwrites = False
    yield world
    world.close()


def told(world: Simulation) -> list[NoticeRecord]:
    """Takes all notices out of the outbox."""
    message = MessageRecord("team", "all", 0.0, 0.0, 1)
    world._inner.write(lambda tx: tx.outbox.start(message, 10_000))
    found = list(world._inner.read(lambda tx: tx.outbox.notices_of(message)))
    world._inner.write(lambda tx: tx.outbox.withdraw(message))
    return found


def test_a_new_deployment_tells_nothing(telling: Simulation) -> None:
    for relation in (table(T, "a"), view(V, T), view(S, V)):
        telling.change(relation)
    process_events(telling)
    telling.engine.snapshot()
    process_events(telling)

    assert told(telling) == []


def test_a_major_version_is_told_once_and_a_minor_one_is_not(telling: Simulation) -> None:
    telling.change(table(T, "a", "b"))
    process_events(telling)
    telling.change(table(T, "a", "b", "c"))
    process_events(telling)
    assert told(telling) == []
    telling.change(table(T, "b", "c"))
    process_events(telling)
    telling.engine.snapshot()
    process_events(telling)

    (notice,) = told(telling)
    assert (notice.kind, notice.subject) == ("major", "d.t")
    assert '"2.0.0"' in notice.details


def test_a_dropped_table_breaks_its_view_once(telling: Simulation) -> None:
    for relation in (table(T, "a"), view(V, T)):
        telling.change(relation)
    process_events(telling)
    telling.catalog.drop(T)
    telling.engine.resync([T])
    assert telling.engine.drain(3600.0)
    telling.engine.snapshot()
    assert telling.engine.drain(3600.0)

    assert [(n.kind, n.subject) for n in told(telling)] == [("broken", "d.v")]


def test_held_deletions_are_told_once_until_they_are_held_anew(telling: Simulation) -> None:
    names = tables(40)
    publish(telling, names)
    drop_database(telling, names)
    telling.engine.snapshot()
    process_events(telling)
    telling.engine.snapshot()
    process_events(telling)

    assert Counter(n.kind for n in told(telling)) == {"held": 1}

    for name in names:
        telling.change(table(name, "a"))
    telling.engine.snapshot()
    process_events(telling)
    drop_database(telling, names)

    assert Counter(n.kind for n in told(telling)) == {"held": 1}
