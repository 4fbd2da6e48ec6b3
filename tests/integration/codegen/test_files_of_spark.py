"""A package reads Avro files with the schemas that Spark gives them by default."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from pyspark.sql import SparkSession

from codegen.modules import render_modules
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.derivation import derive
from lakeschema.translation.model.interface import Options
from tests.codegen.generated import imported, imported_modules, record

NAME = RelationName.of("shop", "orders")
COLUMNS = {
    "flag": ("BOOLEAN", "true"),
    "tiny": ("TINYINT", "-1Y"),
    "small": ("SMALLINT", "300S"),
    "number": ("INT", "7"),
    "id": ("BIGINT", "5000000000"),
    "ratio": ("FLOAT", "1.5F"),
    "share": ("DOUBLE", "0.1D"),
    "price": ("DECIMAL(10,2)", "12.34"),
    "big": ("DECIMAL(38,18)", "-1.5"),
    "name": ("STRING", "'Zoë'"),
    "code": ("CHAR(3)", "'abc'"),
    "picture": ("BINARY", "X'00FF'"),
    "day": ("DATE", "DATE'2024-01-31'"),
    "at": ("TIMESTAMP", "TIMESTAMP'2024-01-31 12:00:00.000001Z'"),
    "wall": ("TIMESTAMP_NTZ", "TIMESTAMP_NTZ'2024-01-31 12:00:00.000001'"),
    "waited": ("INTERVAL DAY TO SECOND", "INTERVAL '1 02:00:00.000001' DAY TO SECOND"),
    "term": ("INTERVAL YEAR TO MONTH", "INTERVAL '1-2' YEAR TO MONTH"),
    "größe": ("INT", "42"),
    "UserId": ("STRUCT<InnerCase: INT>", "named_struct('InnerCase', 7)"),
    "lines": (
        "ARRAY<STRUCT<price: DECIMAL(12,4), tags: MAP<STRING, DECIMAL(5,1)>>>",
        "array(named_struct('price', 1.5, 'tags', map('a', 2.5)))",
    ),
    "address": ("STRUCT<street: STRING, at: STRUCT<x: DOUBLE>>", "named_struct('street', 's', 'at', named_struct('x', 1D))"),
}  # fmt: skip


@pytest.fixture(scope="module")
def orders() -> Iterator[ModuleType]:
    types = ", ".join(f"`{column}` {type_}" for column, (type_, _) in COLUMNS.items())
    relation = relations_from_ddl([f"CREATE TABLE shop.orders ({types});"], Dialect.SPARK)[NAME]
    schema = derive(relation, {}, Options()).interface.schema
    modules = render_modules(schema, "orders_in_files", NAME)
    with imported_modules(modules, "orders_in_files") as module:
        yield module


def expected(orders: Any) -> Any:
    return orders.Orders.from_dict(
        {
            "flag": True, "tiny": -1, "small": 300, "number": 7, "id": 5_000_000_000,
            "ratio": 1.5, "share": 0.1, "price": Decimal("12.34"), "big": Decimal("-1.5"),
            "name": "Zoë", "code": "abc", "picture": b"\0\xff", "day": dt.date(2024, 1, 31),
            "at": dt.datetime(2024, 1, 31, 12, 0, 0, 1, dt.UTC),
            "wall": dt.datetime(2024, 1, 31, 12, 0, 0, 1, dt.UTC).replace(tzinfo=None),
            "waited": dt.timedelta(days=1, hours=2, microseconds=1), "term": 14,
            "gr_xC3_xB6_xC3_x9Fe": 42, "UserId": {"InnerCase": 7},
            "lines": [{"price": Decimal("1.5"), "tags": {"a": Decimal("2.5")}}],
            "address": {"street": "s", "at": {"x": 1.0}},
        }
    )  # fmt: skip


@pytest.mark.parametrize("is_partitioned", [False, True])
def test_every_type_of_columns_is_read_from_sparks_own_files(
    spark: SparkSession, orders: Any, tmp_path: Path, is_partitioned: bool
) -> None:
    spark.conf.set("spark.sql.session.timeZone", "Europe/Dublin")
    values = ", ".join(f"CAST({v} AS {t}) AS `{c}`" for c, (t, v) in COLUMNS.items())
    nulls = ", ".join(f"CAST(NULL AS {t})" for t, _ in COLUMNS.values())
    frame = spark.sql(f"SELECT {values} UNION ALL SELECT {nulls}")
    writer = frame.write.format("avro")
    if is_partitioned:
        writer = writer.partitionBy("number", "day", "name")

    writer.save(str(tmp_path / "orders"))

    found = list(orders.read_file(tmp_path / "orders"))
    assert len(found) == 2
    assert expected(orders) in found
    assert orders.Orders() in found


def test_a_union_is_what_sparks_reader_makes_of_it(spark: SparkSession, tmp_path: Path) -> None:
    person = {"type": "record", "name": "Person", "fields": [{"name": "name", "type": "string"}]}
    schema = record({
        "ref": ["null", "long", "string"],
        "number": {"type": ["int", "long"]},
        "share": ["null", "float", "double"],
        "who": {"type": [person, "string"]},
    })  # fmt: skip
    with imported(schema) as package:
        made = [
            package.R(ref=7, number=1, share=1.5, who=package.Person(name="p")),
            package.R(ref="x", number=2**40, share=None, who="q"),
            package.R(ref=None, number=2, share=0.1, who="r"),
        ]
        package.write_file(tmp_path / "made.avro", made)

        read = spark.read.format("avro").load(str(tmp_path / "made.avro"))
        frame = package.create_dataframe(spark, made)

        assert read.schema.simpleString() == package.spark_schema().simpleString()
        assert list(package.from_rows(read.orderBy("number").collect())) == [
            made[0],
            made[2],
            made[1],
        ]
        assert list(package.from_rows(frame.collect())) == made
        assert [row.to_record() for row in package.rows(frame.toLocalIterator())] == made
        read.createOrReplaceTempView("unions")
        columns = package._columns.relation_frame(package._codec.BINDING, spark, "unions")
        assert columns.schema == package.spark_schema()
        assert sorted(map(str, package.from_rows(columns.collect()))) == sorted(map(str, made))


def test_types_without_a_column_are_read_as_spark_writes_them(
    spark: SparkSession, tmp_path: Path
) -> None:
    tier = {"type": "enum", "name": "Tier", "symbols": ["GOLD", "SILVER"]}
    mark = {"type": "fixed", "name": "Mark", "size": 2}
    price = {"type": "fixed", "name": "Price", "size": 9, "logicalType": "decimal",
             "precision": 20, "scale": 2}  # fmt: skip
    schema = record({"tier": tier, "mark": ["null", mark], "price": ["null", price]})
    with imported(schema) as package:
        made = package.R(tier=package.Tier.SILVER, mark=package.Mark(b"ab"), price=Decimal("1.50"))
        package.create_dataframe(spark, [made]).write.format("avro").save(str(tmp_path / "files"))

        assert list(package.read_file(tmp_path / "files")) == [made]
