"""A program: one snapshot on a local cluster whose tasks and executors are killed.

Takes the settings file, and prints as JSON what it published and how often it killed. A process
has one Spark context, so tests run this as one of its own.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark import TaskContext, cloudpickle

from lakeschema.spark.values import PartitionTask
from publisher.commands.snapshot import SparkComparison
from publisher.daemon.adapters import (
    build_index,
    build_options,
    build_processes,
    open_catalog,
)
from publisher.daemon.assembly import build_engine, build_state
from publisher.settings import load_settings

MARKS = Path(sys.argv[1]).parent / "marks"


def breaking(task: PartitionTask, job: int, marks: str) -> PartitionTask:
    """Dies before its first row or after its last, takes an executor's JVM along, or dawdles.

    Each of them once in a job and partition, which a mark in a folder remembers.
    """

    def broken(batches: Any) -> Iterator[Any]:
        context = TaskContext.get()
        assert context is not None
        partition = context.partitionId()

        def first_time(kind: str) -> bool:
            try:
                Path(f"{marks}/{job}-{partition}-{kind}").touch(exist_ok=False)
            except FileExistsError:
                return False
            return True

        if job == 0 and partition == 0 and first_time("executor"):
            python_daemon = Path(f"/proc/{os.getppid()}/stat").read_text()
            os.kill(int(python_daemon.rpartition(")")[2].split()[1]), signal.SIGKILL)
        if partition == 0 and first_time("early"):
            os.kill(os.getpid(), signal.SIGKILL)
        dawdles = job % 2 == 1 and partition == 1 and first_time("slow")
        if dawdles:
            # Speculation starts a second attempt of what takes longer than the others.
            time.sleep(8)
        yield from task(batches)
        if job % 2 == 1 and partition == 1 and not dawdles:
            first_time("overtaken")
        if job % 2 == 0 and partition == 1 and first_time("late"):
            os.kill(os.getpid(), signal.SIGKILL)

    return broken


def main() -> None:
    MARKS.mkdir()
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]  # cloudpickle has no types
    settings = load_settings(Path(sys.argv[1]))
    state, options = build_state(settings), build_options(settings)
    jobs: list[PartitionTask] = []

    def decorate(task: PartitionTask) -> PartitionTask:
        jobs.append(task)
        return breaking(task, len(jobs) - 1, str(MARKS))

    with open_catalog(settings) as catalog, build_processes(settings) as processes:
        engine = build_engine(settings, state, catalog, build_index(settings), processes)
        comparison = SparkComparison(settings, state, catalog, options, decorate)
        engine.snapshot(comparer=comparison)
        engine.drain()
    state.close()
    assert comparison.result is not None
    kills = [mark.name.rpartition("-")[2] for mark in MARKS.iterdir()]
    counted = {
        kind: kills.count(kind) for kind in ("early", "late", "executor", "slow", "overtaken")
    }
    counters = dict(engine.counters.values())
    print(json.dumps({"counters": counters, "derived": comparison.result.derived} | counted))


if __name__ == "__main__":
    main()
