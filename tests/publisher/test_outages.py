"""An outage logs one warning when it begins, one line a minute while it lasts, and one when it ends."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import pytest

from publisher.outages import Outages


@dataclass
class Hand:
    """A clock that is set by hand."""

    seconds: float = 0.0

    def __call__(self) -> float:
        return self.seconds


def lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str, int, float]]:
    return [
        (record.levelname, record.message, vars(record)["failures"], vars(record)["seconds"])
        for record in caplog.records
    ]


def test_an_outage_is_a_line_a_minute_and_one_at_its_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    clock = Hand()
    outages = Outages(now=clock)

    for clock.seconds in range(100):
        outages.fail("index", "no route to host")
    outages.succeed("index")

    assert lines(caplog) == [
        ("WARNING", "service fails", 1, 0.0),
        ("WARNING", "service still fails", 61, 60.0),
        ("INFO", "service works again", 100, 99.0),
    ]
    assert vars(caplog.records[0])["why"] == "no route to host"


def test_a_service_that_comes_and_goes_is_still_one_line_a_minute(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    clock = Hand()
    outages = Outages(now=clock)

    for clock.seconds in range(100):
        outages.fail("index", "time-out")
        outages.succeed("index")

    assert [message for _, message, _, _ in lines(caplog)] == [
        "service fails",
        "service works again",
        "service fails",
        "service works again",
    ]


def test_services_fail_apart_and_are_up_until_they_do() -> None:
    outages = Outages(["catalog", "index"])

    outages.fail("catalog", "away")
    outages.fail("events kafka", "no broker")

    assert outages.failing() == {"catalog": "away", "events kafka": "no broker"}
    assert outages.up() == {"catalog": False, "events kafka": False, "index": True}
    assert outages.fails("index", "catalog")
    assert not outages.fails("index")


def test_the_newest_reason_counts() -> None:
    outages = Outages()

    outages.fail("index", "time-out")
    outages.fail("index", "no space left on device")

    assert outages.failing() == {"index": "no space left on device"}


def test_services_of_one_server_fail_in_one_outage(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    outages = Outages(servers={"events log": "catalog"})

    outages.fail("events log", "away")
    outages.fail("catalog", "away")
    outages.succeed("events log")
    outages.succeed("catalog")

    assert [(line[1], line[2]) for line in lines(caplog)] == [
        ("service fails", 1),
        ("service works again", 2),
    ]
    assert {vars(record)["service"] for record in caplog.records} == {"events log"}


def test_a_remedy_is_told_with_the_reason(caplog: pytest.LogCaptureFixture) -> None:
    outages = Outages()

    outages.fail("index", "no space left", "free some space")

    assert outages.failing() == {"index": "no space left; free some space"}
    assert vars(caplog.records[0])["remedy"] == "free some space"


def test_a_service_that_does_some_of_its_work_fails_until_it_does_all() -> None:
    outages = Outages()

    outages.fail("catalog", "no table can be read", request="read")
    outages.fail("catalog", "no table is listed", request="relations")
    outages.succeed("catalog", "current_event_id")
    assert outages.fails("catalog")
    outages.succeed("catalog", "relations")
    assert outages.fails("catalog")
    outages.succeed("catalog", "read")
    assert not outages.fails("catalog")
