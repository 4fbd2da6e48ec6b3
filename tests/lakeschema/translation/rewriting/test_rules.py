"""Each rule on the example of its module, and on plans that it must not change."""

from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import INT
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.derivation import derive_view
from lakeschema.translation.model.errors import UnsupportedConstruct
from lakeschema.translation.plan.explain import explain
from lakeschema.translation.plan.expressions import Literal
from lakeschema.translation.plan.relations import Limit, Plan
from lakeschema.translation.rewriting.aggregate_filters_as_cases import aggregate_filters_as_cases
from lakeschema.translation.rewriting.distinct_of_absent_keys import distinct_of_absent_keys
from lakeschema.translation.rewriting.full_join_by_union import full_join_by_union
from lakeschema.translation.rewriting.group_keys_as_columns import group_keys_as_columns
from lakeschema.translation.rewriting.grouping_of_keys import grouping_of_keys
from lakeschema.translation.rewriting.keys_of_no_set_as_nulls import keys_of_no_set_as_nulls
from lakeschema.translation.rewriting.lateral_conditions_moved import lateral_conditions_moved
from lakeschema.translation.rewriting.nan_order_explicit import nan_order_explicit
from lakeschema.translation.rewriting.no_group_of_nothing import no_group_of_nothing
from lakeschema.translation.rewriting.outer_fields_as_columns import outer_fields_as_columns
from lakeschema.translation.rewriting.semi_joins_as_exists import semi_joins_as_exists
from lakeschema.translation.rewriting.sort_within_dropped import sort_within_dropped
from lakeschema.translation.rewriting.subquery_out_of_on import subquery_out_of_on
from lakeschema.translation.rewriting.tuples_in_as_exists import tuples_in_as_exists
from lakeschema.translation.rewriting.uncorrelated_exists_as_counts import (
    uncorrelated_exists_as_counts,
)
from lakeschema.translation.rewriting.unread_columns_as_nulls import unread_columns_as_nulls
from lakeschema.translation.rewriting.variances_as_sums import variances_as_sums
from lakeschema.translation.rewriting.window_filters_as_cases import window_filters_as_cases
from lakeschema.translation.rewriting.zeros_united import zeros_united
from tests.lakeschema.translation.relations import DEFAULT, interfaces

VIEW = RelationName.of("default", "v")
TABLES = ["CREATE TABLE l (k INT, d DOUBLE)", "CREATE TABLE r (k INT, w STRING)"]
SCAN_L = "scan default.l (k int, d double)"
SCAN_R = "scan default.r (k int, w string)"


def plan_of(text: str, dialect: Dialect = Dialect.SPARK) -> Plan:
    relations = relations_from_ddl([*TABLES, f"CREATE VIEW v AS {text}"], dialect)
    return derive_view(relations[VIEW], interfaces(relations, VIEW, DEFAULT), DEFAULT)[1]


def lines(plan: Plan) -> list[str]:
    return [line.strip() for line in explain(plan).splitlines()]


def test_sort_by_is_left_out_and_order_by_stays() -> None:
    assert "sort" not in explain(sort_within_dropped(plan_of("SELECT k FROM l SORT BY k")))
    assert "sort k" in explain(sort_within_dropped(plan_of("SELECT k FROM l ORDER BY k")))


def test_nan_is_after_all_numbers() -> None:
    plan = nan_order_explicit(plan_of("SELECT d FROM l ORDER BY d"))

    assert lines(plan)[0] == "sort d is nan, d"


def test_a_semi_join_is_exists_and_an_anti_join_is_not() -> None:
    semi = semi_joins_as_exists(
        plan_of("SELECT k FROM l LEFT SEMI JOIN r ON l.k = r.k AND w > 'a'")
    )
    anti = semi_joins_as_exists(plan_of("SELECT k FROM l LEFT ANTI JOIN r ON l.k = r.k"))

    assert lines(semi)[1:] == [
        *("filter exists (sub-query)", "(sub-query)", "project 1 as found"),
        *("filter ((k = k) and (w > 'a'))", SCAN_R, SCAN_L),
    ]
    assert "filter not exists (sub-query)" in lines(anti)


