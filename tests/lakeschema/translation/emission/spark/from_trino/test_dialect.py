"""Trino's text written for Spark, where the engines differ, and refusals."""

from __future__ import annotations

import pytest

from lakeschema.translation.emission.spark.from_trino.patterns import may_be_skipped
from lakeschema.translation.emission.spark.query import SparkQuery
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import UnsupportedConstruct, UnsupportedType
from tests.lakeschema.translation.trino_columns import interfaces, view

_INTERFACES = interfaces()


def query(text: str) -> SparkQuery:
    return spark_view(view(text), _INTERFACES)


def written(expression: str, table: str) -> str:
    text = query(f"SELECT {expression} AS x FROM {table}").sql
    return text.removeprefix("SELECT ").rpartition(" AS `x`")[0]


@pytest.mark.parametrize(
    ("table", "expression", "form"),
    [
        ("n", "i / 2", "CAST((t1.`i` DIV 2) AS INT)"),
        ("n", "p / 3", "/ CAST(3 AS DECIMAL(10,0))) AS DECIMAL(10,2))"),
        ("n", "p + 1.5", "AS DECIMAL(11,2))"),
        ("n", "d / 2e0", "(t1.`d` / 2e0D)"),
        ("n", "d / nullif(d, 0e0)", "(t1.`d` / CAST(nullif(t1.`d`, 0e0D) AS DOUBLE))"),
        ("n", "i = 1", "(t1.`i` = 1)"),
        ("n", "d = 1e0", "WHEN isnan(t1.`d`) THEN false"),
        ("n", "CAST(d AS integer)", "CAST(round(t1.`d`) AS INT)"),
        ("n", "CAST(i AS varchar(2))", "left(CAST(t1.`i` AS STRING), 2)"),
        ("n", "ceiling(p)", "CAST(ceil(t1.`p`) AS DECIMAL(9,0))"),
        ("n", "TRY(i + 1)", "try_add(t1.`i`, 1)"),
        ("n", "greatest(i, l)", "IS NULL OR t1.`l` IS NULL, NULL, greatest("),
        ("n", "max(d)", "coalesce(max(nanvl(t1.`d`, CAST(NULL AS DOUBLE))), max(t1.`d`))"),
        ("n", "sum(i) FILTER (WHERE b)", "sum(CAST(t1.`i` AS BIGINT)) FILTER (WHERE t1.`b`)"),
        ("n", "count(DISTINCT i)", "count(DISTINCT t1.`i`)"),
        ("n", "array_agg(i)", "collect_list(named_struct('v', t1.`i`))"),
        ("n", "rank() OVER (ORDER BY i)", "rank() OVER (ORDER BY t1.`i` ASC NULLS LAST)"),
        ("n", "bitwise_and(i, 1)", "(CAST(t1.`i` AS BIGINT) & CAST(1 AS BIGINT))"),
        ("s", "TRY_CAST(s AS integer)", "TRY_CAST(if(t1.`s` RLIKE '^[+-]?[0-9]+$', t1.`s`, NULL) AS INT)"),
        ("s", "s LIKE 'a\\'", "LIKE 'a\\\\' ESCAPE '\\u0001'"),
        ("s", "substr(s, 0)", "left(t1.`s`, 0)"),
        ("s", "substr(s, -2)", "if(length(t1.`s`) < 2, left(t1.`s`, 0), substring(t1.`s`,"),
        ("s", "split(s, '.')", "split(t1.`s`, '\\\\.', -1)"),
        ("s", "regexp_extract(s, '(a)b', 1)", "RLIKE '(a)b', regexp_extract(t1.`s`, '(a)b', 1), NULL)"),
        ("s", "regexp_like(s, '\\d')", "RLIKE '(?U)\\\\d'"),
        ("s", "length(s) + 1", "(CAST(length(t1.`s`) AS BIGINT) + CAST(1 AS BIGINT))"),
        ("s", "md5(y)", "unhex(md5(t1.`y`))"),
        ("s", "CAST(s AS char(3))", "rpad(left(t1.`s`, 3), 3, ' ')"),
        ("m", "date_add('month', 1, d)", "add_months(t1.`d`,"),
        ("m", "date_format(t, '%Y-%m at %H')", "date_format(t1.`t`, 'yyyy-MM \\'at\\' HH')"),
        ("m", "day_of_week(d)", "(weekday(t1.`d`) + 1)"),
        ("m", "CAST(t AS varchar)", "date_format(t1.`t`, 'yyyy-MM-dd HH:mm:ss.SSSSSS')"),
        ("m", "CAST(t AT TIME ZONE 'UTC' AS date)", None),
        ("m", "to_unixtime(with_timezone(t, 'Europe/Paris'))", "to_utc_timestamp(t1.`t`, 'Europe/Paris')"),
        ("a", "element_at(a, 1)", "try_element_at(t1.`a`, CAST("),
        ("a", "a[1]", "element_at(t1.`a`, CAST("),
        ("a", "a || 1", "concat(t1.`a`, array(1))"),
        ("a", "reduce(a, 0, (z, e) -> z + e, z -> z)", "aggregate(t1.`a`, 0, (`z`, `e`) -> (`z` + `e`), `z` -> `z`)"),
        ("a", "map_concat(o, o)", "NOT map_contains_key(t1.`o`, k)"),
        ("a", "ROW(k, 'x')", "named_struct('field0', t1.`k`, 'field1', 'x')"),
        ("a", "r[1]", "t1.`r`.`g`"),
        ("a", "MAP()", "map()"),
    ],
)  # fmt: skip
def test_an_expression_is_written_with_trinos_meaning(
    table: str, expression: str, form: str | None
) -> None:
    if form is None:
        with pytest.raises(UnsupportedConstruct):
            written(expression, table)
    else:
        assert form in written(expression, table)


