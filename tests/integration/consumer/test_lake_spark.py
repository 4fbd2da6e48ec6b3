"""A newcomer reads and writes the relations of a lake on Spark."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F  # noqa: N812 - Spark's own name for it
from pyspark.sql.avro.functions import from_avro, to_avro
from pyspark.testing import assertDataFrameEqual, assertSchemaEqual

from tests.integration.consumer.lake import (
    CATEGORY,
    CUSTOMER,
    ORDER_LINE,
    ORDERS,
    PAYMENT,
    RELATIONS,
    SHIPPING_STATS,
    UNPAID,
    WEB_EVENTS,
)
from tests.integration.consumer.lake_installed import Lake, columns_of
from tests.integration.consumer.test_lake_tables import TABULAR

# Spark writes no map whose keys are numbers to Avro, and no column with a blank in its name.
NOT_IN_SPARKS_AVRO = ("stock_by_warehouse", "order date")


def examples(module: Any) -> list[Any]:
    return [module.RECORD.example(seed) for seed in range(10)]


def test_a_frame_of_each_relation_comes_back(spark: SparkSession, lake: Lake) -> None:
    with lake.imported(*TABULAR) as modules:
        for module in modules:
            frame = module.create_dataframe(spark, examples(module))

            assert frame.schema == module.spark_schema()
            assert list(module.from_rows(frame.collect())) == examples(module)


def test_frames_of_equal_records_are_equal_to_sparks_own_judge(
    spark: SparkSession, lake: Lake
) -> None:
    with lake.imported(ORDERS) as (orders,):
        frame = orders.create_dataframe(spark, examples(orders))

        assertSchemaEqual(frame.schema, orders.spark_schema())
        assertDataFrameEqual(frame, orders.create_dataframe(spark, examples(orders)))


@pytest.mark.parametrize(
    "relation", [ORDERS, WEB_EVENTS, ORDER_LINE, UNPAID, SHIPPING_STATS], ids=str, indirect=True
)
def test_a_folder_that_spark_wrote_by_default_is_read(
    spark: SparkSession, module: Any, tmp_path: Path
) -> None:
    """Decimals are ``fixed`` there, the record ``topLevelRecord``, and ``größe`` is a name."""
    written = [name for name in module.spark_schema().names if name not in NOT_IN_SPARKS_AVRO]
    frame = module.create_dataframe(spark, examples(module)).select(*written)
    lacking = [
        attribute
        for attribute, column in zip(columns_of(module), module.spark_schema().names, strict=True)
        if column in NOT_IN_SPARKS_AVRO
    ]
    expected = [record.replace(**dict.fromkeys(lacking)) for record in examples(module)]

    frame.repartition(3).write.format("avro").save(str(tmp_path / "written"))

    found = list(module.read_file(tmp_path / "written"))
    assert sorted(map(repr, found)) == sorted(map(repr, expected))


def test_spark_reads_the_file_of_each_relation(
    spark: SparkSession, lake: Lake, tmp_path: Path
) -> None:
    # Spark has no columns that contain themselves.
    with lake.imported(*(each for each in RELATIONS if each != CATEGORY)) as modules:
        for module in modules:
            path = tmp_path / f"{module.RELATION}.avro"
            module.write_file(path, examples(module))

            assert spark.read.format("avro").load(str(path)).count() == 10


def test_sparks_functions_of_avro_take_the_schema(spark: SparkSession, lake: Lake) -> None:
    with lake.imported(ORDERS) as (orders,):
        records = examples(orders)
        messages = spark.createDataFrame(
            [(bytearray(r.to_avro()),) for r in records], "value binary"
        )

        rows = messages.select(from_avro("value", orders.SCHEMA).alias("r")).select("r.*")
        back = rows.select(to_avro(F.struct("*"), orders.SCHEMA).alias("value"))

        assert [row.order_id for row in rows.collect()] == [r.order_id for r in records]
        assert [orders.RECORD.from_avro(bytes(row.value)) for row in back.collect()] == records


def test_records_are_changed_on_sparks_workers(spark: SparkSession, lake: Lake) -> None:
    with lake.imported(ORDERS) as (orders,):
        frame = orders.create_dataframe(spark, examples(orders))

        rows = orders.rows(frame.toArrow())
        changed = orders.create_dataframe(
            spark, (row.to_record().replace(status="done") for row in rows)
        )

        assert {record.status for record in orders.from_rows(changed.toLocalIterator())} == {"done"}


def test_columns_within_structs_are_selected_on_spark(spark: SparkSession, lake: Lake) -> None:
    with lake.imported(ORDERS) as (orders,):
        columns = orders.columns
        record = orders.RECORD.example(3)
        frame = orders.create_dataframe(spark, [record])

        found = frame.select(
            columns.total, F.col(columns.shipping.address.city).alias("city")
        ).first()

        assert found is not None
        assert found.total == record.total
        assert found.city == (record.shipping.address.city)


def test_a_frame_that_lacks_a_column_is_refused_before_it_runs(
    spark: SparkSession, lake: Lake
) -> None:
    with lake.imported(ORDERS) as (orders,):
        spark.range(3).createOrReplaceTempView("without_orders")

        with pytest.raises(orders.AvroError, match="order_id"):
            orders.dataset(spark, "without_orders")


def test_the_view_of_a_frame_is_read_as_records(spark: SparkSession, lake: Lake) -> None:
    with lake.imported(WEB_EVENTS) as (web_events,):
        frame = web_events.create_dataframe(spark, examples(web_events))
        frame.select(*reversed(frame.columns)).createOrReplaceTempView("events_reversed")

        found = web_events.from_rows(web_events.dataset(spark, "events_reversed").collect())

        assert list(found) == examples(web_events)


def test_intervals_of_spark_are_durations(spark: SparkSession, lake: Lake) -> None:
    with lake.imported(PAYMENT) as (payment,):
        record = payment.RECORD.example(3).replace(
            processing=dt.timedelta(days=2, microseconds=5), amount=Decimal("1.50")
        )

        frame = payment.create_dataframe(spark, [record])

        assert dict(frame.dtypes)["processing"] == "interval day to second"
        assert list(payment.from_rows(frame.collect())) == [record]


def test_a_union_becomes_the_struct_that_spark_makes_of_it(
    spark: SparkSession, lake: Lake, tmp_path: Path
) -> None:
    with lake.imported(CUSTOMER) as (customer,):
        records = [
            customer.RECORD.example(seed).replace(externalRef=value)
            for seed, value in enumerate((None, 7, "seven"))
        ]
        customer.write_file(tmp_path / "customers.avro", records)
        read = spark.read.format("avro").load(str(tmp_path / "customers.avro"))

        frame = customer.create_dataframe(spark, records)

        assert frame.schema["externalRef"].dataType == read.schema["externalRef"].dataType
        assert list(customer.from_rows(frame.collect())) == records
        assert list(customer.from_rows(read.collect())) == records
