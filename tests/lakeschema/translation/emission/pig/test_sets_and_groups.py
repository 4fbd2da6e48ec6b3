"""Groups, set operations, orders and generators as Pig statements."""

from __future__ import annotations

import pytest

from tests.lakeschema.translation.emission.pig.pig_batches import (
    VISITS,
    refusal,
    refusal_of_steps,
    script,
    steps,
)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT count(DISTINCT who) AS n FROM visits",
            [
                "visits_grouped = GROUP visits ALL;",
                "visits_groups = FOREACH visits_grouped { values_0 = visits.who; distinct_0 = DISTINCT values_0; GENERATE COUNT(distinct_0) AS count; };",
                "v = FOREACH visits_groups GENERATE count AS n;",
            ],
        ),
        (
            "SELECT who, count(DISTINCT year) AS n, sum(DISTINCT year) AS s FROM visits GROUP BY who",
            [
                "visits_grouped = GROUP visits BY who;",
                "visits_groups = FOREACH visits_grouped { values_0 = visits.year; distinct_0 = DISTINCT values_0; values_1 = visits.year; distinct_1 = DISTINCT values_1; GENERATE group AS who, COUNT(distinct_0) AS count, SUM(distinct_1) AS sum:long; };",
                "v = FOREACH visits_groups GENERATE who, count AS n, sum AS s;",
            ],
        ),
        (
            "SELECT who, sum(year + 1) AS s, avg(year) AS a, min(who) AS m FROM visits GROUP BY who",
            [
                "visits_grouped_by = FOREACH visits GENERATE who, (year + 1) AS sum_argument, year, who AS who_2;",
                "visits_grouped = GROUP visits_grouped_by BY who;",
                "visits_groups = FOREACH visits_grouped GENERATE group AS who, SUM(visits_grouped_by.sum_argument) AS sum:long, AVG(visits_grouped_by.year) AS avg, (chararray)MIN(visits_grouped_by.who_2) AS min;",
                "v = FOREACH visits_groups GENERATE who, sum AS s, avg AS a, min AS m;",
            ],
        ),
        (
            "SELECT who, variance(year) AS t FROM visits GROUP BY who",
            [
                "visits_grouped_by = FOREACH visits GENERATE who, ((double)year * (double)year) AS variance_squares_argument, (double)year AS variance_sum_argument, (double)year AS variance_count_argument;",
                "visits_grouped = GROUP visits_grouped_by BY who;",
                "visits_groups = FOREACH visits_grouped GENERATE group AS who, SUM(visits_grouped_by.variance_squares_argument) AS variance_squares:double, SUM(visits_grouped_by.variance_sum_argument) AS variance_sum:double, COUNT(visits_grouped_by.variance_count_argument) AS variance_count;",
                "visits_columns = FOREACH visits_groups GENERATE who, (((double)variance_count + 0.0) == 0.0 ? (double)null : (variance_squares - (((double)variance_count + 0.0) == 0.0 ? (double)null : (variance_sum * variance_sum) / (double)variance_count)) / (double)variance_count) AS variance;",
                "v = FOREACH visits_columns GENERATE who, variance AS t;",
            ],
        ),
        (
            "SELECT who, year, count(*) AS n FROM visits GROUP BY who, year",
            [
                "visits_grouped = GROUP visits BY (who, year);",
                "visits_groups = FOREACH visits_grouped GENERATE group.$0 AS who, group.$1 AS year, COUNT_STAR(visits) AS count;",
                "v = FOREACH visits_groups GENERATE who, year, count AS n;",
            ],
        ),
        (
            "SELECT who, sum(year) AS s FROM visits GROUP BY who WITH ROLLUP",
            [
                "visits_grouped = GROUP visits BY who;",
                "visits_groups = FOREACH visits_grouped GENERATE group AS who, SUM(visits.year) AS sum:long;",
                "visits_grouped_2 = GROUP visits ALL;",
                "visits_groups_2 = FOREACH visits_grouped_2 GENERATE (chararray)null AS who, SUM(visits.year) AS sum:long;",
                "visits_all_sets = UNION visits_groups, visits_groups_2;",
                "v = FOREACH visits_all_sets GENERATE who, sum AS s;",
            ],
        ),
        (
            "SELECT who, year, count(*) AS s FROM visits GROUP BY who, year GROUPING SETS ((who), ())",
            [
                "visits_grouped = GROUP visits BY who;",
                "visits_groups = FOREACH visits_grouped GENERATE group AS who, (int)null AS year, COUNT_STAR(visits) AS count;",
                "visits_grouped_2 = GROUP visits ALL;",
                "visits_groups_2 = FOREACH visits_grouped_2 GENERATE (chararray)null AS who, (int)null AS year, COUNT_STAR(visits) AS count;",
                "visits_all_sets = UNION visits_groups, visits_groups_2;",
                "v = FOREACH visits_all_sets GENERATE who, year, count AS s;",
            ],
        ),
        (
            "SELECT who, sum(year) AS s FROM visits GROUP BY who HAVING sum(year) > 3",
            [
                "visits_grouped = GROUP visits BY who;",
                "visits_groups = FOREACH visits_grouped GENERATE group AS who, SUM(visits.year) AS sum:long;",
                "visits_filtered = FILTER visits_groups BY sum > 3L;",
                "v = FOREACH visits_filtered GENERATE who, sum AS s;",
            ],
        ),
        (
            "SELECT weight, count(*) AS n FROM orders GROUP BY weight",
            [
                "orders_grouped_by = FOREACH orders GENERATE (chararray)(weight + 0.0) AS weight;",
                "orders_grouped = GROUP orders_grouped_by BY weight;",
                "orders_groups = FOREACH orders_grouped GENERATE (double)group AS weight, COUNT_STAR(orders_grouped_by) AS count;",
                "v = FOREACH orders_groups GENERATE weight, count AS n;",
            ],
        ),
        (
            "SELECT corr(year, year) AS p FROM visits",
            [
                "DEFINE hive_corr HiveUDAF('corr');",
                "visits_grouped_by = FOREACH visits GENERATE (double)year AS corr_argument, (double)year AS corr_argument_2;",
                "visits_one = LIMIT visits 1;",
                "visits_grouped = COGROUP visits_grouped_by BY (corr_argument is null ? 1 : 1), visits_one BY (who is null ? 1 : 1);",
                "visits_groups = FOREACH visits_grouped GENERATE hive_corr(visits_grouped_by.(corr_argument, corr_argument_2)) AS corr;",
                "v = FOREACH visits_groups GENERATE corr AS p;",
            ],
        ),
        (
            "SELECT percentile(year, 0.5) AS p FROM visits",
            [
                "DEFINE hive_percentile HiveUDAF('percentile', '(null, 0.5)');",
                "visits_grouped_by = FOREACH visits GENERATE year, 0.5 AS percentile_argument;",
                "visits_one = LIMIT visits 1;",
                "visits_grouped = COGROUP visits_grouped_by BY (year is null ? 1 : 1), visits_one BY (who is null ? 1 : 1);",
                "visits_groups = FOREACH visits_grouped GENERATE hive_percentile(visits_grouped_by.(year, percentile_argument)) AS percentile;",
                "v = FOREACH visits_groups GENERATE percentile AS p;",
            ],
        ),
        (
            "SELECT count(*) AS n, sum(CASE WHEN year > 3 THEN 1 ELSE 0 END) AS s FROM visits",
            [
                "visits_grouped_by = FOREACH visits GENERATE ((year is not null AND (year > 3)) ? 1 : 0) AS sum_argument;",
                "visits_one = LIMIT visits 1;",
                "visits_grouped = COGROUP visits_grouped_by BY (sum_argument is null ? 1 : 1), visits_one BY (who is null ? 1 : 1);",
                "visits_groups = FOREACH visits_grouped GENERATE COUNT_STAR(visits_grouped_by) AS count, SUM(visits_grouped_by.sum_argument) AS sum:long;",
                "v = FOREACH visits_groups GENERATE count AS n, sum AS s;",
            ],
        ),
        (
            "SELECT DISTINCT buyer, weight FROM orders",
            [
                "orders_columns = FOREACH orders GENERATE buyer, weight;",
                "orders_alike = FOREACH orders_columns GENERATE buyer, (chararray)(weight + 0.0) AS weight;",
                "orders_distinct = DISTINCT orders_alike;",
                "v = FOREACH orders_distinct GENERATE buyer, (double)weight AS weight;",
            ],
        ),
        (
            "SELECT who FROM visits ORDER BY year DESC NULLS LAST LIMIT 3",
            [
                "visits_columns = FOREACH visits GENERATE who, year AS order0;",
                "visits_keyed = FOREACH visits_columns GENERATE who, order0, (order0 is null ? 1 : 0) AS nulls_1, order0 AS key_1;",
                "visits_ordered = ORDER visits_keyed BY nulls_1, key_1 DESC;",
                "visits_sorted = FOREACH visits_ordered GENERATE who, order0;",
                "visits_columns_2 = FOREACH visits_sorted GENERATE who;",
                "v = LIMIT visits_columns_2 3;",
            ],
        ),
        (
            "SELECT id FROM orders ORDER BY weight",
            [
                "orders_columns = FOREACH orders GENERATE id, weight AS order0;",
                "orders_keyed = FOREACH orders_columns GENERATE id, order0, (order0 is null ? 1 : 0) AS nulls_1, ((chararray)order0 == 'NaN' ? 1 : 0) AS nan_1, (order0 + 0.0) AS key_1, ((chararray)order0 == '-0.0' ? 0 : 1) AS zero_1;",
                "orders_ordered = ORDER orders_keyed BY nulls_1, nan_1, key_1, zero_1;",
                "orders_sorted = FOREACH orders_ordered GENERATE id, order0;",
                "v = FOREACH orders_sorted GENERATE id;",
            ],
        ),
        (
            "SELECT who FROM visits SORT BY who",
            [
                "v = FOREACH visits GENERATE who;",
            ],
        ),
        (
            "SELECT who FROM visits INTERSECT SELECT name FROM buyers",
            [
                "visits_columns = FOREACH visits GENERATE who;",
                "visits_branch = FOREACH visits_columns GENERATE who, 1 AS in_left, 0 AS in_right;",
                "buyers_columns = FOREACH buyers GENERATE name;",
                "buyers_branch = FOREACH buyers_columns GENERATE name AS who, 0 AS in_left, 1 AS in_right;",
                "visits_buyers_union = UNION visits_branch, buyers_branch;",
                "visits_buyers_grouped = GROUP visits_buyers_union BY who;",
                "visits_buyers_found = FOREACH visits_buyers_grouped GENERATE group AS who, MAX(visits_buyers_union.in_left) AS in_left:int, MAX(visits_buyers_union.in_right) AS in_right:int;",
                "visits_buyers_kept = FILTER visits_buyers_found BY in_left > 0 AND in_right > 0;",
                "v = FOREACH visits_buyers_kept GENERATE who;",
            ],
        ),
        (
            "SELECT year FROM visits UNION SELECT age FROM buyers",
            [
                "visits_columns = FOREACH visits GENERATE year;",
                "visits_branch = FOREACH visits_columns GENERATE year;",
                "buyers_columns = FOREACH buyers GENERATE age;",
                "buyers_branch = FOREACH buyers_columns GENERATE age AS year;",
                "visits_buyers_union = UNION visits_branch, buyers_branch;",
                "v = DISTINCT visits_buyers_union;",
            ],
        ),
        (
            "SELECT who, year FROM visits UNION ALL SELECT name, age FROM buyers",
            [
                "visits_columns = FOREACH visits GENERATE who, year;",
                "visits_branch = FOREACH visits_columns GENERATE who, year;",
                "buyers_columns = FOREACH buyers GENERATE name, age;",
                "buyers_branch = FOREACH buyers_columns GENERATE name AS who, age AS year;",
                "v = UNION visits_branch, buyers_branch;",
            ],
        ),
        (
            "SELECT who, a FROM visits LATERAL VIEW explode(split(who, ',')) t AS a",
            [
                "DEFINE hive_split HiveUDF('split');",
                "visits_not_empty = FILTER visits BY hive_split(who, ',') is not null AND NOT IsEmpty(hive_split(who, ','));",
                "visits_generated = FOREACH visits_not_empty GENERATE who, year, FLATTEN(hive_split(who, ',')) AS (a:chararray);",
                "v = FOREACH visits_generated GENERATE who, a;",
            ],
        ),
        (
            "SELECT who, a FROM visits LATERAL VIEW OUTER explode(split(who, ',')) t AS a",
            [
                "DEFINE hive_split HiveUDF('split');",
                "visits_generated = FOREACH visits GENERATE who, year, FLATTEN(((hive_split(who, ',') is null OR IsEmpty(hive_split(who, ','))) ? TOBAG((chararray)null) : hive_split(who, ','))) AS (a:chararray);",
                "v = FOREACH visits_generated GENERATE who, a;",
            ],
        ),
        (
            "SELECT who, p, a FROM visits LATERAL VIEW posexplode(split(who, ',')) t AS p, a",
            [
                "DEFINE hive_posexplode HiveUDTF('posexplode');",
                "DEFINE hive_split HiveUDF('split');",
                "visits_not_empty = FILTER visits BY hive_split(who, ',') is not null AND NOT IsEmpty(hive_split(who, ','));",
                "visits_generated = FOREACH visits_not_empty GENERATE who, year, FLATTEN(hive_posexplode(hive_split(who, ','))) AS (p:int, a:chararray);",
                "v = FOREACH visits_generated GENERATE who, p, a;",
            ],
        ),
        (
            "SELECT who, a FROM visits LATERAL VIEW json_tuple(who, 'a') t AS a",
            [
                "DEFINE hive_json_tuple HiveUDTF('json_tuple');",
                "visits_generated = FOREACH visits GENERATE who, year, FLATTEN(hive_json_tuple(who, 'a')) AS (a:chararray);",
                "v = FOREACH visits_generated GENERATE who, a;",
            ],
        ),
        (
            "SELECT who, a FROM visits LATERAL VIEW stack(2, 1, 2) t AS a",
            [
                "DEFINE hive_stack HiveUDTF('stack', '(2, null, null)');",
                "visits_generated = FOREACH visits GENERATE who, year, FLATTEN(hive_stack(2, 1, 2)) AS (a:int);",
                "v = FOREACH visits_generated GENERATE who, a;",
            ],
        ),
        (
            "SELECT who, a FROM visits LATERAL VIEW inline(array(struct(1))) t AS a",
            [
                "visits_not_empty = FILTER visits BY TOBAG(TOTUPLE(1)) is not null AND NOT IsEmpty(TOBAG(TOTUPLE(1)));",
                "visits_generated = FOREACH visits_not_empty GENERATE who, year, FLATTEN(TOBAG(TOTUPLE(1))) AS (a:int);",
                "v = FOREACH visits_generated GENERATE who, a;",
            ],
        ),
        (
            "SELECT who, k, v FROM visits LATERAL VIEW explode(map('a', year)) t AS k, v",
            [
                "visits_not_empty = FILTER visits BY TOMAP('a', year) is not null AND NOT IsEmpty(TOMAP('a', year));",
                "visits_generated = FOREACH visits_not_empty GENERATE who, year, FLATTEN(TOMAP('a', year)) AS (k:chararray, v:int);",
                "visits_entries = FILTER visits_generated BY k is not null;",
                "v = FOREACH visits_entries GENERATE who, k, v;",
            ],
        ),
        (
            "SELECT a.year FROM (SELECT year FROM visits WHERE year > 3) a",
            [
                "visits_filtered = FILTER visits BY year > 3;",
                "visits_columns = FOREACH visits_filtered GENERATE year;",
                "v = FOREACH visits_columns GENERATE year;",
            ],
        ),
        (
            "SELECT who AS a, who AS b FROM visits",
            [
                "v = FOREACH visits GENERATE who AS a, who AS b;",
            ],
        ),
        (
            "SELECT who AS `group`, year AS `a b` FROM visits",
            [
                "v = FOREACH visits GENERATE who AS group_, year AS a_b;",
            ],
        ),
        (
            "SELECT who FROM visits WHERE NOT (year > 3 AND who = 'a')",
            [
                "visits_filtered = FILTER visits BY NOT ((year > 3) AND (who == 'a'));",
                "v = FOREACH visits_filtered GENERATE who;",
            ],
        ),
        (
            "SELECT who, max(year > 3) AS m FROM visits GROUP BY who",
            [
                "visits_grouped_by = FOREACH visits GENERATE who, (((year > 3) ? true : false) ? 1 : 0) AS max_argument;",
                "visits_grouped = GROUP visits_grouped_by BY who;",
                "visits_groups = FOREACH visits_grouped GENERATE group AS who, (MAX(visits_grouped_by.max_argument) is null ? (boolean)null : (MAX(visits_grouped_by.max_argument) == 1 ? true : false)) AS max;",
                "v = FOREACH visits_groups GENERATE who, max AS m;",
            ],
        ),
        (
            "SELECT who FROM visits WHERE year NOT IN (1, 2)",
            [
                "visits_filtered = FILTER visits BY NOT ((year == 1) OR (year == 2));",
                "v = FOREACH visits_filtered GENERATE who;",
            ],
        ),
    ],
)  # fmt: skip
def test_rows_are_gathered_and_spread_as_hive_does(sql: str, expected: list[str]) -> None:
    assert steps(sql) == expected


