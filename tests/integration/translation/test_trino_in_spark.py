"""Spark SQL for Trino's text gives Trino's results where the engines differ on the same words."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from pyspark.sql import SparkSession

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.spark.view import spark_view
from tests.judges.sessions import with_settings
from tests.lakeschema.translation.relations import DEFAULT, interfaces

VIEW = RelationName.of("default", "v")
VALUES: Mapping[str, str | None] = {
    "7 / 2": "3",
    "-7 / 2": "-3",
    "-7 % 3": "-1",
    "DECIMAL '1.00' / DECIMAL '3.00'": "0.33",
    "DECIMAL '2.00' / 3": "0.67",
    "DECIMAL '0.05' / DECIMAL '10.0'": "0.01",
    "CAST(1 AS decimal(38,2)) / CAST(8 AS decimal(38,0))": "0.13",
    "CAST(-1 AS decimal(38,2)) / CAST(8 AS decimal(38,0))": "-0.13",
    "CAST(2 AS decimal(38,2)) / CAST(-3 AS decimal(38,0))": "-0.67",
    "CAST(1 AS decimal(20,4)) * CAST(3 AS decimal(20,4))": "3.00000000",
    "1e0 / 0e0": "Infinity",
    "-1e0 / 0e0": "-Infinity",
    "0e0 / 0e0": "NaN",
    "5e0 % 0e0": "NaN",
    "nan() = nan()": "false",
    "nan() > 1e0": "false",
    "nan() <> 1e0": "true",
    "ln(0e0)": "-Infinity",
    "ceiling(1.2e0)": "2.0",
    "truncate(-1.5e0)": "-1.0",
    "truncate(-1.5)": "-1",
    "round(2.5)": "3",
    "CAST(2.5 AS integer)": "3",
    "CAST(-2.5e0 AS integer)": "-3",
    "greatest(1, CAST(NULL AS integer))": None,
    "bitwise_right_shift(-1, 28)": "15",
    "IF(false, 1)": None,
    "TRY(2147483647 + 1)": None,
    "substr('abc', 0)": "",
    "substr('abc', -2)": "bc",
    "substr('abc', -4)": "",
    "split('a.b', '.')": "[a, b]",
    "split_part('a,b', ',', 2)": "b",
    "split_part('a,b', ',', 3)": None,
    "regexp_extract('ab', 'c')": None,
    "regexp_extract('ab', '(a)b', 1)": "a",
    "regexp_replace('a1', '[0-9]')": "a",
    "'a\\b' LIKE 'a\\b'": "true",
    "'a%' LIKE 'a$%' ESCAPE '$'": "true",
    "concat_ws(',', 'a', NULL)": "a",
    "CAST('ab' AS char(3)) || 'x'": "ab x",
    "concat(CAST('x' AS varchar(2)), CAST('ab' AS char(3)))": "x ab ",
    "concat('s', trim(CAST('ab' AS char(3))))": "sab",
    "reverse(CAST('ab' AS char(3)))": " ba",
    "lpad(CAST('ab' AS char(3)), 5, 'x')": "xxab ",
    "to_hex(to_utf8(CAST('ab' AS char(3))))": "616220",
    "CAST('abc' AS varchar(2))": "ab",
    "TRY_CAST(' 1' AS integer)": None,
    "TRY_CAST('x' AS double)": None,
    "TRY_CAST('2020' AS date)": None,
    "to_hex(md5(to_utf8('')))": "D41D8CD98F00B204E9800998ECF8427E",
    "codepoint('A')": "65",
    "starts_with('abc', 'ab')": "true",
    "trim(chr(9) || ' a ')": "a",
    "element_at(ARRAY[1], 2)": None,
    "element_at(ARRAY[1, 2], -1)": "2",
    "ARRAY[1, 2][2]": "2",
    "ARRAY[1] || 2": "[1, 2]",
    "array_max(ARRAY[1, NULL])": None,
    "flatten(ARRAY[ARRAY[1], NULL])": "[1]",
    "cardinality(MAP())": "0",
    "contains(ARRAY[1, NULL], 2)": None,
    "reduce(ARRAY[1, 2], 0, (s, x) -> s + x, s -> s * 10)": "30",
    "array_sort(ARRAY[3, NULL, 1])": "[1, 3, null]",
    "zip(ARRAY[1, 2], ARRAY['a'])[2]": "{2, null}",
    "map_concat(MAP(ARRAY['a'], ARRAY[1]), MAP(ARRAY['a'], ARRAY[2]))": "{a -> 2}",
    "ROW(1, 'x')[2]": "x",
    "day_of_week(DATE '2024-01-07')": "7",
    "date_add('month', 1, DATE '2020-01-31')": "2020-02-29",
    "date_diff('day', DATE '2020-01-31', DATE '2020-03-01')": "30",
    "DATE '2020-01-31' + INTERVAL '1' MONTH": "2020-02-29",
    "date_trunc('month', DATE '2020-02-20')": "2020-02-01",
    "CAST(TIMESTAMP '2020-01-01 00:00:00.100' AS varchar)": "2020-01-01 00:00:00.100",
    "CAST(TIMESTAMP '2020-01-01 00:00:00.1239' AS timestamp(3))": "2020-01-01 00:00:00.124",
    "date_format(TIMESTAMP '2020-01-01 13:05:00', '%Y/%m at %i')": "2020/01 at 05",
    "format_datetime(DATE '2020-01-01', 'EEE d MMM')": "Wed 1 Jan",
    "to_unixtime(with_timezone(TIMESTAMP '1970-01-01 01:00:00', 'Europe/Paris'))": "0.0",
}
QUERIES: Mapping[str, list[str | None]] = {
    "SELECT array_agg(x ORDER BY x DESC) AS x FROM (VALUES 1, NULL, 2) AS t (x)": ["[2, 1, null]"],
    "SELECT array_agg(x) AS x FROM (VALUES 1) AS t (x) WHERE x > 1": [None],
    "SELECT avg(x) AS x FROM (VALUES 0.01, 0.02) AS t (x)": ["0.02"],
    "SELECT max(x) AS x FROM (VALUES nan(), 1e0) AS t (x)": ["1.0"],
    "SELECT x FROM (VALUES 2, NULL, 1) AS t (x) ORDER BY x DESC LIMIT 2": ["2", "1"],
    "SELECT b AS x FROM UNNEST(ARRAY[1, 2], ARRAY['p']) AS t (a, b) ORDER BY a": ["p", None],
    "SELECT n AS x FROM UNNEST(ARRAY['p', 'q']) WITH ORDINALITY AS t (a, n) ORDER BY n": ["1", "2"],
    "SELECT h AS x FROM UNNEST(ARRAY[ROW(1, 'p'), NULL]) AS t (g, h)": ["p", None],
    "SELECT e AS x FROM (VALUES 1) AS t (k) LEFT JOIN UNNEST(ARRAY[]) AS u (e) ON TRUE": [None],
}  # fmt: skip


def texts(spark: SparkSession, text: str) -> list[list[str | None]]:
    relations = relations_from_ddl([f"CREATE VIEW v AS {text}"], Dialect.TRINO)
    query = spark_view(relations[VIEW], interfaces(relations, VIEW, DEFAULT))
    with with_settings(spark, query.settings):
        frame = spark.sql(query.sql)
        shown = frame.selectExpr(*(f"CAST(`{name}` AS STRING)" for name in frame.columns))
        return [list(row) for row in shown.collect()]


def test_expressions_have_trinos_values(spark: SparkSession) -> None:
    items = ", ".join(f"{expression} AS x{i}" for i, expression in enumerate(VALUES))

    (row,) = texts(spark, f"SELECT {items}")

    assert dict(zip(VALUES, row, strict=True)) == VALUES


@pytest.mark.parametrize("text", QUERIES)
def test_queries_have_trinos_rows(text: str, spark: SparkSession) -> None:
    assert [row[0] for row in texts(spark, text)] == QUERIES[text]
