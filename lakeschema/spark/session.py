"""Makes the Spark session for catalogs and snapshots; needs the ``spark`` extra."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class SparkMissing(Exception):
    hint = "pip install '.[spark]' in the checkout of schema-publisher, and Java 17"

    def __str__(self) -> str:
        return "pyspark is not installed"


def spark_session(conf: Mapping[str, str], *, tasks: int = 2) -> SparkSession:
    """The process's session; ``conf`` overrides the defaults (local, no web UI, errors only).

    Raises:
        SparkMissing: the extra is not installed.
    """
    try:
        from pyspark import SparkConf
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise SparkMissing from error
    defaults = {
        "spark.master": f"local[{tasks}]",
        "spark.app.name": "schema-publisher",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
    }
    merged = SparkConf(loadDefaults=True)
    for key, value in (defaults | dict(conf)).items():
        merged.set(key, value)
    if str(merged.get("spark.master")).startswith("local"):
        # Everything runs on this machine: no other host connects to it, and its workers need this
        # Python's packages.
        for key in ("spark.driver.host", "spark.driver.bindAddress"):
            merged.setIfMissing(key, "127.0.0.1")
        merged.setIfMissing("spark.pyspark.python", sys.executable)
    python = merged.get("spark.pyspark.python")
    if python:
        # Only spark-submit uses the setting; a session created here reads the environment.
        os.environ.setdefault("PYSPARK_PYTHON", python)
    return SparkSession.builder.config(conf=merged).getOrCreate()
