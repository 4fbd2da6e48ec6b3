"""A program: the job of a log of queries whose Python workers are killed.

Takes the log, the output, the number of tasks and a folder for a mark of each kill; prints what the
job returns as JSON. A session whose tasks may fail needs a process of its own.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark import TaskContext, cloudpickle

from deploy.jdk import QUICK_START
from lakeschema.spark.query_log import analyse_log, read_log
from lakeschema.spark.session import spark_session
from lakeschema.spark.values import PartitionTask
from tests.integration.spark.query_log_parts import KNOWN, as_json


def breaking(task: PartitionTask, marks: str) -> PartitionTask:
    """Of each partition the first attempt dies before its first row, the second behind its last."""

    def broken(batches: Any) -> Iterator[Any]:
        context = TaskContext.get()
        assert context is not None
        partition, attempt = context.partitionId(), context.attemptNumber()

        def die() -> None:
            Path(f"{marks}/{partition}-{attempt}").touch(exist_ok=False)
            os.kill(os.getpid(), signal.SIGKILL)

        if attempt == 0:
            die()
        yield from task(batches)
        if attempt == 1:
            die()

    return broken


def main() -> None:
    log, output, tasks, marks = sys.argv[1:]
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # type: ignore[no-untyped-call]  # cloudpickle has no types
    conf = {"spark.master": "local[2,4]", "spark.log.level": "OFF"}
    conf |= {"spark.driver.extraJavaOptions": " ".join(QUICK_START)}
    session = spark_session(conf | {"spark.sql.shuffle.partitions": "2"})

    def decorate(task: PartitionTask) -> PartitionTask:
        return breaking(task, marks)

    frame = read_log(session, log)
    result = analyse_log(frame, KNOWN, output, tasks=int(tasks), decorate=decorate)
    print(json.dumps(as_json(result)))
    session.stop()


if __name__ == "__main__":
    main()
