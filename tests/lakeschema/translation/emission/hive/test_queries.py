"""Whole Spark views, written for Hive."""

from __future__ import annotations

import pytest

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.errors import TooLarge, Unsupported, UnsupportedConstruct
from tests.lakeschema.translation.emission.hive.written import query
from tests.lakeschema.translation.emission.trino.written import LEGACY


@pytest.mark.parametrize(
    ("text", "written"),
    [
        (
            "SELECT i FROM t ORDER BY i LIMIT 3 OFFSET 1",
            "SELECT t1.`i` FROM `default`.`t` AS t1 ORDER BY t1.`i` ASC NULLS FIRST LIMIT 3 OFFSET 1",
        ),
        (
            "SELECT s, count(*) FILTER (WHERE o) AS n FROM t GROUP BY s",
            "SELECT t1.`s` AS `s`, count(CASE WHEN t1.`o` THEN 1 END) AS `n` FROM `default`.`t` AS t1 GROUP BY t1.`s`",
        ),
        (
            "SELECT t.i FROM t LEFT ANTI JOIN u ON t.i = u.i",
            (
                "SELECT t1.`i` FROM `default`.`t` AS t1 WHERE (NOT EXISTS (SELECT 1 AS `c0`"
                " FROM `default`.`u` AS t2 WHERE (t1.`i` = t2.`i`)))"
            ),
        ),
        (
            "SELECT i, x FROM t LATERAL VIEW OUTER explode(a) e AS x",
            (
                "SELECT t1.`i`, t2.`c0` AS `x` FROM `default`.`t` AS t1"
                " LATERAL VIEW OUTER explode(t1.`a`) t2 AS `c0`"
            ),
        ),
        (
            "SELECT * FROM VALUES (1, 'a') AS v(p, q)",
            (
                "SELECT t1.`c0` AS `p`, t1.`c1` AS `q` FROM (SELECT inline(array(struct(1, 'a')))"
                " AS (`c0`, `c1`)) AS t1"
            ),
        ),
        (
            "SELECT i FROM t UNION SELECT i FROM u",
            (
                "SELECT t3.`c0` AS `i` FROM ((SELECT t1.`i` AS `c0` FROM `default`.`t` AS t1) UNION"
                " (SELECT t2.`i` AS `c0` FROM `default`.`u` AS t2)) AS t3"
            ),
        ),
        (
            "SELECT i IN (SELECT i FROM u) AS x FROM t",
            (
                "SELECT coalesce(((t1.`i`) IN (SELECT t2.`i` AS `c0` FROM `default`.`u` AS t2)), false)"
                " AS `x` FROM `default`.`t` AS t1"
            ),
        ),
        (
            "SELECT lag(i) OVER (PARTITION BY s ORDER BY d DESC) AS l FROM t",
            (
                "SELECT lag(t1.`i`) OVER (PARTITION BY t1.`s` ORDER BY t1.`d` DESC NULLS LAST) AS `l`"
                " FROM `default`.`t` AS t1"
            ),
        ),
    ],
)
def test_a_view_of_sparks_is_written_in_hiveql(text: str, written: str) -> None:
    assert query(text).sql == written


def test_conditions_of_rows_keep_their_ands_for_hives_optimiser() -> None:
    found = query(
        "SELECT a.i FROM t a JOIN t b ON a.i = b.i AND a.l > b.l AND a.l < b.l WHERE a.i > b.ti"
    )

    assert "CASE" not in found.sql


@pytest.mark.parametrize(("word", "decided"), [("AND", "false"), ("OR", "true")])
def test_bounds_of_one_value_are_no_between(word: str, decided: str) -> None:
    """Hive 4.0.1 makes a BETWEEN of both, and null of it where one bound is."""
    found = query(f"SELECT i < j {word} i > k AS x FROM (SELECT i, i + 1 AS j, i + 2 AS k FROM t)")

    assert f"1, 0)) > 0 THEN {decided} WHEN" in found.sql


