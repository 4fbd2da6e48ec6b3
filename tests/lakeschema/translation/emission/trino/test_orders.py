"""Orders of nested values, ordered aggregates, times and intervals written for Trino."""

from __future__ import annotations

import pytest

from lakeschema.translation.model.errors import UnsupportedConstruct
from tests.lakeschema.translation.emission.trino.written import Written, hive, legacy, query, spark

_OF_ARRAY = (
    "element_at(transform(filter(ARRAY[a], nested0 -> nested0 IS NOT NULL), nested0 -> ROW(nested0 IS NOT NULL,"
    " transform(coalesce(nested0, ARRAY[]), nested1 -> ROW(nested1 IS NOT NULL, coalesce(nested1, CAST(0 AS integer)))))), 1)"
)


@pytest.mark.parametrize(
    ("written", "call", "form"),
    [
        (spark, "max(a)", f"max_by(a, {_OF_ARRAY})"),
        (spark, "a < a", f"({_OF_ARRAY} < {_OF_ARRAY})"),
        (spark, "rank() OVER (PARTITION BY a ORDER BY a)", f"CAST(rank() OVER (PARTITION BY {_OF_ARRAY} ORDER BY {_OF_ARRAY} ASC NULLS FIRST) AS integer)"),
        (hive, "rank() OVER (PARTITION BY a ORDER BY a)", "CAST(rank() OVER (PARTITION BY a ORDER BY a ASC NULLS LAST) AS integer)"),
        (spark, "sort_array(array(d))", "array_sort(ARRAY[d], (x, y) -> CASE WHEN x IS NULL AND y IS NULL THEN 0 WHEN x IS NULL THEN -1 WHEN y IS NULL THEN 1 WHEN is_nan(x) AND is_nan(y) THEN 0 WHEN is_nan(x) THEN 1 WHEN is_nan(y) THEN -1 WHEN x < y THEN -1 WHEN x > y THEN 1 ELSE 0 END)"),
        (spark, "listagg(DISTINCT s, '/') WITHIN GROUP (ORDER BY s)", "CAST(array_join(array_agg(DISTINCT s ORDER BY s ASC NULLS FIRST) FILTER (WHERE s IS NOT NULL), '/') AS varchar)"),
        (spark, "mode() WITHIN GROUP (ORDER BY i)", "element_at(array_sort(map_entries(histogram(i)), (x, y) -> CASE WHEN x[2] > y[2] THEN -1 WHEN x[2] < y[2] THEN 1 WHEN x[1] < y[1] THEN -1 WHEN x[1] > y[1] THEN 1 ELSE 0 END), 1)[1]"),
        (spark, "percentile_disc(0.25) WITHIN GROUP (ORDER BY d DESC)", "element_at(transform(ARRAY[reverse(array_sort(filter(array_agg(d), e -> e IS NOT NULL)))], a -> element_at(a, greatest(CAST(ceiling(0.25e0 * cardinality(a)) AS bigint), 1))), 1)"),
        (spark, "CAST(ts AS TIME(3))", "CAST(date_trunc('millisecond', ts) AS time(3))"),
        (spark, "hour(TIME '12:34:56.789')", "CAST(hour(TIME '12:34:56.789000') AS integer)"),
        (spark, "CAST(TIME '01:02:03' AS STRING)", "CAST(trim(TRAILING '.' FROM trim(TRAILING '0' FROM CAST(CAST(TIME '01:02:03.000000' AS time(6)) AS varchar))) AS varchar)"),
        (spark, "extract(DAY FROM da - da)", "CAST(to_milliseconds((da - da)) / 86400000 AS integer)"),
        (spark, "CAST((da - da) AS STRING)", "CAST(('INTERVAL ' || chr(39) || CAST(to_milliseconds((da - da)) / 86400000 AS varchar) || chr(39) || ' DAY') AS varchar)"),
        (spark, "ts + make_dt_interval(1, i)", "(ts + (CAST(1 AS bigint) * INTERVAL '1' DAY + CAST(i AS bigint) * INTERVAL '1' HOUR))"),
        (spark, "decode(i, 1, 'one', NULL, s, 'many')", "CAST(CASE WHEN i IS NOT DISTINCT FROM 1 THEN 'one' WHEN i IS NOT DISTINCT FROM NULL THEN s ELSE 'many' END AS varchar)"),
        (spark, "mask(s, 'X', NULL)", r"CAST(regexp_replace(s, '(\p{Lu})|(\p{Ll})|([0-9])|([\s\S])', m -> CASE WHEN m[1] IS NOT NULL THEN 'X' WHEN m[2] IS NOT NULL THEN m[2] WHEN m[3] IS NOT NULL THEN 'n' WHEN m[4] IS NOT NULL THEN m[4] END) AS varchar)"),
        (spark, "transform(a, (x, n) -> x + n)", "zip_with(a, transform(IF(cardinality(a) = 0, CAST(ARRAY[] AS array(bigint)), sequence(0, cardinality(a) - 1)), i -> CAST(i AS integer)), (x, n) -> (x + n))"),
        (spark, "right(s, 0)", "CAST(CASE WHEN 0 <= 0 AND s IS NOT NULL THEN '' WHEN length(s) <= 0 THEN s ELSE substr(s, - 0) END AS varchar)"),
        (spark, "CAST(de AS DECIMAL(38,18)) + de", "CASE WHEN CAST(de AS decimal(38,18)) IS NOT NULL AND de IS NOT NULL AND TRY(CAST(de AS decimal(38,18)) + de) IS NULL THEN CAST(fail('not the same in Trino: a number of more than 38 digits') AS decimal(38,17)) ELSE CAST(TRY(CAST(de AS decimal(38,18)) + de) AS decimal(38,17)) END"),
        (spark, "date_trunc('nope', ts)", "CAST(NULL AS timestamp(6))"),
        (legacy, "count(CAST('a' AS INT))", r"count(TRY_CAST(regexp_replace(regexp_extract('a', '^\s*[+-]?(?:\d+\.?\d*|\.\d+)\s*$'), '^\s*([+-]?)(\d*)[\s\S]*$', m -> m[1] || '0' || m[2]) AS integer))"),
    ],
)  # fmt: skip
def test_a_call_is_written_with_the_same_meaning(written: Written, call: str, form: str) -> None:
    assert written(call) == form


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (
            "listagg(DISTINCT s, '/') WITHIN GROUP (ORDER BY s, i)",
            "distinct values must be ordered",
        ),
        ("listagg(s) WITHIN GROUP (ORDER BY d)", "the order's keys may be NaN"),
        ("mode() WITHIN GROUP (ORDER BY d)", "WITHIN GROUP"),
        ("mask(s, s)", "the mask characters must be constants"),
        ("mask(s, 'XY')", "the mask characters must be constants"),
        ("decode(d, 1D, 'one')", "unsupported types of values"),
        ("TIME '10:00:00' + make_dt_interval(0, i)", "a time with an interval that is computed"),
        ("make_dt_interval(1, 2, 3, 4.5) > make_dt_interval(1)", "make_dt_interval for Trino"),
        ("rank() OVER (ORDER BY array(array(da - da)))", "an order of values with"),
    ],
)
def test_what_trino_computes_otherwise_is_refused_with_the_reason(call: str, reason: str) -> None:
    with pytest.raises(UnsupportedConstruct) as raised:
        spark(call)

    assert reason in raised.value.message


