"""A consumer reads and writes a relation on Spark that the same DDL created."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own name for it

from codegen.lowering import lower
from codegen.usage_programs import usage_programs
from lakeschema.avro.model import Record
from lakeschema.avro.parsing import parse_schema
from tests.integration.consumer.installed import CURRENT, PLACED_AT, Shop


@pytest.fixture
def on_spark(spark: SparkSession, shop: Shop) -> Iterator[SparkSession]:
    """A session that has the relation, empty."""
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    spark.sql("DROP DATABASE IF EXISTS shop CASCADE")
    spark.sql("CREATE DATABASE shop")
    for statement in shop.kind.statements(CURRENT).split(";"):
        # There is no Iceberg here: what matters are the types.
        if statement.strip():
            spark.sql(statement.replace("USING iceberg", "USING parquet"))
    yield spark
    spark.sql("DROP DATABASE shop CASCADE")
    spark.conf.unset("spark.sql.session.timeZone")


@pytest.fixture
def orders(shop: Shop, package: Any) -> list[Any]:
    return [shop.order(package, id=number) for number in range(5)]


def test_records_become_a_frame_and_come_back(
    on_spark: SparkSession, package: Any, orders: list[Any]
) -> None:
    frame = package.create_dataframe(on_spark, orders)

    assert frame.schema == package.spark_schema()
    assert frame.agg(F.sum("total")).first()[0] == Decimal("62.50")
    assert list(package.from_rows(frame.collect())) == orders


def test_the_programs_of_the_packages_page_run_where_it_is_installed(
    on_spark: SparkSession,
    shop: Shop,
    package: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = {*package.__all__, *dir(package.RECORD)}
    name = package.RECORD.__name__
    schema = parse_schema(package.SCHEMA)
    assert isinstance(schema, Record)
    # The program asks for the running session.
    assert SparkSession.getActiveSession() is on_spark
    monkeypatch.chdir(tmp_path)

    for program in usage_programs(shop.import_name, name, lower(schema), names):
        exec(compile(program.text, program.title, "exec"), {})

    assert capsys.readouterr().out.split() == [str(package.RECORD.example().id)] * 5


def test_the_relation_is_read_as_records(
    on_spark: SparkSession, shop: Shop, package: Any, orders: list[Any]
) -> None:
    table = (
        "orders" if shop.kind.name == "hive_view" else shop.kind.name.replace("spark_view", "sales")
    )
    columns = on_spark.table(f"shop.{table}").columns
    package.create_dataframe(on_spark, orders).select(*columns).write.insertInto(f"shop.{table}")

    found = list(package.from_rows(package.dataset(on_spark).orderBy("id").toLocalIterator()))

    assert [order.id for order in found] == [0, 1, 2, 3, 4]
    assert {order.placed_at for order in found} == {PLACED_AT}
    assert [order.ship for order in found] == [order.ship for order in orders]


def test_columns_are_selected_by_their_names(
    on_spark: SparkSession, package: Any, orders: list[Any]
) -> None:
    columns = importlib.import_module(f"{package.__name__}.columns")
    frame = package.create_dataframe(on_spark, orders)

    found = frame.select(columns.customer, F.col(columns.ship.city).alias("city")).first()

    assert (found.customer, found.city) == ("Ada", "Acton")


def test_parquet_files_of_spark_are_read_without_spark(
    on_spark: SparkSession, package: Any, orders: list[Any], tmp_path: Path
) -> None:
    parquet = importlib.import_module("pyarrow.parquet")
    frame = package.create_dataframe(on_spark, orders)

    frame.coalesce(1).write.parquet(str(tmp_path / "orders"))

    table = parquet.read_table(tmp_path / "orders")
    assert sorted(package.from_arrow(table), key=lambda order: order.id) == orders
    assert {row.placed_at for row in package.rows(table)} == {PLACED_AT}
    # As one that Spark did not write.
    cast = table.replace_schema_metadata(None).cast(package.arrow_schema())
    assert sorted(package.from_arrow(cast), key=lambda order: order.id) == orders


def test_rows_of_spark_are_read_as_they_are_needed(
    on_spark: SparkSession, package: Any, orders: list[Any]
) -> None:
    frame = package.create_dataframe(on_spark, orders)

    assert [row.ship.city for row in package.rows(frame.collect())] == ["Acton"] * 5
    assert list(package.rows(frame.toArrow())) == orders


def test_a_frame_of_another_shape_is_refused(on_spark: SparkSession, package: Any) -> None:
    on_spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW other AS SELECT 1 AS id, 2 AS customer, 'x' AS day"
    )

    with pytest.raises(package.AvroError, match="customer: expected string"):
        package.dataset(on_spark, "other")


def test_avro_files_of_hives_writer_are_read_without_spark(
    on_spark: SparkSession, package: Any, orders: list[Any]
) -> None:
    # Hive's writer has neither local times nor maps with other keys than text.
    lacking = {"wall", "shelves"}
    columns = [name for name in package.RECORD.__slots__ if name not in lacking]
    package.create_dataframe(on_spark, orders).select(*columns).createOrReplaceTempView("made")
    on_spark.sql("CREATE TABLE shop.written STORED AS AVRO AS SELECT * FROM made")

    folders = [
        Path(file.removeprefix("file:")) for file in on_spark.table("shop.written").inputFiles()
    ]
    files = [file for folder in folders for file in folder.glob("part-*")]
    found = [order for file in files for order in package.read_file(file)]
    absent = dict.fromkeys(lacking & {*package.RECORD.__slots__})
    millis = PLACED_AT.replace(microsecond=123000)
    expected = [order.replace(placed_at=millis, **absent) for order in orders]
    assert sorted(found, key=lambda order: order.id) == expected
