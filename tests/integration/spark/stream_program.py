"""A program: runs the stream of statements over all existing messages, then ends.

Takes ``StreamArguments`` as JSON.
"""

from __future__ import annotations

import json
import sys

from deploy.jdk import QUICK_START
from lakeschema.analysis.catalog import KnownTable
from lakeschema.catalog.identifiers import RelationName
from lakeschema.spark.kafka_results import KafkaResults
from lakeschema.spark.query_stream import analyse_stream
from lakeschema.spark.session import spark_session
from tests.judges.killed_stream import StreamArguments


def main() -> None:
    given = StreamArguments(**json.loads(sys.argv[1]))
    conf = {"spark.jars": ",".join(given.jars), "spark.driver.memory": "1g"}
    conf |= {"spark.driver.extraJavaOptions": " ".join(QUICK_START)}
    session = spark_session(conf | {"spark.sql.shuffle.partitions": "2"})
    options = {
        "kafka.bootstrap.servers": given.bootstrap_servers,
        "subscribe": given.statements,
        "startingOffsets": "earliest",
        "maxOffsetsPerTrigger": str(given.statements_per_batch),
    }
    tables = {RelationName.parse(n): KnownTable(tuple(c)) for n, c in given.tables.items()}
    results = KafkaResults(given.bootstrap_servers, given.results, given.results)
    statements = session.readStream.format("kafka").options(**options).load()
    writer = analyse_stream(statements, results, tables, given.checkpoint)
    writer.trigger(availableNow=True).start().awaitTermination()
    session.stop()


if __name__ == "__main__":
    main()
