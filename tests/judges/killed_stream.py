"""The stream of statements in a process that is killed, and the answers that readers then see."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition

from deploy.jars import downloaded_jars
from deploy.jdk import find_jdk
from lakeschema.analysis.log import TABLES


@dataclass(frozen=True, slots=True)
class StreamArguments:
    """``tables``: columns by name of the tables that exist before the first statement."""

    bootstrap_servers: str
    statements: str
    results: str
    checkpoint: str
    statements_per_batch: int
    tables: Mapping[str, Sequence[str]]
    jars: Sequence[str]


@dataclass(frozen=True, slots=True)
class Outcome:
    """``answers``: the committed answers, in the order in which they were read."""

    answers: Sequence[Mapping[str, Any]]
    kills: Sequence[int]
    seconds: float


def tables_of(rows: Sequence[tuple[str, tuple[str, ...]]]) -> Mapping[str, Any]:
    """The tables of an answer's rows, as in JSON."""
    found: dict[str, list[Mapping[str, str]]] = {}
    for table, values in rows:
        found.setdefault(table, []).append(dict(zip(TABLES[table], values, strict=True)))
    return found


def connector_jars() -> list[str]:
    return [str(jar) for jar in downloaded_jars(find_jdk(), "spark-kafka")]


def create_topics(bootstrap_servers: str, names: Sequence[str], partitions: int) -> None:
    admin = KafkaAdminClient(bootstrap_servers=bootstrap_servers)
    wanted = {"num_partitions": partitions, "replication_factor": 1}
    admin.create_topics(dict.fromkeys(names, wanted))
    admin.close()


def send(bootstrap_servers: str, topic: str, by_partition: Sequence[Sequence[Any]]) -> None:
    """Sends bytes as they are, and other values as JSON."""
    producer = KafkaProducer(bootstrap_servers=bootstrap_servers, linger_ms=20)
    for partition, values in enumerate(by_partition):
        for value in values:
            encoded = value if isinstance(value, bytes) else json.dumps(value).encode()
            producer.send(topic, value=encoded, partition=partition)
    producer.flush()
    producer.close()


def run_killed(
    given: StreamArguments, kill_at: Sequence[int], timeout_seconds: float = 900
) -> Outcome:
    """Restarts the stream until it ends by itself; kills it at each number of answers."""
    kills: list[int] = []
    began = time.perf_counter()
    with Answers(given.bootstrap_servers, given.results) as seen:
        for at in kill_at:
            driver = _start(given)
            while driver.poll() is None and len(seen.answers) < at:
                seen.read()
            assert driver.poll() is None, "the stream ended before it was to be killed"
            # This also kills the JVM, which belongs to the process's group.
            os.killpg(driver.pid, signal.SIGKILL)
            driver.wait()
            kills.append(len(seen.answers))
        driver = _start(given)
        while driver.poll() is None:
            seen.read()
            if time.perf_counter() - began > timeout_seconds:
                os.killpg(driver.pid, signal.SIGKILL)
        assert driver.returncode == 0, f"the stream ended with {driver.returncode}"
        seconds = time.perf_counter() - began
        seen.read_all()
        return Outcome(seen.answers, kills, seconds)


class Answers:
    """The messages that a reader of committed messages sees."""

    def __init__(self, bootstrap_servers: str, topic: str) -> None:
        self.answers: list[Mapping[str, Any]] = []
        self._consumer = KafkaConsumer(
            bootstrap_servers=bootstrap_servers,
            isolation_level="read_committed",
            enable_auto_commit=False,
            auto_offset_reset="earliest",
        )
        partitions = self._consumer.partitions_for_topic(topic) or set()
        self._partitions = [TopicPartition(topic, partition) for partition in partitions]
        self._consumer.assign(self._partitions)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._consumer.close()

    def read(self) -> None:
        for records in self._consumer.poll(timeout_ms=100).values():
            self.answers += (json.loads(record.value) for record in records)

    def read_all(self) -> None:
        ends = self._consumer.end_offsets(self._partitions)
        deadline = time.monotonic() + 60
        while any(self._consumer.position(each) < ends[each] for each in self._partitions):
            assert time.monotonic() < deadline, "the last answers were not read"
            self.read()


def _start(given: StreamArguments) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.integration.spark.stream_program", json.dumps(asdict(given))],
        cwd=Path(__file__).parents[2],
        start_new_session=True,
    )
