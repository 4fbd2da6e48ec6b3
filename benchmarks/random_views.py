"""Random views against Spark itself: ``make bench-random_views``.

Each view is generated over random nested tables (``tests.lakeschema.translation.growing``), derived, and
analysed by Spark. Names and types must agree, a required column must hold no null, and the emitted Spark
SQL must return the rows of the view's own text. Half of the views run outside ANSI mode. Views that both
refuse, or that fail so that rows cannot be compared, are counted separately.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.queues import Queue
from queue import Empty
from typing import Final

from benchmarks.plan_counts import Extent, PlanCounts
from benchmarks.seeded import Tally, add_arguments
from lakeschema.catalog.identifiers import RelationName
from tests.judges.sessions import start_spark
from tests.judges.verdicts import EQUAL, ONE_PLAN
from tests.judges.views.in_spark import SparkJudge, SparkVerdict

_PATIENCE_SECONDS: Final = 10.0


@dataclass(slots=True)
class Findings:
    """The findings of one process, or of all together."""

    tally: Tally = field(default_factory=Tally)
    looser: int = 0
    constructs: Counter[str] = field(default_factory=Counter)
    counts: PlanCounts = field(default_factory=PlanCounts)

    def add(self, verdict: SparkVerdict) -> None:
        self.tally.add(verdict)
        self.looser += verdict.looser
        if verdict.outcome in {EQUAL, ONE_PLAN}:
            self.constructs.update(verdict.constructs)
        extents: dict[RelationName, Extent] = {}
        for derived in verdict.derived:
            extents[derived.relation.name] = self.counts.add(derived.plan, extents)
        if verdict.derived:
            self.counts.extents.append(extents[verdict.derived[-1].relation.name])

    def merge(self, other: Findings) -> None:
        self.tally.merge(other.tally)
        self.looser += other.looser
        self.constructs += other.constructs
        self.counts.merge(other.counts)

    def report(self) -> None:
        self.tally.report()
        print(f"\ncolumns that Spark knows to be never null, and we do not: {self.looser}")
        print("\nconstructs of Spark's in views that agree:")
        for construct, number in self.constructs.most_common():
            print(f"{number:>8}  {construct}")
        self.counts.report()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser, views=20_000)
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args()
    began = time.monotonic()
    context = multiprocessing.get_context("spawn")
    results: Queue[Findings | str | int] = context.Queue()
    seeds = range(chosen.first, chosen.first + chosen.views)
    workers = [
        context.Process(
            target=_work, args=(seeds[part :: chosen.processes], chosen.minutes, results)
        )
        for part in range(chosen.processes)
    ]
    for worker in workers:
        worker.start()
    findings, done, left = Findings(), 0, len(workers)
    while left:
        try:
            result = results.get(timeout=_PATIENCE_SECONDS)
        except Empty:
            if any(worker.exitcode for worker in workers):
                sys.exit("a process ended with an error, which stands above")
            continue
        if isinstance(result, int):
            done += result
            print(f"{done} of {chosen.views} views, {time.monotonic() - began:.0f} s", flush=True)
        elif isinstance(result, str):
            print(f"\n{result}\n", flush=True)
        else:
            findings.merge(result)
            left -= 1
    for worker in workers:
        worker.join()
    judged = findings.tally.outcomes.total()
    print(f"\n{judged} views from seed {chosen.first}, {time.monotonic() - began:.0f} s")
    findings.report()
    sys.exit(1 if findings.tally.wrong else 0)


def _work(seeds: range, minutes: float, results: Queue[Findings | str | int]) -> None:
    end = time.monotonic() + 60 * minutes
    spark = start_spark()
    judge = SparkJudge(spark)
    findings = Findings()
    for number, seed in enumerate(seeds, 1):
        verdict = judge.verdict(seed)
        findings.add(verdict)
        if verdict.is_wrong:
            results.put(f"WRONG: {verdict.outcome} (view {seed}): {verdict.details}")
        if number % 250 == 0:
            results.put(250)
        if time.monotonic() > end:
            break
    results.put(findings)
    spark.stop()


if __name__ == "__main__":
    main()
