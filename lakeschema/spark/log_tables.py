"""Derives further tables about a warehouse from the tables that ``analyse_log`` wrote.

Spark makes the counts. The functions that analyse a log on one machine then make the tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from lakeschema.analysis.usage.counting import COUNTED, Count, Counted, Counts
from lakeschema.analysis.usage.tables import (
    DERIVED,
    Question,
    columns_of,
    derived_tables,
    row_of,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TYPES: Final[Mapping[object, str]] = {
    str: "STRING",
    int: "BIGINT",
    float: "DOUBLE",
    tuple[str, ...]: "ARRAY<STRING>",
}


def count_tables(session: SparkSession, analysed: str) -> Counts:
    """The counts of a log, from the folder that ``analyse_log`` wrote."""
    failed = _failed(session, analysed)
    return {name: _collected(_counted(session, analysed, c, failed)) for name, c in COUNTED.items()}


def write_derived(
    session: SparkSession, analysed: str, question: Question
) -> Mapping[str, Sequence[Any]]:
    """Writes the derived tables into the folder ``analysed``, and returns their rows."""
    found = derived_tables(count_tables(session, analysed), question)
    for name in DERIVED:
        schema = ", ".join(f"`{c}` {_TYPES[t]}" for c, t in columns_of(name).items())
        rows = [tuple(row_of(row).values()) for row in found[name]]
        frame = session.createDataFrame(rows, schema)
        frame.coalesce(1).write.mode("overwrite").parquet(f"{analysed}/{name}")
    return found


def _failed(session: SparkSession, analysed: str) -> DataFrame:
    statements = session.read.parquet(f"{analysed}/statements")
    return statements.where("succeeded = 'false'").select("position").distinct()


def _counted(
    session: SparkSession, analysed: str, counted: Counted, failed: DataFrame
) -> DataFrame:
    from pyspark.sql import functions as f

    rows = session.read.parquet(f"{analysed}/{counted.table}")
    # Spark reads a day in the form of a date as a date.
    rows = rows.withColumn("day", f.coalesce(f.col("day").cast("string"), f.lit("")))
    rows = rows.fillna("")
    if counted.only is not None:
        column, value = counted.only
        rows = rows.where(f.col(column) == value)
    if counted.without is not None:
        column, value = counted.without
        rows = rows.where(f.col(column) != value)
    if counted.done:
        rows = rows.join(f.broadcast(failed), "position", "left_anti")
    day = f.when(f.col("day") != "", f.col("day"))
    return (
        rows.withColumn("_user", f.col("user"))
        .withColumn("_day", day)
        .groupBy(*counted.keys)
        .agg(
            f.count_distinct("position").alias("_statements"),
            f.count_distinct("_user").alias("_users"),
            f.coalesce(f.min("_day"), f.lit("")).alias("_first"),
            f.coalesce(f.max("_day"), f.lit("")).alias("_last"),
        )
    )


def _collected(frame: DataFrame) -> Sequence[Count]:
    return sorted(Count(tuple(row[:-4]), *row[-4:]) for row in frame.collect())
