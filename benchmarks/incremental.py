"""Stored views on Spark: refreshed by random inserts, and read by random queries: ``make bench-incremental``.

A view's old rows, after its refresh adds or merges rows, must equal the rows of the view's own text over
the changed tables. A query over a stored view must have the same rows as its text. Exit status: 0 if all
are equal or refused.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.seeded import add_arguments, one_by_one, run
from tests.judges.sessions import running_spark
from tests.judges.views.refreshed import RefreshJudge
from tests.judges.views.stored import StoredViewJudge


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser, views=1000)
    parser.add_argument("--queries", type=int, default=1000)
    chosen = parser.parse_args()
    views, queries = (
        range(chosen.first, chosen.first + number) for number in (chosen.views, chosen.queries)
    )
    with running_spark() as spark:
        refreshes, stored = RefreshJudge(spark), StoredViewJudge(spark)
        refreshed = one_by_one(lambda seed: refreshes.verdict(refreshes.case(seed)))
        read = one_by_one(lambda seed: stored.verdict(stored.case(seed)))
        wrong = [
            run(refreshed, views, chosen.minutes, what="refreshed views"),
            run(read, queries, chosen.minutes, what="queries over stored views"),
        ]
    return int(any(wrong))


if __name__ == "__main__":
    sys.exit(main())
