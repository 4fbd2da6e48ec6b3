"""Random views, emitted for Trino, Hive or Pig, in that engine: ``make bench-random_views_in_trino``.

Trino and Hive run our SQL for the Spark views of ``random_views``, seed by seed, over Spark's rows; half
of the views use ANSI mode. Pig runs the scripts of random Hive views over Hive's files. Columns, types
and rows must be equal. Exit status: 0 if nothing is wrong.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from benchmarks.seeded import Verdicts, add_arguments, one_by_one, run
from tests.judges.sessions import spark_and_hive, spark_and_trino
from tests.judges.views.in_hive import HiveJudge
from tests.judges.views.in_pig import pig_judge
from tests.judges.views.in_trino import TrinoJudge

_SCRIPTS = 24
"""Scripts in one run of Pig."""


@contextmanager
def _trino() -> Iterator[Verdicts]:
    with spark_and_trino() as (spark, trino):
        yield one_by_one(TrinoJudge(spark, trino).verdict)


@contextmanager
def _hive() -> Iterator[Verdicts]:
    with spark_and_hive() as (spark, hive, folder):
        yield one_by_one(HiveJudge(spark, hive, folder).verdict)


@contextmanager
def _pig() -> Iterator[Verdicts]:
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        pig_judge(Path(folder)) as judge,
    ):
        yield judge.verdicts


_ENGINES: Mapping[str, tuple[Callable[[], AbstractContextManager[Verdicts]], int, int]] = {
    "trino": (_trino, 10_000, 1),
    "hive": (_hive, 500, 1),
    "pig": (_pig, 2_000, _SCRIPTS),
}
"""The judge, the default number of views, and how many views are asked at once."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("engine", choices=_ENGINES)
    start, views, at_once = _ENGINES[parser.parse_known_args()[0].engine]
    add_arguments(parser, views=views)
    parser.add_argument("--seeds", type=int, nargs="+", help="of these views alone")
    chosen = parser.parse_args()
    seeds = chosen.seeds or range(chosen.first, chosen.first + chosen.views)
    with start() as verdicts:
        return int(run(verdicts, seeds, chosen.minutes, at_once=at_once))


if __name__ == "__main__":
    sys.exit(main())
