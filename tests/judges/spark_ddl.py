"""Runs statements in Spark, each on a new table: those that it refuses, with the class of error."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from py4j import java_gateway, protocol
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.sql import SparkSession

from deploy.jars import downloaded_jars
from deploy.jdk import find_jdk
from tests.judges.sessions import start_spark
from tests.lakeschema.catalog.asked_ddl import OTHER_DATABASE, TABLE

_CATALOG: Final = "spark.sql.catalog.spark_catalog"
PLUGINS: Final[Mapping[str, Mapping[str, str]]] = {
    "delta": {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        _CATALOG: "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
    },
    "iceberg": {
        "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        _CATALOG: "org.apache.iceberg.spark.SparkSessionCatalog",
        f"{_CATALOG}.type": "hive",
        # Iceberg creates its own metastore client, which reads these settings.
        "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
        "spark.hadoop.hive.metastore.schema.verification": "false",
        "spark.hadoop.iceberg.engine.hive.lock-enabled": "false",
        # By default the metastore refuses changes of columns, and Iceberg cannot work with it.
        "spark.hadoop.hive.metastore.disallow.incompatible.col.type.changes": "false",
    },
}
"""Settings by provider. A session can load a plugin only when it starts."""

_BROKEN = frozenset({"AbstractMethodError", "IncompatibleClassChangeError", "NoSuchMethodError"})
"""Java's errors for a plugin that was built for another Spark: no answer."""

Answer = str | None
"""The class of the error, empty if Spark accepts; None if the plugin cannot answer."""

Asked = Mapping[str, tuple[str, Sequence[str]]]
"""By provider: the statement that creates the table, and the statements to ask."""

Answered = Mapping[str, tuple[str, Sequence[Answer]]]
"""By provider: the version of Spark, and the answers in order of the statements."""


def ask_spark(asked: Asked, pythons: Mapping[str, str]) -> Answered:
    """``pythons``: by provider, a Python with another Spark, since a plugin is built for one Spark."""
    plain = {provider: asked[provider] for provider in asked.keys() - PLUGINS.keys()}
    plugged = ({provider: asked[provider]} for provider in asked.keys() & PLUGINS.keys())
    answers: dict[str, tuple[str, Sequence[Answer]]] = {}
    for group in (plain, *plugged):
        if group:
            # A process can have only one session.
            ended = subprocess.run(
                [pythons.get(next(iter(group)), sys.executable), "-m", "tests.judges.spark_ddl"],
                input=json.dumps(group), text=True, stdout=subprocess.PIPE, check=True,
            )  # fmt: skip
            answers |= json.loads(ended.stdout.splitlines()[-1])
    return answers


class SparkDdl:
    """A session in which statements change tables."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def answers(self, created: str, statements: Sequence[str]) -> Sequence[Answer]:
        found: list[Answer] = []
        is_new = False
        for statement in statements:
            if not is_new:
                self.create(created)
            error = self._error(statement)
            # A broken plugin may have changed something.
            is_new = error != "" and error not in _BROKEN
            found.append(None if error in _BROKEN else error)
        return found

    def create(self, created: str) -> None:
        for name in (TABLE, f"{OTHER_DATABASE}.{TABLE}"):
            for kind in ("TABLE", "VIEW"):
                self._error(f"DROP {kind} IF EXISTS {name}")
        self._spark.sql(created)

    def _error(self, statement: str) -> str:
        try:
            self._spark.sql(statement)
        except Py4JJavaError as error:
            return _class_of(error.java_exception)
        return ""


def _class_of(raised: Any) -> str:
    try:
        found = raised.getCondition()
    except (Py4JError, TypeError):
        # Only Spark's own errors have a class.
        found = None
    return str(found or raised.getClass().getSimpleName())


def main() -> None:
    asked: Asked = json.load(sys.stdin)
    plugin = next((name for name in PLUGINS if name in asked), None)
    group = ("spark-avro",) if plugin is None else (plugin,)
    with tempfile.TemporaryDirectory() as folder:
        spark = _session(Path(folder), group, PLUGINS.get(plugin or "", {}))
        # PySpark asks the JVM a dozen questions about each error, and half of the statements fail.
        java_gateway.get_return_value = protocol.get_return_value
        spark.sql(f"CREATE DATABASE {OTHER_DATABASE}")
        ddl = SparkDdl(spark)
        version = ".".join(spark.version.split(".")[:2])
        answers = {name: (version, ddl.answers(*asked[name])) for name in asked}
        spark.stop()
    print(json.dumps(answers))


def _session(folder: Path, jars: Sequence[str], settings: Mapping[str, str]) -> SparkSession:
    jdk = find_jdk()
    paths = [str(jar) for group in jars for jar in downloaded_jars(jdk, group)]
    settings = {
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC "
        f"-Dderby.system.home={folder} -Djava.io.tmpdir={folder}",
        "spark.jars": ",".join(paths),
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
        "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:derby:memory:ddl;create=true",
        **settings,
    }
    return start_spark(settings)


if __name__ == "__main__":
    main()
