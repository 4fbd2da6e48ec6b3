"""Our lists of built-in functions equal those of the engines."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pyspark.sql import SparkSession

from deploy.hive import HiveAnswer, HiveQueries
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.functions.builtin_names import builtin_names


def test_hive_lists_these_functions(hive: HiveQueries) -> None:
    (answer,) = hive.run("SHOW FUNCTIONS")
    assert isinstance(answer, HiveAnswer)

    assert words(row.split("\t")[0] for row in answer.rows) == builtin_names(Dialect.HIVE)


def test_spark_lists_these_functions(spark: SparkSession) -> None:
    listed = spark.sql("SHOW SYSTEM FUNCTIONS").collect()

    assert words(row[0] for row in listed) == builtin_names(Dialect.SPARK)


def words(names: Iterable[str]) -> set[str]:
    """Without operators, and functions of databases."""
    return {name for name in names if re.fullmatch(r"[a-z_]\w*", name)}
