"""A query log on Spark: the same answers for any number of parts and for any attempt."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from lakeschema.spark.query_log import LogResult, analyse_log, read_log
from tests.integration.spark.query_log_parts import KNOWN, as_json, tables_in, write_log


@pytest.fixture(autouse=True)
def _settings(spark: SparkSession) -> Iterator[None]:
    names = ("spark.sql.shuffle.partitions", "spark.sql.files.maxPartitionBytes")
    before = {name: spark.conf.get(name) for name in names}
    yield
    for name, value in before.items():
        spark.conf.set(name, str(value))


def analysed(
    session: SparkSession, folder: Path, parts: int
) -> tuple[LogResult, dict[str, list[dict[str, Any]]]]:
    log = folder / "log.json"
    write_log(log)
    output = folder / f"out{parts}"
    session.conf.set("spark.sql.shuffle.partitions", str(parts))
    session.conf.set("spark.sql.files.maxPartitionBytes", str(10_000 // parts))
    result = analyse_log(read_log(session, str(log)), KNOWN, str(output), tasks=parts)
    return result, tables_in(session, output)


def test_a_log_has_the_same_answers_in_any_number_of_parts(
    spark: SparkSession, tmp_path: Path
) -> None:
    (result, tables), *others = (analysed(spark, tmp_path, parts) for parts in (1, 2, 4))

    assert all(other == (result, tables) for other in others)
    assert as_json(result) == {
        "statements": 37,
        "failures": {"MalformedSql": 1},
        "dataflow": {
            "shop.daily": ["shop.orders"],
            "shop.previous": ["shop.orders"],
            "shop.next": [],
        },
        "conflicts": 0,
    }
    assert len(tables["statements"]) == 36
    assert sum(row["relation"] == "shop.orders" for row in tables["table_access"]) == 31
    # A table of which there is nothing to say can be read all the same.
    assert tables["joins"] == []


@pytest.mark.parametrize("tasks", [1, 4])
def test_killed_workers_change_nothing(spark: SparkSession, tmp_path: Path, tasks: int) -> None:
    expected, tables = analysed(spark, tmp_path, 2)
    output, marks = tmp_path / "broken", tmp_path / "marks"
    marks.mkdir()

    done = subprocess.run(
        [
            *(sys.executable, "-m", "tests.integration.spark.broken_query_log"),
            *(str(tmp_path / "log.json"), str(output), str(tasks), str(marks)),
        ],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-4000:]
    assert json.loads(done.stdout.splitlines()[-1]) == as_json(expected)
    assert tables_in(spark, output) == tables
    assert sorted(mark.name for mark in marks.iterdir()) == [
        f"{partition}-{attempt}" for partition in range(tasks) for attempt in (0, 1)
    ]


def test_columns_are_those_of_the_table_that_had_the_name_then(
    spark: SparkSession, tmp_path: Path
) -> None:
    _, tables = analysed(spark, tmp_path, 2)

    last = {
        (row["column"], row["source"], row["source_column"])
        for row in tables["column_lineage"]
        if row["position"] == 37 and row["kind"] == "direct"
    }
    assert last == {("customer", "shop.daily", "customer"), ("total", "shop.daily", "total")}
