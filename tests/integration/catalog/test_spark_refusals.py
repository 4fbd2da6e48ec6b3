"""A plan over a real metastore refuses what Spark refuses there: a sample of the recorded answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from py4j import java_gateway, protocol
from pyspark.sql import SparkSession

from deploy.local_stack import Metastore
from lakeschema.catalog.ddl_change import Script, apply_ddl
from lakeschema.catalog.errors import MalformedDdl
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.relations import Catalog, Dialect
from tests.judges.spark_ddl import SparkDdl
from tests.lakeschema.catalog.asked_ddl import OTHER_DATABASE, asked, created

_FORMS, _EVERY = 26, 60
"""All forms of change that come before the pairs of types, and few of the pairs."""


@pytest.fixture
def catalog(metastore: Metastore) -> Iterator[HiveMetastoreCatalog]:
    opened = HiveMetastoreCatalog(metastore.uri)
    yield opened
    opened.close()


@pytest.fixture
def ddl(spark: SparkSession, database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[SparkDdl]:
    monkeypatch.setattr(java_gateway, "get_return_value", protocol.get_return_value)
    spark.sql(f"CREATE DATABASE {OTHER_DATABASE}")
    spark.sql(f"USE {database}")
    yield SparkDdl(spark)
    spark.sql("USE default")
    spark.sql(f"DROP DATABASE {OTHER_DATABASE} CASCADE")


@pytest.mark.parametrize("provider", ["parquet", "hive", "view"])
def test_a_plan_refuses_what_spark_refuses(
    ddl: SparkDdl, catalog: HiveMetastoreCatalog, database: str, provider: str
) -> None:
    statements = [*asked(provider)]
    sample = statements[:_FORMS] + statements[_FORMS::_EVERY]

    answers = ddl.answers(created(provider), sample)
    ddl.create(created(provider))
    refused = [_is_refused(catalog, f"USE {database}; {statement}") for statement in sample]

    assert refused == [answer != "" for answer in answers]


def _is_refused(catalog: Catalog, script: str) -> bool:
    try:
        apply_ddl(catalog, [Script("change.sql", script)], Dialect.SPARK)
    except MalformedDdl as error:
        return "Spark 4.3 refuses" in str(error)
    return False
