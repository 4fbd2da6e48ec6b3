"""The effects of settings on a query's columns, asked of Spark again; ``--accept`` records all again."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from deploy.refused import Refused
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import TranslationError
from tests.integration.translation.engine_answers import stated
from tests.judges.engines.protocol import answer_or_refusal
from tests.judges.engines.spark import SparkEngine
from tests.lakeschema.translation.asked_settings import questions, record, recorded, settings_of
from tests.lakeschema.translation.asked_types import REFUSED
from tests.lakeschema.translation.emission.test_recorded_settings import view_of


def test_spark_answers_under_settings_as_recorded(
    spark: SparkSession, pytestconfig: pytest.Config
) -> None:
    answers = {(settings, query): _ask(spark, settings, query) for settings, query in questions()}

    if pytestconfig.getoption("--accept"):
        record(answers)
    assert answers == recorded()


def _ask(spark: SparkSession, settings: str, query: str) -> str:
    found = answer_or_refusal(SparkEngine(spark, settings_of(settings)).frame, query)
    if isinstance(found, Refused):
        return REFUSED
    return ", ".join(f"{field.name} {stated(field)}" for field in found.schema.fields)


def test_emitted_text_has_the_recorded_types_in_a_session_with_its_settings(
    spark: SparkSession,
) -> None:
    answers = recorded()
    wrong: dict[tuple[str, str], tuple[str, str]] = {}
    for (settings, query), answer in answers.items():
        try:
            emitted = spark_view(view_of(query, settings_of(settings)), {})
        except TranslationError:
            continue
        given = ";".join(f"{name}={value}" for name, value in emitted.settings.items())
        found = _ask(spark, given, emitted.sql)
        if answer != REFUSED and found.replace(" not null", "") != answer.replace(" not null", ""):
            wrong[settings, query] = (emitted.sql, found)

    assert wrong == {}
