"""A simulated world that answers at once; each test checks one promise of the engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.simulation.simulation import POLICY, Simulation


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Simulation]:
    simulation = Simulation(tmp_path, lag_seconds=0.0, policy=POLICY)
    simulation.index.shows_sha = True
    simulation.index.overwrites = False
    yield simulation
    simulation.close()
