"""The order of answers, and refusals, if one client sends many requests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field

import pytest

from publisher.daemon.admission import Admission
from publisher.web.limited_requests import Unavailable
from tests.waiting import PATIENCE_SECONDS


class Process:
    def stop(self) -> None:
        pass


@dataclass
class Held:
    """One process, which is busy until it is released, and a queue of four."""

    answered: list[str] = field(default_factory=list)
    refusals: list[None] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.admission = Admission([Process()], 4, "test", lambda: self.refusals.append(None))
        begins = threading.Event()

        def hold(_: Process) -> None:
            begins.set()
            self.released.wait(PATIENCE_SECONDS)

        self.admission.submit("first", hold)
        assert begins.wait(PATIENCE_SECONDS)

    def ask(self, client: str, name: str) -> Future[None]:
        return self.admission.submit(client, lambda _: self.answered.append(name))


@pytest.fixture
def held() -> Iterator[Held]:
    held = Held()
    yield held
    held.released.set()
    held.admission.close()


def test_clients_take_turns(held: Held) -> None:
    asked = [held.ask("loud", each) for each in "abc"] + [held.ask("quiet", "x")]

    held.released.set()

    for each in asked:
        each.result(PATIENCE_SECONDS)
    assert held.answered == ["a", "x", "b", "c"]


def test_where_the_queue_is_full_the_newest_of_the_loudest_gives_its_place_up(held: Held) -> None:
    loud = [held.ask("loud", each) for each in "abcd"]

    quiet = [held.ask("quiet", each) for each in "xy"]

    held.released.set()
    for each in (*loud[:2], *quiet):
        each.result(PATIENCE_SECONDS)
    for each in loud[2:]:
        with pytest.raises(Unavailable, match="too many requests of this client"):
            each.result(PATIENCE_SECONDS)
    assert held.answered == ["a", "x", "b", "y"]
    assert len(held.refusals) == 2


def test_a_client_gets_no_more_than_an_equal_share_of_a_full_queue(held: Held) -> None:
    for client in ("ann", "bob", "ann", "bob"):
        held.ask(client, client)

    held.ask("eve", "eve")

    # Ann and Eve have one each, Bob has two.
    with pytest.raises(Unavailable, match="too many requests wait"):
        held.ask("eve", "eve")


def test_a_request_whose_client_left_makes_room_and_is_not_answered(held: Held) -> None:
    left = [held.ask("loud", "left") for _ in range(4)]
    for each in left:
        assert each.cancel()

    asked = [held.ask("loud", each) for each in "abcd"]

    held.released.set()
    for each in asked:
        each.result(PATIENCE_SECONDS)
    assert held.answered == ["a", "b", "c", "d"]


def test_what_waits_at_the_end_is_refused(held: Held) -> None:
    asked = held.ask("ann", "a")

    held.admission.close()

    with pytest.raises(Unavailable, match="ends"):
        asked.result(PATIENCE_SECONDS)


def test_threads_that_ask_leave_and_end_at_once_leave_nothing_behind() -> None:
    refusals: list[None] = []
    admission = Admission([Process(), Process()], 3, "test", lambda: refusals.append(None))
    ended: list[str] = []

    def ask(client: str) -> None:
        for number in range(500):
            try:
                found = admission.submit(client, lambda _: None)
                if number % 3:
                    found.result(PATIENCE_SECONDS)
                else:
                    found.cancel()
            except Unavailable:
                pass
        ended.append(client)

    threads = [threading.Thread(target=ask, args=(each,)) for each in "abcdefgh"]
    for each in threads:
        each.start()
    for each in threads:
        each.join(PATIENCE_SECONDS)

    assert sorted(ended) == list("abcdefgh")
    for _ in range(5):
        admission.submit("last", lambda _: None).result(PATIENCE_SECONDS)
    admission.close()
