"""A package agrees with the relation that Spark reads from the metastore and writes back."""

from __future__ import annotations

import random
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.types import (
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
)

from codegen.modules import render_modules
from lakeschema.catalog.identifiers import RelationName
from tests.codegen.columns import every_column
from tests.codegen.generated import imported_modules, record, record_of

EVERY, VALUES = every_column(with_null=False)
WITH_NULL, VALUES_WITH_NULL = every_column(with_null=True)

# An example is queries over more than 80 columns, and 20 records.
few = settings(
    max_examples=1, deadline=None, phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip


def lowered(type_: DataType) -> DataType:
    """The type as a metastore keeps it: in lower case, and everything may be null."""
    match type_:
        case StructType(fields=fields):
            turned = random.Random(0).sample(fields, len(fields))
            return StructType([StructField(f.name.lower(), lowered(f.dataType)) for f in turned])
        case ArrayType(elementType=element):
            return ArrayType(lowered(element))
        case MapType(valueType=value):
            return MapType(type_.keyType, lowered(value))
        case _:
            return type_


@pytest.fixture(autouse=True)
def _away_from_utc(spark: SparkSession) -> Iterator[None]:
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield
    spark.conf.unset("spark.sql.session.timeZone")


@pytest.fixture(scope="module")
def package() -> Iterator[ModuleType]:
    relation = RelationName.of("example", "every")
    modules = render_modules(record_of(EVERY), "acme_schemas.example.every", relation)
    with imported_modules(modules, "acme_schemas.example.every") as module:
        yield module


def package_of(fields: dict[str, Any], table: str) -> Any:
    """The package of a table of these fields."""
    relation, package = RelationName.parse(table), f"generated_for_{table.replace('.', '_')}"
    return imported_modules(render_modules(record_of(record(fields)), package, relation), package)


@few
@given(st.lists(VALUES, min_size=20, max_size=20))
def test_every_type_is_read_from_a_table_and_from_a_view(
    spark: SparkSession, database: str, package: Any, values: list[dict[str, Any]]
) -> None:
    records = [package.RECORD.from_dict(value) for value in values]
    written = package.create_dataframe(spark, records)
    kept = lowered(package.spark_schema())
    assert isinstance(kept, StructType)
    order = [field.name for field in kept.fields]
    written.select(*order).to(kept).coalesce(1).write.saveAsTable(
        f"{database}.every", mode="overwrite", format="parquet"
    )
    spark.sql(f"CREATE OR REPLACE VIEW {database}.seen AS SELECT * FROM {database}.every")

    assert spark.table(f"{database}.every").schema == kept
    for name in ("every", "seen"):
        frame = package.dataset(spark, f"{database}.{name}")

        assert frame.schema == package.spark_schema()
        assert list(package.from_rows(frame.collect())) == records


@few
@given(st.lists(VALUES_WITH_NULL, min_size=20, max_size=20))
def test_records_pass_through_a_data_frame_unchanged(
    spark: SparkSession, values: list[dict[str, Any]]
) -> None:
    with imported_modules(
        render_modules(record_of(WITH_NULL), "with_null"), "with_null"
    ) as package:
        records = [package.RECORD.from_dict(value) for value in values]

        frame = package.create_dataframe(spark, records)

        assert frame.schema == package.spark_schema()
        assert list(package.from_rows(frame.collect())) == records
        assert list(package.from_rows(package.to_rows(records))) == records


def test_no_records_are_an_empty_data_frame_of_the_schema(
    spark: SparkSession, package: Any
) -> None:
    frame = package.create_dataframe(spark, [])

    assert frame.schema == package.spark_schema()
    assert frame.collect() == []


def test_narrower_columns_comments_and_never_null_ones_become_the_schemas(
    spark: SparkSession, database: str
) -> None:
    money = {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 4}
    fields = {"Small": "int", "Code": "string", "Worth": {"type": ["null", money]},
              "One": {"type": ["null", "int"]}, "Moment": {
                  "type": {"type": "long", "logicalType": "timestamp-micros"}}}  # fmt: skip
    spark.sql(
        f"CREATE TABLE {database}.t (small TINYINT COMMENT 'a', code VARCHAR(3), "
        "worth DECIMAL(9,2), moment TIMESTAMP) USING parquet"
    )
    spark.sql(f"INSERT INTO {database}.t VALUES (1, 'abc', 1.25, TIMESTAMP '2020-01-01 00:00:00Z')")
    spark.sql(f"CREATE VIEW {database}.v AS SELECT *, 1 AS one FROM {database}.t")

    with package_of(fields, f"{database}.v") as package:
        frame = package.dataset(spark)

        assert frame.schema == package.spark_schema()
        (found,) = package.from_rows(frame.collect())
        assert (found.Small, found.Code, str(found.Worth), found.One) == (1, "abc", "1.2500", 1)


def test_column_that_the_relation_lacks_is_named(spark: SparkSession, database: str) -> None:
    spark.sql(f"CREATE TABLE {database}.t (head STRUCT<street: STRING>, name INT) USING parquet")
    inner = record({"Street": "string", "Unit": "int"}, "Inner")

    for fields, reason in (
        ({"Head": {"type": inner}}, rf"{database}\.t has no column Head\.Unit"),
        ({"Tail": "int"}, r"no column Tail of this .*columns: head, name"),
        ({"name": "string"}, r"name: expected string as in this .*, got int"),
    ):
        with (
            package_of(fields, f"{database}.t") as package,
            pytest.raises(package.AvroError, match=reason),
        ):
            package.dataset(spark)


def test_null_where_the_schema_has_none_ends_the_query_with_its_path(
    spark: SparkSession, database: str
) -> None:
    spark.sql(
        f"CREATE TABLE {database}.t USING parquet AS SELECT * FROM VALUES "
        "(1, array(named_struct('street', 'a'))), "
        "(2, array(named_struct('street', CAST(NULL AS STRING)))) AS t(id, heads)"
    )
    inner = record({"Street": "string"}, "Inner")
    fields = {"Id": "int", "Heads": {"type": {"type": "array", "items": inner}}}

    with package_of(fields, f"{database}.t") as package:
        frame = package.dataset(spark)

        assert frame.schema == package.spark_schema()
        (first,) = package.from_rows(frame.where("Id = 1").collect())
        assert first.Heads == [package.Inner(Street="a")]
        with pytest.raises(PySparkException, match=r"t: Heads\[\].Street is null"):
            frame.collect()
        assert frame.select("Id").count() == 2
