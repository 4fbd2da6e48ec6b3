"""The seeds of the stories: consecutive numbers from ``--first-seed`` on."""

from __future__ import annotations

import pytest

from tests.simulation.story import QUICK_STORIES, STORIES


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "story_seed" not in metafunc.fixturenames:
        return
    first = metafunc.config.getoption("first_seed")
    quick = range(first, first + QUICK_STORIES)
    slow = range(first + QUICK_STORIES, first + STORIES)
    seeds = [*quick, *(pytest.param(seed, marks=pytest.mark.slow) for seed in slow)]
    metafunc.parametrize("story_seed", seeds)
