"""Avro's JSON encoding and plain JSON, compared with Java's Avro: ``make bench-json_encoding``.

For random schemas, Java reads each value that we write, and we read Java's. Plain JSON must come back
unchanged, and Java must read damaged JSON that we accept as the same value.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from deploy.avro import AvroJudge
from tests.judges.codegen.json_run import Judged, judge_json


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schemas", type=int, default=20_000)
    parser.add_argument("--values", type=int, default=4, help="of each schema")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder, AvroJudge.start(Path(folder)) as judge:
        seeds = range(chosen.seed, chosen.seed + chosen.schemas)
        report = judge_json(judge, seeds, chosen.values)
    seconds = time.perf_counter() - began
    print(f"{report.schemas} schemas, {report.values} values in {seconds:.0f} s")
    for judged in Judged:
        print(f"{report.outcomes[judged]:>8}  {judged.value}")
    for case in report.shown:
        print("\n  ".join(("", *case)))
    sys.exit(1 if report.outcomes[Judged.DIFFER] else 0)


if __name__ == "__main__":
    main()