def test_a_full_join_on_an_equality_stays() -> None:
    plan = plan_of("SELECT l.k FROM l FULL JOIN r ON l.k = r.k")

    assert full_join_by_union(plan) == plan


def test_another_full_join_is_a_union() -> None:
    plan = full_join_by_union(plan_of("SELECT l.k, r.w FROM l FULL JOIN r ON l.k < r.k"))

    assert lines(plan)[1:] == [
        *("union all of 2", "left join on (k < k)", SCAN_L, SCAN_R),
        *("project null as k, null as d, k as k, w as w", "anti join on (k < k)", SCAN_R, SCAN_L),
    ]


def test_a_subquery_leaves_an_inner_joins_condition() -> None:
    plan = subquery_out_of_on(
        plan_of("SELECT l.k FROM l JOIN r ON l.k = r.k AND l.k IN (SELECT k FROM r)")
    )

    assert lines(plan)[1] == "filter k in (sub-query)"
    assert "inner join on (k = k)" in lines(plan)


def test_a_subquery_of_the_right_side_filters_it_below_a_left_join() -> None:
    plan = subquery_out_of_on(
        plan_of("SELECT l.k FROM l LEFT JOIN r ON l.k = r.k AND r.k IN (SELECT k FROM l)")
    )

    assert lines(plan)[1:4] == ["left join on (k = k)", SCAN_L, "filter k in (sub-query)"]


def test_a_subquery_of_the_left_side_stays_in_a_left_join() -> None:
    plan = plan_of("SELECT l.k FROM l LEFT JOIN r ON l.k = r.k AND l.k IN (SELECT k FROM r)")

    assert subquery_out_of_on(plan) == plan


def test_grouping_id_names_its_keys() -> None:
    plan = plan_of(
        "SELECT k, grouping__id AS g FROM l GROUP BY k GROUPING SETS ((k), ())", Dialect.HIVE
    )

    assert "grouping__id(k)" in explain(grouping_of_keys(plan))


def test_a_computed_key_is_a_column_below() -> None:
    plan = group_keys_as_columns(plan_of("SELECT k % 2 AS p, count(*) AS n FROM l GROUP BY k % 2"))

    assert lines(plan)[1:] == [
        *("aggregate by (key0): count(1)", "project k as k, d as d, (k % 2) as key0", SCAN_L),
    ]


def test_groups_of_doubles_have_one_zero() -> None:
    plan = zeros_united(plan_of("SELECT d, count(*) AS n FROM l GROUP BY d"))

    assert "aggregate by ((d + 0.0)): count(1)" in explain(plan)
    assert "d + 0.0" in explain(zeros_united(plan_of("SELECT DISTINCT d FROM l")))


def test_grouping_sets_of_no_rows_have_no_rows() -> None:
    rolled = no_group_of_nothing(plan_of("SELECT k, sum(d) AS s FROM l GROUP BY ROLLUP (k)"))
    plain = plan_of("SELECT k, sum(d) AS s FROM l GROUP BY k GROUPING SETS ((k))")

    assert "filter (rows > 0)" in lines(rolled)
    assert no_group_of_nothing(plain) == plain


def test_a_key_of_no_set_is_null_and_its_bit_is_set() -> None:
    text = "SELECT k, w, grouping_id(k, w) AS g FROM r GROUP BY k, w GROUPING SETS ((k), ())"
    plan = keys_of_no_set_as_nulls(grouping_of_keys(plan_of(text)))

    assert any("null as w" in line and "* 2) + 1)" in line for line in lines(plan))
    assert "aggregate by (k) sets [[0], []]: grouping_id(k)" in lines(plan)


def test_a_subquery_reads_a_field_around_it_as_a_column() -> None:
    text = "SELECT s.f FROM (SELECT named_struct('f', k) AS s FROM l) x WHERE EXISTS (SELECT 1 FROM r WHERE r.k = x.s.f)"
    plan = outer_fields_as_columns(plan_of(text))

    assert "project s as s, s.f as field0" in lines(plan)
    assert "filter (k = field0)" in lines(plan)


