"""Random Spark data frames through generated packages and back: ``make bench-data_frames``.

A package is generated for the schema of each frame. After ``dataset`` and ``from_rows`` have read the
frame and ``create_dataframe`` has written it, it must be unchanged.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

from tests.judges.codegen.frame_run import judge_frames
from tests.judges.sessions import NOT_COMPILED, start_spark

# PySpark shows instants in Python's time zone, not in the session's.
_ZONES = ("UTC", "America/New_York", "Asia/Kathmandu")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=6, help="at most, of each frame")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    began, differ = time.perf_counter(), 0
    spark = start_spark({**NOT_COMPILED, "spark.sql.session.timeZone": "America/Los_Angeles"})
    for part, zone in enumerate(_ZONES):
        os.environ["TZ"] = zone
        time.tzset()
        seeds = range(chosen.seed + part, chosen.seed + chosen.frames, len(_ZONES))
        report = judge_frames(spark, seeds, chosen.rows)
        differ += report.differ
        print(f"{zone}: {report.frames} frames, {report.rows} rows, {report.differ} differ")
        print("  " + ", ".join(f"{count} {kind}" for kind, count in sorted(report.kinds.items())))
        for case in report.shown:
            print("\n  ".join(("", *case)), flush=True)
    spark.stop()
    print(f"{time.perf_counter() - began:.0f} s")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
