"""The recorded types are the engines' current answers: a sample is asked again.

With ``--accept``, questions that have no answer yet are asked and recorded; delete a recording to
have everything asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest
from pyspark.sql import SparkSession

from deploy.hive import HiveQueries
from tests.integration.translation.engine_answers import hive_types, spark_types
from tests.lakeschema.translation.asked_types import Engine, questions, record, recorded

Ask = Callable[[Sequence[str]], Mapping[str, str]]


def test_hive_answers_as_recorded(hive: HiveQueries, pytestconfig: pytest.Config) -> None:
    _compare(Engine.HIVE, lambda asked: hive_types(hive, asked), pytestconfig)


@pytest.mark.parametrize("engine", [Engine.SPARK, Engine.SPARK_WITHOUT_ANSI])
def test_spark_answers_as_recorded(
    spark: SparkSession, engine: Engine, pytestconfig: pytest.Config
) -> None:
    _compare(engine, lambda asked: spark_types(spark, engine, asked), pytestconfig)


def _compare(engine: Engine, ask: Ask, config: pytest.Config) -> None:
    if config.getoption("--accept"):
        known = recorded(engine)
        asked = questions(engine.dialect)
        answers = {**known, **ask([question for question in asked if question not in known])}
        record(engine, {question: answers[question] for question in asked})
    known = recorded(engine)
    sample = list(known)[::40]
    assert ask(sample) == {question: known[question] for question in sample}
