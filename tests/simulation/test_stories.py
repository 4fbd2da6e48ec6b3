"""Random stories keep every promise, and show every safeguard to be needed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from publisher.daemon.assembly import Deployment
from publisher.daemon.engine import Engine
from tests.simulation.mutants import (
    clear_without_generation,
    cone_lease,
    trusting_payloads,
    without_double_collect,
    without_min_event_id,
    without_upstream_check,
)
from tests.simulation.simulation import Violation
from tests.simulation.story import tell

STORIES = 150
QUICK_STORIES = 30


@pytest.mark.parametrize(
    "seed",
    [
        *range(QUICK_STORIES),
        *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(QUICK_STORIES, STORIES)),
    ],
)
def test_a_story_ends_as_promised(seed: int) -> None:
    tell(seed)


@pytest.mark.slow
@pytest.mark.parametrize(
    "mutant",
    [
        clear_without_generation,
        cone_lease,
        trusting_payloads,
        without_double_collect,
        without_min_event_id,
        without_upstream_check,
    ],
)
def test_the_same_stories_catch_an_engine_without_a_safeguard(
    mutant: Callable[[Deployment], Engine],
) -> None:
    def tell_all() -> None:
        for seed in range(STORIES):
            tell(seed, mutant)

    with pytest.raises(Violation):
        tell_all()
