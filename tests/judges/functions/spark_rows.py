"""Spark's rows for calls of HiveQL, from the Spark SQL that we emit for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deploy.refused import Refused
from lakeschema.catalog.column_types import print_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.emission.spark.query import SparkQuery
from lakeschema.translation.emission.spark.text import quoted
from lakeschema.translation.emission.spark.udfs import SparkUdf
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.interface import Options
from tests.judges.collected import as_hive_prints
from tests.judges.compared_values import Rows
from tests.judges.engines.spark import SparkEngine
from tests.judges.functions.compared_calls import interfaces, view_of
from tests.judges.functions.hive_answers import TABLES
from tests.judges.sessions import NOT_COMPILED, start_spark, use_utc

_NO_CATALOG: Final = "jdbc:derby:memory:spark_rows;create=true"


class SparkCalls:
    """A session with the tables of Hive's calls."""

    name = "Spark"

    def __init__(self, tables_folder: Path, jars: Sequence[Path], options: Options) -> None:
        """The folder holds Hive's ORC files, one folder for each table.

        ``jars`` contain Hive's own classes.
        """
        use_utc()
        settings = {
            **NOT_COMPILED,
            "spark.sql.adaptive.enabled": "false",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Duser.timezone=UTC",
            # Only a session with Hive's catalog can call Hive's own classes.
            "spark.sql.catalogImplementation": "hive",
            "spark.hadoop.javax.jdo.option.ConnectionURL": _NO_CATALOG,
        }
        self._spark = start_spark(settings)
        self._options = options
        self._registered: set[SparkUdf] = set()
        for jar in jars:
            self._spark.sql(f"ADD JAR '{jar}'")
        self._interfaces = interfaces()
        for table in TABLES:
            columns = self._interfaces[RelationName.of("default", table)].columns
            schema = ", ".join(f"{quoted(c.name)} {print_type(c.type)}" for c in columns)
            reader = self._spark.read.schema(schema).option("recursiveFileLookup", "true")
            frame = reader.orc((tables_folder / table).as_uri()).cache()
            frame.createOrReplaceTempView(table)
            frame.orderBy(frame.r.desc()).createOrReplaceTempView(f"{table}_back")

    def check(self, select: str) -> None:
        self._emitted(select)

    def rows(self, sql: str, *, backwards: bool = False) -> Rows:
        query = self._emitted(sql, "_back" if backwards else "")
        engine = SparkEngine(self._spark, query.settings, shown=as_hive_prints)
        try:
            for udf in query.udfs:
                if udf not in self._registered:
                    made = f"CREATE OR REPLACE TEMPORARY FUNCTION {quoted(udf.name)}"
                    engine.frame(f"{made} AS '{udf.class_name}'")
                    self._registered.add(udf)
            return engine.rows(query.sql, query.columns)
        except Refused as error:
            raise Refused(f"{str(error)[:200]}: {query.sql}") from error

    def _emitted(self, select: str, suffix: str = "") -> SparkQuery:
        def named(read: RelationName) -> str:
            return quoted(read.name + suffix)

        return spark_view(view_of(select), self._interfaces, self._options, named)
