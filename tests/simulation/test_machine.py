"""The world of the stories, driven by Hypothesis, which shrinks failures."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from lakeschema.catalog.identifiers import RelationName
from publisher.policy import Policy
from tests.effort import examples
from tests.simulation.simulation import POLICY, Simulation, quiet
from tests.simulation.story import TABLES, VIEWS, WORKERS
from tests.simulation.toy import table, view

names = st.sampled_from((*TABLES, *VIEWS))
places = st.integers(0, 8)


class World(RuleBasedStateMachine):
    @initialize(
        seed=st.integers(0, 2**16),
        lag_seconds=st.sampled_from([0.0, 0.8]),
        trouble=st.sampled_from([0.0, 0.3]),
        policy=st.sampled_from([POLICY, quiet(POLICY)]),
    )
    def begin(self, seed: int, lag_seconds: float, trouble: float, policy: Policy) -> None:
        self.simulation = Simulation(
            Path(mkdtemp()),
            seed=seed,
            lag_seconds=lag_seconds,
            trouble=trouble,
            policy=policy,
        )

    @rule(name=st.sampled_from(TABLES), columns=st.sets(st.sampled_from("abc"), min_size=1))
    def change_table(self, name: RelationName, columns: set[str]) -> None:
        self.simulation.change(table(name, *sorted(columns)))

    @rule(
        name=st.sampled_from(VIEWS),
        upstreams=st.lists(names, min_size=1, max_size=2, unique=True),
        shape=st.sampled_from(["wide", "wide", "narrow", "nonsense", "unsupported"]),
    )
    def change_view(self, name: RelationName, upstreams: list[RelationName], shape: str) -> None:
        self.simulation.change(view(name, *upstreams, shape=shape))

    @rule(name=names)
    def drop(self, name: RelationName) -> None:
        self.simulation.drop(name)

    @rule(old=st.sampled_from(VIEWS), new=st.sampled_from(VIEWS))
    def rename(self, old: RelationName, new: RelationName) -> None:
        self.simulation.rename(old, new)

    @rule(place=places, keep=st.booleans(), with_id=st.booleans())
    def deliver(self, place: int, keep: bool, with_id: bool) -> None:
        self.simulation.deliver(place, keep=keep, with_id=with_id)

    @rule(place=places)
    def lose(self, place: int) -> None:
        self.simulation.lose(place)

    @rule(worker=st.sampled_from(WORKERS), points=st.integers(1, 40))
    def work(self, worker: str, points: int) -> None:
        self.simulation.step(worker, points)

    @rule(seconds=st.sampled_from([0.05, 0.3, 2.0, POLICY.lease_seconds]))
    def wait(self, seconds: float) -> None:
        self.simulation.clock.sleep(seconds)

    @rule()
    def crash(self) -> None:
        self.simulation.crash()

    @rule()
    def snapshot(self) -> None:
        self.simulation.snapshot()

    @invariant()
    def what_is_published_was_correct_in_its_order(self) -> None:
        self.simulation.judge_history()

    def teardown(self) -> None:
        simulation = getattr(self, "simulation", None)
        if simulation is None:
            return
        try:
            simulation.judge()
        finally:
            simulation.close()


World.TestCase.settings = settings(
    max_examples=examples(60),
    stateful_step_count=40,
    suppress_health_check=list(HealthCheck),
)
TestWorld = pytest.mark.slow(World.TestCase)
