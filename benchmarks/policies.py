"""Random views under random policies, run on an engine: ``make bench-policies``.

The tables' values are marked. Each view is written for the engine under a reader's policies and run. Its
output is searched for marks that this reader must not see. Its rows must equal those of the view over
tables that the benchmark's own code has masked. Exit status: 0 if nothing leaked and no rows differ.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from benchmarks.seeded import Verdicts, add_arguments, one_by_one, run
from deploy.trino import Trino
from tests.judges.hive_and_pig import hive_and_pig
from tests.judges.policies.in_pig import PigSide, case_for_pig, tables_for_pig
from tests.judges.policies.judges import SparkSide, TrinoSide, case_of
from tests.judges.policies.worlds import Marked, World, marked_tables, random_world
from tests.judges.sessions import RUN_ONCE, running_spark

TABLES = 20
WORLDS = 40
_AT_ONCE = 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--engine", choices=("spark", "trino", "pig"), default="spark")
    add_arguments(parser, views=1000)
    chosen = parser.parse_args()
    seeds = range(chosen.first, chosen.first + chosen.views)
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        _ENGINES[chosen.engine](Path(folder)) as verdicts,
    ):
        return int(run(verdicts, seeds, chosen.minutes, at_once=_AT_ONCE))


@contextmanager
def _spark(folder: Path) -> Iterator[Verdicts]:
    tables, worlds = _lake(marked_tables(0, TABLES))
    warehouse = (folder / "warehouse").as_uri()
    with running_spark({**RUN_ONCE, "spark.sql.warehouse.dir": warehouse}) as session:
        side = SparkSide(session, tables)
        yield one_by_one(lambda seed: side.verdict(case_of(seed, tables, worlds)))


@contextmanager
def _trino(folder: Path) -> Iterator[Verdicts]:
    tables, worlds = _lake(marked_tables(0, TABLES))
    with Trino.start(folder) as trino:
        side = TrinoSide(trino, tables)
        yield one_by_one(lambda seed: side.verdict(case_of(seed, tables, worlds)))


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