@pytest.mark.parametrize(
    ("sql", "reason"),
    [
        ("SELECT who FROM visits LIMIT 3 OFFSET 2", "OFFSET for Pig"),
        ("SELECT id FROM orders ORDER BY tags", "ORDER BY of a nested value for Pig"),
        ("SELECT place, count(*) AS n FROM orders GROUP BY place", "GROUP BY of struct<street:string,number:int> for Pig"),
        ("SELECT sum(who) AS s FROM visits", "function sum of texts is 0 in Hive if no text is a number"),
        ("SELECT sum(who) OVER (ORDER BY year) AS s FROM visits", "function sum of texts is 0 in Hive if no text is a number"),
        ("SELECT collect_list(year) AS c FROM visits", "function collect_list orders its elements differently in Pig"),
        ("SELECT year FROM visits EXCEPT ALL SELECT age FROM buyers", "EXCEPT ALL for Pig"),
        ("SELECT year FROM visits INTERSECT ALL SELECT age FROM buyers", "INTERSECT ALL for Pig"),
        ("SELECT place FROM orders UNION SELECT place FROM orders", "DISTINCT of struct<street:string,number:int> for Pig"),
        ("SELECT who FROM visits TABLESAMPLE (3 ROWS)", "function is in sampled pieces() has no known equivalent in Pig"),
        ("SELECT DISTINCT tags FROM orders", "DISTINCT of array<string> for Pig"),
    ],
)  # fmt: skip
def test_what_pig_gathers_otherwise_is_refused_with_the_reason(sql: str, reason: str) -> None:
    assert reason in refusal_of_steps(sql)


