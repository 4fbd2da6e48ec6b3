"""Hive's functions as Spark SQL: ``make bench-hive_in_spark``: rows in Hive beside rows in Spark.

Each function that Hive lists and a view can call is called over columns and values of many types. The rows
that Hive returns are held against those that Spark returns for the Spark SQL that we emit for the call.
Exit status: 0 if no call has other rows.
"""

from __future__ import annotations

import argparse
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from benchmarks.hive_elsewhere import add_arguments, compare
from deploy.jars import artifact_jars
from deploy.jdk import find_jdk
from lakeschema.translation.emission.spark.from_hive.classes import ARTIFACTS
from lakeschema.translation.emission.spark.from_hive.missing import MISSING
from lakeschema.translation.model.interface import HiveFunctions, Options
from tests.judges.functions.spark_rows import SparkCalls


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    parser.add_argument(
        "--hive-functions",
        type=HiveFunctions,
        default=HiveFunctions.BUILT_IN,
        help="the option of that name: built-in or own-class",
    )
    chosen = parser.parse_args()

    def start(tables: Path) -> AbstractContextManager[SparkCalls]:
        jars = artifact_jars(find_jdk(), "hive", ARTIFACTS)
        options = Options(hive_functions=chosen.hive_functions)
        return nullcontext(SparkCalls(tables, jars, options))

    return int(compare(chosen, start, MISSING))


if __name__ == "__main__":
    sys.exit(main())
