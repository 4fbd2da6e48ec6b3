"""Answers record batches of a stream's statements as JSON; each task writes to Kafka."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from lakeschema.analysis.conventions import Conventions
from lakeschema.analysis.log import TABLES, Learnt, LogAnalysis, Row
from lakeschema.analysis.statements_logged import LoggedStatement
from lakeschema.analysis.timeline import Timeline
from lakeschema.spark.kafka_results import KafkaResults, Message, write_partition
from lakeschema.spark.log_batches import statements_of

if TYPE_CHECKING:
    import pyarrow as pa

PLACE: Final = ("timestamp", "topic", "partition", "offset")
"""A statement's place in its stream; a batch is ordered by places."""
Place: TypeAlias = tuple[Any, str, int, int]
_Row: TypeAlias = tuple[Place, str | None, LoggedStatement]
STARTED: Final = "started_at"
WRITTEN: Final = "topic STRING, partition INT, written BIGINT"


@dataclass(frozen=True, slots=True)
class Batch:
    """The values that the tasks of one batch share.

    Attributes:
        definitions: the places of the statements that may change the catalog, in order. A statement
            after n definitions has position n + 1.
        timeline: the timeline of the definitions, without tables, which are sent once.
    """

    definitions: Sequence[Place]
    timeline: Timeline


def places_of(batch: pa.RecordBatch | pa.Table) -> list[Place]:
    return list(zip(*(batch.column(name).to_pylist() for name in PLACE), strict=True))


def at_positions(
    batch: pa.RecordBatch | pa.Table, definitions: Sequence[Place], default_dialect: str
) -> Iterator[LoggedStatement]:
    """The statements of a batch, each at its position among the definitions."""
    import pyarrow as pa

    positions = [bisect_left(definitions, place) + 1 for place in places_of(batch)]
    with_positions = batch.append_column("position", pa.array(positions, pa.int64()))
    return statements_of(with_positions, default_dialect)


def written(
    batches: Iterable[pa.RecordBatch],
    shared: Batch,
    results: KafkaResults,
    conventions: Conventions,
    default_dialect: str,
) -> Iterator[pa.RecordBatch]:
    """Writes the answers to whole partitions of statements; yields their numbers, by partition.

    ``batches`` are sorted by partition and offset.
    """
    import pyarrow as pa

    analysis = LogAnalysis(shared.timeline, conventions, _learnt(results.group, conventions))

    def rows() -> Iterator[_Row]:
        for batch in batches:
            statements = at_positions(batch, shared.definitions, default_dialect)
            started = batch.column(STARTED).to_pylist()
            yield from zip(places_of(batch), started, statements, strict=True)

    for (topic, partition), of_partition in groupby(rows(), key=lambda row: row[0][1:3]):
        messages = partial(_messages, of_partition, analysis)
        count = write_partition(results, topic, partition, messages)
        columns = [[topic], pa.array([partition], pa.int32()), [count]]
        yield pa.RecordBatch.from_arrays(
            [pa.array(column) for column in columns], names=["topic", "partition", "written"]
        )


def _messages(rows: Iterable[_Row], analysis: LogAnalysis, offset: int) -> Iterator[Message]:
    for place, started, statement in rows:
        if place[3] >= offset:
            yield _message(place, started, statement, analysis)


@lru_cache(maxsize=4)
def _learnt(group: str, conventions: Conventions) -> Learnt:
    """The cache that all tasks of a process share, since statements repeat across batches."""
    del group, conventions
    return Learnt()


def _message(
    place: Place, started: str | None, statement: LoggedStatement, analysis: LogAnalysis
) -> Message:
    _, topic, partition, offset = place
    head = {
        "topic": topic,
        "partition": partition,
        "offset": offset,
        "user": statement.user,
        "session": statement.session,
        "started_at": started,
    }
    body = _answer_json(analysis.found(statement).rows)
    value = f"{json.dumps(head)[:-1]}, {body[1:]}"
    return Message(offset, f"{topic}-{partition}-{offset}".encode(), value.encode())


@lru_cache(maxsize=5_000)
def _answer_json(rows: tuple[tuple[str, Row], ...]) -> str:
    """The rows as JSON: a list of objects for each table that has rows."""
    found: dict[str, list[Mapping[str, str]]] = {}
    for table, values in rows:
        row = dict(zip(TABLES[table], values, strict=True))
        found.setdefault(table, []).append(row)
    return json.dumps(found)
