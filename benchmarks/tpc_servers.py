"""Trino and Spark over one metastore, with the tables of Trino's TPC connectors in shared files."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from deploy.metastore import Metastore
from deploy.spark import spark_session_conf
from deploy.trino import Catalogs, Trino
from lakeschema.catalog.hive_metastore import HiveMetastoreCatalog
from lakeschema.catalog.identifiers import Namespace, RelationName
from tests.judges.queries.tpc_queries import SUITES
from tests.judges.sessions import start_spark

CATALOG = "hive"
VIEWS = "views"
_SOURCE = "tiny"
_OF_THE_GENERATOR = "dbgen_version"
"""No query reads this table, and it has a time, which Hive's files cannot hold."""


@dataclass(frozen=True, slots=True)
class TpcServers:
    trino: Trino
    spark: SparkSession
    catalog: HiveMetastoreCatalog


@contextmanager
def tpc_servers(folder: Path) -> Iterator[TpcServers]:
    """Starts all servers and creates the tables; sets this process to UTC, as in the servers."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    with (
        Metastore.start(folder / "metastore") as metastore,
        Trino.start(folder / "trino", heap_megabytes=3072, catalogs=_catalogs(metastore)) as trino,
        closing(HiveMetastoreCatalog(metastore.uri, name=CATALOG)) as catalog,
    ):
        _copy_tables(trino)
        spark = _session(metastore)
        try:
            yield TpcServers(trino, spark, catalog)
        finally:
            spark.stop()


def tables_of(catalog: HiveMetastoreCatalog) -> list[RelationName]:
    return [name for suite in SUITES for name in catalog.relations(Namespace((suite,)))]


def _catalogs(metastore: Metastore) -> Catalogs:
    hive = {
        "connector.name": "hive",
        "hive.metastore.uri": metastore.uri,
        "fs.hadoop.enabled": "true",
        "hive.storage-format": "PARQUET",
    }
    return {CATALOG: hive, "tpcds": {"connector.name": "tpcds"}}


def _copy_tables(trino: Trino) -> None:
    trino.answer(f"CREATE SCHEMA {CATALOG}.{VIEWS}")
    for suite in SUITES:
        trino.answer(f"CREATE SCHEMA {CATALOG}.{suite}")
        for (table,) in trino.answer(f"SHOW TABLES FROM {suite}.{_SOURCE}").rows:
            if table == _OF_THE_GENERATOR:
                continue
            source = f"{suite}.{_SOURCE}.{table}"
            trino.answer(f"CREATE TABLE {CATALOG}.{suite}.{table} AS SELECT * FROM {source}")


def _session(metastore: Metastore) -> SparkSession:
    settings = {
        **spark_session_conf(metastore, memory_megabytes=3072),
        # For so few rows, compilation costs more than execution.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.adaptive.enabled": "false",
    }
    return start_spark(settings)
