"""Spark 4.1.4 with Iceberg's plugin in a separate process: tests write and read Iceberg tables with it.

The plugin does not load in the Spark of this project, so this Spark has a separate environment,
which ``requirements/spark-iceberg.txt`` pins. It is ready in 10 s; the first start installs 450 MB.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.answering_process import AnsweringProcess
from deploy.iceberg_rest import IcebergRest, sqlite_url
from deploy.jars import downloaded_jars
from deploy.jdk import find_jdk
from deploy.refused import Refused
from deploy.spark import local_session_conf
from deploy.tool_environments import tool_python

_PROGRAM = Path(__file__).parent / "spark_statements.py"
_PLUGIN = "org.apache.iceberg.spark.SparkCatalog"
_EXTENSIONS = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"

Properties = Mapping[str, str]
"""The properties of one catalog, with Iceberg's names for them."""


@dataclass(frozen=True, slots=True)
class SparkAnswer:
    """The result of one statement.

    Attributes:
        schema: the columns in Spark's own JSON, with nullability and comments.
        rows: values of JSON: a struct as an object, a map as a list of pairs, times as ISO text
            in UTC, bytes as hexadecimal text, decimals and others as Python prints them.
    """

    schema: Mapping[str, Any]
    rows: Sequence[Sequence[Any]]


class SparkWithIceberg(AnsweringProcess):
    """A running session.

    Attributes:
        version: the version of Spark.
    """

    title = "Spark-with-Iceberg"
    version: str

    @staticmethod
    def start(
        directory: Path, catalogs: Mapping[str, Properties], *, memory_megabytes: int = 700
    ) -> SparkWithIceberg:
        """Starts Spark with its files in ``directory``.

        Returns when Spark accepts statements on ``catalogs``.

        Raises:
            MissingPrerequisite: there is no JDK.
            PreparationFailed: Spark or the plugin cannot be installed here.
            ServerFailed: Spark ended before it accepted statements.
        """
        root = directory.resolve()
        scratch = root / "tmp"
        scratch.mkdir(parents=True, exist_ok=True)
        python = str(tool_python("spark-iceberg"))
        settings = {
            **local_session_conf(scratch, memory_megabytes=memory_megabytes),
            "spark.pyspark.python": python,
            "spark.pyspark.driver.python": python,
            "spark.jars": ",".join(map(str, downloaded_jars(find_jdk(), "iceberg"))),
            "spark.sql.extensions": _EXTENSIONS,
            "spark.sql.session.timeZone": "UTC",
            "spark.sql.warehouse.dir": (root / "spark-warehouse").as_uri(),
            **_catalog_settings(catalogs),
        }
        file = root / "settings.json"
        file.write_text(json.dumps(settings))
        # Isolated: it must not use this process's PYTHONPATH or the modules of this folder.
        spark = SparkWithIceberg((python, "-I", str(_PROGRAM), str(file)), root)
        spark.version = spark.read_answer()["version"]
        return spark

    def run(self, *statements: str) -> Sequence[SparkAnswer | Refused]:
        """The answers to the statements, which run in order; a failure does not stop the others.

        Raises:
            ServerFailed: Spark ended.
        """
        return [
            Refused(answer["error"], sql, answer["name"])
            if "error" in answer
            else SparkAnswer(answer["schema"], answer["rows"])
            for sql, answer in zip(statements, self.ask(statements), strict=True)
        ]

    def answer(self, statement: str) -> SparkAnswer:
        """Runs one statement.

        Raises:
            Refused: Spark could not run it.
            ServerFailed: Spark ended.
        """
        (answer,) = self.run(statement)
        if isinstance(answer, Refused):
            raise answer
        return answer


def rest_catalog(server: IcebergRest) -> Properties:
    """Connection properties for the catalog of a running REST server."""
    return {"type": "rest", "uri": server.uri}


def jdbc_catalog(file: Path, warehouse: Path) -> Properties:
    """Connection properties for a catalog in a SQLite file.

    The file lists the tables under the name of the catalog.
    """
    return {
        "type": "jdbc",
        "uri": sqlite_url(file),
        "warehouse": warehouse.as_uri(),
        # The default, V0, has no views.
        "jdbc.schema-version": "V1",
    }


def hadoop_catalog(warehouse: Path) -> Properties:
    """Connection properties for a catalog in a folder; it has no views."""
    return {"type": "hadoop", "warehouse": warehouse.as_uri()}


def _catalog_settings(catalogs: Mapping[str, Properties]) -> dict[str, str]:
    settings: dict[str, str] = {}
    for name, properties in catalogs.items():
        key = f"spark.sql.catalog.{name}"
        # With the cache, a session reads changes by other sessions only after 30 seconds.
        for option, value in {"cache-enabled": "false", **properties}.items():
            settings[f"{key}.{option}"] = value
        settings[key] = _PLUGIN
    return settings
