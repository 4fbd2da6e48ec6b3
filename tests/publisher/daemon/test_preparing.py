"""The version that the ledger expects is prepared while the index is asked, and again if the index differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from codegen.package import PackageRequest
from publisher.publishing.packaging_protocol import DraftedPackage, Predecessors
from tests.publisher.daemon.simulated import S, T, numbers, process_events
from tests.simulation.simulation import POLICY, Simulation
from tests.simulation.toy import ToyPackaging, table


@pytest.fixture(params=[1, 4], ids=["one after the other", "at once"])
def world(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Simulation]:
    policy = replace(POLICY, questions_at_once=request.param, uploads_at_once=request.param)
    simulation = Simulation(tmp_path, lag_seconds=0.0, policy=policy)
    simulation.index.shows_sha = True
    simulation.index.overwrites = False
    yield simulation
    simulation.close()


@pytest.fixture
def drafted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The relations whose packages were drafted, in that order."""
    names: list[str] = []
    draft = ToyPackaging.draft

    def note(
        packaging: ToyPackaging, request: PackageRequest, predecessors: Predecessors
    ) -> DraftedPackage:
        names.append(str(request.relation))
        return draft(packaging, request, predecessors)

    monkeypatch.setattr(ToyPackaging, "draft", note)
    return names


def test_what_the_index_has_as_expected_is_drafted_once(
    world: Simulation, drafted: list[str]
) -> None:
    for name in (T, S):
        world.change(table(name, "a"))
    process_events(world)
    for name in (T, S):
        world.change(table(name, "a", "b"))
    process_events(world)

    assert numbers(world, T) == numbers(world, S) == ["1.0.0", "1.1.0"]
    assert sorted(drafted) == ["d.s", "d.s", "d.t", "d.t"]


def test_what_the_index_has_otherwise_is_drafted_again(
    world: Simulation, drafted: list[str]
) -> None:
    for name in (T, S):
        world.change(table(name, "a"))
    process_events(world)
    drafted.clear()
    foreign = "toy_d_t-1.1.0.post1-py3-none-any.whl"
    wheel = replace(world.index.history[0], filename=foreign, version="1.1.0.post1", data=b"{}")
    world.index.visible[foreign] = wheel.data
    world.index.owner[foreign] = wheel

    for name in (T, S):
        world.change(table(name, "a", "b"))
    process_events(world)

    assert numbers(world, T) == ["1.0.0", "1.2.0"]
    assert numbers(world, S) == ["1.0.0", "1.1.0"]
    assert sorted(drafted) == ["d.s", "d.t", "d.t"]


def test_an_index_that_is_away_costs_no_work_at_each_retry(
    world: Simulation, drafted: list[str]
) -> None:
    world.index.down = True
    world.change(table(T, "a"))
    world.deliver(0)

    assert not world.engine.drain(30.0)
    assert drafted == ["d.t"]

    world.index.down = False
    process_events(world)
    assert numbers(world, T) == ["1.0.0"]
    assert drafted == ["d.t", "d.t"]
