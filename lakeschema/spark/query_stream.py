"""Analyses statements of a Kafka topic, as a Spark query that answers each statement once.

A batch is read like a log: its DDL makes a timeline over the catalog that the previous batch left.
Executors answer every statement against the catalog at its place. Unlike in the job over a log,
executors write: in transactions, see ``kafka_results``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from lakeschema.analysis.catalog import KnownTable
from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.statements_logged import DEFINES, DEFINES_LATER
from lakeschema.analysis.timeline import Timeline
from lakeschema.catalog.identifiers import RelationName
from lakeschema.spark.catalog_between import CatalogBetween
from lakeschema.spark.kafka_results import KafkaResults
from lakeschema.spark.query_log import FIELDS
from lakeschema.spark.stream_batches import PLACE, WRITTEN, Batch, at_positions, places_of, written

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

_STATEMENT: Final = {"sql": "string", **FIELDS}


def analyse_stream(
    statements: DataFrame,
    results: KafkaResults,
    tables: Mapping[RelationName, KnownTable],
    checkpoint: str,
    conventions: Conventions | None = None,
    default_dialect: str = "spark",
) -> DataStreamWriter:
    """A query, ready for a trigger and a start.

    Args:
        statements: a stream of Spark's Kafka source: ``value`` is JSON with the fields of a log.
        results: the destination of the answers.
        tables: the tables before the first statement; they must be the same at each start.
        checkpoint: an empty folder, or the checkpoint of an earlier run of this stream.
        conventions: see ``Conventions``.
        default_dialect: the dialect of statements without a dialect.
    """
    session = statements.sparkSession
    catalog = CatalogBetween(session, f"{checkpoint}/catalog")
    work = _work(session, catalog, results, tables, conventions or Conventions(), default_dialect)
    writer = _read(statements).writeStream.foreachBatch(work)
    return writer.option("checkpointLocation", f"{checkpoint}/stream")


def _read(statements: DataFrame) -> DataFrame:
    """The places and fields of messages; a message that is not a JSON statement has null fields."""
    from pyspark.sql import functions as f

    schema = ", ".join(f"{name} {type_}" for name, type_ in _STATEMENT.items())
    found = f.from_json(f.col("value").cast("string"), schema)
    return statements.select(*PLACE, found.alias("found")).select(*PLACE, "found.*")


def _work(
    session: SparkSession,
    catalog: CatalogBetween,
    results: KafkaResults,
    tables: Mapping[RelationName, KnownTable],
    conventions: Conventions,
    default_dialect: str,
) -> Callable[[DataFrame, int], None]:
    known = session.sparkContext.broadcast(dict(tables))

    def work(frame: DataFrame, number: int) -> None:
        from pyspark.sql import functions as f

        chosen = frame.where(f.col("sql").rlike(DEFINES) | f.col("sql").rlike(DEFINES_LATER))
        definitions = chosen.toArrow().sort_by([(name, "ascending") for name in PLACE])
        places = places_of(definitions)
        timeline = Timeline(tables, catalog.before(number))
        for statement in at_positions(definitions, places, default_dialect):
            timeline.add(statement)
        # A repeated batch begins with the same catalog, and so leaves the same catalog.
        catalog.keep(number, timeline.left())
        shared = session.sparkContext.broadcast(Batch(places, timeline.over({})))

        def task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            batch = shared.value
            over = Batch(batch.definitions, batch.timeline.over(known.value))
            yield from written(batches, over, results, conventions, default_dialect)

        # A partition is one task: two tasks would undo each other's writes.
        parts = session.sparkContext.defaultParallelism
        apart = frame.repartition(parts, "topic", "partition")
        apart.sortWithinPartitions("topic", "partition", "offset").mapInArrow(
            task, WRITTEN
        ).collect()
        shared.destroy()

    return work