@pytest.mark.parametrize(
    ("table", "expression"),
    [
        ("n", "CAST(d AS varchar)"),
        ("n", "approx_percentile(i, 0.5)"),
        ("n", "skewness(i)"),
        ("n", "sum(i) OVER (ORDER BY i GROUPS 1 PRECEDING)"),
        ("n", "typeof(i)"),
        ("n", "TRY(d / 0e0)"),
        ("s", "json_extract_scalar(s, '$.a')"),
        ("s", "CAST(s AS json)"),
        ("s", "regexp_like(s, v)"),
        ("s", "regexp_like(s, '(?i)a')"),
        ("s", "regexp_extract(s, '(a)?', 1)"),
        ("s", "replace(s, v, 'x')"),
        ("m", "t - t"),
        ("m", "year(t AT TIME ZONE 'UTC')"),
        ("m", "format_datetime(t, 'ww')"),
        ("m", "localtime"),
        ("a", "map_agg(k, k) OVER (ORDER BY k RANGE BETWEEN k PRECEDING AND CURRENT ROW)"),
    ],
)
def test_what_spark_would_compute_otherwise_is_refused(table: str, expression: str) -> None:
    with pytest.raises((UnsupportedConstruct, UnsupportedType)):
        written(expression, table)


def test_the_text_is_for_ansi_mode_and_a_session_in_utc() -> None:
    assert query("SELECT i FROM n").settings == {
        "spark.sql.ansi.enabled": "true",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.decimalOperations.allowPrecisionLoss": "false",
    }


def test_columns_have_types_that_spark_has() -> None:
    text = "SELECT v, t, UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59' AS u FROM s, m"

    assert query(text).schema == "`v` STRING, `t` TIMESTAMP, `u` STRING NOT NULL"


def test_rows_of_several_arrays_stand_side_by_side() -> None:
    text = query("SELECT y, z, n FROM a CROSS JOIN UNNEST(a, q) WITH ORDINALITY AS u (y, z, w, n)")

    assert "arrays_zip(coalesce(t1.`a`, array()), coalesce(t1.`q`, array()))" in text.sql
    assert "t2.e.c1.`g` AS `z`" in text.sql
    assert "CAST(t2.p + 1 AS BIGINT) AS `n`" in text.sql


def test_rows_that_are_ordered_as_the_last_one_cannot_be_kept() -> None:
    with pytest.raises(UnsupportedConstruct, match="WITH TIES"):
        query("SELECT i FROM n ORDER BY i FETCH FIRST 1 ROW WITH TIES")


@pytest.mark.parametrize(
    ("pattern", "group", "skipped"),
    [
        ("(a)(b)", 2, False),
        ("(a|b)c", 1, False),
        ("(a)(?:b)?", 1, False),
        ("(a)?", 1, True),
        ("(a)|b", 1, True),
        ("((a)b)*", 2, True),
        (r"(\(x\|)y", 1, False),
        ("([|)]*)y", 1, False),
        ("(a)", 0, False),
        ("(a)", 2, True),
    ],
)
def test_a_group_that_a_match_may_leave_out_is_known(
    pattern: str, group: int, skipped: bool
) -> None:
    assert may_be_skipped(pattern, group) is skipped
