"""The derived tables of a log on Spark, compared with those of one machine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from lakeschema.analysis.statements_logged import LoggedStatement
from lakeschema.analysis.usage.running import Ran
from lakeschema.analysis.usage.tables import DERIVED, Question, count_log, derived_tables, row_of
from lakeschema.spark.log_tables import count_tables, write_derived
from lakeschema.spark.query_log import analyse_log, read_log
from tests.lakeschema.analysis.usage.logged import KNOWN, STATEMENTS, log_of

REPEATED = ("bob", 5, "SELECT customer, sum(amount) AS a FROM shop.orders GROUP BY customer")
_STATEMENTS = log_of((*STATEMENTS, REPEATED, REPEATED))
_LAST = LoggedStatement(len(_STATEMENTS) + 1, "SELECT id FROM shop.customers")
LOG = [*_STATEMENTS, Ran(_LAST)]
"""Of the last one the log says neither who nor when."""
QUESTION = Question(
    KNOWN,
    owners={"shop.daily": "dora"},
    sizes={"shop.orders": 100.0},
    days=2,
    about=("shop.orders", "amount"),
)


@pytest.fixture(scope="module")
def analysed(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("log")
    rows = [
        {
            "sql": each.statement.sql,
            "user": each.statement.user,
            "position": each.statement.position,
            "started_at": f"{each.day} 10:00:00" if each.day else None,
            "succeeded": each.statement.succeeded,
        }
        for each in LOG
    ]
    (folder / "log.json").write_text("\n".join(map(json.dumps, rows)))
    output = str(folder / "analysed")
    analyse_log(read_log(spark, str(folder / "log.json")), KNOWN, output)
    return output


def test_spark_counts_as_one_machine_does(spark: SparkSession, analysed: str) -> None:
    assert count_tables(spark, analysed) == count_log(LOG, KNOWN).counts


def test_the_tables_that_are_written_are_those_of_one_machine(
    spark: SparkSession, analysed: str
) -> None:
    found = write_derived(spark, analysed, QUESTION)

    assert set(found) == set(DERIVED)
    for name, rows in found.items():
        written = [row.asDict() for row in spark.read.parquet(f"{analysed}/{name}").collect()]
        assert written == [row_of(row) for row in rows], name
    assert found == derived_tables(count_log(LOG, KNOWN).counts, QUESTION)
    assert all(found.values())
