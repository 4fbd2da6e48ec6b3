"""Reading other versions' data, compared with Java's Avro: ``make bench-resolution``.

In families of random schemas, each member's package reads each other member's data; values and refusals
are compared. The same pairs judge the version rules. Unless a version is a new major, Java must read it
both ways, logical types included, and its values must come back unchanged to the older version.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from deploy.avro import AvroJudge
from tests.codegen.evolution_kinds import CHANGES
from tests.judges.codegen.judging import Outcome
from tests.judges.codegen.resolution_run import Report, judge_families

MEMBERS = 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=21_000, help="of schemas, at least")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    families = -(-chosen.pairs // (MEMBERS * (MEMBERS - 1)))
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, AvroJudge.start(Path(folder)) as judge:
        report = judge_families(judge, range(chosen.seed, chosen.seed + families), MEMBERS)
    _print(report, time.perf_counter() - began)
    sys.exit(1 if report.differences else 0)


def _print(report: Report, seconds: float) -> None:
    print(f"{report.pairs} pairs of schemas in {seconds:.0f} s; pairs by kind of change:")
    for kind in sorted(CHANGES, key=lambda kind: -report.kinds[kind]):
        print(f"{report.kinds[kind]:>8}  {kind}")
    print("pairs by the innermost thing around a change:")
    for place, count in report.places.most_common():
        print(f"{count:>8}  {place}")
    print("values:")
    for outcome in Outcome:
        print(f"{report.outcomes[outcome]:>8}  {outcome.value}")
    levels = ", ".join(f"{count} {level.value}" for level, count in report.levels.most_common())
    print(f"pairs of a version and its descendant, by the level of the change: {levels}")
    print(f"differences and broken promises: {report.differences}")
    for case in report.shown:
        print(f"\n{case.what}\n  writer {case.writer}\n  reader {case.reader}")
        print(f"  data {case.data}\n  ours {case.ours}\n  java {case.java}")


if __name__ == "__main__":
    main()