def test_a_lateral_left_joins_condition_filters_its_right_side() -> None:
    plan = lateral_conditions_moved(
        plan_of(
            "SELECT l.k, s.w FROM l LEFT JOIN LATERAL (SELECT w FROM r WHERE r.k = l.k) s ON w < d"
        )
    )

    at = lines(plan).index("lateral left join")
    assert lines(plan)[at + 2] == "filter (cast(w as double) < d)"


def test_a_lateral_left_joins_condition_shows_the_columns_of_one_row() -> None:
    plan = lateral_conditions_moved(
        plan_of(
            "SELECT l.k, s.n FROM l LEFT JOIN LATERAL (SELECT count(*) n FROM r WHERE r.k = l.k) s"
            " ON n < d"
        )
    )

    assert "case when kept then n end as n" in lines(plan)[1]
    assert "lateral left join" in lines(plan)


def test_a_lateral_inner_joins_condition_is_a_filter() -> None:
    plan = lateral_conditions_moved(
        plan_of("SELECT l.k FROM l JOIN LATERAL (SELECT w FROM r WHERE r.k = l.k) s ON w = 'a'")
    )

    assert lines(plan)[1:3] == ["filter (w = 'a')", "lateral inner join"]


def test_a_lateral_query_reads_a_field_as_a_column() -> None:
    plan = outer_fields_as_columns(
        plan_of(
            "SELECT t.n, s.w FROM (SELECT named_struct('f', k) AS n FROM l) t"
            " JOIN LATERAL (SELECT w FROM r WHERE r.k = t.n.f) s ON s.w > 'a'"
        )
    )

    assert "filter (k = field0)" in lines(plan)
    assert "lateral inner join on (w > 'a')" in lines(plan)
    assert [column.name for column in plan.columns] == ["n", "w"]


def test_a_tuple_in_a_subquery_is_exists() -> None:
    inside = tuples_in_as_exists(
        plan_of("SELECT k FROM l WHERE (k, d) IN (SELECT k, 1D AS e FROM r)")
    )
    outside = tuples_in_as_exists(
        plan_of("SELECT k FROM l WHERE (k, d) NOT IN (SELECT k, 1D AS e FROM r)")
    )

    assert "filter exists (sub-query)" in lines(inside)
    assert "filter ((k = k) and (d = e))" in lines(inside)
    assert "filter not exists (sub-query)" in lines(outside)
    assert "filter (coalesce((k = k), true) and coalesce((d = e), true))" in lines(outside)


def test_one_value_in_a_subquery_stays() -> None:
    plan = plan_of("SELECT k FROM l WHERE k IN (SELECT k FROM r)")

    assert tuples_in_as_exists(plan) == plan


def test_a_windows_filter_is_a_case() -> None:
    plan = window_filters_as_cases(
        plan_of("SELECT sum(k) FILTER (WHERE d > 1) OVER (ORDER BY d) AS s FROM l")
    )

    assert "case when" in explain(plan)
    assert "filter" not in explain(plan)


def test_a_windows_filter_stays_where_nulls_count() -> None:
    plan = plan_of("SELECT first(k) FILTER (WHERE d > 1) OVER (ORDER BY d) AS s FROM l")

    assert window_filters_as_cases(plan) == plan


def test_an_aggregates_filter_is_a_case_where_it_skips_nulls() -> None:
    plan = aggregate_filters_as_cases(
        plan_of(
            "SELECT sum(k) FILTER (WHERE d > 1) AS s, count(*) FILTER (WHERE k = 1) AS n FROM l"
        )
    )

    assert explain(plan).count("case when") == 2
    assert "filter (where" not in explain(plan)
    kept = plan_of("SELECT first(k) FILTER (WHERE d > 1) AS s FROM l")
    assert aggregate_filters_as_cases(kept) == kept


