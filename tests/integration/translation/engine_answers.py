"""Asks Hive and Spark for the types of expressions over the table of ``asked_types``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pyspark.sql import SparkSession
from pyspark.sql.types import StructField

from deploy.hive import HiveQueries
from deploy.refused import Refused
from lakeschema.catalog.relations import Dialect
from tests.judges.engines.protocol import answer_or_refusal
from tests.judges.engines.spark import SparkEngine
from tests.judges.sessions import with_settings
from tests.lakeschema.translation.asked_types import REFUSED, Engine, columns, table_ddl

_AT_ONCE = 32
_DATABASE = "asked_types"


def hive_types(hive: HiveQueries, questions: Sequence[str]) -> Mapping[str, str]:
    """What columns a Hive view of each expression has."""
    hive.run(
        f"DROP DATABASE IF EXISTS {_DATABASE} CASCADE",
        f"CREATE DATABASE {_DATABASE}",
        f"USE {_DATABASE}",
        table_ddl(Dialect.HIVE),
    )
    answers: dict[str, str] = {}
    for start in range(0, len(questions), _AT_ONCE):
        answers |= _together(hive, questions[start : start + _AT_ONCE])
    hive.run("USE default", f"DROP DATABASE {_DATABASE} CASCADE")
    return {question: answers[question] for question in questions}


def _together(hive: HiveQueries, questions: Sequence[str]) -> Mapping[str, str]:
    """One view of all; halves, if Hive refuses it, down to the single one that it refuses."""
    selected = ", ".join(f"{question} AS x{i}" for i, question in enumerate(questions))
    created, described, _ = hive.run(
        f"CREATE VIEW v AS SELECT {selected} FROM t", "DESCRIBE v", "DROP VIEW IF EXISTS v"
    )
    if not isinstance(created, Refused) and not isinstance(described, Refused):
        rows = [row.split("\t") for row in described.rows]
        return {q: row[1].strip() for q, row in zip(questions, rows, strict=True)}
    if len(questions) == 1:
        return {questions[0]: REFUSED}
    middle = len(questions) // 2
    return {**_together(hive, questions[:middle]), **_together(hive, questions[middle:])}


def spark_types(spark: SparkSession, engine: Engine, questions: Sequence[str]) -> Mapping[str, str]:
    """Type and nullability, as Spark analyses a query of each expression."""
    # Spark reads columns of char and varchar as strings before an expression sees them.
    known = columns(Dialect.SPARK).items()
    types = {name: type_ if "char" not in type_ else "string" for name, type_ in known}
    made = ", ".join(f"CAST(NULL AS {type_}) AS {name}" for name, type_ in types.items())
    with with_settings(spark, engine.settings):
        spark.sql(f"SELECT {made}").createOrReplaceTempView("t")
        answers = dict(spark_answers(spark, questions))
    spark.catalog.dropTempView("t")
    return answers


def spark_answers(spark: SparkSession, questions: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Type and nullability of each expression over the columns of ``t``."""
    for question in questions:
        found = answer_or_refusal(SparkEngine(spark).frame, f"SELECT {question} AS x FROM t")
        yield question, REFUSED if isinstance(found, Refused) else stated(found.schema.fields[0])


def stated(field: StructField) -> str:
    """Type and nullability."""
    return f"{field.dataType.simpleString()}{'' if field.nullable else ' not null'}"