def test_an_aggregate_is_told_no_text_beforehand() -> None:
    define = steps("SELECT size(collect_list('a_%')) AS n FROM visits")[0]

    assert define == "DEFINE hive_collect_list HiveUDAF('collect_list');"


def test_what_is_joined_together_has_its_type_where_a_function_of_hives_reads_it() -> None:
    step = steps("SELECT find_in_set(who || 'a', who) AS n FROM visits")[-1]

    assert "hive_find_in_set((chararray)CONCAT(who, 'a'), who)" in step


def test_groups_of_a_view_below_are_computed_as_hive_does_too() -> None:
    grouped = "SELECT who, var_pop(year) AS x FROM visits GROUP BY who"
    below = f"CREATE VIEW below AS {grouped}"

    found = script("SELECT who, x FROM below", views=[VISITS, below])

    (groups,) = [step for step in found if step.startswith("visits_groups = ")]
    assert groups in script(grouped, views=[VISITS])
    assert "AS var_pop_squares:double" in groups


def test_maps_of_values_with_parts_are_refused() -> None:
    table = "CREATE TABLE wide (k INT, m MAP<STRING, STRUCT<p: INT>>)"

    assert "values with parts inside of maps" in refusal("SELECT m FROM wide", views=[table])


def test_a_decimal_that_is_written_is_summed_as_one() -> None:
    step = steps("SELECT who, sum(100.010) AS s FROM visits GROUP BY who")[0]

    assert "(bigdecimal)'100.01" in step