def test_columns_have_hives_types() -> None:
    found = query("SELECT st, de, ts, NULL AS n, count(*) AS c FROM t GROUP BY st, de, ts")

    assert found.types == (
        "STRUCT<`x`:INT,`y`:STRING>", "DECIMAL(10,2)", "TIMESTAMP", "STRING", "BIGINT",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("SELECT transform(a, e -> e + 1) AS x FROM t", "transform for Hive is not supported: Hive has no lambda"),
        ("SELECT CAST(ts AS TIMESTAMP_NTZ) AS x FROM t", "timestamp_ntz"),
        ("SELECT make_interval(1) AS x FROM t", "make_interval"),
        ("SELECT i FROM t ORDER BY st", "an order of nested values"),
        ("SELECT first(i) IGNORE NULLS AS x FROM t", "first"),
        ("SELECT `a``b` FROM (SELECT i AS `a``b` FROM t)", "no back-tick"),
        ("SELECT t.i, x.n FROM t, LATERAL (SELECT count(*) AS n FROM u WHERE u.i > t.i) x", "LATERAL"),
        ("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r", "recursive"),
        ("SELECT abs(CAST(rand() * 10 AS INT)) AS x FROM t", "random value"),
        ("SELECT collect_list(DISTINCT i) AS x FROM t", "collect_list DISTINCT"),
        ("SELECT i AS `a${env:HOME}b` FROM t", "replaces variables"),
        ("SELECT sum(i) OVER (ORDER BY i ROWS BETWEEN length(r'\\') PRECEDING AND CURRENT ROW) AS x FROM t", "frame"),
        ("SELECT sum(i) OVER (ORDER BY d) AS x FROM t", "may be NaN"),
        ("SELECT x.i FROM t x LEFT SEMI JOIN t y ON x.i < y.i OR y.d IS NULL", "more than comparisons with the outer query"),
        ("SELECT x.i FROM t x WHERE NOT EXISTS (SELECT 1 FROM t y WHERE x.i = y.i OR x.i IS NULL)", "more than comparisons with the outer query"),
        ("SELECT (SELECT max(y.i) FROM t y WHERE y.i <=> x.i) AS m FROM t x", "more than comparisons with the outer query"),
        ("SELECT d IN (SELECT d FROM t) AS x FROM t", "may be NaN"),
        ("SELECT x.i FROM t x FULL JOIN t y ON x.i = y.i AND x.d > 1", "FULL JOIN"),
        ("SELECT s FROM t GROUP BY GROUPING SETS ((s), (s))", "repeated"),
        ("SELECT i FROM t ORDER BY i OFFSET 3", "OFFSET"),
        ("SELECT x FROM t JOIN u ON t.i = u.i LATERAL VIEW explode(a) e AS x", "over a join"),
        ("SELECT x FROM t LATERAL VIEW explode(a) e AS x WHERE i IN (SELECT i FROM u)", "with a LATERAL VIEW"),
        ("SELECT lag(i, -1) OVER (ORDER BY i) AS x FROM t", "negative number of rows"),
        ("SELECT upper(c) AS x FROM t", "CHAR"),
        ("SELECT date_format(ts, 'yyyyyyyy') AS x FROM t", "pattern"),
        ("SELECT count_if(DISTINCT s = 'DISTINCT x') AS x FROM t", "DISTINCT"),
        ("SELECT s LIKE 'a\\\\b' AS x FROM t", "escapes"),
        ("SELECT lpad(s, 5, '') AS x FROM t", "padding not empty"),
    ],
)  # fmt: skip
def test_what_hive_has_not_is_refused_by_name(text: str, named: str) -> None:
    with pytest.raises(Unsupported, match=named):
        query(text)


@pytest.mark.parametrize(
    "call",
    [
        "round(d, '1) AS DOUBLE), (SELECT max(w) FROM u) AS s, CAST(round(d, 1')",
        "round(d, CAST(1.9 AS INT))",
        "regexp_extract(s, 'a', '0) x')",
    ],
)
def test_a_text_that_stands_for_a_number_is_never_part_of_the_query(call: str) -> None:
    with pytest.raises(UnsupportedConstruct, match="must be a constant"):
        query(f"SELECT {call} AS x FROM t", properties=LEGACY)


@pytest.mark.parametrize("dialect", [Dialect.HIVE, Dialect.TRINO])
def test_views_of_other_dialects_are_refused(dialect: Dialect) -> None:
    with pytest.raises(UnsupportedConstruct, match=dialect.value.capitalize()):
        query("SELECT i FROM t", dialect)


def test_a_setting_that_changes_rows_is_refused() -> None:
    zone = "TBLPROPERTIES ('view.sqlConfig.spark.sql.session.timeZone'='Asia/Tokyo') "

    with pytest.raises(UnsupportedConstruct, match="Asia/Tokyo"):
        query("SELECT i FROM t", properties=zone)


def test_a_text_that_would_be_too_long_is_refused() -> None:
    casts, places = "s", "i"
    for _ in range(30):
        casts, places = f"CAST(CAST({casts} AS TIMESTAMP) AS STRING)", f"a[{places}]"

    for long in (casts, places):
        with pytest.raises(TooLarge):
            query(f"SELECT {long} AS x FROM t")
