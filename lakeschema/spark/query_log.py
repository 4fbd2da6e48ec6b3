"""A query log as a Spark job: DDL once on the driver, every other statement where it lies.

Executors have no side effects. The DDL of a log is a percent of it: it makes a timeline, which is
broadcast; each statement is then resolved against the catalog at its position. Dataflow is folded
in each partition, and the folds are composed in their order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from lakeschema.analysis.catalog import Files, KnownTable, as_text
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.dataflow import Dataflow, cumulative
from lakeschema.analysis.log import TABLES, LogAnalysis
from lakeschema.analysis.statements_logged import DEFINES, LoggedStatement
from lakeschema.analysis.timeline import Timeline, timeline_of
from lakeschema.catalog.identifiers import RelationName

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

_STATEMENT: Final = ("position", "day", "user", "session")
_WIDEST: Final = max(map(len, TABLES.values()))
_VALUES: Final = tuple(f"v{number}" for number in range(_WIDEST))
_COLUMNS: Final = ("answer", *_STATEMENT, "kind", *_VALUES)
_SCHEMA: Final = ", ".join(
    f"{name} {'BIGINT' if name == 'position' else 'STRING'}" for name in _COLUMNS
)
_ASKED: Final = "asked"
"""Kind of a row that says which answer a statement has; a row of an answer has its table's name."""
_FOLD: Final = "fold"
_ROW_BITS: Final = 33
"""Of ``monotonically_increasing_id``: those that number the rows of a partition."""
_FOLDED: Final = 1_000
"""Dataflows that are kept before they are composed."""
_OPTIONAL: Final[Mapping[str, str]] = {
    "dialect": "string",
    "user": "string",
    "session": "string",
    "started_at": "string",
    "current_catalog": "string",
    "current_namespace": "string",
    "succeeded": "boolean",
}


@dataclass(frozen=True, slots=True)
class LogResult:
    """What a log said.

    Attributes:
        statements: how many there are.
        failures: by reason, statements that could not be read.
        dataflow: of the whole log.
        conflicts: DDL that did not fit what was known.
    """

    statements: int
    failures: Mapping[str, int]
    dataflow: Dataflow
    conflicts: int


def read_log(session: SparkSession, path: str) -> DataFrame:
    """The statements of JSON lines or Parquet, with their order as ``position``.

    Columns: ``sql`` and, where the log has them, those of ``_OPTIONAL``. A log without
    ``position`` is in the order of ``started_at`` or, without that, in the order of its files.
    """
    from pyspark.sql import functions as f

    if _is_parquet(path):
        frame = session.read.parquet(path)
    else:
        # Its first line says which columns a log has: to infer them would read all of it.
        first = session.read.text(path).head()
        known = {"sql": "string", "position": "bigint", **_OPTIONAL}
        names = json.loads(first[0]) if first is not None else {}
        columns = {"sql": "string", **{name: known[name] for name in names if name in known}}
        frame = session.read.schema(", ".join(f"`{n}` {t}" for n, t in columns.items())).json(path)
    for name, type_ in _OPTIONAL.items():
        if name not in frame.columns:
            frame = frame.withColumn(name, f.lit(None).cast(type_))
    return frame if "position" in frame.columns else _numbered(frame)


def _is_parquet(path: str) -> bool:
    return path.rstrip("/").endswith((".parquet", "_parquet"))


