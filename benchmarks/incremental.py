"""Random views whose tables get random rows, run on Spark: ``make bench-incremental``.

The rows that a view had, with what its refresh adds to them or merges into them, have to be the rows
of the view's own text over the tables as they are then. Exit status: 0 if all are equal or refused.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from pyspark.sql import SparkSession

from benchmarks.random_views import CONF
from tests.integration.translation.refreshed_on_spark import JUDGED, RefreshJudge


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--views", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first view")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after that many")
    chosen = parser.parse_args()
    began = time.monotonic()
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    judge = RefreshJudge(_session())
    for seed in range(chosen.first, chosen.first + chosen.views):
        verdict = judge.verdict(judge.case(seed))
        outcomes[f"WRONG: {verdict.outcome}" if verdict.is_wrong else verdict.outcome] += 1
        if verdict.is_wrong:
            print(f"WRONG: {verdict.outcome} (view {seed}): {verdict.details}", flush=True)
        elif verdict.outcome not in JUDGED:
            reasons[f"{verdict.outcome}: {verdict.details[:100]}"] += 1
        if outcomes.total() % 100 == 0:
            print(f"{outcomes.total()} views, {time.monotonic() - began:.0f} s", flush=True)
        if time.monotonic() - began > 60 * chosen.minutes:
            break
    print(f"\n{outcomes.total()} views from seed {chosen.first}, {time.monotonic() - began:.0f} s")
    for outcome, number in outcomes.most_common():
        print(f"{number:>8}  {outcome}")
    print()
    for reason, number in reasons.most_common(40):
        print(f"{number:>8}  {reason}")
    return int(any(outcome.startswith("WRONG") for outcome in outcomes))


def _session() -> SparkSession:
    builder = SparkSession.builder.master("local[1]")
    for key, value in CONF.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


if __name__ == "__main__":
    sys.exit(main())
