"""Engines that give a query's column types, and find nulls where a schema allows none."""

# Spark's evaluation of single rows has no public name.

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from py4j import java_gateway, protocol
from py4j.protocol import Py4JError, Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from deploy.jars import downloaded_jars
from deploy.jdk import find_jdk
from deploy.refused import Refused
from lakeschema.catalog.column_types import ArrayType, ColumnType, MapType, StructField, StructType
from lakeschema.catalog.relations import Dialect
from lakeschema.catalog.spark_schema import columns_from_json
from tests.judges.engines.protocol import Columns
from tests.judges.functions.probe_values import ROWS, rows_of
from tests.judges.sessions import NOT_COMPILED, start_spark


class FunctionJudge(Protocol):
    def documentation(self, name: str) -> str:
        """The documentation, with ``Examples:`` and statements if the engine has any."""

    def columns(self, selects: Sequence[str]) -> Mapping[str, Columns | Refused]:
        """The columns of each SELECT, without its FROM, over table ``t``."""

    def nulls_in(self, select: str, claimed: Columns, table: str) -> Nulls:
        """Nulls of the SELECT over ``t`` or ``n`` that contradict the claim."""

    def computed(self, claimed: Mapping[str, Columns], table: str) -> Mapping[str, Computed]:
        """The same for several SELECTs."""


@dataclass(frozen=True, slots=True)
class Nulls:
    """By column position: nulls that contradict the claim, and columns that fail in each row."""

    found: Mapping[int, str] = field(default_factory=dict)
    not_computed: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Computed:
    """Whether any value could be computed, and where a null contradicts the claim."""

    is_seen: bool
    null: str | None = None


_ENDLESS: Final = re.compile(r"(?i)\bsequence\([^)]*\b(?:ti|si|i|b|da|ts|tn)[23]?\b")
"""Functions that would make more values between two columns' extremes than memory holds."""


def documented(spark: SparkSession, name: str) -> str:
    """The text of Spark's DESCRIBE FUNCTION; nothing for functions that only the grammar knows."""
    try:
        lines = spark.sql(f"DESCRIBE FUNCTION EXTENDED `{name}`").collect()
    except (PySparkException, Py4JJavaError):
        return ""
    return "\n".join(line[0] for line in lines)


class SparkFunctions:
    """``ansi`` is the mode of the session."""

    def __init__(self, *, ansi: bool) -> None:
        jars = ",".join(map(str, downloaded_jars(find_jdk(), "spark-avro")))
        settings = {
            **NOT_COMPILED,
            "spark.sql.adaptive.enabled": "false",
            "spark.jars": jars,
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        }
        self._spark = start_spark(settings)
        for part in ("timeType", "geospatial", "pyspark.worker.logging"):
            self._spark.conf.set(f"spark.sql.{part}.enabled", "true")
        jvm = self._spark._jvm
        assert jvm is not None
        self._projection = (
            jvm.org.apache.spark.sql.catalyst.expressions.InterpretedMutableProjection
        )
        self._rows: dict[str, Sequence[Any]] = {}
        for table in ("t", "n"):
            rows = list(rows_of(Dialect.SPARK, required=table == "t"))
            values = ", ".join(f"({', '.join(row.values())})" for row in rows)
            # From a frame: each query would evaluate a view's text again.
            frame = self._spark.sql(f"SELECT * FROM VALUES {values} AS t({', '.join(rows[0])})")
            frame.createOrReplaceTempView(table)
            local = frame._jdf.queryExecution().optimizedPlan().data()
            self._rows[table] = [local.apply(row) for row in range(ROWS)]
        nullable = [field.name for field in self._spark.table("t").schema if field.nullable]
        assert nullable == [], nullable
        # Rows are computed one by one, which saves the cost of a query.
        self._spark.conf.set(
            "spark.sql.optimizer.excludedRules",
            "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation",
        )
        self._spark.conf.set("spark.sql.leafNodeDefaultParallelism", "1")
        self._spark.conf.set("spark.sql.ansi.enabled", str(ansi).lower())
        # PySpark asks the JVM a dozen questions about each error. They take 40 ms, and half of the calls fail.
        java_gateway.get_return_value = protocol.get_return_value

    def documentation(self, name: str) -> str:
        return documented(self._spark, name)

    def columns(self, selects: Sequence[str]) -> Mapping[str, Columns | Refused]:
        return {select: self._columns(select) for select in selects}

    def _columns(self, select: str) -> Columns | Refused:
        try:
            schema = self._spark._jsparkSession.sql(select.replace("{t}", "t")).schema().json()
        except Py4JJavaError as error:
            return _spark_refusal(error)
        columns = columns_from_json(schema)
        assert columns is not None, schema
        return tuple(StructField(c.name, c.type, c.nullable) for c in columns)

    def nulls_in(self, select: str, claimed: Columns, table: str) -> Nulls:
        query = select.replace("{t}", table)
        none = Nulls(not_computed=frozenset(range(len(claimed))))
        if _ENDLESS.search(query):
            return none
        try:
            execution = self._spark._jsparkSession.sql(query).queryExecution()
            project = execution.optimizedPlan()
            if not (_is(project, "Project") and _is(project.child(), "LocalRelation")):
                return self._nulls_in_rows(query, claimed)
            listed, output = project.projectList(), project.child().output()
            together = self._compute(listed, output)
        except Py4JJavaError:
            return none
        apart = _Apart(claimed)
        for number, row in enumerate(self._rows[table]):
            where = f"null: {query} WHERE r = {number}"
            try:
                apart.look(together.apply(row), range(len(claimed)), where)
            except Py4JJavaError:
                # An error in one column, in one row, must not hide the others.
                for place in range(len(claimed)):
                    with suppress(Py4JJavaError):
                        alone = listed.slice(place, place + 1)
                        apart.look(self._compute(alone, output).apply(row), (place,), where)
        return apart.nulls()

    def computed(self, claimed: Mapping[str, Columns], table: str) -> Mapping[str, Computed]:
        found: dict[str, Computed] = {}
        for select, columns in claimed.items():
            nulls = self.nulls_in(select, columns, table)
            is_seen = len(nulls.not_computed) < len(columns)
            found[select] = Computed(is_seen, next(iter(nulls.found.values()), None))
        return found

    def _compute(self, listed: Any, output: Any) -> Any:
        compute = self._projection(listed, output)
        compute.initialize(0)
        return compute

    def _nulls_in_rows(self, query: str, claimed: Columns) -> Nulls:
        """Nulls of queries that are more than a projection; aggregates are also asked over no rows."""
        over_nothing = f"{query} WHERE r < 0"
        apart = _Apart(claimed)
        for asked in (query, *([] if "GROUP BY" in query else [over_nothing])):
            with suppress(Py4JJavaError):
                execution = self._spark._jsparkSession.sql(asked).queryExecution()
                for row in execution.executedPlan().executeCollect():
                    apart.look(row, range(len(claimed)), f"null: {asked}")
        return apart.nulls()


