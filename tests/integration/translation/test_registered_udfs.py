"""A session that has a catalog's views runs each one's functions with the class that it declares.

The classes are Hive's own, which Spark carries, under names that a view's author might give.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from deploy.hive import HiveQueries
from lakeschema.catalog.column_types import STRING
from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.relations import Dialect
from lakeschema.spark.registration import register_views
from lakeschema.translation.model.errors import (
    RefusedByEngine,
    TranslationError,
    UnsupportedFunction,
)
from lakeschema.translation.model.interface import Options, Returns, SparkUdfRule

DATABASE = "with_udfs"
HIVE = "org.apache.hadoop.hive.ql.udf.generic"
CLASSES = (
    f"{HIVE}.GenericUDFInitCap",
    f"{HIVE}.GenericUDFUpper",
    f"{HIVE}.GenericUDFLower",
    "com.acme.Change",
    "no.such.Class",
)
OPTIONS = Options(udfs={name: Returns(STRING) for name in CLASSES})


@pytest.fixture(scope="module")
def in_spark(spark: SparkSession) -> Iterator[SparkSession]:
    spark.sql(f"CREATE DATABASE {DATABASE}")
    spark.sql(f"CREATE TABLE {DATABASE}.t USING parquet AS SELECT 'ann LEE' AS name")
    yield spark
    spark.sql(f"DROP DATABASE {DATABASE} CASCADE")


def view(name: str, source: str, functions: str, dependencies: str, call: str = "change") -> str:
    return (
        f"CREATE VIEW {DATABASE}.{name} TBLPROPERTIES ('functions' = '{functions}',"
        f" 'dependencies' = '{dependencies}')"
        f" AS SELECT {call}(name) AS name FROM {DATABASE}.{source};"
    )


def registered(
    session: SparkSession, folder: Path, views: str, options: Options = OPTIONS
) -> Mapping[str, str | TranslationError]:
    (folder / "views.sql").write_text(
        f"CREATE DATABASE {DATABASE}; CREATE TABLE {DATABASE}.t (name STRING); {views}"
    )
    found = register_views(session, DdlFilesCatalog(folder, Dialect.HIVE), options)
    return {name.name: value for name, value in found.items()}


def only_value(session: SparkSession, name: str) -> str:
    ((value,),) = session.table(f"{DATABASE}_{name}").collect()
    return str(value)


def test_nested_views_run_two_classes_under_one_functions_name(
    in_spark: SparkSession, tmp_path: Path
) -> None:
    inner = view("v1", "t", f"change:{HIVE}.GenericUDFInitCap", "org:change:1.0")
    outer = view("v2", "v1", f"change:{HIVE}.GenericUDFUpper", "org:change:2.0", "`change`")

    found = registered(in_spark, tmp_path, inner + outer)

    assert found == {"v1": f"{DATABASE}_v1", "v2": f"{DATABASE}_v2"}
    assert only_value(in_spark, "v2") == "ANN LEE"
    # The outer view's function came later and has not taken the inner one's place.
    assert only_value(in_spark, "v1") == "Ann Lee"


def test_hives_rows_are_returned_for_the_text_that_hive_expanded(
    in_spark: SparkSession, hive: HiveQueries, tmp_path: Path
) -> None:
    inner, outer = f"{DATABASE}_h1_change", f"{DATABASE}_h2_change"
    hive.answer(f"CREATE DATABASE {DATABASE}")
    hive.answer(f"USE {DATABASE}")
    hive.answer("CREATE TABLE t (name STRING)")
    hive.answer("INSERT INTO t VALUES ('ann LEE')")
    hive.answer(f"CREATE TEMPORARY FUNCTION {inner} AS '{HIVE}.GenericUDFLower'")
    hive.answer(f"CREATE TEMPORARY FUNCTION {outer} AS '{HIVE}.GenericUDFUpper'")
    hive.answer(f"CREATE VIEW h1 AS SELECT {inner}(name) AS name FROM t")
    hive.answer(f"CREATE VIEW h2 AS SELECT name, {outer}(name) AS loud FROM h1")
    expected = hive.answer("SELECT * FROM h2")
    expanded = {name: expanded_text(hive, name) for name in ("h1", "h2")}
    hive.run("USE default", f"DROP DATABASE {DATABASE} CASCADE")
    assert f"`{outer}`(" in expanded["h2"]

    properties = {
        "h1": f"change:{HIVE}.GenericUDFLower",
        "h2": f"change:{HIVE}.GenericUDFUpper",
    }
    views = "".join(
        f"CREATE VIEW {DATABASE}.{name} TBLPROPERTIES ('functions' = '{properties[name]}')"
        f" AS {text};"
        for name, text in expanded.items()
    )
    registered(in_spark, tmp_path, views)

    found = ["\t".join(row) for row in in_spark.table(f"{DATABASE}_h2").collect()]
    assert found == list(expected.rows) == ["ann lee\tANN LEE"]


def expanded_text(hive: HiveQueries, view: str) -> str:
    shown = hive.answer(f"SHOW CREATE TABLE {view}")
    return " ".join(shown.rows).partition(" AS ")[2]


def test_two_versions_of_one_class_run_as_the_classes_that_rules_give_them(
    in_spark: SparkSession, tmp_path: Path
) -> None:
    inner = view("r1", "t", "change:com.acme.Change", "org:change:1.0")
    outer = view("r2", "r1", "change:com.acme.Change", "org:change:2.0")
    rules = (
        SparkUdfRule("com.acme.*", "org:change:1.*", f"{HIVE}.GenericUDFInitCap"),
        SparkUdfRule("com.acme.*", "org:change:2.*", f"{HIVE}.GenericUDFUpper"),
    )

    registered(in_spark, tmp_path, inner + outer, Options(udfs=OPTIONS.udfs, spark_udfs=rules))

    assert only_value(in_spark, "r2") == "ANN LEE"
    assert only_value(in_spark, "r1") == "Ann Lee"


def test_one_class_of_two_artifacts_is_registered_twice_and_warned_of(
    in_spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    upper = f"change:{HIVE}.GenericUDFUpper"
    views = view("w1", "t", upper, "org:change:1.0") + view("w2", "w1", upper, "org:change:2.0")

    with caplog.at_level(logging.WARNING):
        found = registered(in_spark, tmp_path, views)

    assert found == {"w1": f"{DATABASE}_w1", "w2": f"{DATABASE}_w2"}
    assert "one class of two artifacts" in caplog.text
    names = {row.function for row in in_spark.sql("SHOW USER FUNCTIONS").collect()}
    assert {f"{DATABASE}_w1_change", f"{DATABASE}_w2_change"} <= names


def test_a_class_that_the_session_lacks_fails_its_view_alone(
    in_spark: SparkSession, tmp_path: Path
) -> None:
    lacking = view("lacking", "t", "change:no.such.Class", "org:change:1.0")
    good = view("good", "t", f"change:{HIVE}.GenericUDFUpper", "")

    found = registered(in_spark, tmp_path, lacking + good)

    error = found["lacking"]
    assert isinstance(error, RefusedByEngine)
    assert "no.such.Class" in str(error)
    assert "ivy://org:change:1.0" in error.hint
    assert only_value(in_spark, "good") == "ANN LEE"


@pytest.mark.parametrize(
    "functions",
    [
        "change:no.such.Class\\' USING JAR \\'hdfs:///evil.jar",
        "change:no.such.Class\\';DROP TABLE t",
        "change`:no.such.Class",
    ],
)
def test_a_hostile_declaration_reaches_no_statement(
    functions: str, in_spark: SparkSession, tmp_path: Path
) -> None:
    found = registered(in_spark, tmp_path, view("hostile", "t", functions, "org:change:1.0"))

    assert isinstance(found["hostile"], (UnsupportedFunction, RefusedByEngine))
    assert in_spark.table(f"{DATABASE}.t").count() == 1


def test_a_name_of_any_letters_is_registered(in_spark: SparkSession, tmp_path: Path) -> None:
    upper = f"ändern:{HIVE}.GenericUDFUpper"

    registered(in_spark, tmp_path, view("letters", "t", upper, "", "`Ändern`"))

    assert only_value(in_spark, "letters") == "ANN LEE"