def test_an_exists_that_reads_nothing_around_is_a_count() -> None:
    text = "SELECT k FROM l WHERE EXISTS (SELECT 1 FROM r WHERE w = 'x'{})"
    plan = uncorrelated_exists_as_counts(plan_of(text.format("")))

    assert "exists" not in explain(plan)
    assert "limit 1" in explain(plan)
    correlated = plan_of(text.format(" AND r.k = l.k"))
    assert uncorrelated_exists_as_counts(correlated) == correlated


def test_groups_of_sets_and_rows_of_set_operations_have_one_zero() -> None:
    sets = zeros_united(plan_of("SELECT d, grouping(d) AS g FROM l GROUP BY ROLLUP(d)"))
    rows = zeros_united(plan_of("SELECT d FROM l EXCEPT SELECT d FROM l"))

    assert "grouping((d + 0.0))" in explain(sets)
    assert "(d + 0.0) as d" in explain(rows)


def test_a_table_functions_condition_in_a_left_join_keeps_rows_or_one_without_its_columns() -> None:
    plan = lateral_conditions_moved(
        plan_of("SELECT x.e FROM l LEFT JOIN LATERAL explode(array(k)) AS x(e) ON x.e < 2")
    )

    found = lines(plan)
    assert "case when kept then e end as e" in found[1]
    assert found[2] == "filter (kept or ((held = 0) and (place = 1)))"
    assert "lateral left join" in found


def test_a_filtered_table_functions_condition_in_a_left_join_is_refused() -> None:
    plan = plan_of(
        "SELECT x.e FROM l LEFT JOIN LATERAL (SELECT e FROM explode(array(l.k)) AS y(e) WHERE e > 0)"
        " AS x ON x.e < 2"
    )

    with pytest.raises(UnsupportedConstruct):
        lateral_conditions_moved(plan)


@pytest.mark.parametrize(
    ("query", "kept", "left"),
    [
        ("SELECT d FROM (SELECT d, k + 1 AS x FROM l) q", "d", "null as x"),
        ("SELECT d FROM (SELECT d, k + 1 AS x FROM l) q WHERE x > 0", "(k + 1) as x", None),
        ("SELECT d FROM (SELECT d, k + 1 AS x FROM l) q ORDER BY x", "(k + 1) as x", None),
        ("SELECT DISTINCT d, k + 1 AS x FROM l", "(k + 1) as x", None),
        (
            "SELECT d FROM (SELECT k + 1 AS x, d FROM l UNION ALL SELECT k, d FROM l) q",
            "d",
            "null as x",
        ),
        (
            "SELECT d FROM (SELECT k + 1 AS x, d FROM l UNION SELECT k, d FROM l) q",
            "(k + 1) as x",
            None,
        ),
        (
            "SELECT w FROM (SELECT d, k + 1 AS x FROM l) q JOIN r ON r.k = x",
            "(k + 1) as x",
            None,
        ),
        (
            "SELECT w FROM (SELECT d, k + 1 AS x FROM l) q JOIN r ON r.k = d",
            "w",
            "null as x",
        ),
        (
            "SELECT max(d) AS m FROM (SELECT d, k + 1 AS x, k - 1 AS y FROM l) q GROUP BY x",
            "(k + 1) as x",
            "null as y",
        ),
        (
            "SELECT d FROM (SELECT d, k + 1 AS x FROM l) q WHERE EXISTS (SELECT 1 FROM r WHERE r.k = x)",
            "(k + 1) as x",
            None,
        ),
        (
            "SELECT sum(d) OVER (ORDER BY x) AS s FROM (SELECT d, k + 1 AS x, k - 1 AS y FROM l) q",
            "(k + 1) as x",
            "null as y",
        ),
        (
            "WITH q AS (SELECT k + 1 AS x, k - 1 AS y, k AS z FROM l) SELECT a.x, b.y FROM q a JOIN q b ON a.z = b.z",
            "(k + 1) as x",
            None,
        ),
    ],
)
def test_what_nothing_reads_is_null(query: str, kept: str, left: str | None) -> None:
    plan = plan_of(query)
    text = explain(unread_columns_as_nulls(plan)).lower()

    assert kept in text
    assert left in text if left is not None else "null" not in text
    assert unread_columns_as_nulls(plan).columns == plan.columns


