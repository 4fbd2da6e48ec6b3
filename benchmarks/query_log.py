"""Statements/s of the whole Spark job over a query log: ``make bench-query_log``.

The job reads JSON lines and writes the Parquet tables of all analyses on ``local[2]``. A log with
repeated texts is read in 1, 2 and 4 tasks, whose tables must be the same; in another log every text is
new. Memory is sampled over each run: the peaks of the JVM, and of all Python workers, in each quarter of
the time. Processor seconds cover all processes, with the driver: they say more on a busy machine.
"""

from __future__ import annotations

import argparse
import json
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

from benchmarks.generated_log import write_log
from benchmarks.process_memory import processor_seconds_by_process, resident_bytes_by_part


@dataclass(frozen=True, slots=True)
class Sample:
    """``used``: processor seconds of all processes, even ended ones."""

    at: float
    jvm: int
    workers: int
    used: float


@dataclass(frozen=True, slots=True)
class Run:
    """``samples`` from the job's beginning to its end."""

    label: str
    report: Any
    samples: Sequence[Sample]

    @property
    def seconds(self) -> float:
        return float(self.report["ended"] - self.report["began"])

    @property
    def processor_seconds(self) -> float:
        return self.samples[-1].used - self.samples[0].used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--statements", type=int, default=1_000_000)
    parser.add_argument("--templates", type=int, default=10_000)
    parser.add_argument(
        "--new", type=int, default=40_000, help="statements of the log without repetition"
    )
    parser.add_argument("--tasks", type=int, nargs="+", default=[2, 1, 4])
    parser.add_argument("--heap", default="2g", help="of the JVM")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log, new = Path(folder, "log.json"), Path(folder, "new.json")
        write_log(log, chosen.statements, chosen.templates)
        runs = [
            _run(log, tasks, chosen.heap, f"repeating, {tasks} tasks") for tasks in chosen.tasks
        ]
        if chosen.new:
            write_log(new, chosen.new, chosen.new)
            runs.append(_run(new, 2, chosen.heap, "all new, 2 tasks"))
    _print(runs)
    first, *others = (_outcome(run.report) for run in runs[: len(chosen.tasks)])
    if any(other != first for other in others):
        sys.exit("the tables differ between numbers of tasks")
    if first["failures"]:
        sys.exit(f"statements were not understood: {first['failures']}")


def _run(log: Path, tasks: int, heap: str, label: str) -> Run:
    with tempfile.TemporaryDirectory(dir=log.parent) as output:
        job = [sys.executable, "-m", "benchmarks.query_log_job"]
        command = [*job, str(log), output, str(tasks), heap]
        child = subprocess.Popen(command, stdout=subprocess.PIPE)
        with _watched(child.pid) as samples:
            answer, _ = child.communicate()
    if child.returncode != 0:
        sys.exit(f"the job failed with status {child.returncode}")
    report = json.loads(answer)
    began, ended = report["began"], report["ended"]
    return Run(label, report, [each for each in samples if began <= each.at <= ended])


@contextmanager
def _watched(process: int) -> Iterator[Sequence[Sample]]:
    samples: list[Sample] = []
    used: dict[int, float] = {}
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.5):
            parts = resident_bytes_by_part(process)
            used.update(processor_seconds_by_process(process))
            samples.append(Sample(time.time(), parts.jvm, parts.workers, sum(used.values())))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    yield samples
    ended.set()
    watcher.join()


def _outcome(report: Any) -> Any:
    return {key: value for key, value in report.items() if key not in {"began", "ended"}}


def _print(runs: Sequence[Run]) -> None:
    print(
        f"{'log':<22}{'statements':>12}{'rows':>12}{'seconds':>9}{'per s':>8}{'cpu s':>7}"
        f"  {'JVM MB, by quarters':<24}{'Python workers MB, by quarters'}"
    )
    for run in runs:
        report = run.report
        rows = sum(count for count, _ in report["tables"].values())
        print(
            f"{run.label:<22}{report['statements']:>12,}{rows:>12,}{run.seconds:>9.1f}"
            f"{report['statements'] / run.seconds:>8,.0f}{run.processor_seconds:>7.0f}"
            f"  {_quarters([each.jvm for each in run.samples]):<24}"
            f"{_quarters([each.workers for each in run.samples])}"
        )


def _quarters(sizes: Sequence[int]) -> str:
    length = -(-len(sizes) // 4)
    parts = (sizes[start : start + length] for start in range(0, len(sizes), length))
    return " ".join(f"{max(part) / 1e6:.0f}" for part in parts)


if __name__ == "__main__":
    main()
