"""Hive and Spark over the same generated rows in the same ORC files.

Both write only to their own folders: Hive's catalog is in memory and so is Spark's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from deploy.hive import HiveAnswer, HiveQueries
from deploy.refused import Refused
from lakeschema.catalog.column_types import BINARY, BOOLEAN, INT, ColumnType, Uniontype, print_type
from lakeschema.catalog.identifiers import RelationName
from lakeschema.translation.emission.spark.query import SparkQuery
from lakeschema.translation.emission.spark.text import quoted, relation, type_text
from tests.judges.compared_values import from_hive, in_no_order
from tests.judges.engines.hive import external_table
from tests.judges.engines.protocol import ReadAs
from tests.judges.engines.spark import SparkEngine, spark_refusal
from tests.judges.recorded.generated_rows import generated_rows
from tests.judges.sessions import start_spark, use_utc, with_settings

Columns = Sequence[tuple[str, ColumnType]]
Rows = list[tuple[object, ...]]

STAND_INS: Mapping[ColumnType, tuple[str, str]] = MappingProxyType(
    {
        BOOLEAN: ("org.apache.hadoop.hive.ql.udf.generic.GenericUDFOPNotNull", "x IS NOT NULL"),
        INT: ("org.apache.hadoop.hive.ql.udf.UDFOPBitNot", "~x"),
    }
)
"""Stand-ins for functions with a missing class, by return type: a Hive class, a Spark expression."""


class NoRows(Refused):
    """An engine cannot store the generated rows of a table, whatever the query."""


@dataclass(frozen=True, slots=True)
class StandIn:
    function: str
    returns: ColumnType


class Data:
    """Folders of ORC files, one for each list of columns."""

    def __init__(self, spark: SparkSession, folder: Path) -> None:
        self._spark = spark
        self._folder = folder

    def location(self, columns: Columns, *, backwards: bool = False) -> str:
        """The folder with rows of the columns, written at the first call.

        Args:
            backwards: the same rows in the opposite order.

        Raises:
            NoRows: Spark cannot store such a table.
        """
        text = ", ".join(f"{quoted(name)} {print_type(type_)}" for name, type_ in columns)
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        path = self._folder / f"{digest}{'-backwards' if backwards else ''}"
        if not path.exists():
            schema = ", ".join(f"{quoted(name)} {type_text(type_)}" for name, type_ in columns)
            try:
                rows = generated_rows(columns)
                frame = self._spark.createDataFrame(rows[::-1] if backwards else rows, schema)
                frame.coalesce(1).write.orc(path.as_uri())
            except (PySparkException, Py4JJavaError) as error:
                raise NoRows(str(spark_refusal(error))) from error
        return path.as_uri()


class Hive:
    def __init__(self, queries: HiveQueries, data: Data) -> None:
        self._queries = queries
        self._data = data
        self._made: tuple[RelationName, ...] = ()

    def made(
        self,
        ddl: Sequence[str],
        makes: Iterable[RelationName],
        view: RelationName,
        stand_ins: Sequence[StandIn],
    ) -> list[tuple[str, str]]:
        """Runs statements that create ``makes`` in an empty catalog; returns the view's columns.

        Raises:
            Refused: a statement failed, or the view cannot be described.
        """
        self._empty()
        self._made = tuple(makes)
        optimised = "false" if any("uniontype" in text.lower() for text in ddl) else "true"
        # With its optimiser Hive refuses any table that has a uniontype.
        self._answer(f"SET hive.cbo.enable={optimised}")
        for stand_in in stand_ins:
            class_name, _ = STAND_INS[stand_in.returns]
            self._queries.run(f"DROP FUNCTION IF EXISTS default.{stand_in.function}")
            self._answer(f"CREATE FUNCTION default.{stand_in.function} AS '{class_name}'")
        self._run_in_any_order(ddl)
        described = self._answer(f"DESCRIBE {relation(view)}")
        found = [row.split("\t") for row in described.rows]
        if any(statement.lstrip().upper().startswith("ALTER") for statement in ddl):
            # The stored columns are those before the ALTER; a query returns the ones after it.
            now = self._answer(f"SELECT * FROM {relation(view)}").columns
            return [(name.rpartition(".")[2], type_) for name, type_ in now]
        return [(name.strip(), type_.strip()) for name, type_, *_ in found]

    def rows(
        self,
        view: RelationName,
        columns: Columns,
        tables: Mapping[RelationName, Columns],
        *,
        backwards: bool = False,
    ) -> Rows:
        """The view's rows over the generated rows of its tables."""
        for name, held in tables.items():
            shown = ", ".join(f"{quoted(c)} {print_type(type_)}" for c, type_ in held)
            self._answer(f"DROP TABLE {relation(name)}")
            location = self._data.location(held, backwards=backwards)
            try:
                self._answer(external_table(relation(name), shown, location))
            except Refused as error:
                raise NoRows(str(error)) from error
        answer = self._answer(f"SELECT {_items(columns)} FROM {relation(view)}")
        types = [type_ for _, type_ in columns]
        return in_no_order(from_hive(row, types) for row in answer.rows)

    def _empty(self) -> None:
        """Drops all but databases: to list their contents, Hive needs a library that is missing here."""
        self._answer("USE default")
        for name in self._made:
            # One of the statements always fails.
            self._queries.run(f"DROP VIEW {relation(name)}", f"DROP TABLE {relation(name)}")
        self._made = ()

    def _run_in_any_order(self, ddl: Sequence[str]) -> None:
        """Runs statements in any order: a view may be recorded before a view that it reads."""
        waiting = list(ddl)
        while waiting:
            refused = [s for s in waiting if isinstance(self._queries.run(s)[0], Refused)]
            if len(refused) == len(waiting):
                self._answer(refused[0])
            waiting = refused

    def _answer(self, statement: str) -> HiveAnswer:
        try:
            return self._queries.answer(statement)
        except Refused as error:
            raise Refused(f"{_first_line(error.message)} [{_first_line(statement)}]") from error


