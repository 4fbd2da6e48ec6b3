"""What runs queries over worlds: Spark, and DuckDB, which knows nothing of Spark and is many times faster."""

# What Spark says of rows without collecting them has no public name.

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

import duckdb
import pyarrow as pa
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

from deploy.refused import Refused
from tests.judges.lineage.views import TEXT, WORLD, EngineName, LineageTable
from tests.judges.sessions import RUN_ONCE, limited, start_spark
from tests.judges.verdicts import TOO_MANY
from tests.judges.views.in_spark import reason_of

MAX_SECONDS: Final = 20.0
_SETTINGS: Final = {
    **RUN_ONCE,
    "spark.sql.ansi.enabled": "false",
    "spark.driver.memory": "2g",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.sql.leafNodeDefaultParallelism": "1",
}


class Engine(Protocol):
    @property
    def name(self) -> EngineName: ...

    def store(self, name: str, table: LineageTable, rows: Sequence[tuple[object, ...]]) -> None:
        """As a table of the columns ``changed``, the world and ``table``'s, in place of what it was."""

    def rows(self, query: str) -> list[tuple[str, ...]]:
        """Raises: Refused, also when it takes more than ``MAX_SECONDS``."""

    def hashed(self, column: str) -> str:
        """A number for each value, the engine's own; nulls have one, too."""

    def digest(self, column: str) -> str:
        """A number of 48 bits for each value, the same in every engine; nulls have one, too."""


class SparkEngine:
    name: EngineName = "spark"

    def __init__(self) -> None:
        self._spark = start_spark(_SETTINGS)
        for key, value in _SETTINGS.items():
            # Plans run without an execution of Spark's own, which would hand these to the tasks:
            # they would compile each expression again.
            self._spark.sparkContext.setLocalProperty(key, value)

    def store(self, name: str, table: LineageTable, rows: Sequence[tuple[object, ...]]) -> None:
        columns = ", ".join(f"{c} {'string' if k == TEXT else 'int'}" for c, k in table.columns)
        frame = self._spark.createDataFrame(list(rows), f"changed int, {WORLD} int, {columns}")
        session: Any = self._spark._jsparkSession
        kept = session.createDataFrame(frame._jdf.collectAsList(), frame._jdf.schema())
        # In one partition, so that nothing is moved about, and where tasks run: else the rows would
        # be sent with each task, and conditions be moved below what makes them one partition.
        kept.coalesce(1).localCheckpoint().createOrReplaceTempView(name)

    def rows(self, query: str) -> list[tuple[str, ...]]:
        jvm: Any = self._spark._jvm
        with limited(MAX_SECONDS, self._spark.sparkContext.cancelAllJobs):
            try:
                plan = self._spark._jsparkSession.sql(query).queryExecution().executedPlan()
                lines = jvm.org.apache.spark.sql.execution.HiveResult.hiveResultString(plan)
                text = "" if lines.isEmpty() else str(lines.mkString("\n"))
            except (PySparkException, Py4JJavaError) as error:
                raise Refused(reason_of(error)) from error
        return [tuple(line.split("\t")) for line in text.splitlines()]

    def hashed(self, column: str) -> str:
        return f"xxhash64({column})"

    def digest(self, column: str) -> str:
        digits = f"substring(md5(coalesce(cast({column} AS string), 'null')), 1, 12)"
        return f"cast(conv({digits}, 16, 10) AS bigint)"


class DuckDBEngine:
    name: EngineName = "duckdb"

    def __init__(self) -> None:
        self._connection = duckdb.connect()
        # As Spark sorts.
        self._connection.execute(
            "SET threads = 1; SET default_null_order = 'nulls_first'; SET enable_progress_bar = false"
        )

    def store(self, name: str, table: LineageTable, rows: Sequence[tuple[object, ...]]) -> None:
        types = [
            pa.int32(),
            pa.int32(),
            *(pa.string() if k == TEXT else pa.int32() for _, k in table.columns),
        ]
        names = ["changed", WORLD, *(column for column, _ in table.columns)]
        columns = [pa.array(c, t) for c, t in zip(zip(*rows, strict=True), types, strict=True)]
        self._connection.register("given", pa.table(columns, names=names))
        self._connection.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM given")
        self._connection.unregister("given")

    def rows(self, query: str) -> list[tuple[str, ...]]:
        with limited(MAX_SECONDS, self._connection.interrupt):
            try:
                found = self._connection.execute(query).fetchall()
            except duckdb.InterruptException as error:
                raise Refused(TOO_MANY) from error
            except duckdb.Error as error:
                raise Refused(reason_of(error)) from error
        return [tuple(map(str, row)) for row in found]

    def hashed(self, column: str) -> str:
        return f"hash({column})"

    def digest(self, column: str) -> str:
        digits = f"substring(md5(coalesce(CAST({column} AS VARCHAR), 'null')), 1, 12)"
        return f"CAST('0x' || {digits} AS BIGINT)"
