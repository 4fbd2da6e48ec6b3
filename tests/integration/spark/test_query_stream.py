"""A stream of statements from Kafka to Kafka: each is answered once, whenever its driver is killed."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from deploy.local_stack import Kafka
from lakeschema.analysis.catalog import KnownTable
from lakeschema.analysis.log import TABLES, LogAnalysis
from lakeschema.analysis.statements_logged import LoggedStatement
from lakeschema.analysis.timeline import timeline_of
from lakeschema.catalog.identifiers import RelationName
from tests.judges.killed_stream import (
    StreamArguments,
    connector_jars,
    create_topics,
    run_killed,
    send,
    tables_of,
)

pytestmark = pytest.mark.spark

KNOWN = {"db.orders": ("id", "amount")}
STATEMENTS = 1_200
"""Of each partition."""


def texts(partition: int) -> list[str]:
    """Each partition has a table that is made, changed and dropped on and on."""
    found = ["USE db", "CREATE TEMPORARY VIEW own AS SELECT id FROM orders"]
    for number in range(STATEMENTS - len(found)):
        match number % 10:
            case 0:
                found.append(f"CREATE TABLE t{partition} (c{number} INT, d INT)")
            case 5:
                found.append(f"ALTER TABLE t{partition} RENAME COLUMN d TO e{number}")
            case 9:
                found.append(f"DROP TABLE t{partition}")
            case 3:
                found.append("SELECT * FROM own")
            case _:
                found.append(f"SELECT * FROM t{partition} WHERE 1 < {number}")
    return found


def expected(partition: int) -> list[Mapping[str, Any]]:
    known = {RelationName.parse(name): KnownTable(columns) for name, columns in KNOWN.items()}
    statements = [
        LoggedStatement(position, sql, session=f"s{partition}")
        for position, sql in enumerate(texts(partition), 1)
    ]
    analysis = LogAnalysis(timeline_of(statements, known))
    return [tables_of(analysis.found(statement).rows) for statement in statements]


def test_each_statement_is_answered_once_though_the_driver_is_killed_twice(
    kafka: Kafka, tmp_path: Path
) -> None:
    name = f"log-{secrets.token_hex(4)}"
    create_topics(kafka.bootstrap_servers, [name, f"{name}-answers"], 2)
    values: list[list[Any]] = [
        [{"sql": sql, "session": f"s{partition}"} for sql in texts(partition)]
        for partition in range(2)
    ]
    values[1].append(b"not a statement")
    send(kafka.bootstrap_servers, name, values)

    outcome = run_killed(
        StreamArguments(
            *(kafka.bootstrap_servers, name, f"{name}-answers", str(tmp_path), 300, KNOWN),
            connector_jars(),
        ),
        kill_at=[400, 1_000],
    )

    assert all(0 < seen < 2 * STATEMENTS for seen in outcome.kills)
    places = Counter((each["partition"], each["offset"]) for each in outcome.answers)
    assert set(places.values()) == {1}
    assert len(places) == 2 * STATEMENTS + 1
    answers = {(each["partition"], each["offset"]): each for each in outcome.answers}
    for partition in range(2):
        for offset, tables in enumerate(expected(partition)):
            found = answers[partition, offset]
            assert {key: found[key] for key in found if key in TABLES} == tables
    (failure,) = answers[1, STATEMENTS]["failures"]
    assert failure["error"] == "NoStatement"
