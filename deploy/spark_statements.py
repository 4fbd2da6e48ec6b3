"""Answers SQL statements in a Spark session; ``deploy.spark_with_iceberg`` starts it.

Usage: ``python -I spark_statements.py SETTINGS.json``. It runs in an environment that has pyspark and
nothing of this project. It prints the version of Spark, then an answer for each line of JSON.
"""

from __future__ import annotations

import json
import os
import sys
import time
from datetime import date
from datetime import time as time_of_day
from pathlib import Path
from typing import IO, Any

from pyspark import SparkConf
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession
from pyspark.sql.types import VariantVal


def main() -> None:
    answers = _keep_standard_output()
    settings = json.loads(Path(sys.argv[1]).read_text())
    # Python shows a timestamp in the zone of its process.
    os.environ["TZ"] = "UTC"
    time.tzset()
    # The session's workers must not be those of another Spark.
    os.environ.pop("SPARK_HOME", None)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    conf = SparkConf(loadDefaults=False).setAll(list(settings.items()))
    spark = SparkSession.builder.config(conf=conf).getOrCreate()
    _print(answers, {"version": spark.version})
    for line in sys.stdin:
        _print(answers, [_answer(spark, sql) for sql in json.loads(line)])
    spark.stop()


def _keep_standard_output() -> IO[str]:
    """The stream for answers.

    Everything else that the JVM and libraries print goes to standard error.
    """
    kept = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return kept


def _print(answers: IO[str], answer: object) -> None:
    answers.write(json.dumps(answer) + "\n")
    answers.flush()


def _answer(spark: SparkSession, sql: str) -> dict[str, Any]:
    try:
        frame = spark.sql(sql)
        rows = [[_plain(value) for value in row] for row in frame.collect()]
    except PySparkException as error:
        return {"error": str(error), "name": error.getCondition() or ""}
    except Exception as error:  # noqa: BLE001  a JVM's error, or a value that Python cannot hold
        return {"error": str(error), "name": ""}
    return {"schema": frame.schema.jsonValue(), "rows": rows}


def _plain(value: Any) -> Any:
    """The value in the form of JSON that ``SparkAnswer.rows`` describes."""
    match value:
        case Row():
            return {name: _plain(each) for name, each in value.asDict().items()}
        case dict():
            return [[_plain(key), _plain(each)] for key, each in value.items()]
        case list():
            return [_plain(each) for each in value]
        case bytes() | bytearray():
            return value.hex()
        case date() | time_of_day():
            return value.isoformat()
        case VariantVal():
            return json.loads(value.toJson())
        case None | bool() | int() | float() | str():
            return value
        case _:
            return str(value)


if __name__ == "__main__":
    main()
