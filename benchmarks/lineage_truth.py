"""Column lineage judged by execution: ``make bench-lineage_truth``.

An engine runs random queries over tables, and over the same tables with other values in one column. If
the values of an output column change, its lineage, direct or indirect, must contain that column: otherwise
an edge is missed. Edges along which nothing changes in any world measure imprecision. The run judges both
the analysis of the text and the lineage from a view's plan. The first of two engines judges; the second
runs queries that the first refuses, and some queries again.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Final

from tests.judges.lineage.engines import MAX_SECONDS, DuckDBEngine, Engine, SparkEngine
from tests.judges.lineage.findings import Precision, Truth, keep, kept
from tests.judges.lineage.judge import LineageJudge
from tests.judges.lineage.views import EngineName

_MAX_SILENCE: Final = 6 * MAX_SECONDS
"""Seconds after which a process is restarted, at the query after its current one."""
_START_SECONDS: Final = 240
"""Seconds that an engine may need before its first query on a busy machine."""


_ENGINES: Final[Mapping[EngineName, Callable[[], Engine]]] = {
    "duckdb": DuckDBEngine,
    "spark": SparkEngine,
}


def _work(
    engines: Sequence[EngineName], every: int, seeds: Sequence[int], results: Connection
) -> None:
    judge = LineageJudge(*(_ENGINES[name]() for name in engines), every=every)
    for seed in seeds:
        results.send(judge.judge(seed))
    results.close()


_Answer = tuple[int, Truth]
"""A seed, and the findings about its query."""


@dataclass(slots=True)
class _Worker:
    """A process that judges queries one after the other; ``done`` counts them."""

    engines: Sequence[EngineName]
    every: int
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
        self.process = context.Process(
            target=_work, args=(self.engines, self.every, self.seeds[self.done :], theirs)
        )
        self.process.start()
        # Otherwise the end of the process would not be noticed here.
        theirs.close()
        self.heard = time.monotonic() + _START_SECONDS

    def received(self) -> _Answer | None:
        """The next answer; None at the end."""
        try:
            found: Truth = self.results.recv()
        except EOFError:
            self.process.join()
            return self._skipped("ends its process") if self.done < len(self.seeds) else None
        self.done += 1
        self.heard = time.monotonic()
        return self.seeds[self.done - 1], found

    def overdue(self) -> _Answer | None:
        if time.monotonic() - self.heard < _MAX_SILENCE:
            return None
        self.process.kill()
        self.process.join()
        return self._skipped("hangs")

    def _skipped(self, why: str) -> _Answer:
        seed = self.seeds[self.done]
        self.done += 1
        self.results.close()
        self._start()
        return seed, Truth(Counter({f"{why}: query {seed}": 1}))


def _answers(
    engines: Sequence[EngineName], every: int, seeds: Sequence[int], processes: int
) -> Generator[_Answer]:
    size = max(-(-len(seeds) // processes), 1)
    workers = [_Worker(engines, every, seeds[at : at + size]) for at in range(0, len(seeds), size)]
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
        "--engines", nargs="+", choices=tuple(_ENGINES), default=tuple(_ENGINES), help="one or two"
    )
    parser.add_argument(
        "--compared", type=int, default=20, help="one of so many queries is run in both engines"
    )
    parser.add_argument(
        "--keep", type=Path, help="where what is seen is kept: a run goes on where one ended"
    )
    parser.add_argument(
        "--idle", type=Path, help="where edges are listed along which nothing moves"
    )
    chosen = parser.parse_args()
    wanted = range(chosen.first, chosen.first + chosen.queries)
    known = dict(kept(chosen.keep)) if chosen.keep else {}
    seeds = [seed for seed in wanted if seed not in known]
    truth, done, began = Truth(), 0, time.monotonic()
    for seed, found in known.items():
        if seed in wanted:
            _tell(truth, found)
    answers = _answers(chosen.engines, chosen.compared, seeds, chosen.processes)
    for done, (seed, found) in enumerate(answers, 1):
        if chosen.keep:
            keep(chosen.keep, seed, found)
        _tell(truth, found)
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


def _tell(truth: Truth, found: Truth) -> None:
    truth.merge(found)
    for missed in found.missed:
        print(f"MISSED: {missed}", flush=True)
    for outcome in found.outcomes:
        if ": query " in outcome:
            print(outcome, flush=True)


if __name__ == "__main__":
    sys.exit(main())
