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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TypeAlias

from deploy.trino import Trino
from tests.judges.hive_and_pig import hive_and_pig
from tests.judges.policies.in_pig import PigSide, case_for_pig, tables_for_pig
from tests.judges.policies.judges import (
    FINE,
    NOT_BY_POLICIES,
    SparkSide,
    TrinoSide,
    Verdict,
    case_of,
)
from tests.judges.policies.worlds import Marked, World, marked_tables, random_world
from tests.judges.sessions import RUN_ONCE, running_spark

TABLES = 20
WORLDS = 40
_AT_ONCE = 20

Verdicts: TypeAlias = Callable[[Sequence[int]], Sequence[Verdict]]
"""Of the views of these seeds."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=("spark", "trino", "pig"), default="spark")
    parser.add_argument("--views", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first view")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after that many")
    parser.add_argument("--verbose", action="store_true", help="reasons of refusals")
    chosen = parser.parse_args()
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        _ENGINES[chosen.engine](Path(folder)) as verdicts,
    ):
        for start in range(chosen.first, chosen.first + chosen.views, _AT_ONCE):
            seeds = range(start, min(start + _AT_ONCE, chosen.first + chosen.views))
            for seed, verdict in zip(seeds, verdicts(seeds), strict=True):
                outcomes[_counted(verdict)] += 1
                reasons[f"{verdict.outcome}: {verdict.details[:100]}"] += verdict.outcome in FINE
                shown = f"{verdict.outcome} (view {seed}): {verdict.details}"
                if verdict.outcome not in FINE:
                    print(f"WRONG: {shown}", flush=True)
                elif verdict.outcome == NOT_BY_POLICIES:
                    print(shown, flush=True)
            seconds = time.monotonic() - began
            print(f"{outcomes.total()} views, {seconds:.0f} s", flush=True)
            if seconds > 60 * chosen.minutes:
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
def _spark(folder: Path) -> Iterator[Verdicts]:
    tables, worlds = _lake(marked_tables(0, TABLES))
    warehouse = (folder / "warehouse").as_uri()
    with running_spark({**RUN_ONCE, "spark.sql.warehouse.dir": warehouse}) as session:
        side = SparkSide(session, tables)
        yield lambda seeds: [side.verdict(case_of(seed, tables, worlds)) for seed in seeds]


@contextmanager
def _trino(folder: Path) -> Iterator[Verdicts]:
    tables, worlds = _lake(marked_tables(0, TABLES))
    with Trino.start(folder) as trino:
        side = TrinoSide(trino, tables)
        yield lambda seeds: [side.verdict(case_of(seed, tables, worlds)) for seed in seeds]


@contextmanager
def _pig(folder: Path) -> Iterator[Verdicts]:
    tables, worlds = _lake(tables_for_pig(TABLES))
    with hive_and_pig(folder, {}) as (hive, pig):
        side = PigSide(hive, pig, folder / "tables", tables)
        yield lambda seeds: side.verdicts([case_for_pig(seed, tables, worlds) for seed in seeds])


def _lake(tables: Sequence[Marked]) -> tuple[Sequence[Marked], Sequence[World]]:
    return tables, [random_world(seed, tables) for seed in range(WORLDS)]


_ENGINES: Mapping[str, Callable[[Path], AbstractContextManager[Verdicts]]] = {
    "spark": _spark,
    "trino": _trino,
    "pig": _pig,
}


if __name__ == "__main__":
    sys.exit(main())
