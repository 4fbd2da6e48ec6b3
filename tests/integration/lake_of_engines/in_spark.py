"""Runs statements in a separate Spark over Hive 4's metastore, and writes down the rows that Spark reads.

It is a separate process, since a process has one session, and that of the other tests uses another
metastore. Standard input: JSON of ``settings``, ``statements``, the ``relations`` to read, those to read
``with_rows``, those to write again as Avro (``exported``) and the ``folder`` for the answers. Rows go to
an Arrow file with the relation's name, exported rows to a folder of Avro files in ``exported``. Schemas,
or the reasons why they cannot be read, are in ``answers.json``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark import SparkConf
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession


def main() -> None:
    task: dict[str, Any] = json.load(sys.stdin)
    conf = SparkConf(loadDefaults=False).setAll(list(task["settings"].items()))
    spark = SparkSession.builder.config(conf=conf).getOrCreate()
    refused = [said for each in task["statements"] if (said := _refusal(spark, each))]
    if refused:
        raise SystemExit("\n".join(refused))
    folder = Path(task["folder"])
    answers = {name: _answer(spark, name, folder, task["with_rows"]) for name in task["relations"]}
    for name in task["exported"]:
        spark.table(f"lake.{name}").write.format("avro").save(str(folder / "exported" / name))
    (folder / "answers.json").write_text(json.dumps(answers))
    spark.stop()


def _refusal(spark: SparkSession, statement: str) -> str:
    try:
        spark.sql(statement)
    except (PySparkException, Py4JError) as error:
        causes = [line for line in str(error).splitlines() if line.startswith((": ", "Caused by:"))]
        return " | ".join([statement, str(error)[:200], *causes[:3]])
    return ""


def _answer(
    spark: SparkSession, name: str, folder: Path, with_rows: Collection[str]
) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    try:
        frame = spark.table(f"lake.{name}")
        answer["schema"] = frame.schema.jsonValue()
        if name not in with_rows:
            return answer
        rows = frame.toArrow()
    except (PySparkException, Py4JError) as error:
        return answer | {"error": str(error)[:300]}
    with (
        pa.OSFile(str(folder / f"{name}.arrow"), "wb") as file,
        pa.ipc.new_file(file, rows.schema) as writer,
    ):
        writer.write_table(rows)
    return answer


if __name__ == "__main__":
    main()
