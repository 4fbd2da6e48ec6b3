"""The plugin that stands for any other, in a live session."""

from __future__ import annotations

import secrets

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from deploy.recording_catalog import recording_catalog_conf, take_calls

CONTENT = {
    "namespaces": [["empty"]],
    "tables": [
        {"name": ["a", "b", "T"], "columns": "Id INT NOT NULL COMMENT 'key', day DATE"},
        {"name": ["a", "b", "t"], "columns": "x STRING", "properties": {"k": "V"}},
        {"name": ["bad", "gone"], "columns": "x STRING"},
    ],
    "views": [{"name": ["a", "b", "v"], "columns": "Id INT", "query": "SELECT Id FROM T"}],
    "failures": [
        {"name": ["bad", "gone"], "message": "its file is gone"},
        {"name": ["closed"], "message": "no access"},
    ],
}


@pytest.fixture
def lake(spark: SparkSession) -> str:
    """The name of a catalog that no other test uses."""
    name = f"lake_{secrets.token_hex(4)}"
    for key, value in recording_catalog_conf(name, CONTENT).items():
        spark.conf.set(key, value)
    take_calls(spark)
    return name


def test_names_keep_their_letter_case_at_any_depth(spark: SparkSession, lake: str) -> None:
    tables = spark.sql(f"SHOW TABLES IN {lake}.a.b").collect()
    upper = spark.sql(f"DESCRIBE TABLE {lake}.a.b.T").collect()
    lower = spark.sql(f"DESCRIBE TABLE {lake}.a.b.t").collect()

    assert {"T", "t", "v"} <= {row["tableName"] for row in tables}
    assert [tuple(row) for row in upper] == [("Id", "int", "key"), ("day", "date", None)]
    assert [tuple(row) for row in lower] == [("x", "string", None)]


def test_calls_are_recorded_until_they_are_taken(spark: SparkSession, lake: str) -> None:
    spark.sql(f"CREATE NAMESPACE {lake}.a.c")

    calls = take_calls(spark)

    assert (lake, "createNamespace", ["a", "c"]) in calls
    assert take_calls(spark) == []


def test_a_failure_belongs_to_the_relation_or_namespace_that_it_names(
    spark: SparkSession, lake: str
) -> None:
    with pytest.raises(Exception, match="its file is gone"):
        spark.sql(f"DESCRIBE TABLE {lake}.bad.gone").collect()
    with pytest.raises(Exception, match="no access"):
        spark.sql(f"SHOW TABLES IN {lake}.closed").collect()

    assert spark.sql(f"DESCRIBE TABLE {lake}.a.b.t").count() == 1


def test_statements_change_tables_views_and_namespaces(spark: SparkSession, lake: str) -> None:
    spark.sql(f"CREATE TABLE {lake}.a.b.Made (id BIGINT NOT NULL) TBLPROPERTIES ('p' = '1')")
    spark.sql(f"ALTER TABLE {lake}.a.b.Made ADD COLUMN more DECIMAL(10, 2) COMMENT 'sum'")
    spark.sql(f"ALTER TABLE {lake}.a.b.Made RENAME TO a.b.Renamed")
    spark.sql(f"CREATE VIEW {lake}.a.b.w AS SELECT more FROM {lake}.a.b.Renamed")
    described = spark.sql(f"DESCRIBE TABLE {lake}.a.b.Renamed").collect()
    views = spark.sql(f"SHOW VIEWS IN {lake}.a.b").collect()
    spark.sql(f"DROP VIEW {lake}.a.b.w")
    spark.sql(f"DROP TABLE {lake}.a.b.Renamed")
    spark.sql(f"DROP NAMESPACE {lake}.empty")

    assert [tuple(row) for row in described] == [
        ("id", "bigint", None),
        ("more", "decimal(10,2)", "sum"),
    ]
    assert {row["viewName"] for row in views} == {"v", "w"}
    with pytest.raises(PySparkException, match="SCHEMA_NOT_EMPTY"):
        spark.sql(f"DROP NAMESPACE {lake}.a")
    with pytest.raises(PySparkException, match="SCHEMA_NOT_FOUND"):
        spark.sql(f"SHOW TABLES IN {lake}.empty").collect()
