"""A stream of statements from Kafka to Kafka, whose driver is killed: ``make bench-query_stream``.

There is a real broker, and Spark's Structured Streaming in a process. ``kill -9`` ends it, with its JVM,
in the middle of its work, as often as asked. A reader of committed messages must see each statement's
answer exactly once, equal to the library's answer without Spark. Seconds count from the first start to
the last end, with all starts of Spark.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.generated_log import known_tables, logged, statement_texts
from deploy.local_stack import Kafka
from lakeschema.analysis.log import LogAnalysis
from lakeschema.analysis.statements_logged import LoggedStatement, may_define
from lakeschema.analysis.timeline import timeline_of
from tests.judges.killed_stream import (
    Outcome,
    StreamArguments,
    connector_jars,
    create_topics,
    run_killed,
    send,
    tables_of,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--statements", type=int, default=100_000)
    parser.add_argument("--templates", type=int, default=10_000)
    parser.add_argument("--partitions", type=int, default=2)
    parser.add_argument("--batch", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=2)
    chosen = parser.parse_args()
    texts = list(statement_texts(chosen.statements, chosen.templates))
    values = [
        [
            logged(number, texts[number], chosen.statements)
            for number in range(partition, chosen.statements, chosen.partitions)
        ]
        for partition in range(chosen.partitions)
    ]
    # No kill during the first batch; evenly spread over the rest.
    kill_at = [chosen.statements * (n + 1) // (chosen.kills + 1) for n in range(chosen.kills)]
    with (
        tempfile.TemporaryDirectory() as folder,
        Kafka.start(Path(folder, "kafka"), heap_megabytes=512) as kafka,
    ):
        create_topics(kafka.bootstrap_servers, ["log", "answers"], chosen.partitions)
        send(kafka.bootstrap_servers, "log", values)
        tables = {str(name): table.columns or () for name, table in known_tables().items()}
        outcome = run_killed(
            StreamArguments(
                *(kafka.bootstrap_servers, "log", "answers", str(Path(folder, "checkpoint"))),
                *(chosen.batch, tables, connector_jars()),
            ),
            kill_at,
            timeout_seconds=7_200,
        )
    _print(outcome, values)


def _print(outcome: Outcome, values: Sequence[Sequence[Mapping[str, Any]]]) -> None:
    count = sum(map(len, values))
    places = Counter((each["partition"], each["offset"]) for each in outcome.answers)
    repeated = sum(times - 1 for times in places.values())
    wrong = _wrong(outcome, values)
    print(
        f"{count:,} statements in {outcome.seconds:.0f} s, {count / outcome.seconds:,.0f}/s; "
        f"killed when {' and '.join(f'{seen:,}' for seen in outcome.kills)} answers were seen\n"
        f"missing {count - len(places)}, repeated {repeated}, other than without Spark {wrong}"
    )
    if repeated or wrong or len(places) != count:
        sys.exit("not each statement was answered once")


def _wrong(outcome: Outcome, values: Sequence[Sequence[Mapping[str, Any]]]) -> int:
    """The number of answers that differ from those of one process; no statement reads another's table."""
    statements = {
        (partition, offset): LoggedStatement(
            value["position"], value["sql"], session=value["session"]
        )
        for partition, of_partition in enumerate(values)
        for offset, value in enumerate(of_partition)
    }
    ordered = sorted(statements.values(), key=lambda statement: statement.position)
    timeline = timeline_of((each for each in ordered if may_define(each.sql)), known_tables())
    analysis = LogAnalysis(timeline)
    return sum(
        tables_of(analysis.found(statements[each["partition"], each["offset"]]).rows)
        != {key: value for key, value in each.items() if isinstance(value, list)}
        for each in outcome.answers
    )


if __name__ == "__main__":
    main()
