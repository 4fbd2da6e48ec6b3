"""A package reads records from Spark: the metastore has lower case, the schema its own casing."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from codegen.modules import render_modules
from lakeschema.catalog.identifiers import RelationName
from tests.codegen.generated import imported_modules, record, record_of

pytestmark = [pytest.mark.integration, pytest.mark.spark]

MILLIS = {"type": "long", "logicalType": "timestamp-millis"}
LOCAL = {"type": "long", "logicalType": "local-timestamp-micros"}
MONEY = {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}


def company() -> dict[str, Any]:
    address = record({"StreetName": "string", "Unit": ["null", "int"]}, "Address")
    return record({
        "Name": "string",
        "HeadQuarters": {"type": ["null", address], "default": None},
        "State": {"type": ["null", {"type": "enum", "name": "State", "symbols": ["CA", "NY"]}]},
        "Tags": {"type": {"type": "array", "items": "string"}},
        "Sizes": {"type": {"type": "map", "values": "long"}},
        "Founded": {"type": {"type": "int", "logicalType": "date"}},
        "Seen": {"type": MILLIS},
        "Local": {"type": LOCAL},
        "Worth": {"type": MONEY},
        "Logo": "bytes",
    }, "Company")  # fmt: skip


@pytest.fixture(autouse=True)
def _away_from_utc(spark: SparkSession) -> Iterator[None]:
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    yield
    spark.conf.unset("spark.sql.session.timeZone")
    spark.sql("DROP DATABASE IF EXISTS example CASCADE")


def test_table_in_lower_case_is_read_as_typed_records(spark: SparkSession, tmp_path: Path) -> None:
    spark.sql("CREATE DATABASE IF NOT EXISTS example")
    spark.sql("DROP TABLE IF EXISTS example.company")
    spark.sql("""
        CREATE TABLE example.company USING parquet AS SELECT
          'acme' AS name, named_struct('streetname', 'High St', 'unit', 7) AS headquarters,
          'CA' AS state, array('a') AS tags, map('k', 1L) AS sizes, DATE '2003-05-05' AS founded,
          TIMESTAMP '2020-07-01T10:00:00.123Z' AS seen,
          TIMESTAMP_NTZ '2020-07-01 10:00:00.000001' AS local,
          CAST(12.34 AS DECIMAL(10,2)) AS worth, X'00FF' AS logo, 'extra' AS unknown_column
    """)
    relation = RelationName.of("example", "company")
    modules = render_modules(record_of(company()), "acme_schemas.example.company", relation)

    with imported_modules(modules, "acme_schemas.example.company") as package:
        (found,) = package.from_rows(package.dataset(spark).collect())

        assert found == package.Company(
            Name="acme",
            HeadQuarters=package.Address(StreetName="High St", Unit=7),
            State=package.State.CA,
            Tags=["a"],
            Sizes={"k": 1},
            Founded=dt.date(2003, 5, 5),
            Seen=dt.datetime(2020, 7, 1, 10, 0, 0, 123000, tzinfo=dt.UTC),
            Local=dt.datetime(2020, 7, 1, 10, 0, 0, 1),  # noqa: DTZ001
            Worth=Decimal("12.34"),
            Logo=b"\0\xff",
        )
        assert package.Company.from_avro(found.to_avro()) == found
        schema = package.spark_schema()
        assert schema.simpleString() == (
            "struct<Name:string,HeadQuarters:struct<StreetName:string,Unit:int>,State:string,"
            "Tags:array<string>,Sizes:map<string,bigint>,Founded:date,Seen:timestamp,"
            "Local:timestamp_ntz,Worth:decimal(10,2),Logo:binary>"
        )
        assert [f.nullable for f in schema.fields[:3]] == [False, True, True]
        assert not schema["Tags"].dataType.containsNull


def test_row_that_lacks_a_required_value_is_refused_with_its_path(spark: SparkSession) -> None:
    relation = RelationName.of("example", "company")
    modules = render_modules(record_of(company()), "acme_schemas.example.company", relation)
    frame = spark.sql("SELECT CAST(NULL AS STRING) AS name")

    with (
        imported_modules(modules, "acme_schemas.example.company") as package,
        pytest.raises(package.InvalidValue, match="Name: expected str, got None"),
    ):
        next(package.from_rows(frame.collect()))
