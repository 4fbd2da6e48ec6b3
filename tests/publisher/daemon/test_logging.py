"""The log about relations, snapshots and events: each change once, and no line for each attempt."""

from __future__ import annotations

import logging

import pytest

from publisher.events.protocol import Batch, DeadLetter
from publisher.index.protocol import IndexRefused, IndexUnavailable
from publisher.outages import UPLOADS
from publisher.settling.claims import fail
from publisher.state.protocol import StateUnavailable
from publisher.state.records import Claim
from tests.publisher.daemon.simulated import T, V, W, process_events
from tests.simulation.simulation import Simulation
from tests.simulation.toy import table, view


@pytest.fixture(autouse=True)
def everything(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="publisher")


def changes(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str, str, str]]:
    found = [r for r in caplog.records if r.message == "relation changed its status"]
    fields = [(r.levelname, vars(r)) for r in found]
    return [(level, f["relation"], f["old"], f["new"]) for level, f in fields]


def test_each_change_of_a_status_is_logged_once(
    world: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    world.change(table(T, "a"))
    world.change(view(V, T))
    process_events(world)
    world.change(table(T, "a", "b"))
    process_events(world)

    assert changes(caplog) == [
        ("INFO", "d.t", "UNKNOWN", "OK"),
        ("INFO", "d.v", "UNKNOWN", "OK"),
    ]

    caplog.clear()
    world.drop(T)
    process_events(world)
    world.clock.sleep(1.0)
    process_events(world)
    process_events(world)

    assert ("INFO", "d.t", "OK", "MISSING") in changes(caplog)
    assert [c for c in changes(caplog) if c[1] == "d.v"] == [("WARNING", "d.v", "OK", "BROKEN")]
    (broken,) = [r for r in caplog.records if vars(r).get("relation") == "d.v"]
    assert "d.t" in vars(broken)["reason"]


def test_a_cycle_is_logged_of_each_member(
    world: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    world.change(table(T, "a"))
    world.change(view(V, T))
    world.change(view(W, V))
    process_events(world)
    caplog.clear()

    world.change(view(V, W))
    process_events(world)

    assert sorted(changes(caplog)) == [
        ("WARNING", "d.v", "OK", "CYCLE"),
        ("WARNING", "d.w", "OK", "CYCLE"),
    ]

    caplog.clear()
    world.change(view(V, T))
    process_events(world)

    assert [c[1:] for c in changes(caplog) if c[1] == "d.w"] == [
        ("d.w", "CYCLE", "UNKNOWN"),
        ("d.w", "UNKNOWN", "OK"),
    ]


def test_the_end_of_a_snapshot_is_logged_with_what_it_found(
    world: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    world.change(table(T, "a"))

    world.engine.compare_catalog()

    (ended,) = [r for r in caplog.records if r.message == "snapshot ended"]
    found = {field: vars(ended)[field] for field in ("relations", "differing", "missing")}
    assert found == {"relations": 1, "differing": 1, "missing": 0}
    assert vars(ended)["seconds"] >= 0


def test_a_dead_letter_is_logged_if_it_is_kept(
    world: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    letters = [DeadLetter(b"{", "no JSON", None)] * 1000

    world.engine.receive("kafka", Batch([], letters, "1"))

    kept = len(world.state.read(lambda tx: tx.journal.dead_letters()))
    assert 0 < kept < 1000
    lines = [r for r in caplog.records if r.message == "event not decoded"]
    assert len(lines) == kept
    assert (vars(lines[0])["source"], vars(lines[0])["why"]) == ("kafka", "no JSON")
    (more,) = [r for r in caplog.records if r.message == "more events not decoded"]
    assert vars(more)["events"] == 1000 - kept


def claim_of(world: Simulation) -> Claim:
    world.change(table(T, "a"))
    world.deliver(0)
    (claim,) = world.engine.claim()
    return claim


def lines_of_relations(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.message for r in caplog.records if vars(r).get("relation") == "d.t"]


def test_a_failure_of_one_relation_is_logged_once(
    world: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    refusal = IndexRefused("pypi", "no such classifier", 400)
    fail(world.engine.runtime, claim_of(world), refusal)
    for _ in range(3):
        world.clock.sleep(10_000.0)
        (claim,) = world.engine.claim()
        fail(world.engine.runtime, claim, refusal)

    assert lines_of_relations(caplog) == ["relation not processed"]


def test_during_an_outage_no_relation_has_a_line(
    world: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    refusal = IndexRefused("pypi", "who?", 401)
    world.engine.runtime.outages.fail(UPLOADS, "who?")

    fail(world.engine.runtime, claim_of(world), refusal)

    assert not lines_of_relations(caplog)


def test_work_that_failed_of_an_outage_as_it_ended_has_no_line(
    world: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    failure = IndexUnavailable("pypi", "no space left", 507)
    failure.concerns_all = True
    outages = world.engine.runtime.outages
    outages.fail(UPLOADS, str(failure))
    outages.succeed(UPLOADS)

    fail(world.engine.runtime, claim_of(world), failure)

    assert not lines_of_relations(caplog)


def test_a_relation_that_alone_has_no_answer_has_a_line_the_second_time(
    world: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    failure = IndexUnavailable("pypi", "Service Unavailable", 503)
    fail(world.engine.runtime, claim_of(world), failure)
    told = [len(lines_of_relations(caplog))]
    for _ in range(2):
        world.clock.sleep(10_000.0)
        (claim,) = world.engine.claim()
        fail(world.engine.runtime, claim, failure)
        told.append(len(lines_of_relations(caplog)))

    assert told == [0, 1, 1]


def test_what_the_state_failed_at_is_no_relations_failure(
    world: Simulation, caplog: pytest.LogCaptureFixture
) -> None:
    fail(world.engine.runtime, claim_of(world), StateUnavailable("database or disk is full"))
    world.clock.sleep(1.0)

    (claim,) = world.engine.claim()
    assert (claim.failures, claim.retries) == (0, 1)
    assert not lines_of_relations(caplog)
