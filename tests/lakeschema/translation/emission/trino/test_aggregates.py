"""Aggregates and window functions written for Trino."""

from __future__ import annotations

import pytest

from lakeschema.translation.model.errors import UnsupportedConstruct
from tests.lakeschema.translation.emission.trino.written import Written, hive, spark

_WRAPS = "CAST(fail('not the same in Trino: a bound of a window that wraps')"


@pytest.mark.parametrize(
    ("written", "call", "form"),
    [
        (hive, "count(DISTINCT i, s)", "count(DISTINCT CASE WHEN i IS NOT NULL AND s IS NOT NULL THEN ROW(i, s) END)"),
        (hive, "count(1)", "count(*)"),
        (hive, "count(1, i)", "count(CASE WHEN 1 IS NOT NULL AND i IS NOT NULL THEN 1 END)"),
        (hive, "count(DISTINCT i)", "count(DISTINCT i)"),
        (hive, "sum(de)", "TRY_CAST(sum(de) AS decimal(20,2))"),
        (hive, "sum(s)", "coalesce(sum(TRY_CAST(trim(s) AS double)), CASE WHEN count(s) > 0 THEN 0e0 END)"),
        (hive, "avg(f)", "avg(CAST(f AS double))"),
        (hive, "avg(s)", "avg(TRY_CAST(trim(s) AS double))"),
        (hive, "max(d)", "CASE WHEN bool_or(is_nan(d)) THEN CAST(fail('not the same in Trino: an extreme of NaN, which in Hive the order of rows decides') AS double) ELSE max(d) END"),
        (hive, "min(s)", "CAST(min(s) AS varchar)"),
        (hive, "max(st)", "CAST(max_by(st, CASE WHEN st IS NOT NULL THEN ROW(st.x IS NOT NULL, coalesce(st.x, CAST(0 AS integer)), st.y IS NOT NULL, coalesce(st.y, CAST('' AS varchar))) END) AS ROW(x integer, y varchar))"),
        (hive, "collect_set(i)", "array_distinct(coalesce(filter(array_agg(i), e -> e IS NOT NULL), CAST(ARRAY[] AS array(integer))))"),
        (hive, "collect_list(a)", "coalesce(filter(array_agg(a), e -> e IS NOT NULL), CAST(ARRAY[] AS array(array(integer))))"),
        (hive, "variance(i) OVER ()", "var_pop(CAST(i AS double)) OVER ()"),
        (hive, "variance(f) OVER ()", "CASE WHEN bool_or(abs(CAST(f AS double)) > 1e70) OVER () THEN CAST(fail('not the same in Trino: variance of numbers beyond 1e70') AS double) ELSE var_pop(CAST(f AS double)) OVER () END"),
        (hive, "variance(d) OVER ()", "CASE WHEN bool_or(abs(d) > 1e70) OVER () THEN CAST(fail('not the same in Trino: variance of numbers beyond 1e70') AS double) ELSE var_pop(d) OVER () END"),
        (hive, "corr(i, d)", "CASE WHEN bool_or(abs(d) > 1e70) THEN CAST(fail('not the same in Trino: corr of numbers beyond 1e70') AS double) ELSE CASE WHEN count(CASE WHEN CAST(i AS double) IS NOT NULL THEN d END) > 1 AND (var_pop(CASE WHEN d IS NOT NULL THEN CAST(i AS double) END) <> 0e0 AND (is_nan(var_pop(CASE WHEN d IS NOT NULL THEN CAST(i AS double) END)) OR max(CASE WHEN d IS NOT NULL THEN CAST(i AS double) END) - min(CASE WHEN d IS NOT NULL THEN CAST(i AS double) END) <> 0e0)) AND (var_pop(CASE WHEN CAST(i AS double) IS NOT NULL THEN d END) <> 0e0 AND (is_nan(var_pop(CASE WHEN CAST(i AS double) IS NOT NULL THEN d END)) OR max(CASE WHEN CAST(i AS double) IS NOT NULL THEN d END) - min(CASE WHEN CAST(i AS double) IS NOT NULL THEN d END) <> 0e0)) THEN coalesce(corr(CAST(i AS double), d), nan()) END END"),
        (hive, "ntile(4) OVER (ORDER BY i)", "CAST(ntile(4) OVER (ORDER BY i ASC NULLS LAST) AS integer)"),
        (hive, "lag(i, 2, 0) OVER (ORDER BY i)", "lag(i, 2, 0) OVER (ORDER BY i ASC NULLS LAST)"),
        (hive, "first_value(i) OVER (ORDER BY i)", "first_value(i) OVER (ORDER BY i ASC NULLS LAST)"),
        (hive, "last_value(d, true) OVER (ORDER BY i)", "last_value(d) IGNORE NULLS OVER (ORDER BY i ASC NULLS LAST)"),
        (hive, "count(i) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)", "count(i) OVER (ORDER BY i ASC NULLS LAST ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)"),
        (spark, "max(d)", "CASE WHEN bool_or(is_nan(d)) THEN CAST(nan() AS double) ELSE max(d) END"),
        (spark, "min(d)", "coalesce(min(CASE WHEN NOT is_nan(d) THEN d END), min(d))"),
        (spark, "max_by(s, i)", "CAST(max_by(s, i) AS varchar)"),
        (spark, "array_agg(i)", "coalesce(filter(array_agg(i), e -> e IS NOT NULL), CAST(ARRAY[] AS array(integer)))"),
        (spark, "collect_set(a)", "array_distinct(coalesce(filter(array_agg(a), e -> e IS NOT NULL), CAST(ARRAY[] AS array(array(integer)))))"),
        (spark, "nth_value(i, 2, true) OVER (ORDER BY i)", "nth_value(i, 2) IGNORE NULLS OVER (ORDER BY i ASC NULLS FIRST)"),
        (spark, "bit_and(i)", "CAST(bitwise_and_agg(i) AS integer)"),
        (spark, "count_if(o)", "count_if(o)"),
        (spark, "count_if(DISTINCT o)", "count_if(DISTINCT o)"),
        (spark, "bit_xor(DISTINCT i)", "CAST(bitwise_xor_agg(DISTINCT i) AS integer)"),
        (spark, "collect_list(i) FILTER (WHERE o)", "coalesce(filter(array_agg(i) FILTER (WHERE o), e -> e IS NOT NULL), CAST(ARRAY[] AS array(integer)))"),
        (spark, "sum(de)", "CAST(sum(de) AS decimal(20,2))"),
        (spark, "avg(de)", "CAST(CAST(sum(de) AS decimal(38,6)) / nullif(count(de), 0) AS decimal(14,6))"),
        (spark, "sum(i) OVER (ORDER BY i RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)", f"sum(i) OVER (ORDER BY CASE WHEN i < -2147483647 THEN {_WRAPS} AS integer) ELSE i END ASC NULLS FIRST RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)"),
        (spark, "sum(i) OVER (ORDER BY i DESC RANGE BETWEEN 2 PRECEDING AND 3 FOLLOWING)", f"sum(i) OVER (ORDER BY CASE WHEN i > 2147483645 OR i < -2147483645 THEN {_WRAPS} AS integer) ELSE i END DESC NULLS LAST RANGE BETWEEN 2 PRECEDING AND 3 FOLLOWING)"),
        (spark, "sum(i) OVER (ORDER BY d RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)", "sum(i) OVER (ORDER BY d ASC NULLS FIRST RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)"),
        (hive, "sum(i) OVER (ORDER BY i RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)", "sum(i) OVER (ORDER BY i ASC NULLS LAST RANGE BETWEEN 1 PRECEDING AND CURRENT ROW)"),
    ],
)  # fmt: skip
def test_aggregates_are_written_with_the_same_meaning(
    written: Written, call: str, form: str
) -> None:
    assert written(call) == form


