"""Whole queries written for Trino."""

from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import INT
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.model.interface import NullOrder, Options, Returns, TrinoUdfRule
from tests.lakeschema.translation.emission.trino.written import query


def test_names_are_quoted_and_texts_have_no_length() -> None:
    assert query("SELECT i AS `A \"b`, 'x' AS s FROM t").sql == (
        'SELECT t1."i" AS "A ""b", CAST(\'x\' AS varchar) AS "s" FROM "default"."t" AS t1'
    )


@pytest.mark.parametrize("dialect", ["hive", "spark"])
def test_a_column_that_is_always_null_is_a_text(dialect: str) -> None:
    found = query("SELECT NULL AS n, array() AS e FROM t", dialect)

    assert found.types == ("varchar", "array(varchar)")
    assert found.sql == (
        'SELECT CAST(NULL AS varchar) AS "n", CAST(ARRAY[] AS array(varchar)) AS "e"'
        ' FROM "default"."t" AS t1'
    )


def test_such_a_column_of_a_view_has_no_type_to_the_views_above() -> None:
    below = "CREATE VIEW below AS SELECT NULL AS n, i FROM t"

    found = query("SELECT n = i AS e, n FROM below", before=(below,))

    assert found.sql == (
        'SELECT (t2."c0" = t2."c1") AS "e", CAST(t2."c0" AS varchar) AS "n"'
        ' FROM (SELECT NULL AS "c0", t1."i" AS "c1" FROM "default"."below" AS t1) AS t2'
    )


def test_columns_have_trinos_types() -> None:
    found = query("SELECT st, de, f, ts FROM t")

    assert found.types == ('ROW("x" integer, "y" varchar)', "decimal(10,2)", "real", "timestamp(6)")


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("SELECT i FROM t ORDER BY i", 'ORDER BY t1."i" ASC NULLS LAST'),
        ("SELECT i FROM t ORDER BY i DESC", 'ORDER BY t1."i" DESC NULLS FIRST'),
        ("SELECT i FROM t SORT BY i", 'FROM "default"."t" AS t1'),
        ("SELECT i FROM t ORDER BY i LIMIT 3 OFFSET 2", "ASC NULLS LAST OFFSET 2 LIMIT 3"),
        (
            "SELECT i, e FROM t LATERAL VIEW explode(a) x AS e",
            'CROSS JOIN UNNEST(t1."a") AS t2 ("c0")',
        ),
        (
            "SELECT i, e FROM t LATERAL VIEW OUTER explode(a) x AS e",
            'LEFT JOIN UNNEST(t1."a") AS t2 ("c0") ON TRUE',
        ),
        (
            "SELECT i, e FROM t LATERAL VIEW explode(ast) x AS e",
            'UNNEST(transform(t1."ast", e -> CAST(ROW(e) AS ROW(e ROW("p" integer, "q" varchar))))) AS t2 ("c0")',
        ),
        (
            "SELECT i, p FROM t LATERAL VIEW inline(ast) x AS p, q",
            'UNNEST(t1."ast") AS t2 ("c0", "c1")',
        ),
        (
            "SELECT t.i FROM t LEFT SEMI JOIN u ON t.i = u.i",
            'WHERE EXISTS (SELECT 1 AS "c0" FROM "default"."u" AS t2 WHERE (t1."i" = t2."i"))',
        ),
        ("SELECT count(*) AS n FROM t HAVING count(*) > 1", "WHERE (t2.\"c0\" > BIGINT '1')"),
        ("SELECT i % 2 AS p FROM t GROUP BY i % 2", 'GROUP BY t2."c17"'),
        (
            "SELECT i, o, grouping__id AS g FROM t GROUP BY i, o GROUPING SETS ((i), ())",
            'GROUP BY GROUPING SETS ((t1."i"), ())) AS t2',
        ),
    ],
)
def test_a_shape_that_trino_lacks_is_written_in_another(text: str, ending: str) -> None:
    assert query(text).sql.endswith(ending)


def test_a_positions_generator_counts_from_zero() -> None:
    sql = query("SELECT p, e FROM t LATERAL VIEW posexplode(a) x AS p, e").sql

    assert 'CAST(t2."c0" - 1 AS integer) AS "p"' in sql
    assert sql.endswith('UNNEST(t1."a") WITH ORDINALITY AS t2 ("c1", "c0")')


def test_a_full_join_on_an_inequality_is_a_union() -> None:
    sql = query("SELECT t.i, u.w FROM t FULL JOIN u ON t.i < u.i").sql

    assert "FULL" not in sql
    assert "LEFT JOIN" in sql
    assert "NOT EXISTS" in sql


def test_a_subquery_in_a_joins_condition_filters_the_join() -> None:
    sql = query("SELECT t.i FROM t JOIN u ON t.i = u.i AND t.i IN (SELECT i FROM u)").sql

    assert 'ON (t1."i" = t2."i") WHERE' in sql


def test_hives_nulls_may_be_first_as_before_hive_4() -> None:
    sql = query("SELECT i FROM t ORDER BY i", options=Options(nulls=NullOrder.FIRST)).sql

    assert sql.endswith("ASC NULLS FIRST")


def test_catalogs_have_their_names_in_trino() -> None:
    sql = query("SELECT i FROM t", options=Options(trino_catalogs={"": "hive"})).sql

    assert sql.endswith('FROM "hive"."default"."t" AS t1')


def test_a_char_is_a_padded_text_to_spark_and_no_more_to_hive() -> None:
    spark, hive = (query("SELECT c = s AS x FROM t", d).sql for d in ("spark", "hive"))

    assert 'CAST(t1."c" AS varchar)' in spark
    assert "rtrim" not in spark
    assert 'rtrim(CAST(t1."c" AS varchar))' in hive


def test_a_sample_of_rows_is_a_limit_and_one_of_files_is_refused() -> None:
    sql = query("SELECT i FROM t TABLESAMPLE (3 ROWS)", "spark").sql

    assert sql.endswith("LIMIT 3")
    with pytest.raises(UnsupportedConstruct, match="pieces of files"):
        query("SELECT i FROM t TABLESAMPLE (3 ROWS)")


def test_a_setting_that_changes_rows_is_refused() -> None:
    zone = "TBLPROPERTIES ('view.sqlConfig.spark.sql.session.timeZone'='{}') "

    assert query("SELECT i FROM t", "spark", properties=zone.format("UTC")).sql
    with pytest.raises(UnsupportedConstruct, match=r"session.timeZone='Asia/Tokyo'"):
        query("SELECT ts FROM t", "spark", properties=zone.format("Asia/Tokyo"))


@pytest.mark.parametrize(
    ("rules", "name"),
    [
        ((), '"plusone"'),
        ((TrinoUdfRule("com.acme.*", "hive.udfs.acme_{1}"),), '"hive"."udfs"."acme_PlusOne"'),
    ],
)
def test_a_user_defined_function_has_its_classs_name_or_a_rules(
    rules: tuple[TrinoUdfRule, ...], name: str
) -> None:
    options = Options(trino_udfs=rules, udfs={"com.acme.PlusOne": Returns(INT)})
    properties = "TBLPROPERTIES ('functions'='plus:com.acme.PlusOne') "
    found = query("SELECT default_v_plus(i) AS x FROM t", options=options, properties=properties)

    assert f"{name}(t1" in found.sql
    assert found.functions == (name.replace('"', ""),)
