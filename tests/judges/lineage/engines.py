"""Engines that run queries over worlds: Spark, and DuckDB, which is independent and much faster."""

# Spark's way to read rows without collecting them has no public name.

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

import duckdb
import pyarrow as pa

from deploy.refused import Refused
from tests.judges.engines.protocol import AnswersRows
from tests.judges.engines.spark import SparkEngine as Session
from tests.judges.lineage.views import TEXT, WORLD, EngineName, LineageTable
from tests.judges.sessions import RUN_ONCE, limited, start_spark
from tests.judges.verdicts import TOO_MANY

MAX_SECONDS: Final = 20.0
_SETTINGS: Final = {
    **RUN_ONCE,
    "spark.sql.ansi.enabled": "false",
    "spark.driver.memory": "2g",
    "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    "spark.sql.leafNodeDefaultParallelism": "1",
}


class Engine(AnswersRows, Protocol):
    """It refuses to work longer than ``MAX_SECONDS``."""

    @property
    def name(self) -> EngineName: ...

    def rows(self, sql: str) -> list[tuple[str, ...]]:
        """As texts."""

    def store(self, name: str, table: LineageTable, rows: Sequence[tuple[object, ...]]) -> None:
        """Replaces a table by one with the columns ``changed``, the world and those of ``table``."""

    def hashed(self, column: str) -> str:
        """The engine's own hash of each value; nulls have a hash, too."""

    def digest(self, column: str) -> str:
        """A hash of 48 bits for each value, the same in every engine; nulls have a hash, too."""


class SparkEngine:
    name: EngineName = "spark"

    def __init__(self) -> None:
        self._spark = start_spark(_SETTINGS)
        for key, value in _SETTINGS.items():
            # Plans run outside of Spark's executions, which would pass these settings to the tasks.
            # Without them, the tasks would compile each expression again.
            self._spark.sparkContext.setLocalProperty(key, value)

    def store(self, name: str, table: LineageTable, rows: Sequence[tuple[object, ...]]) -> None:
        columns = ", ".join(f"{c} {'string' if k == TEXT else 'int'}" for c, k in table.columns)
        frame = self._spark.createDataFrame(list(rows), f"changed int, {WORLD} int, {columns}")
        session: Any = self._spark._jsparkSession
        kept = session.createDataFrame(frame._jdf.collectAsList(), frame._jdf.schema())
        # In one partition, so that nothing is shuffled, and stored where tasks run. Otherwise each task
        # would be sent the rows, and conditions would be pushed below the coalescing.
        kept.coalesce(1).localCheckpoint().createOrReplaceTempView(name)

    def rows(self, sql: str) -> list[tuple[str, ...]]:
        engine = Session(self._spark, max_seconds=MAX_SECONDS)
        return engine.printed(engine.frame(sql))

    def hashed(self, column: str) -> str:
        return f"xxhash64({column})"

    def digest(self, column: str) -> str:
        digits = f"substring(md5(coalesce(cast({column} AS string), 'null')), 1, 12)"
        return f"cast(conv({digits}, 16, 10) AS bigint)"


class DuckDBEngine:
    name: EngineName = "duckdb"

    def __init__(self) -> None:
        self._connection = duckdb.connect()
        # Sort nulls as Spark does.
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

    def rows(self, sql: str) -> list[tuple[str, ...]]:
        with limited(MAX_SECONDS, self._connection.interrupt):
            try:
                found = self._connection.execute(sql).fetchall()
            except duckdb.InterruptException as error:
                raise Refused(TOO_MANY) from error
            except duckdb.Error as error:
                raise Refused(str(error).partition("\n")[0][:120]) from error
        return [tuple(map(str, row)) for row in found]

    def hashed(self, column: str) -> str:
        return f"hash({column})"

    def digest(self, column: str) -> str:
        digits = f"substring(md5(coalesce(CAST({column} AS VARCHAR), 'null')), 1, 12)"
        return f"CAST('0x' || {digits} AS BIGINT)"
