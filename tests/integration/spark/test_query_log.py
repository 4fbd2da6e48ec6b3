"""A query log on Spark: the same answers in however many parts it is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from lakeschema.analysis.catalog import KnownTable, as_text
from lakeschema.catalog.identifiers import RelationName
from lakeschema.spark.query_log import LogResult, analyse_log, read_log

TABLES = {RelationName.of("shop", "orders"): KnownTable(("id", "customer", "amount"))}


@pytest.fixture(autouse=True)
def _settings(spark: SparkSession) -> Iterator[None]:
    names = ("spark.sql.shuffle.partitions", "spark.sql.files.maxPartitionBytes")
    before = {name: spark.conf.get(name) for name in names}
    yield
    for name, value in before.items():
        spark.conf.set(name, str(value))


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


def analysed(
    session: SparkSession, folder: Path, parts: int
) -> tuple[LogResult, dict[str, list[dict[str, Any]]]]:
    log = folder / "log.json"
    log.write_text("\n".join(json.dumps(statement) for statement in statements()))
    output = folder / f"out{parts}"
    session.conf.set("spark.sql.shuffle.partitions", str(parts))
    session.conf.set("spark.sql.files.maxPartitionBytes", str(10_000 // parts))
    result = analyse_log(read_log(session, str(log)), TABLES, str(output), tasks=parts)
    tables = {
        name: sorted(map(Row.asDict, session.read.parquet(str(output / name)).collect()), key=repr)
        for name in ("statements", "table_access", "column_lineage", "table_lineage", "failures")
    }
    return result, tables


def test_a_log_has_the_same_answers_in_any_number_of_parts(
    spark: SparkSession, tmp_path: Path
) -> None:
    (result, tables), *others = (analysed(spark, tmp_path, parts) for parts in (1, 2, 4))

    assert all(other == (result, tables) for other in others)
    assert result.statements == 37
    assert result.failures == {"MalformedSql": 1}
    dataflow = {as_text(t): [as_text(s) for s in sources] for t, sources in result.dataflow.items()}
    assert dataflow == {
        "shop.daily": ["shop.orders"],
        "shop.previous": ["shop.orders"],
        "shop.next": [],
    }
    assert len(tables["statements"]) == 36
    assert sum(row["relation"] == "shop.orders" for row in tables["table_access"]) == 31


def test_columns_are_those_of_the_table_that_had_the_name_then(
    spark: SparkSession, tmp_path: Path
) -> None:
    _, tables = analysed(spark, tmp_path, 2)

    last = {
        (row["column"], row["source"], row["source_column"])
        for row in tables["column_lineage"]
        if row["position"] == 37 and row["kind"] == "direct"
    }
    assert last == {("customer", "shop.daily", "customer"), ("total", "shop.daily", "total")}
