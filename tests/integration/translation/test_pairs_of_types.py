"""The recorded types of pairs are Spark's current answers: a sample is asked again.

With ``--accept`` questions that have no answer yet are asked and recorded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from pyspark.sql import SparkSession

from tests.integration.translation.engine_answers import spark_answers
from tests.judges.sessions import with_settings
from tests.lakeschema.translation.asked_pairs import VALUES, questions, settings
from tests.lakeschema.translation.asked_types import Engine, record, recorded
from tests.lakeschema.translation.test_pairs_of_types import ENGINES, SUFFIX


@pytest.mark.parametrize("engine", ENGINES)
def test_spark_answers_of_pairs_as_recorded(
    spark: SparkSession, engine: Engine, pytestconfig: pytest.Config
) -> None:
    if pytestconfig.getoption("--accept"):
        known = recorded(engine, SUFFIX)
        answers = {**known, **_ask(spark, engine, [q for q in questions() if q not in known])}
        record(engine, {question: answers[question] for question in questions()}, SUFFIX)
    known = recorded(engine, SUFFIX)
    sample = list(known)[::40]
    assert _ask(spark, engine, sample) == {question: known[question] for question in sample}


def _ask(spark: SparkSession, engine: Engine, asked: Sequence[str]) -> Mapping[str, str]:
    columns = ", ".join(f"{value} AS {name}" for name, value in VALUES.items())
    with with_settings(spark, settings(engine)):
        spark.sql(f"SELECT {columns}").createOrReplaceTempView("t")
        answers = dict(spark_answers(spark, asked))
    spark.catalog.dropTempView("t")
    return answers