def test_a_recursive_query_has_the_same_types_in_both_branches() -> None:
    text = "WITH RECURSIVE r(n, s) AS (SELECT 1, 'a' UNION ALL SELECT n + 1, concat(s, 'b') FROM r WHERE n < 4) SELECT n, s FROM r"

    sql = query(text, "spark").sql

    assert "(WITH RECURSIVE r" in sql
    assert sql.count("""CAST('a' AS varchar)""") == 1
    assert "MAX RECURSION" not in sql


def test_a_limit_of_recursion_below_trinos_own_is_refused() -> None:
    text = "WITH RECURSIVE r(n) MAX RECURSION LEVEL 3 AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT n FROM r"

    with pytest.raises(UnsupportedConstruct) as raised:
        query(text, "spark")

    assert "MAX RECURSION LEVEL 3" in raised.value.message


def test_range_is_the_numbers_before_its_end() -> None:
    sql = query("SELECT id FROM range(1, 4)", "spark").sql

    assert "UNNEST(IF(CAST(1 AS bigint) < CAST(4 AS bigint), sequence(" in sql


def test_a_condition_of_a_left_join_of_a_filtered_table_function_is_refused() -> None:
    text = (
        "SELECT x.e FROM t LEFT JOIN LATERAL"
        " (SELECT e FROM explode(t.a) AS y(e) WHERE e > 0) AS x ON x.e < 2"
    )

    with pytest.raises(UnsupportedConstruct) as raised:
        query(text, "spark")

    assert (
        "LEFT JOIN LATERAL of a query that filters a table function, with a condition"
        in raised.value.message
    )


def test_a_tuple_with_a_null_in_a_subquery_is_exists_and_one_of_values_stays() -> None:
    sql = query("SELECT 1 AS x FROM t WHERE (i, 1) NOT IN (SELECT i, 1 FROM u)", "spark").sql

    assert "NOT EXISTS (SELECT" in sql
    values = "SELECT coalesce(i, 0) AS a, 1 AS b FROM u"
    assert "IN (SELECT" in query(f"SELECT 1 AS x FROM t WHERE (2, 1) IN ({values})", "spark").sql


def test_a_lateral_query_reads_a_field_of_what_is_before_it_as_a_column() -> None:
    text = (
        "SELECT s.n FROM (SELECT named_struct('f', i) AS r FROM t) q"
        " LEFT JOIN LATERAL (SELECT count(*) AS n FROM u WHERE u.i > q.r.f) s ON true"
    )

    sql = query(text, "spark").sql

    assert '."f" AS "c1" FROM' in sql
    assert sql.endswith("ON true")


def test_sparks_membership_is_false_where_it_is_not_known() -> None:
    text = "SELECT i IN (SELECT i FROM u) AS a, i NOT IN (SELECT i FROM u) AS b FROM u"

    ours, hives = query(text, "spark").sql, query(text).sql

    assert 'coalesce(((t1."i") IN (SELECT' in ours
    assert 'coalesce(NOT ((t1."i") IN (SELECT' in ours
    assert "coalesce" not in hives
    rows = query("SELECT i FROM u WHERE i > 1 AND i NOT IN (SELECT i FROM u)", "spark").sql
    assert "coalesce" not in rows