def test_rows_tied_with_the_last_one_are_kept_where_a_plan_changes() -> None:
    plan = plan_of("SELECT d FROM l SORT BY k")
    tied = Limit(plan, Literal("1", INT), ties=True)

    changed = sort_within_dropped(tied)

    assert isinstance(changed, Limit)
    assert changed.input is not plan
    assert changed.ties


def test_variances_are_of_sums_that_are_computed_once() -> None:
    plan = variances_as_sums(
        plan_of(
            "SELECT k, stddev(d) AS s, var_samp(d) AS v, count(d) AS n FROM l GROUP BY k",
            Dialect.HIVE,
        )
    )

    of_mean = "((stddev_sum * stddev_sum) / cast(stddev_count as double))"
    assert lines(plan)[1:] == [
        (
            f"project k as k, power(((stddev_squares - {of_mean}) / cast(stddev_count as double)), 0.5) as stddev,"
            f" ((stddev_squares - {of_mean}) / (cast(stddev_count as double) - 1.0)) as var_samp,"
            " stddev_count as count"
        ),
        "aggregate by (k): sum((d * d)), sum(d), count(d)",
        SCAN_L,
    ]


def test_squares_of_distinct_values_are_distinct_as_in_hive() -> None:
    plan = plan_of("SELECT var_pop(DISTINCT d) AS v, max(k) AS m FROM l", Dialect.HIVE)

    assert "sum(distinct (d * d)), sum(distinct d), count(distinct d), max(k)" in explain(
        variances_as_sums(plan)
    )


def test_a_variance_over_a_window_stays() -> None:
    plan = plan_of("SELECT var_pop(d) OVER (ORDER BY k) AS v FROM l", Dialect.HIVE)

    assert variances_as_sums(plan) == plan


def test_distinct_values_of_a_key_are_null_where_a_set_lacks_it() -> None:
    sql = "SELECT k, sum(DISTINCT d) AS s, count(DISTINCT d, k) AS n, max(d) AS m FROM l GROUP BY k, d WITH ROLLUP"

    of_hive = distinct_of_absent_keys(plan_of(sql, Dialect.HIVE))

    assert lines(of_hive)[1:3] == [
        (
            "project k as k, d as d, case when (absent_1 = 0) then sum end as sum,"
            " case when (absent_2 = 0) then count else 0 end as count, max as max"
        ),
        (
            "aggregate by (k, d) sets [[0, 1], [0], []]: sum(distinct d), count(distinct d, k), max(d),"
            " grouping(d), grouping(k, d)"
        ),
    ]


def test_of_converted_texts_a_sum_alone_is_null_where_a_set_lacks_their_key() -> None:
    sql = "SELECT sum(DISTINCT w) AS a, avg(DISTINCT w) AS b FROM r GROUP BY k, w WITH ROLLUP"

    (_, project, *_) = lines(distinct_of_absent_keys(plan_of(sql, Dialect.HIVE)))

    assert "case when (absent_1 = 0) then sum end as sum, avg as avg" in project


def test_distinct_values_of_a_key_in_all_sets_stay() -> None:
    plan = plan_of(
        "SELECT sum(DISTINCT d) AS s FROM l GROUP BY k, d GROUPING SETS ((k, d), (d))", Dialect.HIVE
    )

    assert distinct_of_absent_keys(plan) == plan


def test_distinct_values_of_an_absent_key_are_not_gathered() -> None:
    plan = plan_of(
        "SELECT collect_list(DISTINCT d) AS s FROM l GROUP BY k, d WITH CUBE", Dialect.HIVE
    )

    with pytest.raises(UnsupportedConstruct, match="of a key that some grouping sets lack"):
        distinct_of_absent_keys(plan)
