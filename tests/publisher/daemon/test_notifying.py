"""Sending: at least once with one id, in order, paced, and given up in the end."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from lakeschema.catalog.errors import CatalogUnavailable
from lakeschema.catalog.identifiers import RelationName
from publisher.daemon.notifying import Deployment, OwnersOf, Receiver, Sender, pause_seconds
from publisher.notifications.cloud_events import cloud_event
from publisher.notifications.facts import Fact, Kind, broken, held_deletions
from publisher.notifications.messages import Message
from publisher.notifications.pacing import Pace
from publisher.notifications.posting import Accepted, NotAccepted, Posted
from publisher.notifications.recording import Interest, Notices
from publisher.outages import Outages
from publisher.policy import Policy
from publisher.runtime import Runtime
from publisher.state.sqlite import SqliteState

NOTICES = Notices([Interest("team", frozenset(Kind))])


@dataclass
class ManualClock:
    at: float = 1000.0

    def now(self) -> float:
        return self.at

    def wall(self) -> float:
        return self.at

    def sleep(self, seconds: float) -> None:
        self.at += seconds


class Killed(BaseException):
    pass


@dataclass
class FakeChannel:
    answers: list[Posted | BaseException] = field(default_factory=list)
    sent: list[tuple[str, bytes]] = field(default_factory=list)

    def compose(self, message: Message) -> bytes:
        return cloud_event(message)

    def send(self, id_: str, body: bytes) -> Posted:
        self.sent.append((id_, body))
        answer = self.answers.pop(0) if self.answers else Accepted()
        if isinstance(answer, BaseException):
            raise answer
        return answer


@dataclass
class World:
    runtime: Runtime
    clock: ManualClock
    channel: FakeChannel
    owners: Mapping[str, str] = field(default_factory=dict)
    wanted: frozenset[str] = frozenset()
    is_catalog_away: bool = False

    def sender(self) -> Sender:
        pace = Pace(burst=3, window_seconds=100.0)
        receiver = Receiver("team", self.channel, pace, self.wanted, 1000.0)
        ask: OwnersOf = self.owners_of
        return Sender(self.runtime, receiver, Deployment("urn:x", "", ask), Outages())

    def owners_of(self, names: Sequence[RelationName]) -> Mapping[RelationName, str]:
        if self.is_catalog_away:
            raise CatalogUnavailable("the catalog", "away")
        return {name: self.owners[str(name)] for name in names if str(name) in self.owners}

    def record(self, *facts: Fact) -> None:
        self.runtime.state.write(lambda tx: NOTICES.record(tx, facts, self.clock.now()))

    def counted(self, name: str) -> int:
        return self.runtime.counters.values().get(name, 0)

    def is_empty(self) -> bool:
        return self.runtime.state.read(lambda tx: tx.outbox.oldest_at()) is None


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    state, clock = SqliteState(tmp_path / "state.db", synchronous="OFF"), ManualClock()
    yield World(Runtime(state, clock, Policy()), clock, FakeChannel())
    state.close()


FACT = broken("shop.ids", "BROKEN", "why")
FAILS = NotAccepted("it answers 500")


def test_a_fact_is_sent_once_with_its_owner(world: World) -> None:
    world.owners = {"shop.ids": "etl"}
    world.record(FACT)

    assert world.sender().turn()

    ((id_, body),) = world.channel.sent
    assert id_ == FACT.id
    assert json.loads(body)["data"]["owner"] == "etl"
    assert not world.sender().turn()
    assert world.is_empty()
    assert world.counted("notifications_sent") == 1


def test_a_failed_message_is_sent_again_with_its_id_and_bytes_after_a_growing_pause(
    world: World,
) -> None:
    world.channel.answers = [FAILS, FAILS]
    world.record(FACT)
    world.sender().turn()
    assert not world.sender().turn()
    world.clock.sleep(5.0)
    assert world.sender().turn()
    world.clock.sleep(9.0)
    assert not world.sender().turn()
    world.clock.sleep(1.0)
    assert world.sender().turn()

    assert len(world.channel.sent) == 3
    assert len(set(world.channel.sent)) == 1
    assert world.counted("notification_failures") == 2
    assert world.is_empty()


def test_the_pause_that_the_receiver_wants_is_kept_but_bounded(world: World) -> None:
    world.channel.answers = [NotAccepted("it answers 429", 60.0)]
    world.record(FACT)
    world.sender().turn()
    world.clock.sleep(59.0)
    assert not world.sender().turn()
    world.clock.sleep(1.0)

    assert world.sender().turn()
    assert pause_seconds(99) == 3600.0


def test_a_kill_between_sending_and_recording_repeats_the_same_id(world: World) -> None:
    world.channel.answers = [Killed()]
    world.record(FACT)
    with pytest.raises(Killed):
        world.sender().turn()
    assert not world.sender().turn()
    world.clock.sleep(61.0)

    assert world.sender().turn()

    assert [id_ for id_, _ in world.channel.sent] == [FACT.id, FACT.id]
    assert world.is_empty()


def test_facts_during_a_failure_are_told_together_afterwards(world: World) -> None:
    world.channel.answers = [FAILS]
    world.record(FACT)
    world.sender().turn()
    world.record(*(broken(f"shop.t{n}", "BROKEN", "why") for n in range(50)))
    world.clock.sleep(200.0)
    while world.sender().turn():
        pass

    assert len(world.channel.sent) == 3
    assert json.loads(world.channel.sent[-1][1])["data"]["counts"] == {"broken": 50}


def test_a_message_that_is_never_accepted_is_dropped_and_counted(world: World) -> None:
    world.channel.answers = [FAILS] * 50
    world.record(FACT)
    for _ in range(200):
        world.sender().turn()
        world.clock.sleep(10.0)

    assert world.is_empty()
    assert world.counted("notifications_dropped") == 1
    assert 5 < len(world.channel.sent) < 10


def test_a_refused_message_does_not_hold_back_the_next_for_long(world: World) -> None:
    world.channel.answers = [NotAccepted("it answers 400", is_refusal=True)] * 5
    other = broken("shop.other", "BROKEN", "why")
    world.record(FACT)
    world.clock.sleep(0.5)
    world.record(other)
    for _ in range(20):
        world.sender().turn()
        world.clock.sleep(10.0)

    assert [id_ for id_, _ in world.channel.sent] == [FACT.id] * 5 + [other.id]
    assert world.counted("notifications_dropped") == 1


def test_a_receiver_with_owners_is_told_of_theirs_alone(world: World) -> None:
    world.owners = {"shop.ids": "etl", "shop.other": "bi"}
    world.wanted = frozenset({"etl"})
    mine = [replace(FACT, id=f"mine{n}") for n in range(2)]
    world.record(*(broken("shop.other", "BROKEN", "why") for _ in range(1)), *mine)
    world.sender().turn()
    world.sender().turn()
    world.sender().turn()
    world.record(held_deletions("shop", "why", "command"))
    world.sender().turn()

    assert sorted(id_ for id_, _ in world.channel.sent) == ["mine0", "mine1"]
    assert world.is_empty()


def test_without_the_catalog_a_message_has_no_owner(world: World) -> None:
    world.is_catalog_away = True
    world.record(FACT)

    world.sender().turn()

    assert json.loads(world.channel.sent[0][1])["data"]["owner"] is None


def test_a_receiver_with_owners_waits_for_the_catalog(world: World) -> None:
    world.is_catalog_away = True
    world.owners, world.wanted = {"shop.ids": "etl"}, frozenset({"etl"})
    world.record(FACT)
    world.sender().turn()
    assert world.channel.sent == []
    world.is_catalog_away = False
    world.clock.sleep(5.0)

    world.sender().turn()

    assert len(world.channel.sent) == 1


def test_sixteen_threads_send_each_fact_once_and_in_order(world: World) -> None:
    facts = [broken(f"shop.t{n}", "BROKEN", "why") for n in range(30)]
    for fact in facts:
        world.record(fact)
        world.clock.sleep(100.0)
    world.clock.at = 1000.0
    pace = Pace(burst=1000)
    receiver = Receiver("team", world.channel, pace, frozenset(), 1000.0)

    def send() -> None:
        sender = Sender(
            world.runtime, receiver, Deployment("urn:x", "", world.owners_of), Outages()
        )
        while not world.is_empty():
            sender.turn()

    threads = [threading.Thread(target=send) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [id_ for id_, _ in world.channel.sent] == [fact.id for fact in facts]
