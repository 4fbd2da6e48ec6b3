"""Rows that Hive returned for a call, held against Spark's for the Spark SQL that we emit of it."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Final

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from benchmarks.compared_values import from_hive, from_spark, in_its_era
from benchmarks.hive_answers import TABLES, Answered, Rows
from benchmarks.hive_values import CallColumn, groups, together
from benchmarks.probe_values import table_ddl
from lakeschema.catalog.column_types import (
    BINARY,
    DATE,
    STRING,
    TIMESTAMP,
    ArrayType,
    ColumnType,
    MapType,
    StructType,
    parse_type,
    print_type,
)
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.derivation import derive
from lakeschema.translation.emission.spark import SparkQuery
from lakeschema.translation.emission.spark_text import quoted, type_text
from lakeschema.translation.emission.spark_udfs import SparkUdf
from lakeschema.translation.emission.spark_view import spark_view
from lakeschema.translation.errors import TranslationError, Unsupported
from lakeschema.translation.interface import Interface, Options

_VIEW: Final = RelationName.of("default", "v")
_NO_CATALOG: Final = "jdbc:derby:memory:spark_rows;create=true"
_CHANGING: Final = ("rand()", "uuid", "current_timestamp", "unix_timestamp()", "now(")
_ENORMOUS: Final = re.compile(r"\b(?:[lr]pad|repeat|space)\(.*\b(?:i|b|f|d|de|dw)[23]?\b")
"""Texts of so many characters take Spark all memory."""

_IN_NO_ORDER: Final = ("collect_set(", "collect_list(")


SparkRows = Sequence[Sequence[object]]
Found = SparkRows | str
"""What Spark returns, or the error that it raises."""


class Outcome(Enum):
    EQUAL = "equal"
    RAISES = "raise an error in Spark, where they do not the rows are equal"
    DIFFERS = "differ"
    UNSUPPORTED = "unsupported"
    REFUSED = "refused by us"
    NO_ROWS = "without rows to compare"


@dataclass(frozen=True, slots=True)
class Told:
    select: str
    outcome: Outcome
    details: str = ""


class SparkCalls:
    """A session with the tables that Hive was asked over."""

    def __init__(self, tables_folder: Path, jars: Sequence[Path], options: Options) -> None:
        """The folder holds ORC files of Hive's, of each table in a folder of its own.

        ``jars`` are those that Hive's own classes come from.
        """
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        # Spark's dates and moments become Python's of this process.
        os.environ["TZ"] = "UTC"
        time.tzset()
        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        builder = builder.config("spark.sql.session.timeZone", "UTC")
        builder = builder.config("spark.sql.shuffle.partitions", "1")
        # Each query runs once, over eight rows: to compile them costs more than to compute.
        builder = builder.config("spark.sql.codegen.wholeStage", "false")
        builder = builder.config("spark.sql.adaptive.enabled", "false")
        builder = builder.config(
            "spark.driver.extraJavaOptions",
            "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Duser.timezone=UTC",
        )
        # Hive's own classes are functions of a session with Hive's catalog only.
        builder = builder.config("spark.hadoop.javax.jdo.option.ConnectionURL", _NO_CATALOG)
        self._spark = builder.enableHiveSupport().getOrCreate()
        self._spark.sparkContext.setLogLevel("OFF")
        self._options = options
        self._registered: set[SparkUdf] = set()
        for jar in jars:
            self._spark.sql(f"ADD JAR '{jar}'")
        ddl = [table_ddl(Dialect.HIVE, table, required=table == "t") for table in TABLES]
        tables = relations_from_ddl(ddl, Dialect.HIVE)
        self._interfaces: Mapping[RelationName, Interface] = {
            name: derive(table, {}, Options()).interface for name, table in tables.items()
        }
        for table in TABLES:
            columns = self._interfaces[RelationName.of("default", table)].columns
            schema = ", ".join(f"{quoted(c.name)} {print_type(c.type)}" for c in columns)
            reader = self._spark.read.schema(schema).option("recursiveFileLookup", "true")
            frame = reader.orc((tables_folder / table).as_uri()).cache()
            frame.createOrReplaceTempView(table)
            frame.orderBy(frame.r.desc()).createOrReplaceTempView(f"{table}_back")

    def compare(self, calls: Sequence[Answered]) -> Sequence[Told]:
        told = {call.select: self._without_rows(call) for call in calls}
        left = [call for call in calls if told[call.select] is None]
        by_select = {call.select: call for call in left}
        for rest, group in groups(list(by_select)):
            for has_key in (True, False):
                some = [c for c in group if by_select[c.select].has_key == has_key]
                for table in TABLES:
                    for column, found in self._together(some, rest, table, has_key=has_key):
                        call = by_select[column.select]
                        told[call.select] = _worse(
                            told[call.select], self._judged(call, table, found)
                        )
        for call in (call for call in left if told[call.select] is None):
            for table in TABLES:
                found = self._alone(call.select.replace("{t}", table))
                told[call.select] = _worse(told[call.select], self._judged(call, table, found))
        return [one for one in told.values() if one is not None]

    def _without_rows(self, call: Answered) -> Told | None:
        """What can be said without Spark; None if rows are to be compared."""
        try:
            self._emitted(call.select.replace("{t}", "t"))
        except Unsupported as error:
            return Told(call.select, Outcome.UNSUPPORTED, error.message)
        except TranslationError as error:
            return Told(call.select, Outcome.REFUSED, str(error))
        if (
            _ENORMOUS.search(call.select)
            or not call.rows
            or any(word in call.select for word in _CHANGING)
        ):
            return Told(call.select, Outcome.NO_ROWS)
        return None

    def _together(
        self, group: Sequence[CallColumn], rest: str, table: str, *, has_key: bool
    ) -> Iterator[tuple[CallColumn, Found]]:
        """A call that raises fails them all: then each half."""
        if not group:
            return
        select = together(group)
        if has_key:
            select = select.replace("SELECT ", "SELECT r, ", 1)
        found = self._alone(f"{select} FROM {table}{rest}")
        if isinstance(found, str) and len(group) > 1:
            middle = len(group) // 2
            yield from self._together(group[:middle], rest, table, has_key=has_key)
            yield from self._together(group[middle:], rest, table, has_key=has_key)
            return
        for place, column in enumerate(group, has_key):
            yield (
                column,
                found
                if isinstance(found, str)
                else [[*row[:has_key], row[place]] for row in found],
            )

    def _alone(self, select: str, *, backwards: bool = False) -> Found:
        query = self._emitted(select, "_back" if backwards else "")
        try:
            return self._rows(query)
        except (PySparkException, Py4JJavaError, ValueError) as error:
            reason = str(error).partition("\n")[0][:200]
            return f"{reason}: {query.sql}"

    def _judged(self, call: Answered, table: str, found: Found) -> Told:
        rows = call.rows.get(table)
        if rows is None:
            # Hive fails while it computes.
            return Told(call.select, Outcome.EQUAL if call.rows else Outcome.NO_ROWS)
        if isinstance(found, str):
            return self._judged_by_row(call, table, found)
        difference = _difference(call, rows, found)
        if not difference:
            return Told(call.select, Outcome.EQUAL)
        if not call.has_key:
            # What depends on the order of rows is not determined.
            again = self._alone(call.select.replace("{t}", table), backwards=True)
            if again != found:
                return Told(call.select, Outcome.NO_ROWS)
        return Told(call.select, Outcome.DIFFERS, f"{table}: {difference}")

    def _judged_by_row(self, call: Answered, table: str, error: str) -> Told:
        """An error in one row must not hide the others."""
        if not call.has_key or "GROUP BY" in call.select or " OVER " in call.select:
            return Told(call.select, Outcome.RAISES, f"{table}: {error}")
        select = call.select.replace("SELECT ", "SELECT r, ", 1).replace("{t}", table)
        for row in call.rows[table]:
            where = "r IS NULL" if row[0] == "NULL" else f"r = {row[0]}"
            found = self._alone(f"{select} WHERE {where}")
            difference = "" if isinstance(found, str) else _difference(call, [row], found)
            if difference:
                return Told(call.select, Outcome.DIFFERS, f"{table}: {difference}")
        return Told(call.select, Outcome.RAISES, f"{table}: {error}")

    def _emitted(self, select: str, suffix: str = "") -> SparkQuery:
        view = relations_from_ddl([f"CREATE VIEW v AS {select}"], Dialect.HIVE)[_VIEW]
        return spark_view(
            view, self._interfaces, self._options, lambda read: quoted(read.name + suffix)
        )

    def _rows(self, query: SparkQuery) -> SparkRows:
        for key, value in query.settings.items():
            self._spark.conf.set(key, value)
        for udf in query.udfs:
            if udf not in self._registered:
                self._spark.sql(
                    f"CREATE OR REPLACE TEMPORARY FUNCTION {quoted(udf.name)} AS '{udf.class_name}'"
                )
                self._registered.add(udf)
        types = [column.type for column in query.columns]
        shown = [_shown(type_) for type_ in types]
        items = (
            quoted(name) if type_ == text else f"CAST({quoted(name)} AS {type_text(text)})"
            for name, type_, text in zip(
                self._spark.sql(query.sql).columns, types, shown, strict=True
            )
        )
        found = self._spark.sql(f"SELECT {', '.join(items)} FROM ({query.sql}) q").collect()
        return [from_spark(tuple(row), shown) for row in found]


def _shown(type_: ColumnType, *, inside: bool = False) -> ColumnType:
    """Days and moments as text, as Python has not all of them; bytes inside others, too, as Hive prints them."""
    within = partial(_shown, inside=True)
    match type_:
        case ArrayType(element, nullable):
            return ArrayType(within(element), nullable)
        case MapType(key, value, nullable):
            return MapType(within(key), within(value), nullable)
        case StructType(fields):
            return StructType(tuple(replace(f, type=within(f.type)) for f in fields))
        case _:
            is_text = type_ in (DATE, TIMESTAMP) or (inside and type_ == BINARY)
            return STRING if is_text else type_


def _worse(one: Told | None, other: Told) -> Told:
    grave = (Outcome.DIFFERS, Outcome.RAISES)
    worse = one is not None and one.outcome in grave and other.outcome is not Outcome.DIFFERS
    return one if one is not None and worse else other


def _difference(call: Answered, rows: Rows, found: SparkRows) -> str:
    """Empty if the rows are equal."""
    types = [_shown(parse_type(text)) for text in call.types]
    wanted = [_hives(row, types, has_key=call.has_key) for row in rows]
    mine, theirs = (sorted(map(tuple, some), key=repr) for some in (wanted, found))
    if any(word in call.select for word in _IN_NO_ORDER):
        mine, theirs = list(map(_sorted, mine)), list(map(_sorted, theirs))
    if len(mine) != len(theirs):
        return f"{len(mine)} rows in Hive, {len(theirs)} in Spark"
    for one, other in zip(mine, theirs, strict=True):
        if one != other and not _only_printed(one, other):
            return f"Hive {one}, Spark {other}"
    return ""


def _hives(row: Sequence[str], types: Sequence[ColumnType], *, has_key: bool) -> Sequence[object]:
    key: list[object] = [None if text == "NULL" else int(text) for text in row[:has_key]]
    values = row[has_key:]
    if len(values) != len(types):
        return [*key, "\t".join(values)]
    return [*key, *(_printed(text, type_) for text, type_ in zip(values, types, strict=True))]


def _printed(text: str, type_: ColumnType) -> object:
    try:
        return from_hive(text, [type_])[0] if "\t" not in text else text
    except ValueError:
        return text


def _sorted(line: tuple[object, ...]) -> tuple[object, ...]:
    return tuple(tuple(sorted(v, key=repr)) if isinstance(v, tuple) else v for v in line)


def _only_printed(mine: Sequence[object], other: Sequence[object]) -> bool:
    """Hive writes ``[null]`` of a group or window as null, and an array of one empty text as ``[]``."""
    return all(
        a == b
        or (a in (None, ()) and isinstance(b, tuple) and {*_leaves(b)} <= {None, ""})
        # Years are printed as of their era, which is not said.
        or (isinstance(a, str) and isinstance(b, str) and a == in_its_era(b))
        for a, b in zip(mine, other, strict=True)
    )


def _leaves(value: object) -> Iterator[object]:
    if isinstance(value, tuple):
        for part in value:
            yield from _leaves(part)
    else:
        yield value