class _Apart:
    """Collects the findings in each column."""

    def __init__(self, claimed: Columns) -> None:
        self._claimed = claimed
        self._found: dict[int, str] = {}
        self._computed: set[int] = set()

    def look(self, row: Any, places: Sequence[int], where: str) -> None:
        """``row`` holds the columns at ``places``."""
        for at, place in enumerate(places):
            column = self._claimed[place]
            if _part_has_null(row, at, column.type, column.nullable):
                self._found.setdefault(place, where)
        self._computed.update(places)

    def nulls(self) -> Nulls:
        every = frozenset(range(len(self._claimed)))
        return Nulls(self._found, every - self._computed)


def _spark_refusal(error: Py4JJavaError) -> Refused:
    thrown = error.java_exception
    message = str(thrown.getMessage()).partition("\n")[0]
    # Not every exception from Spark is a Spark class.
    with suppress(Py4JError):
        context = thrown.getQueryContext()
        if len(context):
            return Refused(message[:200], at=context[0].startIndex())
    pos = re.search(r"line 1 pos (\d+)", message)
    return Refused(message[:200], at=int(pos[1]) if pos else None)


def _is(plan: Any, name: str) -> bool:
    return str(plan.getClass().getSimpleName()) == name


def _struct_has_null(row: Any, fields: Columns) -> bool:
    """Reads Spark's internal row, which holds every value of every type."""
    return any(_part_has_null(row, at, f.type, f.nullable) for at, f in enumerate(fields))


def _part_has_null(holder: Any, at: int, type_: ColumnType, nullable: bool) -> bool:
    if not nullable and holder.isNullAt(at):
        return True
    if not claims(type_) or holder.isNullAt(at):
        return False
    match type_:
        case ArrayType(element, element_nullable):
            return _array_has_null(holder.getArray(at), element, element_nullable)
        case MapType(key, value, value_nullable):
            map_ = holder.getMap(at)
            return _array_has_null(map_.keyArray(), key, False) or _array_has_null(
                map_.valueArray(), value, value_nullable
            )
        case StructType(fields):
            return _struct_has_null(holder.getStruct(at, len(fields)), fields)
        case _:
            return False


def _array_has_null(array: Any, element: ColumnType, nullable: bool) -> bool:
    return any(_part_has_null(array, at, element, nullable) for at in range(array.numElements()))


def claims(type_: ColumnType) -> bool:
    """Whether the type says that some part is never null."""
    match type_:
        case ArrayType(element, nullable):
            return not nullable or claims(element)
        case MapType():
            return True
        case StructType(fields):
            return any(not field.nullable or claims(field.type) for field in fields)
        case _:
            return False
