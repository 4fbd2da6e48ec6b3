"""Spark and Hive do what the table of alterations says."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from deploy.hive import HiveQueries
from deploy.refused import Refused
from tests.lakeschema.catalog.alterations import HIVE, HIVE_TABLE, SAME, SPARK


def test_spark_reads_every_form(spark: SparkSession) -> None:
    parser = spark._jsparkSession.sessionState().sqlParser()

    for statement, _ in SPARK:
        parser.parsePlan(statement)


@pytest.mark.parametrize(("statement", "expected"), HIVE)
def test_hive_has_the_columns_after_each_form(
    hive: HiveQueries, statement: str, expected: str
) -> None:
    """A form that Hive's settings or the table refuse is one that its grammar reads."""
    hive.run("CREATE DATABASE IF NOT EXISTS altered", "USE altered", "DROP TABLE IF EXISTS s")
    hive.run("CREATE TABLE s (a int, b string) PARTITIONED BY (p string)")
    hive.run("DROP TABLE IF EXISTS t", HIVE_TABLE, "ALTER TABLE t ADD PARTITION (p='1')")
    before = _columns(hive)

    (answer,) = hive.run(statement)

    found = _columns(hive)
    hive.run("USE default")
    if isinstance(answer, Refused):
        assert "ParseException" not in answer.message
    else:
        assert found == (before if expected == SAME else expected)


def _columns(hive: HiveQueries) -> str:
    shown: list[str] = []
    for row in hive.answer("DESCRIBE t").rows:
        name, type_, comment = (part.strip() for part in row.split("\t"))
        if not name:
            break
        shown.append(f"{name} {type_}{f' {comment!r}' if comment else ''}")
    return ", ".join(shown)