def _numbered(frame: DataFrame) -> DataFrame:
    """With positions from 1, in order: what each partition has is counted first."""
    from pyspark import StorageLevel
    from pyspark.sql import functions as f

    placed = frame.withColumn("_place", f.monotonically_increasing_id())
    ordered = placed.sort("started_at", "_place").drop("_place")
    ordered = ordered.withColumn("_id", f.monotonically_increasing_id())
    # Kept, so that what was counted is what is numbered.
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
) -> LogResult:
    """Writes a Parquet table for each analysis below ``output``, partitioned by day.

    Args:
        log: see ``read_log``.
        tables: what exists before the first statement.
        output: a folder that Spark can write; the tables in it are replaced.
        conventions: see there.
        default_dialect: of statements that say none.
        tasks: parts in which the log is read; by default as many as are worked on at once, since
            each learns by itself which statements repeat.
    """
    from pyspark.sql import functions as f

    session = log.sparkSession
    parts = tasks or session.sparkContext.defaultParallelism
    ordered = log.repartitionByRange(parts, "position").sortWithinPartitions("position")
    timeline = timeline_of(_definitions(log, default_dialect), tables)
    shared = session.sparkContext.broadcast((timeline, conventions or Conventions()))

    def analyse(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from _analysed(batches, *shared.value, default_dialect)

    everything = f"{output}/answers"
    rows = ordered.mapInArrow(analyse, _SCHEMA)
    rows.write.mode("overwrite").partitionBy("kind").parquet(everything)
    written = session.read.schema(_SCHEMA).parquet(everything)
    asked = written.where(f.col("kind") == _ASKED).select("answer", *_STATEMENT)
    failures: dict[str, int] = {}
    for name, columns in TABLES.items():
        shown = (f.col(v).alias(c) for v, c in zip(_VALUES, columns, strict=False))
        answers = written.where(f.col("kind") == name).select("answer", *shown)
        found = asked.join(answers, "answer").drop("answer")
        found.write.mode("overwrite").partitionBy("day").parquet(f"{output}/{name}")
        if name == "failures":
            counts = found.groupBy("error").count().collect()
            failures = {str(row["error"]): int(row["count"]) for row in counts}
    folds = written.where(f.col("kind") == _FOLD).orderBy("position").collect()
    return LogResult(
        sum(int(row["v1"]) for row in folds),
        failures,
        cumulative(_fold_of(json.loads(row["v0"])) for row in folds),
        len(timeline.conflicts),
    )


def _definitions(log: DataFrame, default_dialect: str) -> Iterator[LoggedStatement]:
    """The statements that may change the catalog, in order."""
    from pyspark.sql import functions as f

    later = r"(?is).*;\s*(?:create|alter|drop|rename|use|cache)\b.*"
    chosen = log.where(f.col("sql").rlike(DEFINES) | f.col("sql").rlike(later))
    for row in chosen.orderBy("position").toLocalIterator():
        yield _statement(row.asDict(), default_dialect)


def _statement(row: Mapping[str, Any], default_dialect: str) -> LoggedStatement:
    namespace = [row.get("current_catalog"), *str(row.get("current_namespace") or "").split(".")]
    started = row.get("started_at")
    return LoggedStatement(
        int(row["position"]),
        str(row["sql"]),
        row.get("dialect") or default_dialect,
        row.get("session") or "",
        tuple(str(part).lower() for part in namespace if part),
        row.get("user") or "",
        str(started)[:10] if started else "",
        row.get("succeeded") is not False,
    )


def _analysed(
    batches: Iterable[pa.RecordBatch],
    timeline: Timeline,
    conventions: Conventions,
    default_dialect: str,
) -> Iterator[pa.RecordBatch]:
    """Rows of all analyses; behind the last statement one with the dataflow of all of them."""
    from pyspark import TaskContext

    context = TaskContext.get()
    part = context.partitionId() if context is not None else 0
    analysis = LogAnalysis(timeline, conventions)
    told = 0
    flows: list[Dataflow] = []
    first = statements = 0
    for batch in batches:
        rows: list[tuple[Any, ...]] = []
        for record in batch.to_pylist():
            statement = _statement(record, default_dialect)
            first = first or statement.position
            statements += 1
            found = analysis.found(statement)
            answer = f"{part}-{found.number}"
            if found.number > told:
                told = found.number
                rows += (
                    (answer, None, None, None, None, name, *_padded(values))
                    for name, values in found.rows
                )
            head = (statement.position, statement.day, statement.user, statement.session)
            rows.append((answer, *head, _ASKED, *_padded(())))
            if found.dataflow:
                flows.append(found.dataflow)
                if len(flows) >= _FOLDED:
                    flows = [cumulative(flows)]
        if rows:
            yield _batch_of(rows)
    if statements:
        shown = [(as_text(t), list(map(as_text, s))) for t, s in cumulative(flows).items()]
        fold = (json.dumps(shown), str(statements))
        yield _batch_of([("", first, "", "", "", _FOLD, *_padded(fold))])


def _batch_of(rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
    import pyarrow as pa

    types = [pa.int64() if name == "position" else pa.string() for name in _COLUMNS]
    columns = zip(*rows, strict=True)
    arrays = [pa.array(list(c), t) for c, t in zip(columns, types, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names=list(_COLUMNS))


def _padded(values: tuple[str, ...]) -> tuple[str | None, ...]:
    return (*values, *[None] * (_WIDEST - len(values)))


def _fold_of(shown: Iterable[tuple[str, list[str]]]) -> Dataflow:
    """Names as text serve here as well as names: nothing is looked up by them any more."""
    return {Files(target): tuple(map(Files, sources)) for target, sources in shown}
