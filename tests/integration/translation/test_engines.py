"""Every engine that judges answers the same question in the same form."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from deploy.hive import HiveQueries
from deploy.refused import Refused
from deploy.trino import Trino
from lakeschema.catalog.column_types import print_type
from tests.judges.engines.hive import HiveEngine
from tests.judges.engines.protocol import Engine
from tests.judges.engines.spark import SparkEngine
from tests.judges.engines.trino import TrinoEngine

TEXT = "SELECT 7 AS i, DATE '2020-02-29' AS d, {} AS b, CAST(1.50 AS DECIMAL(5,2)) AS n"


def answers_alike(engine: Engine, bytes_: str) -> None:
    text = TEXT.format(bytes_)

    columns = engine.columns(text)

    found = [f"{column.name} {print_type(column.type)}" for column in columns]
    assert found == ["i int", "d date", "b binary", "n decimal(5,2)"]
    (row,) = engine.rows(text)
    assert [*map(str, row)] == ["7", "2020-02-29", "09", "1.5"]
    assert engine.rows(text, columns) == [row]
    for ask in (engine.columns, engine.rows):
        with pytest.raises(Refused, match=r"(?i)nowhere"):
            ask("SELECT i FROM nowhere")


def test_spark(spark: SparkSession) -> None:
    answers_alike(SparkEngine(spark), "X'09'")


def test_hive(hive: HiveQueries) -> None:
    answers_alike(HiveEngine(hive), "unhex('09')")


def test_trino(trino: Trino) -> None:
    answers_alike(TrinoEngine(trino), "X'09'")
