"""One run of the log's job in a separate process; prints its measurements as JSON."""

from __future__ import annotations

import json
import sys
import time

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from benchmarks.generated_log import known_tables
from lakeschema.analysis.catalog import as_text
from lakeschema.analysis.log import TABLES
from lakeschema.spark.query_log import analyse_log, read_log
from lakeschema.spark.session import spark_session


def main() -> None:
    log, output, tasks, heap = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
    conf = {"spark.master": "local[2]", "spark.driver.memory": heap}
    session = spark_session(conf)
    # The session's one-time start is no part of the job.
    session.range(10).count()
    began = time.time()
    result = analyse_log(read_log(session, log), known_tables(), output, tasks=tasks)
    ended = time.time()
    print(
        json.dumps(
            {
                "began": began,
                "ended": ended,
                "statements": result.statements,
                "failures": result.failures,
                "conflicts": result.conflicts,
                "dataflow": sorted(
                    (as_text(t), list(map(as_text, s))) for t, s in result.dataflow.items()
                ),
                "tables": {name: digest(session, f"{output}/{name}") for name in TABLES},
            }
        )
    )
    session.stop()


def digest(session: SparkSession, path: str) -> tuple[int, str]:
    """The number of a table's rows and the sum of their hashes, which do not depend on the order."""
    frame: DataFrame = session.read.parquet(path)
    columns = (f.col(name).cast("string") for name in sorted(frame.columns))
    hashed = f.sum(f.xxhash64(*columns).cast("decimal(38,0)"))
    row = frame.select(f.count(f.lit(1)), hashed).head()
    assert row is not None
    return int(row[0]), str(row[1])


if __name__ == "__main__":
    main()
