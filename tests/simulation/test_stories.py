"""Random stories keep every promise, and show every safeguard to be needed."""

from __future__ import annotations

import pytest

from publisher.daemon.engine import Engine
from tests.simulation.mutants import (
    ClearWithoutGeneration,
    ConeLease,
    TrustingPayloads,
    WithoutDoubleCollect,
    WithoutMinEventId,
    WithoutUpstreamCheck,
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
        ClearWithoutGeneration,
        ConeLease,
        TrustingPayloads,
        WithoutDoubleCollect,
        WithoutMinEventId,
        WithoutUpstreamCheck,
    ],
)
def test_the_same_stories_catch_an_engine_without_a_safeguard(mutant: type[Engine]) -> None:
    def tell_all() -> None:
        for seed in range(STORIES):
            tell(seed, mutant)

    with pytest.raises(Violation):
        tell_all()