@pytest.mark.parametrize(
    ("written", "call", "reason"),
    [
        (hive, "max(a)", "max for Trino is not supported: Trino orders these values differently"),
        (hive, "max(ast)", "max for Trino is not supported: Trino orders these values differently"),
        (hive, "first_value(i)", "first_value for Trino is not supported: without a window's order there is no first row"),
        (hive, "avg(DISTINCT i) OVER ()", "avg for Trino is not supported: DISTINCT over a window"),
        (hive, "percentile(i, array(0.5))", "percentile for Trino is not supported: the share must be a single constant number"),
        (hive, "percentile_disc(i, 0.5)", "percentile_disc for Trino is not supported: Trino has no exact percentiles in an order"),
        (spark, "min_by(s, d)", "min_by for Trino is not supported: its arguments' types"),
        (spark, "first(i)", "first for Trino is not supported: without a window's order there is no first row"),
        (spark, "last(i, true)", "last for Trino is not supported: without a window's order there is no first row"),
        (spark, "listagg(s, ',')", "listagg for Trino is not supported: the order of its values is undefined"),
        (spark, "count(i, s) OVER ()", "count for Trino is not supported: several values in a window"),
        (spark, "percentile(i, 2)", "percentile for Trino is not supported: the share must be a single constant number"),
        (hive, "max(named_struct('a', a))", "max for Trino is not supported: structs of nested values"),
        (hive, "regr_slope(DISTINCT d, d)", "regr_slope for Trino is not supported: DISTINCT"),
        (spark, "percentile(DISTINCT i, 0.5)", "percentile for Trino is not supported: DISTINCT"),
        (spark, "median(DISTINCT i)", "median for Trino is not supported: DISTINCT"),
        (spark, "regr_count(DISTINCT d, d)", "regr_count for Trino is not supported: DISTINCT"),
    ],
)  # fmt: skip
def test_aggregates_that_trino_computes_otherwise_are_refused_with_the_reason(
    written: Written, call: str, reason: str
) -> None:
    with pytest.raises(UnsupportedConstruct) as refused:
        written(call)

    assert reason in str(refused.value)
