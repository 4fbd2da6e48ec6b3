"""Spark's names of columns and fields, asked of Spark again; ``--accept`` records all again.

A view from a metastore has the columns that Spark stored; a view from DDL has those of its text.
"""

from __future__ import annotations

from contextlib import closing

import pytest
from pyspark.sql import SparkSession

from deploy.local_stack import Metastore
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import Namespace, RelationName
from lakeschema.catalog.spark_schema import columns_from_json
from tests.lakeschema.translation.asked_names import (
    TABLES,
    names_of_columns,
    names_of_fields,
    record,
    recorded,
)
from tests.lakeschema.translation.relations import derived_in


def test_spark_names_columns_as_recorded(
    spark: SparkSession, metastore: Metastore, database: str, pytestconfig: pytest.Config
) -> None:
    spark.sql(f"USE {database}")
    for statement in TABLES:
        spark.sql(statement)
    views = tuple(recorded())
    for number, query in enumerate(views):
        spark.sql(f"CREATE VIEW v{number} AS {query}")
    answers = {query: _names(spark, f"v{number}") for number, query in enumerate(views)}
    spark.sql("USE default")
    with closing(HiveMetastoreCatalog(metastore.uri)) as catalog:
        relations = dict(catalog.read(catalog.relations(Namespace((database,)))))

    found = [
        derived_in(relations, RelationName.of(database, f"v{number}")).interface
        for number in range(len(views))
    ]

    if pytestconfig.getoption("--accept"):
        record(answers)
    assert answers == recorded()
    assert dict(zip(views, (names_of_columns(i.columns) for i in found), strict=True)) == answers
    assert dict(zip(views, map(names_of_fields, found), strict=True)) == answers


def _names(spark: SparkSession, view: str) -> str:
    columns = columns_from_json(spark.table(view).schema.json())
    assert columns is not None
    return names_of_columns(columns)
