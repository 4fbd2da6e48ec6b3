"""Local sessions of Spark, alone and next to another engine."""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pyspark import SparkConf
from pyspark.sql import SparkSession

from deploy.hive import LONG_RUN_MEGABYTES, HiveQueries
from deploy.trino import Trino

_LOCAL: Final[Mapping[str, str]] = {
    "spark.master": "local[1]",
    "spark.log.level": "OFF",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "1",
}
NOT_COMPILED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }
)
"""Disables compilation: for a query over a few rows it takes longer than to run the query."""
RUN_ONCE: Final[Mapping[str, str]] = MappingProxyType(
    {
        **NOT_COMPILED,
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        "spark.driver.memory": "3g",
    }
)
"""Settings for many queries that each run once."""
_TRINO_MEGABYTES: Final = 4096
"""Trino's parser keeps state for each new text."""


def start_spark(settings: Mapping[str, str] = RUN_ONCE) -> SparkSession:
    # A session takes its workers' Python only from the environment.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    conf = SparkConf().setAll([*{**_LOCAL, **settings}.items()])
    return SparkSession.builder.config(conf=conf).getOrCreate()


@contextmanager
def running_spark(settings: Mapping[str, str] = RUN_ONCE) -> Iterator[SparkSession]:
    session = start_spark(settings)
    try:
        yield session
    finally:
        session.stop()


@contextmanager
def spark_and_trino() -> Iterator[tuple[SparkSession, Trino]]:
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        Trino.start(Path(folder), heap_megabytes=_TRINO_MEGABYTES) as trino,
        running_spark() as spark,
    ):
        yield spark, trino


@contextmanager
def spark_and_hive() -> Iterator[tuple[SparkSession, HiveQueries, Path]]:
    """Both engines, and a folder for the tables' files."""
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        HiveQueries.start(Path(folder) / "hive", heap_megabytes=LONG_RUN_MEGABYTES) as hive,
        running_spark() as spark,
    ):
        yield spark, hive, Path(folder) / "data"


@contextmanager
def with_settings(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """The session has these settings inside the block."""
    before = {key: spark.conf.get(key, None) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        yield
    finally:
        for key, known in before.items():
            if known is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, known)


@contextmanager
def limited(seconds: float, cancel: Callable[[], object]) -> Iterator[None]:
    """Calls ``cancel`` if the block takes longer."""
    late = threading.Timer(seconds, cancel)
    late.start()
    try:
        yield
    finally:
        late.cancel()


def use_utc() -> None:
    """Sets this process to UTC: PySpark converts dates and times in the process's time zone."""
    os.environ["TZ"] = "UTC"
    time.tzset()
