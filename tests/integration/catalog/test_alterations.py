"""Spark reads every form that the table of alterations says is Spark's."""

from __future__ import annotations

from pyspark.sql import SparkSession

from tests.lakeschema.catalog.alterations import SPARK


def test_spark_reads_every_form(spark: SparkSession) -> None:
    parser = spark._jsparkSession.sessionState().sqlParser()

    for statement, _ in SPARK:
        parser.parsePlan(statement)
