"""A few of the random views that ``benchmarks.random_views_elsewhere`` compares with Pig by the thousand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from tests.judges.verdicts import EQUAL
from tests.judges.views.in_pig import PigJudge, pig_judge

VIEWS = 40


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PigJudge]:
    with pig_judge(tmp_path_factory.mktemp("pig"), tables=8) as made:
        yield made


@pytest.mark.seeded
def test_random_views_have_the_same_rows_in_pig(judge: PigJudge, first_seed: int) -> None:
    verdicts = judge.verdicts(range(first_seed, first_seed + VIEWS))

    assert [(v.outcome, v.details) for v in verdicts if v.is_wrong] == []
    # Many must have been compared for the above to mean something.
    assert Counter(v.outcome for v in verdicts)[EQUAL] > VIEWS * 0.2
