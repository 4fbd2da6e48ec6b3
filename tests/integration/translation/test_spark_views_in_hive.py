"""Spark views, written for Hive: Hive's rows compared with Spark's, over the same files.

``benchmarks.functions_elsewhere`` compares each function, ``benchmarks.random_views_elsewhere`` more views.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from deploy.hive import HiveQueries
from tests.judges.verdicts import BOTH_RAISE, EQUAL
from tests.judges.views.in_hive import HiveJudge

VIEWS = 40


@pytest.fixture(scope="module")
def judge(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HiveJudge]:
    folder = tmp_path_factory.mktemp("spark_in_hive")
    with HiveQueries.start(folder / "hive") as hive:
        # A session of its own, for the sake of its temporary views.
        yield HiveJudge(spark.newSession(), hive, folder / "data", tables=12)


@pytest.mark.seeded
def test_random_views_have_the_same_rows_in_hive(judge: HiveJudge, first_seed: int) -> None:
    verdicts = [judge.verdict(seed) for seed in range(first_seed, first_seed + VIEWS)]

    assert [(v.outcome, v.details) for v in verdicts if v.is_wrong] == []
    # Some must have been compared for the above to mean something.
    assert Counter(v.outcome for v in verdicts)[EQUAL] > VIEWS * 0.1


_BOUNDS = "(VALUES (1, NULL, 0), (1, 2, NULL), (NULL, 1, 1), (5, 1, 9), (1, 1, 1)) t(a, b, c)"
_TEXTS = "(VALUES ('12'), (' 7 '), ('1.5'), ('x'), (''), ('-0'), ('1e3'), ('NaN'), (NULL)) t(a)"
_DAYS = (
    "(VALUES ('2020-02-29'), ('2021-2-3 4:05:06.7'), ('2020-02-30'), ('2020'), ('no'), (NULL)) t(a)"
)
_DECIMALS = "(VALUES (CAST(1.50 AS DECIMAL(12,2)), 3), (-0.07, NULL), (NULL, 4), (9999999999.99, 3)) t(a, b)"
_LONGS = "(VALUES (9223372036854775807, 1), (5, 0), (-9223372036854775807, 2), (NULL, 3)) t(a, b)"


@pytest.mark.parametrize("ansi", [True, False])
@pytest.mark.parametrize(
    "text",
    [
        f"SELECT a, b, c, a > b OR a > c x, a < b OR a > c y, a >= b AND a <= c z, a BETWEEN b AND c u FROM {_BOUNDS}",
        f"SELECT a FROM {_BOUNDS} WHERE a < b OR a > c",
        f"SELECT a FROM {_BOUNDS} WHERE NOT (a >= b AND a <= c)",
        f"SELECT TRY_CAST(a AS INT) i, TRY_CAST(a AS DOUBLE) d, TRY_CAST(a AS DECIMAL(5,1)) m FROM {_TEXTS}",
        f"SELECT CAST(a AS INT) i FROM {_TEXTS}",
        f"SELECT TRY_CAST(a AS DATE) d, TRY_CAST(a AS TIMESTAMP) t FROM {_DAYS}",
        f"SELECT a + b x FROM {_LONGS}",
        f"SELECT a % b x FROM {_LONGS}",
        f"SELECT TRY_CAST(a AS INT) x, b / 2 y, b DIV 2 z FROM {_LONGS}",
        f"SELECT b, sum(a) FILTER (WHERE a > 0) s, count(*) FILTER (WHERE a IS NULL) n FROM {_LONGS} GROUP BY b",
        f"SELECT b, row_number() OVER (ORDER BY b DESC) r, lag(a) OVER (ORDER BY b) l FROM {_LONGS}",
        f"SELECT b FROM {_LONGS} LEFT ANTI JOIN (VALUES (0), (NULL)) u(k) ON b = k",
        f"SELECT b IN (SELECT a FROM {_BOUNDS}) x FROM {_LONGS}",
        "SELECT a, greatest(a, b) g, array_contains(array(a, b), 1) c FROM (VALUES (1, NULL), (2, 3), (NULL, NULL)) t(a, b)",
        "SELECT a, x FROM (VALUES (array(1, 2)), (NULL), (array(3))) t(a) LATERAL VIEW OUTER explode(a) e AS x",
        f"SELECT a - 1 x, 1 - a y, a * (1 + a) z, a / 3 w, b * a v, b - a u FROM {_DECIMALS}",
        f"SELECT b, sum(a * (1 - a)) s, avg(a) m, avg(b) n, min(CAST(a AS DOUBLE)) o FROM {_DECIMALS} GROUP BY b",
        "SELECT a + INTERVAL '1' DAY x, a - INTERVAL '1-2' YEAR TO MONTH y, add_months(a, 1) z FROM (VALUES (DATE '2020-01-31'), (NULL)) t(a)",
        "SELECT upper(a) u, substr(a, 2, 2) s, concat(a, '!') c FROM (VALUES ('abc'), ('ß'), (''), (NULL)) t(a)",
    ],
)  # fmt: skip
def test_views_have_the_same_rows_in_hive(judge: HiveJudge, text: str, ansi: bool) -> None:
    verdict = judge.verdict_of(text, ansi=ansi)

    assert verdict.outcome in {EQUAL, BOTH_RAISE}, verdict.details
