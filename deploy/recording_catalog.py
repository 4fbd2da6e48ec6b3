"""A catalog plugin for Spark 4.3, in memory, that records its calls.

Tests use it in place of Iceberg's plugin, which does not support Spark 4.2 or later. The recording
catalog has namespaces of any depth, tables, views, and names with letter case::

    session = SparkSession.builder.config("spark.driver.extraClassPath", recording_catalog_jar())
    settings = recording_catalog_conf("lake", {
        "namespaces": [["empty"]],
        "tables": [{"name": ["a", "b", "T"], "columns": "Id INT NOT NULL COMMENT 'key', day DATE",
                    "partitions": ["day"], "properties": {"owner": "x"}}],
        "views": [{"name": ["a", "b", "v"], "columns": "Id INT", "query": "SELECT Id FROM T"}],
        "failures": [{"name": ["a", "b", "T"], "message": "no such file"}],
    })

A view may also have ``catalog``, ``namespace``, ``query_columns``, ``schema_mode`` and ``properties``.
A failure names a relation that cannot be loaded, or a namespace that cannot be listed. Spark creates a
catalog at the first use of its name, so the settings may also be set in a running session.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pyspark.sql import SparkSession

from deploy.jars import spark_jars
from deploy.jdk import find_jdk, launcher_jar

_CLASS = "RecordingCatalog"


def recording_catalog_jar() -> str:
    """The path of the compiled plugin, for ``spark.jars`` or ``spark.driver.extraClassPath``."""
    return str(launcher_jar(find_jdk(), (_CLASS,), spark_jars()))


def recording_catalog_conf(
    catalog: str, content: Mapping[str, object] | None = None
) -> dict[str, str]:
    """The settings of a session that give it the catalog with this content."""
    key = f"spark.sql.catalog.{catalog}"
    return {key: _CLASS, f"{key}.content": json.dumps(content or {})}


def take_calls(spark: SparkSession) -> list[tuple[Any, ...]]:
    """The calls since the last ``take_calls``: each with catalog, method and arguments. A name is a list."""
    gateway: Any = spark._jvm  # noqa: SLF001  the plugin has no Python face
    return [tuple(call) for call in json.loads(gateway.RecordingCatalog.takeCalls())]
