"""Random views under random policies, run on an engine: ``make bench-policies``.

The tables' values are marked. Each view is written for the engine as a reader under the policies gets
it, run there, and its output searched for marks that this reader must not see; its rows have to be
those of the view over tables that were masked beforehand, by code of the benchmark's own. Exit
status: 0 if nothing leaked and no rows differ.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from benchmarks.policy_judges import FINE, SparkSide, TrinoSide, Verdict, case_of
from benchmarks.policy_worlds import Marked, marked_tables, random_world
from benchmarks.random_views import CONF
from deploy.trino import Trino

TABLES = 20
WORLDS = 40


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=("spark", "trino"), default="spark")
    parser.add_argument("--views", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first view")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after that many")
    parser.add_argument("--verbose", action="store_true", help="reasons of refusals")
    chosen = parser.parse_args()
    tables = marked_tables(0, TABLES)
    worlds = [random_world(seed, tables) for seed in range(WORLDS)]
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        running = _spark if chosen.engine == "spark" else _trino
        with running(Path(folder), tables) as side:
            for seed in range(chosen.first, chosen.first + chosen.views):
                verdict = side.verdict(case_of(seed, tables, worlds))
                outcomes[_counted(verdict)] += 1
                reasons[f"{verdict.outcome}: {verdict.details[:100]}"] += verdict.outcome in FINE
                if verdict.outcome not in FINE:
                    print(f"WRONG: {verdict.outcome} (view {seed}): {verdict.details}", flush=True)
                if sum(outcomes.values()) % 100 == 0:
                    seconds = time.monotonic() - began
                    print(f"{sum(outcomes.values())} views, {seconds:.0f} s", flush=True)
                if time.monotonic() - began > 60 * chosen.minutes:
                    break
    judged = sum(outcomes.values())
    print(
        f"\n{judged} views on {chosen.engine} from seed {chosen.first}, {time.monotonic() - began:.0f} s"
    )
    for outcome, number in outcomes.most_common():
        print(f"{number:>8}  {outcome}")
    for reason, number in reasons.most_common(40 if chosen.verbose else 0):
        print(f"{number:>8}  {reason}")
    return int(any(outcome not in FINE for outcome in outcomes))


def _counted(verdict: Verdict) -> str:
    return verdict.outcome if verdict.outcome in FINE else f"WRONG: {verdict.outcome}"


@contextmanager
def _spark(folder: Path, tables: Sequence[Marked]) -> Iterator[SparkSide]:
    builder = SparkSession.builder.master("local[1]")
    for key, value in CONF.items():
        builder = builder.config(key, value)
    session = builder.config(
        "spark.sql.warehouse.dir", (folder / "warehouse").as_uri()
    ).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield SparkSide(session, tables)
    finally:
        session.stop()


@contextmanager
def _trino(folder: Path, tables: Sequence[Marked]) -> Iterator[TrinoSide]:
    with Trino.start(folder) as trino:
        yield TrinoSide(trino, tables)


if __name__ == "__main__":
    sys.exit(main())
