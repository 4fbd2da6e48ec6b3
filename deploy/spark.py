"""Settings of small local Spark sessions, with or without a running metastore as the catalog."""

from __future__ import annotations

import sys
from pathlib import Path

from deploy.jdk import QUICK_START
from deploy.metastore import Metastore
from deploy.ports import LOOPBACK


def spark_session_conf(
    metastore: Metastore, *, master: str = "local[2]", memory_megabytes: int = 1024
) -> dict[str, str]:
    """Settings for ``SparkConf.setAll`` or ``builder.config``; the session's catalog is the metastore."""
    scratch = metastore.directory / "spark"
    scratch.mkdir(exist_ok=True)
    return {
        **local_session_conf(scratch, master=master, memory_megabytes=memory_megabytes),
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.warehouse.dir": metastore.warehouse.as_uri(),
        "spark.hadoop.hive.metastore.uris": metastore.uri,
    }


def local_session_conf(
    scratch: Path, *, master: str = "local[2]", memory_megabytes: int = 1024
) -> dict[str, str]:
    """The settings without those of a catalog; the folder ``scratch`` gets temporary files."""
    return {
        "spark.master": master,
        "spark.driver.memory": f"{memory_megabytes}m",
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.extraJavaOptions": " ".join((*QUICK_START, f"-Djava.io.tmpdir={scratch}")),
        "spark.local.dir": str(scratch),
        "spark.pyspark.python": sys.executable,
        "spark.pyspark.driver.python": sys.executable,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        # Two cores and a few rows: Spark's default of 200 tasks per shuffle is only overhead.
        "spark.default.parallelism": "2",
        "spark.sql.shuffle.partitions": "2",
        "spark.hadoop.fs.defaultFS": "file:///",
    }
