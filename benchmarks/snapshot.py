"""A snapshot on Spark: seconds to read, derive and publish, for 1, 2 and 4 tasks: ``make bench-snapshot``.

A real metastore is filled with tables and three levels of views. Each number of tasks has its own empty
state, an empty static index and, as in the daemon, a new process. Memory is the sum over the process,
Spark's JVM and the Python workers. A second snapshot on the last state shows the cost without work.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.process_memory import tree_resident_bytes
from deploy.local_stack import Metastore, MetastoreOptions
from deploy.metastore_ddl import MetastoreDdl

DATABASES = 8
TYPES = (
    *("bigint", "int", "string", "double", "boolean", "date", "timestamp", "decimal(12,2)"),
    *("array<string>", "map<string,bigint>", "struct<street:string,city:string,zip:int>"),
)
COLUMNS = 14
COLUMNS_OF_A_VIEW = 8


@dataclass(frozen=True, slots=True)
class Run:
    tasks: int
    second: bool
    report: Any
    wall_seconds: float
    peak_bytes: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=4000)
    parser.add_argument("--views", type=int, default=1000)
    parser.add_argument("--tasks", type=int, nargs="+", default=[1, 2, 4])
    chosen = parser.parse_args()
    options = MetastoreOptions(heap_megabytes=1024)
    with (
        tempfile.TemporaryDirectory() as folder,
        Metastore.start(Path(folder, "metastore"), options) as metastore,
    ):
        began = time.perf_counter()
        fill(metastore, chosen.tables, chosen.views)
        print(f"filled in {time.perf_counter() - began:.0f} s", file=sys.stderr)
        runs: list[Run] = []
        for tasks in chosen.tasks:
            home = Path(folder, f"tasks-{tasks}")
            home.mkdir()
            runs.append(_run(home, metastore, tasks, second=False))
        runs.append(_run(home, metastore, tasks, second=True))
    _print(runs, chosen.tables + chosen.views)


def fill(metastore: Metastore, tables: int, views: int) -> None:
    """Tables spread over databases, and views: half read tables, the others read views."""
    chance = random.Random(5)
    with MetastoreDdl(metastore.uri) as ddl:
        for number in range(DATABASES):
            ddl.create_database(f"db{number}")
        below = [_create_table(ddl, number, chance) for number in range(tables)]
        shares = (views // 2, views * 3 // 10, views - views // 2 - views * 3 // 10)
        for level, share in enumerate(shares, start=1):
            below = [
                _create_view(ddl, level, number, below[number % len(below)], chance)
                for number in range(share)
            ]


@dataclass(frozen=True, slots=True)
class _Made:
    database: str
    name: str
    columns: Sequence[tuple[str, str]]


def _create_table(ddl: MetastoreDdl, number: int, chance: random.Random) -> _Made:
    database, name = f"db{number % DATABASES}", f"table_{number}"
    columns = [(f"column_{i}", chance.choice(TYPES)) for i in range(COLUMNS)]
    ddl.create_table(database, name, columns, comment=f"the {number}th table")
    return _Made(database, name, columns)


def _create_view(
    ddl: MetastoreDdl, level: int, number: int, below: _Made, chance: random.Random
) -> _Made:
    database, name = f"db{number % DATABASES}", f"view_{level}_{number}"
    kept = chance.sample(below.columns, min(COLUMNS_OF_A_VIEW, len(below.columns)))
    selected = ", ".join(f"`{below.name}`.`{column}`" for column, _ in kept)
    first = kept[0][0]
    text = (
        f"SELECT {selected} FROM `{below.database}`.`{below.name}` "
        f"WHERE `{below.name}`.`{first}` IS NOT NULL"
    )
    ddl.create_view(database, name, kept, text)
    return _Made(database, name, kept)


def _run(home: Path, metastore: Metastore, tasks: int, *, second: bool) -> Run:
    config = home / "schema-publisher.toml"
    config.write_text(
        f"""\
[artifacts]
prefix = "bench-schema"
[catalog]
kind = "hive"
uri = "{metastore.uri}"
[state]
url = "sqlite:///{home}/state.db"
[index]
kind = "static"
path = "{home}/index"
[snapshot]
runner = "spark"
tasks = {tasks}
"""
    )
    began = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "publisher", "snapshot", "--config", str(config)],
        stdout=subprocess.PIPE,
    )
    with _watched(child.pid) as peak:
        answer, _ = child.communicate()
    if child.returncode != 0:
        sys.exit(f"the snapshot failed with status {child.returncode}")
    return Run(tasks, second, json.loads(answer), time.perf_counter() - began, max(peak))


@contextmanager
def _watched(process: int) -> Iterator[Sequence[int]]:
    """Samples of the memory of a process and its descendants."""
    samples = [0]
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.2):
            samples.append(tree_resident_bytes(process))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    yield samples
    ended.set()
    watcher.join()


def _print(runs: Sequence[Run], relations: int) -> None:
    print(
        f"{'tasks':<12}{'listed':>8}{'differing':>11}{'published':>11}{'list s':>8}{'read s':>8}"
        f"{'derive s':>10}{'publish s':>11}{'packages/s':>12}{'all s':>8}{'peak MB':>9}"
    )
    for run in runs:
        seconds, counters = run.report["seconds"], run.report["counters"]
        published = int(counters.get("published", 0))
        rate = f"{published / seconds['publish']:.0f}" if published else "-"
        label = f"{run.tasks}{' again' if run.second else ''}"
        print(
            f"{label:<12}{run.report['listed']:>8}{run.report['differing']:>11}{published:>11}"
            f"{seconds['list']:>8.1f}{seconds['read']:>8.1f}{seconds['derive']:>10.1f}"
            f"{seconds['publish']:>11.1f}{rate:>12}{run.wall_seconds:>8.1f}"
            f"{run.peak_bytes / 1e6:>9.0f}"
        )
    for run in runs:
        again = int(run.report["counters"].get("derived", 0))
        print(
            f"{run.tasks} tasks{', again' if run.second else ''}: executors derived "
            f"{run.report['derived_on_executors']}, workers {again} more"
        )
    first, last = runs[0], runs[-1]
    if first.report["counters"].get("published") != relations:
        sys.exit(f"not all {relations} relations were published: {first.report['counters']}")
    if last.report["counters"].get("published", 0):
        sys.exit("the second snapshot published something")


if __name__ == "__main__":
    main()
