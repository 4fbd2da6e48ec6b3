"""Analyses a query log as a Spark job: DDL once on the driver, other statements on executors.

Executors have no side effects. The DDL, about one percent of a log, becomes a timeline, which all
executors get. Each statement is then resolved against the catalog at its position. Each partition
folds its dataflow, and the folds are composed in order.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from lakeschema.analysis.catalog import KnownTable
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.dataflow import Dataflow
from lakeschema.analysis.log import TABLES
from lakeschema.analysis.statements_logged import DEFINES, DEFINES_LATER, LoggedStatement
from lakeschema.analysis.timeline import Timeline, timeline_of
from lakeschema.catalog.identifiers import RelationName
from lakeschema.spark.log_batches import (
    ASKED,
    FOLD,
    READ,
    SCHEMA,
    STATEMENT,
    VALUES,
    Fold,
    answered,
    joined,
    statements_of,
)
from lakeschema.spark.values import PartitionTask, undecorated

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame, SparkSession

_ROW_BITS: Final = 33
"""The bits of ``monotonically_increasing_id`` that number the rows of a partition."""
MAX_BROADCAST_ROWS: Final = 1_000_000
"""The number of distinct answers up to which each task keeps all in memory: about 150 MB."""
FIELDS: Final[Mapping[str, str]] = {
    "dialect": "string",
    "user": "string",
    "session": "string",
    "started_at": "string",
    "current_catalog": "string",
    "current_namespace": "string",
    "succeeded": "boolean",
}
"""The optional columns of a log, besides text and position."""


@dataclass(frozen=True, slots=True)
class LogResult:
    """The results of a log.

    Attributes:
        statements: the number of statements.
        failures: numbers of unreadable statements, by reason.
        dataflow: the dataflow of the whole log.
        conflicts: DDL that contradicted the known catalog.
    """

    statements: int
    failures: Mapping[str, int]
    dataflow: Dataflow
    conflicts: int


def read_log(session: SparkSession, path: str) -> DataFrame:
    """The statements in JSON lines or Parquet, with their order as ``position``.

    The columns are ``sql`` and the columns of ``FIELDS`` that the log has. Without ``position``, a log
    is ordered by ``started_at``. Without both, it is ordered by its files.
    """
    from pyspark.sql import functions as f

    if _is_parquet(path):
        frame = session.read.parquet(path)
    else:
        # The first line shows a log's columns: inferring them would read the whole log.
        first = session.read.text(path).head()
        known = {"sql": "string", "position": "bigint", **FIELDS}
        names = json.loads(first[0]) if first is not None else {}
        columns = {"sql": "string", **{name: known[name] for name in names if name in known}}
        frame = session.read.schema(", ".join(f"`{n}` {t}" for n, t in columns.items())).json(path)
    for name, type_ in FIELDS.items():
        if name not in frame.columns:
            frame = frame.withColumn(name, f.lit(None).cast(type_))
    return frame if "position" in frame.columns else _numbered(frame)


def _is_parquet(path: str) -> bool:
    return path.rstrip("/").endswith((".parquet", "_parquet"))


def _numbered(frame: DataFrame) -> DataFrame:
    """Numbers the rows from 1, in order; first counts the rows of each partition."""
    from pyspark import StorageLevel
    from pyspark.sql import functions as f

    placed = frame.withColumn("_place", f.monotonically_increasing_id())
    ordered = placed.sort("started_at", "_place").drop("_place")
    ordered = ordered.withColumn("_id", f.monotonically_increasing_id())
    # The rows are persisted, so that the same rows are counted and numbered.
    ordered = ordered.persist(StorageLevel.DISK_ONLY)
    part = f.shiftright("_id", _ROW_BITS)
    counts = {row[0]: row[1] for row in ordered.groupBy(part).count().collect()}
    before, offsets = 1, []
    for number in sorted(counts):
        offsets += [f.lit(number), f.lit(before)]
        before += counts[number]
    if not offsets:
        return ordered.withColumn("position", f.col("_id")).drop("_id")
    offset = f.element_at(f.create_map(*offsets), part)
    row = f.col("_id").bitwiseAND(f.lit((1 << _ROW_BITS) - 1))
    return ordered.withColumn("position", offset + row).drop("_id")


def analyse_log(
    log: DataFrame,
    tables: Mapping[RelationName, KnownTable],
    output: str,
    conventions: Conventions | None = None,
    default_dialect: str = "spark",
    tasks: int | None = None,
    decorate: Callable[[PartitionTask], PartitionTask] = undecorated,
) -> LogResult:
    """Writes a Parquet table for each analysis below ``output``, partitioned by day.

    Args:
        log: see ``read_log``.
        tables: the tables before the first statement.
        output: a folder that Spark can write; the tables in it are replaced.
        conventions: see ``Conventions``.
        default_dialect: the dialect of statements without a dialect.
        tasks: the number of parts of the log, by default the parallelism. Each part learns
            separately which statements repeat.
        decorate: wraps the task, for tests that break some on purpose.
    """
    session = log.sparkSession
    parts = tasks or session.sparkContext.defaultParallelism
    chosen = log.withColumn("day", _day()).select(*READ)
    timeline = timeline_of(_definitions(chosen, default_dialect), tables)
    answers = f"{output}/answers"
    task = decorate(_task(session, timeline, conventions or Conventions(), default_dialect))
    ordered = chosen.repartitionByRange(parts, "position").sortWithinPartitions("position")
    ordered.mapInArrow(task, SCHEMA).write.mode("overwrite").parquet(answers)
    written = session.read.schema(SCHEMA).parquet(answers)
    fold = _fold(written)
    for name in TABLES:
        _write_table(written, name, fold.rows[name], f"{output}/{name}")
    return LogResult(
        fold.statements,
        _failures(session, output) if fold.rows["failures"] else {},
        fold.dataflow(),
        len(timeline.conflicts),
    )


def _day() -> Column:
    """The day on which a statement started, if the log has it in a readable form."""
    from pyspark.sql import functions as f

    return f.expr("try_cast(substring(cast(started_at AS STRING), 1, 10) AS DATE)")


def _task(
    session: SparkSession, timeline: Timeline, conventions: Conventions, default_dialect: str
) -> PartitionTask:
    shared = session.sparkContext.broadcast((timeline, conventions))

    def analyse(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        context = TaskContext.get()
        partition = context.partitionId() if context is not None else 0
        yield from answered(batches, *shared.value, default_dialect, partition)

    return analyse


def _definitions(log: DataFrame, default_dialect: str) -> Iterator[LoggedStatement]:
    """The statements that may change the catalog, in order."""
    from pyspark.sql import functions as f

    chosen = log.where(f.col("sql").rlike(DEFINES) | f.col("sql").rlike(DEFINES_LATER))
    # The rows are sorted here, because Spark would read the log again to find bounds for sorting.
    found = chosen.toArrow().sort_by("position")
    for batch in found.to_batches(max_chunksize=1_000):
        yield from statements_of(batch, default_dialect)


def _fold(written: DataFrame) -> Fold:
    from pyspark.sql import functions as f

    folds = written.where(f.col("kind") == FOLD).select("position", VALUES[0]).collect()
    return joined(text for _, text in sorted(folds))


def _write_table(written: DataFrame, name: str, rows: int, path: str) -> None:
    """Writes one table: the statements, joined to the rows of their answers.

    The statements are narrow rows sorted by day, and the join keeps their order. Otherwise the
    writer would sort the rows of all answers.
    """
    from pyspark.sql import functions as f

    shown = (f.col(v).alias(c) for v, c in zip(VALUES, TABLES[name], strict=False))
    answers = written.where(f.col("kind") == name).select("answer", *shown)
    if rows <= MAX_BROADCAST_ROWS:
        answers = f.broadcast(answers)
    asked = written.where(f.col("kind") == ASKED).select("answer", *STATEMENT)
    # Spark drops a sort below a join, unless a step between them is not deterministic.
    asked = asked.sortWithinPartitions("day", "position").withColumn(
        "_part", f.spark_partition_id()
    )
    found = asked.join(answers, "answer").where(f.col("_part") >= 0).drop("answer", "_part")
    if rows:
        found.write.mode("overwrite").partitionBy("day").parquet(path)
    else:
        # A file without rows carries the table's columns, which partitions without rows lack.
        found.limit(0).write.mode("overwrite").parquet(path)


def _failures(session: SparkSession, output: str) -> dict[str, int]:
    counts = session.read.parquet(f"{output}/failures").groupBy("error").count().collect()
    return {str(row["error"]): int(row["count"]) for row in counts}
