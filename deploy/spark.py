"""The settings of a small local Spark session whose catalog is a running metastore."""

from __future__ import annotations

import sys

from deploy.jdk import QUICK_START
from deploy.metastore import Metastore
from deploy.ports import LOOPBACK


def spark_session_conf(
    metastore: Metastore, *, master: str = "local[2]", memory_megabytes: int = 1024
) -> dict[str, str]:
    """Settings for ``SparkConf.setAll`` or ``builder.config``."""
    scratch = metastore.directory / "spark"
    scratch.mkdir(exist_ok=True)
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
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.warehouse.dir": metastore.warehouse.as_uri(),
        "spark.hadoop.hive.metastore.uris": metastore.uri,
        "spark.hadoop.fs.defaultFS": "file:///",
    }
