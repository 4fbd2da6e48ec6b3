"""Random stories keep every promise, and show that every safeguard is needed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from publisher.daemon.assembly import Deployment
from publisher.daemon.engine import Engine
from tests.simulation.judge import Violation
from tests.simulation.mutants import MUTANTS
from tests.simulation.story import STORIES, play


@pytest.mark.seeded
@pytest.mark.alike("story_seed", keep=60)
def test_a_story_ends_as_promised(story_seed: int) -> None:
    play(story_seed)


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=MUTANTS)
def test_the_same_stories_catch_an_engine_without_a_safeguard(
    mutant: Callable[[Deployment], Engine],
) -> None:
    def play_all() -> None:
        for seed in range(STORIES):
            play(seed, mutant)

    with pytest.raises(Violation):
        play_all()
