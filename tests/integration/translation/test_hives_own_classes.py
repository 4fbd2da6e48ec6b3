"""A session that has a catalog's views runs Hive's own classes where Spark has no equal function.

Hive's own rows are the right ones.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from deploy.hive import HiveQueries
from deploy.jars import artifact_jars
from deploy.jdk import find_jdk
from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.spark.registration import register_views
from lakeschema.translation.emission.spark.from_hive.classes import ARTIFACTS
from lakeschema.translation.model.interface import HiveFunctions, Options

DATABASE = "with_hives_classes"
COLUMNS = "id INT, x DOUBLE, y DOUBLE, s STRING"
ROWS = "SELECT 1 AS id, 1.5D AS x, 2D AS y, 'é😀a' AS s UNION ALL SELECT 2, 4D, 0D, 'a😀'"
BIT_VECTOR = "SExMoAgIwfO+SIDyzocDgLPxf8XTgfX8/////wG7543T/v////8BgNDf4AHBu6ryBcKix878/////wE="
"""What compute_bit_vector_hll made of eight numbers."""


@pytest.fixture(scope="module")
def in_hive(hive: HiveQueries) -> Iterator[HiveQueries]:
    hive.answer(f"CREATE DATABASE {DATABASE}")
    hive.answer(f"CREATE TABLE {DATABASE}.t ({COLUMNS})")
    hive.answer(f"INSERT INTO {DATABASE}.t SELECT * FROM ({ROWS}) q")
    yield hive
    hive.run(f"DROP DATABASE {DATABASE} CASCADE")


@pytest.fixture(scope="module")
def in_spark(spark: SparkSession) -> Iterator[SparkSession]:
    for jar in artifact_jars(find_jdk(), "hive", ARTIFACTS):
        spark.sql(f"ADD JAR '{jar}'")
    spark.sql(f"CREATE DATABASE {DATABASE}")
    spark.sql(f"CREATE TABLE {DATABASE}.t USING parquet AS {ROWS}")
    yield spark
    spark.sql(f"DROP DATABASE {DATABASE} CASCADE")


def sparks_rows(
    session: SparkSession, folder: Path, select: str, options: Options
) -> Sequence[str]:
    (folder / "views.sql").write_text(
        f"CREATE DATABASE {DATABASE}; CREATE TABLE {DATABASE}.t ({COLUMNS});"
        f" CREATE VIEW {DATABASE}.v AS {select};"
    )
    found = register_views(session, DdlFilesCatalog(folder, Dialect.HIVE), options)
    assert found == {RelationName.of(DATABASE, "v"): f"{DATABASE}_v"}
    rows = session.table(f"{DATABASE}_v").collect()
    return sorted("\t".join("NULL" if v is None else str(v) for v in row) for row in rows)


@pytest.mark.parametrize(
    "columns",
    [
        "st_astext(st_point(x, y)) AS a, st_astext(st_buffer(st_point(0, 0), x)) AS b",
        "st_astext(st_polygon(0, 0, x, 0, 0, y)) AS a, st_srid(st_setsrid(st_point(x, y), 4326)) AS b",
        "hex(st_asbinary(st_union(st_point(x, y), st_point(1, 1)))) AS a, st_x(NULL) AS b",
        "json_read(concat('{\"k\": ', id, '}'), 'struct<k:int>').k AS a",
        f"ndv_compute_bit_vector(unbase64('{BIT_VECTOR}')) AS a",
    ],
)
def test_a_class_of_hive_4_returns_hives_rows(
    columns: str, in_hive: HiveQueries, in_spark: SparkSession, tmp_path: Path
) -> None:
    select = f"SELECT id, {columns} FROM {DATABASE}.t"
    expected = in_hive.answer(select)

    found = sparks_rows(in_spark, tmp_path, select, Options())

    assert found == sorted(expected.rows)
    assert len(found) == 2


@pytest.mark.parametrize(
    "columns",
    [
        "hex(ds_hll_sketch(s)) AS a, CAST(ds_hll_estimate(ds_hll_sketch(id)) AS INT) AS b",
        "hex(ds_theta_sketch(s)) AS a, ds_kll_n(ds_kll_sketch(CAST(x AS FLOAT))) AS b",
        "st_astext(st_aggr_union(st_point(x, y))) AS a, hex(ds_quantile_strings_sketch(s)) AS b",
        "ds_theta_estimate(ds_theta_union(k)) AS a, hex(ds_theta_intersect(k)) AS b",
    ],
)
def test_an_aggregate_of_hive_4_returns_hives_rows(
    columns: str, in_hive: HiveQueries, in_spark: SparkSession, tmp_path: Path
) -> None:
    sketches = (
        f"(SELECT id, x, y, s, ds_theta_sketch(s) AS k FROM {DATABASE}.t GROUP BY id, x, y, s)"
    )
    select = f"SELECT {columns} FROM {sketches} q"
    expected = in_hive.answer(select)

    found = sparks_rows(in_spark, tmp_path, select, Options())

    assert found == list(expected.rows)


def test_a_generator_of_hive_4_returns_hives_rows(
    in_hive: HiveQueries, in_spark: SparkSession, tmp_path: Path
) -> None:
    select = (
        "SELECT ds_freq_frequent_items(q.k) AS (item, n, low, high)"
        f" FROM (SELECT ds_freq_sketch(s, 8) AS k FROM {DATABASE}.t) q"
    )
    expected = in_hive.answer(select)

    found = sparks_rows(in_spark, tmp_path, select, Options())

    assert found == sorted(expected.rows)
    assert len(found) == 2


def test_hives_class_counts_a_character_beyond_16_bits_as_hive_does(
    in_hive: HiveQueries, in_spark: SparkSession, tmp_path: Path
) -> None:
    select = f"SELECT id, substr(s, 4) AS a, levenshtein(s, 'a') AS b FROM {DATABASE}.t"
    expected = in_hive.answer(select)
    own = Options(hive_functions=HiveFunctions.OWN_CLASS)

    by_class = sparks_rows(in_spark, tmp_path, select, own)
    built_in = sparks_rows(in_spark, tmp_path, select, Options())

    assert by_class == sorted(expected.rows)
    assert built_in != by_class


def test_hives_class_reads_a_path_out_of_a_column(
    in_hive: HiveQueries, in_spark: SparkSession, tmp_path: Path
) -> None:
    select = (
        "SELECT id, size(xpath('<a><b>1</b><c>x</c></a>', if(id = 1, 'a/*', 'a/c'))) AS a,"
        " xpath_double(concat('<a>', y, '</a>'), concat('a', substr(s, 9))) AS b"
        f" FROM {DATABASE}.t"
    )
    expected = in_hive.answer(select)

    found = sparks_rows(in_spark, tmp_path, select, Options(hive_functions=HiveFunctions.OWN_CLASS))

    assert found == sorted(expected.rows)


def test_what_only_hive_knows_of_time_and_digits_is_written_in_sparks_words(
    in_hive: HiveQueries, in_spark: SparkSession, tmp_path: Path
) -> None:
    wide = "CAST('99999999999999999999.999999999999999999' AS DECIMAL(38,18))"
    moment = "CAST('2020-07-01 12:00:00' AS TIMESTAMP)"
    select = (
        f"SELECT id, -(if(id = 1, {wide}, -{wide})) AS a,"
        f" from_utc_timestamp({moment}, if(id = 1, 'Europe/Paris', s)) AS b,"
        f" to_utc_timestamp({moment}, if(id = 1, 'GMT+3', '+03:00')) AS c,"
        " datetime_legacy_hybrid_calendar(date_add(DATE '1582-10-15', -id)) AS d,"
        f" datetime_legacy_hybrid_calendar(if(id = 1, {moment}, TIMESTAMP '0001-01-01 01:02:03')) AS e,"
        " murmur_hash(id, DATE '1582-10-15', -1L) AS f"
        f" FROM {DATABASE}.t"
    )
    expected = in_hive.answer(select)

    found = sparks_rows(in_spark, tmp_path, select, Options())

    assert found == sorted(expected.rows)


_WITHOUT_HIVE = """
from pathlib import Path
from pyspark.sql import SparkSession
from lakeschema import register_views
from lakeschema.catalog.ddl_files import DdlFilesCatalog
from lakeschema.catalog.relations import Dialect

builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
found = register_views(
    builder.getOrCreate(), DdlFilesCatalog(Path("."), Dialect.HIVE), hive_functions="own-class"
)
(error,) = found.values()
print(error)
print(error.hint)
"""


@pytest.mark.thorough
def test_a_session_without_hives_catalog_says_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "views.sql").write_text("CREATE VIEW default.v AS SELECT substr('abc', 2) AS a;")

    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_HIVE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )

    assert "build it with enableHiveSupport()" in done.stdout
    assert "hive$substr" in done.stdout
