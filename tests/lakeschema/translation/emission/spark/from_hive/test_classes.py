"""Hive's functions that Spark SQL calls by Hive's classes, which the session registers."""

from __future__ import annotations

import re

import pytest

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.spark.from_hive import missing as hive_missing
from lakeschema.translation.emission.spark.from_hive.classes import (
    ALONE,
    ARTIFACTS,
    BESIDE_SPARKS,
    HiveClass,
)
from lakeschema.translation.emission.spark.query import SparkQuery
from lakeschema.translation.emission.spark.udfs import SparkUdf
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.functions import hive_geometry, hive_sketches
from lakeschema.translation.functions.artifacts import parse_artifact
from lakeschema.translation.functions.builtin_names import builtin_names
from lakeschema.translation.model.interface import HiveFunctions, Options
from tests.lakeschema.translation.relations import interfaces

_V = RelationName.of("default", "v")
_TABLE = "CREATE TABLE t (i INT, d DOUBLE, s STRING, bi BINARY)"
_OWN = Options(hive_functions=HiveFunctions.OWN_CLASS)
_EXEC = "ivy://org.apache.hive:hive-exec:4.0.1?transitive=false"
_ESRI = "ivy://com.esri.geometry:esri-geometry-api:2.2.4?transitive=false"


def emitted(
    select: str, options: Options | None = None, dialect: Dialect = Dialect.HIVE
) -> SparkQuery:
    options = options or Options()
    relations = relations_from_ddl([f"{_TABLE}; CREATE VIEW v AS {select}"], dialect)
    return spark_view(relations[_V], interfaces(relations, _V, options), options)


def test_a_geometry_is_made_by_hives_class_under_a_name_that_no_view_can_declare() -> None:
    query = emitted("SELECT st_astext(st_point(d, 1)) AS a, ST_ASTEXT(bi) AS b FROM t")

    package = "org.apache.hadoop.hive.ql.udf.esri"
    assert query.udfs == (
        SparkUdf("hive$st_astext", f"{package}.ST_AsText", (_EXEC, _ESRI)),
        SparkUdf("hive$st_point", f"{package}.ST_Point", (_EXEC, _ESRI)),
    )
    assert "`hive$st_astext`(`hive$st_point`(t1.`d`, 1D))" in query.sql


def test_a_sketch_of_distinct_values_is_an_aggregate_of_hives_class() -> None:
    query = emitted("SELECT ds_hll_sketch(DISTINCT s) AS k, s FROM t GROUP BY s")

    assert "`hive$ds_hll_sketch`(DISTINCT t1.`s`)" in query.sql
    (udf,) = query.udfs
    assert udf.artifacts == (_EXEC,)


def test_a_sketch_over_a_window_is_of_hives_class() -> None:
    query = emitted("SELECT ds_hll_sketch(i) OVER (PARTITION BY s) AS k FROM t")

    assert "`hive$ds_hll_sketch`(t1.`i`) OVER (PARTITION BY t1.`s`" in query.sql


def test_rows_of_a_sketch_come_from_hives_class() -> None:
    query = emitted("SELECT e.a FROM t LATERAL VIEW ds_freq_frequent_items(bi) e AS a, b, c, d")

    assert "LATERAL VIEW `hive$ds_freq_frequent_items`(t1.`bi`)" in query.sql


@pytest.mark.parametrize(
    "call", ["substr(s, 2)", "levenshtein(s, s)", "covar_pop(d, d)", "rand(1)", "xpath_int(s, 'a')"]
)
def test_sparks_own_function_is_called_unless_the_option_prefers_hives_class(call: str) -> None:
    by_default, preferred = (
        emitted(f"SELECT {call} AS a FROM t"),
        emitted(f"SELECT {call} AS a FROM t", _OWN),
    )

    name = call.partition("(")[0]
    assert by_default.udfs == ()
    assert "$" not in by_default.sql
    assert [(udf.name, udf.artifacts) for udf in preferred.udfs] == [(f"hive${name}", ())]
    assert f"`hive${name}`(" in preferred.sql


def test_hives_class_reads_a_path_that_no_text_shows() -> None:
    query = emitted("SELECT xpath(s, s) AS a FROM t", _OWN)

    assert "`hive$xpath`(t1.`s`, t1.`s`)" in query.sql


def test_a_view_of_spark_calls_no_class_of_hive() -> None:
    query = emitted("SELECT substr(s, 2) AS a FROM t", _OWN, Dialect.SPARK)

    assert query.udfs == ()


def test_each_sketch_and_geometry_has_a_class_or_a_reason() -> None:
    rows = (*hive_sketches.ROWS, *hive_geometry.ROWS)
    names = {name for row in rows for name in row.names.split()}

    assert names <= ALONE.keys() | hive_missing.MISSING.keys()


def test_no_function_has_two_places() -> None:
    assert not ALONE.keys() & BESIDE_SPARKS.keys()
    assert not (ALONE.keys() | BESIDE_SPARKS.keys()) & hive_missing.MISSING.keys()


@pytest.mark.parametrize(
    ("function", "found"), [*ALONE.items(), *BESIDE_SPARKS.items()], ids=lambda x: str(x)[:40]
)
def test_each_row_names_a_function_of_hive_a_class_and_artifacts(
    function: str, found: HiveClass
) -> None:
    assert function in builtin_names(Dialect.HIVE)
    assert re.fullmatch(r"org\.apache\.[\w.$]+", found.name)
    assert set(found.artifacts) <= set(ARTIFACTS)
    assert all(parse_artifact(artifact) for artifact in found.artifacts)