class Spark:
    def __init__(self, session: SparkSession, data: Data) -> None:
        self._session = session
        self.data = data

    def fill(
        self,
        tables: Mapping[RelationName, Columns],
        stand_ins: Sequence[StandIn],
        *,
        backwards: bool = False,
    ) -> None:
        """Replaces all tables by these, with their generated rows."""
        for row in self._session.sql("SHOW DATABASES").collect():
            if row[0] != "default":
                self._sql(f"DROP DATABASE {quoted(row[0])} CASCADE")
        for table in self._session.catalog.listTables("default"):
            kind = "VIEW" if table.tableType == "VIEW" else "TABLE"
            self._sql(f"DROP {kind} IF EXISTS default.{quoted(table.name)}")
        for stand_in in stand_ins:
            self.make_function(stand_in)
        for name, held in tables.items():
            shown = ", ".join(f"{quoted(c)} {print_type(type_)}" for c, type_ in held)
            self._sql(f"CREATE DATABASE IF NOT EXISTS {quoted(name.namespace[0])}")
            self._sql(
                f"CREATE TABLE {relation(name)} ({shown}) USING orc"
                f" LOCATION '{self.data.location(held, backwards=backwards)}'"
            )

    def make_function(self, stand_in: StandIn) -> None:
        _, body = STAND_INS[stand_in.returns]
        self._sql(
            f"CREATE OR REPLACE FUNCTION default.{quoted(stand_in.function)}(x INT)"
            f" RETURNS {type_text(stand_in.returns)} RETURN {body}"
        )

    def make_view(self, name: RelationName, query: SparkQuery) -> None:
        with with_settings(self._session, query.settings):
            self._sql(f"CREATE DATABASE IF NOT EXISTS {quoted(name.namespace[0])}")
            self._sql(f"CREATE VIEW {relation(name)} AS {query.sql}")

    def view_columns(self, name: RelationName, sql: str) -> list[tuple[str, str]]:
        self._sql(f"CREATE OR REPLACE VIEW {relation(name)} AS {sql}")
        return self.columns(f"SELECT * FROM {relation(name)}", {})

    def columns(self, sql: str, settings: Mapping[str, str]) -> list[tuple[str, str]]:
        found = SparkEngine(self._session, settings).columns(sql)
        return [(column.name, print_type(column.type)) for column in found]

    def rows(self, sql: str, settings: Mapping[str, str], columns: ReadAs) -> Rows:
        return in_no_order(SparkEngine(self._session, settings).rows(sql, columns))

    def _sql(self, text: str) -> DataFrame:
        return SparkEngine(self._session).frame(text)


@contextmanager
def engines(folder: Path) -> Iterator[tuple[Hive, Spark]]:
    """Starts both, with all files in ``folder``; sets this process to UTC, as in both engines."""
    use_utc()
    session = start_spark(
        {
            "spark.sql.warehouse.dir": (folder / "warehouse").as_uri(),
            "spark.local.dir": str(folder / "spark"),
            "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -Duser.timezone=UTC",
        }
    )
    data = Data(session, folder / "data")
    try:
        with HiveQueries.start(folder / "hive") as queries:
            yield Hive(queries, data), Spark(session, data)
    finally:
        session.stop()


def _items(columns: Columns) -> str:
    """The SELECT list for Hive, with bytes as Base64, since Hive prints raw bytes."""
    if all(type_ != BINARY for _, type_ in columns):
        # After expanding a star, Hive stores a generated name that its expanded text lacks.
        return "*"
    return ", ".join(
        f"base64({quoted(name)})" if type_ == BINARY else quoted(name) for name, type_ in columns
    )


def readable(columns: Columns) -> Columns:
    """The columns, except those whose types Spark lacks; a query may not need these."""
    return [(name, type_) for name, type_ in columns if not isinstance(type_, Uniontype)]


def _first_line(text: str) -> str:
    return text.strip().split("\n")[0][:300]
