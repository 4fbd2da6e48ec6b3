"""A small log of queries, and the tables made from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pyspark.sql import Row, SparkSession

from lakeschema.analysis.catalog import KnownTable, as_text
from lakeschema.analysis.log import TABLES
from lakeschema.catalog.identifiers import RelationName
from lakeschema.spark.query_log import LogResult

KNOWN = {RelationName.of("shop", "orders"): KnownTable(("id", "customer", "amount"))}


def statements() -> list[dict[str, object]]:
    texts = [
        "CREATE TABLE shop.daily AS SELECT customer, sum(amount) AS total FROM shop.orders GROUP BY customer",
        "SELECT * FROM shop.daily WHERE total > 5",
        "SELECT FROM",
        "CREATE TABLE shop.next AS SELECT * FROM shop.daily",
        "ALTER TABLE shop.daily RENAME TO shop.previous",
        "ALTER TABLE shop.next RENAME TO shop.daily",
        *[f"SELECT id AS k FROM shop.orders WHERE amount > {n}" for n in range(30)],
        "SELECT * FROM shop.daily WHERE total > 7",
    ]
    return [
        {
            "sql": sql,
            "user": f"user{number % 3}",
            "session": "etl",
            "started_at": f"2026-01-{1 + number // 20:02d}T{number % 20:02d}:00:00",
            "succeeded": sql != "SELECT FROM",
        }
        for number, sql in enumerate(texts)
    ]


def write_log(path: Path) -> None:
    path.write_text("\n".join(json.dumps(statement) for statement in statements()))


def tables_in(session: SparkSession, output: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows of all tables, sorted."""
    return {
        name: sorted(map(Row.asDict, session.read.parquet(str(output / name)).collect()), key=repr)
        for name in TABLES
    }


def as_json(result: LogResult) -> dict[str, Any]:
    flows = {as_text(t): list(map(as_text, s)) for t, s in result.dataflow.items()}
    return {
        "statements": result.statements,
        "failures": dict(result.failures),
        "dataflow": flows,
        "conflicts": result.conflicts,
    }
