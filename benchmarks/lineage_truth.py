"""Column lineage judged by execution: ``make bench-lineage_truth``.

Random queries are run by Spark over tables, and over the same tables with other values in one column.
An output column whose values move must have that column in its lineage, direct or indirect: else an
edge is missed. Edges along which nothing moves in any world are the imprecision. Both are judged:
the analysis of the text, and the lineage that a view's derivation reads off its plan.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Final

from benchmarks.lineage_judge import MAX_SECONDS, LineageJudge, Precision, Truth, session

_MAX_SILENCE: Final = 6 * MAX_SECONDS
"""Seconds after which a process is started anew, behind the query that it was at."""


def _work(seeds: Sequence[int], results: Connection) -> None:
    judge = LineageJudge(session())
    for seed in seeds:
        results.send(judge.judge(seed))
    results.close()


@dataclass(slots=True)
class _Worker:
    """A process that judges queries one after the other; ``done`` of them are."""

    seeds: Sequence[int]
    done: int = 0
    heard: float = field(default_factory=time.monotonic)
    process: SpawnProcess = field(init=False)
    results: Connection = field(init=False)

    def __post_init__(self) -> None:
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.results, theirs = context.Pipe(duplex=False)
        self.process = context.Process(target=_work, args=(self.seeds[self.done :], theirs))
        self.process.start()
        # Else its end would not be seen here.
        theirs.close()
        self.heard = time.monotonic()

    def received(self) -> Truth | None:
        """None at the end of all."""
        try:
            found: Truth = self.results.recv()
        except EOFError:
            self.process.join()
            return self._skipped("ends its process") if self.done < len(self.seeds) else None
        self.done += 1
        self.heard = time.monotonic()
        return found

    def overdue(self) -> Truth | None:
        if time.monotonic() - self.heard < _MAX_SILENCE:
            return None
        self.process.kill()
        self.process.join()
        return self._skipped("hangs")

    def _skipped(self, why: str) -> Truth:
        found = Truth(Counter({f"{why}: query {self.seeds[self.done]}": 1}))
        self.done += 1
        self.results.close()
        self._start()
        return found


def _answers(seeds: range, processes: int) -> Generator[Truth]:
    size = -(-len(seeds) // processes)
    workers = [_Worker(seeds[at : at + size]) for at in range(0, len(seeds), size)]
    try:
        while workers:
            ready = wait([worker.results for worker in workers], timeout=1)
            for worker in list(workers):
                if worker.results not in ready:
                    if late := worker.overdue():
                        yield late
                elif found := worker.received():
                    yield found
                else:
                    workers.remove(worker)
    finally:
        for worker in workers:
            worker.process.kill()


def _report(truth: Truth) -> None:
    for outcome, count in truth.outcomes.most_common():
        print(f"{count:>8}  {outcome}")
    _report_precision("by the analysis", truth.analysed)
    _report_precision("by the plan", truth.planned)
    print(f"{len(truth.missed)} missed")


def _report_precision(label: str, precision: Precision) -> None:
    share = precision.moving / max(precision.edges, 1)
    print(f"{precision.edges} edges {label}, {precision.moving} moved something: {share:.1%}")
    for clause, count in precision.idle.most_common():
        print(f"{count:>8}  idle: {clause}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first query")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after that many")
    parser.add_argument(
        "--idle", type=Path, help="where edges are listed along which nothing moves"
    )
    chosen = parser.parse_args()
    truth, done, began = Truth(), 0, time.monotonic()
    answers = _answers(range(chosen.first, chosen.first + chosen.queries), chosen.processes)
    for done, found in enumerate(answers, 1):
        truth.merge(found)
        for missed in found.missed:
            print(f"MISSED: {missed}", flush=True)
        for outcome in found.outcomes:
            if ": query " in outcome:
                print(outcome, flush=True)
        if done % 100 == 0:
            print(f"{done} queries, {time.monotonic() - began:.0f} s", flush=True)
        if time.monotonic() - began > 60 * chosen.minutes:
            break
    answers.close()
    print(f"{done} queries in {time.monotonic() - began:.0f} s")
    if chosen.idle is not None:
        chosen.idle.write_text("\n".join(truth.idle))
    _report(truth)
    return 1 if truth.missed else 0


if __name__ == "__main__":
    sys.exit(main())
