"""A few of the refreshes and queries that ``benchmarks.incremental`` judges by the thousand."""

from __future__ import annotations

from collections import Counter

import pytest
from pyspark.sql import SparkSession

from tests.judges.verdicts import OF_STORED, REFRESHED
from tests.judges.views.refreshed import RefreshJudge
from tests.judges.views.stored import StoredViewJudge

VIEWS = 40
QUERIES = 40


@pytest.mark.seeded
def test_refreshed_rows_are_those_of_the_view(spark: SparkSession, first_seed: int) -> None:
    judge = RefreshJudge(spark.newSession(), tables=12)

    verdicts = [judge.verdict(judge.case(seed)) for seed in range(first_seed, first_seed + VIEWS)]

    assert [v for v in verdicts if v.is_wrong] == []
    # Some must have been compared for the above to mean something.
    assert sum(v.outcome in REFRESHED for v in verdicts) > VIEWS / 4


@pytest.mark.seeded
def test_rows_over_stored_views_are_those_of_the_query(
    spark: SparkSession, first_seed: int
) -> None:
    judge = StoredViewJudge(spark.newSession(), tables=12)

    verdicts = [judge.verdict(judge.case(seed)) for seed in range(first_seed, first_seed + QUERIES)]

    assert [v for v in verdicts if v.is_wrong] == []
    assert Counter(v.outcome for v in verdicts)[OF_STORED] > 0
