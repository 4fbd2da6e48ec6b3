"""Each outage of the table on a running daemon: one line, the right readiness and metric, no restart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from publisher.outages import STATE
from publisher.settings import EventSettings
from tests.publisher.daemon.outages import state_faults
from tests.publisher.daemon.outages.running import (
    check_ended,
    check_told,
    check_warned,
    running,
    started,
)
from tests.publisher.daemon.outages.table import CASES, OF_KAFKA, Case
from tests.publisher.daemon.outages.worlds import TABLES
from tests.waiting import eventually

OPERATIONS = Path(__file__).parents[4] / "docs" / "operations.md"


@pytest.fixture(autouse=True)
def _mended() -> Iterator[None]:
    yield
    state_faults.forget_all()


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_an_outage_is_one_warning_and_its_end_needs_no_restart(case: Case, tmp_path: Path) -> None:
    with case.deployed(tmp_path) as world, running(world) as daemon:
        before = len(daemon.log.lines())
        world.begin()
        if case.changes_meanwhile:
            world.change()
        assert eventually(lambda: not daemon.is_ready())
        part = case.service.partition(" ")[0]
        assert part in daemon.trouble()
        assert eventually(lambda: daemon.is_up(case.service) is False)
        assert daemon.metric("ready") == 0.0
        assert daemon.shows_trouble_to_people()
        # Nothing can be told through a state that fails.
        if part != STATE:
            assert eventually(lambda: part in daemon.told_beside(world))

        world.end()
        if not case.changes_meanwhile:
            world.change()
        assert eventually(lambda: world.versions() == world.changed)
        assert eventually(lambda: daemon.metric("work") == 0.0)
        assert eventually(daemon.is_ready)
        assert eventually(lambda: daemon.is_up(case.service) is True)
        assert daemon.metric("ready") == 1.0
        assert eventually(lambda: not daemon.told_beside(world))
        lines = daemon.log.lines()[before:]

    check_told(lines, case.service, case.why, case.remedy)
    published = [line["number"] for line in lines if line["event"] == "version published"]
    assert published == ["1.1.0", "1.1.0"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [case for case in CASES if case.may_begin_before_the_start], ids=str
)
def test_a_service_that_starts_in_an_outage_tells_it_and_recovers_without_a_restart(
    case: Case, tmp_path: Path
) -> None:
    with case.deployed(tmp_path) as world:
        world.begin()
        with started(world) as daemon:
            part = case.service.partition(" ")[0]
            assert eventually(lambda: part in daemon.trouble())
            assert eventually(lambda: daemon.is_up(case.service) is False)
            assert eventually(lambda: daemon.metric("ready") == 0.0)
            assert daemon.shows_trouble_to_people()
            # A snapshot that its end interrupts may say what it could not list.
            lines = daemon.log.lines()

            world.end()
            assert eventually(lambda: world.versions() == world.first)
            assert eventually(daemon.is_ready)
            assert eventually(lambda: daemon.is_up(case.service) is True)
            check_ended(daemon.log.lines(), case.service)

    check_warned(lines, case.service, case.why, case.remedy)


@pytest.mark.slow
def test_a_page_that_the_catalog_does_not_answer_is_no_outage(tmp_path: Path) -> None:
    (case,) = [case for case in CASES if case.service == "catalog"]
    with case.deployed(tmp_path) as world, running(world) as daemon:
        world.begin()
        status, page = daemon.get(f"/relations/shop.{TABLES[0]}")

        assert status == 200
        assert "JDODataStore" in page
        assert daemon.is_ready()
        assert daemon.is_up("catalog")
        world.end()


def test_the_documentation_lists_the_outages() -> None:
    text = OPERATIONS.read_text(encoding="utf-8")
    table = text.partition("### Outages\n")[2].partition("\n#")[0]
    rows = re.findall(r"(?m)^\| `(.+?)` \| (.+?) \|$", table)
    documented = [(service, what) for service, cell in rows[1:] for what in cell.split("; ")]

    tested = [(case.service.replace(":events", ":NAME"), case.outage) for case in CASES]
    assert sorted(documented) == sorted([*tested, *(("events kafka:TOPIC", o) for o in OF_KAFKA)])


def test_each_kind_of_event_source_has_an_outage() -> None:
    models = get_args(get_args(EventSettings)[0])
    kinds = {kind for model in models for kind in get_args(model.model_fields["kind"].annotation)}
    services = {case.service for case in CASES} | {"events kafka:TOPIC"}

    assert kinds
    assert not [k for k in kinds if not any(s.startswith(f"events {k}") for s in services)]
