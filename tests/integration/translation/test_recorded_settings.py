"""The effects of settings on a query's columns, asked of Spark again; ``--accept`` records all again."""

from __future__ import annotations

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import TranslationError
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
    before = {key: spark.conf.get(key, None) for key in settings_of(settings)}
    for key, value in settings_of(settings).items():
        spark.conf.set(key, value)
    try:
        fields = spark.sql(query).schema.fields
    except (PySparkException, Py4JJavaError):
        return REFUSED
    finally:
        for key, known in before.items():
            if known is None:
                spark.conf.unset(key)
            else:
                spark.conf.set(key, known)
    return ", ".join(
        f"{f.name} {f.dataType.simpleString()}{'' if f.nullable else ' not null'}" for f in fields
    )


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
