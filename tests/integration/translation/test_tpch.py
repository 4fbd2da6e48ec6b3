"""TPC-H's queries as views that Spark makes in a real metastore: its analysis is the judge."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from deploy.local_stack import Metastore
from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.relations import Relation
from tests.lakeschema.translation.relations import derived_in

TPCH = Path(__file__).parent.parent.parent / "data" / "tpch"
QUERIES = sorted(path.stem for path in TPCH.glob("q*.sql"))

TIGHTER = {("q12", "high_line_count"), ("q12", "low_line_count")}
"""A sum over required values of a group is never null, since a group has a row; Spark does not say so."""


@pytest.fixture(scope="module")
def views(spark: SparkSession, metastore: Metastore) -> Iterator[dict[RelationName, Relation]]:
    spark.sql("CREATE DATABASE tpch")
    spark.sql("USE tpch")
    for statement in (TPCH / "tables.sql").read_text().split(";"):
        if statement.strip():
            spark.sql(f"{statement} STORED AS PARQUET")
    for query in QUERIES:
        spark.sql(f"CREATE VIEW {query} AS {(TPCH / f'{query}.sql').read_text()}")
    with closing(HiveMetastoreCatalog(metastore.uri)) as catalog:
        yield dict(catalog.read(catalog.relations(Namespace(("tpch",)))))
    spark.sql("USE default")
    spark.sql("DROP DATABASE tpch CASCADE")


@pytest.mark.parametrize("query", QUERIES)
def test_a_view_has_the_columns_that_spark_says(
    query: str, views: dict[RelationName, Relation], spark: SparkSession
) -> None:
    derivation = derived_in(views, RelationName.of("tpch", query))

    expected = [
        (f.name, f.dataType.simpleString(), f.nullable and (query, f.name) not in TIGHTER)
        for f in spark.table(f"tpch.{query}").schema.fields
    ]
    columns = derivation.interface.columns
    assert [(c.name, print_type(c.type), c.nullable) for c in columns] == expected
    assert [f.name for f in derivation.interface.schema.fields] == [c.name for c in columns]


def test_all_twenty_two_queries_are_there() -> None:
    assert len(QUERIES) == 22
