"""Spark 4.1 with Iceberg's plugin writes catalogs of three kinds and reads them back."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator

import pytest
from pyiceberg.catalog.rest import RestCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField

from deploy.iceberg_rest import IcebergRest
from deploy.refused import Refused
from deploy.spark_with_iceberg import SparkWithIceberg
from tests.integration.iceberg_client import iceberg_client


@pytest.fixture
def top() -> str:
    """The name of a namespace that no other test uses."""
    return f"ns_{secrets.token_hex(4)}"


def run(spark: SparkWithIceberg, *statements: str) -> None:
    refused = [answer for answer in spark.run(*statements) if isinstance(answer, Refused)]
    assert not refused, refused


@pytest.mark.parametrize("catalog", ["lake", "sqlite", "folder"])
def test_rows_of_a_nested_table_come_back_as_json(
    spark_with_iceberg: SparkWithIceberg, top: str, catalog: str
) -> None:
    table = f"{catalog}.{top}.b.c.Orders"
    run(
        spark_with_iceberg,
        f"CREATE NAMESPACE {catalog}.{top}",
        f"CREATE NAMESPACE {catalog}.{top}.b",
        f"CREATE NAMESPACE {catalog}.{top}.b.c",
        f"CREATE TABLE {table} (Id BIGINT NOT NULL COMMENT 'key', price DECIMAL(10,2),"
        " at TIMESTAMP, place STRUCT<city: STRING>, tags MAP<STRING, INT>, raw BINARY)",
        f"INSERT INTO {table} VALUES (1, 1.50, TIMESTAMP '2024-01-02 03:04:05',"
        " named_struct('city', 'Cork'), map('a', 1), X'00FF')",
        f"ALTER TABLE {table} ADD COLUMN more INT",
    )

    answer = spark_with_iceberg.answer(f"SELECT * FROM {table}")

    assert answer.rows == [
        [1, "1.50", "2024-01-02T03:04:05", {"city": "Cork"}, [["a", 1]], "00ff", None]
    ]
    key = answer.schema["fields"][0]
    assert (key["name"], key["nullable"]) == ("Id", False)
    assert key["metadata"] == {"comment": "key"}


@pytest.fixture
def catalog(iceberg_rest: IcebergRest) -> Iterator[RestCatalog]:
    with iceberg_client(iceberg_rest) as opened:
        yield opened


def test_what_spark_writes_through_the_rest_catalog_is_read_by_pyiceberg(
    spark_with_iceberg: SparkWithIceberg, catalog: RestCatalog, top: str
) -> None:
    levels = (top, "b", "c")
    for depth in (1, 2, 3):
        catalog.create_namespace(levels[:depth])
    catalog.create_table((*levels, "t"), Schema(NestedField(1, "Id", LongType(), required=True)))
    space = f"lake.{top}.b.c"

    run(
        spark_with_iceberg,
        f"INSERT INTO {space}.t VALUES (7)",
        f"ALTER TABLE {space}.t ADD COLUMN name STRING COMMENT 'title'",
        f"CREATE VIEW {space}.v (Key COMMENT 'the key') AS SELECT Id FROM {space}.t",
    )

    assert catalog.list_views(levels) == [(*levels, "v")]
    assert catalog.load_table((*levels, "t")).schema().find_field("name").doc == "title"
    view = catalog.load_view((*levels, "v"))
    (key,) = view.schema().fields
    assert (key.name, key.doc) == ("Key", "the key")
    text = view.sql_for("spark")
    assert text is not None
    assert text.sql == f"SELECT Id FROM {space}.t"
    assert spark_with_iceberg.answer(f"SELECT * FROM {space}.v").rows == [[7]]


def test_a_refused_statement_is_told_by_name_and_the_next_one_runs(
    spark_with_iceberg: SparkWithIceberg, top: str
) -> None:
    refused, answered = spark_with_iceberg.run(
        f"SELECT * FROM lake.{top}.nothing", "SELECT 1 AS one"
    )

    assert isinstance(refused, Refused)
    assert refused.name == "TABLE_OR_VIEW_NOT_FOUND"
    assert not isinstance(answered, Refused)
    assert json.dumps(answered.rows) == "[[1]]"


def test_values_without_a_form_in_json_come_as_text(spark_with_iceberg: SparkWithIceberg) -> None:
    answer = spark_with_iceberg.answer(
        "SELECT parse_json('{\"a\": [1]}'), TIME'10:00:00', DATE'2020-01-01', INTERVAL '1' DAY"
    )

    assert answer.rows == [[{"a": [1]}, "10:00:00", "2020-01-01", "1 day, 0:00:00"]]


def test_the_session_is_of_the_spark_that_the_plugin_supports(
    spark_with_iceberg: SparkWithIceberg,
) -> None:
    assert spark_with_iceberg.version.startswith("4.1.")
