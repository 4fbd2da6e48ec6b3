"""Groups are merged if the stored columns suffice."""

from __future__ import annotations

import pytest

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.interface import FloatingSums, Options
from tests.lakeschema.translation.rewriting.refreshing import lines, refreshed, refusal


def test_groups_of_new_rows_are_merged_into_the_stored_ones() -> None:
    found = refreshed("SELECT k, sum(n) AS s, count(*) AS c FROM l WHERE n > 1 GROUP BY k")

    assert found is not None
    assert found.keys == ("k",)
    assert lines(found) == [
        "project k as k, sum as s, coalesce(count, 0) as c",
        *("aggregate by (k): sum(s), sum(c)", "union all of 2"),
        *("project k as k, s as s, c as c", "scan default.v_stored"),
        *("project k as k, sum as sum, count as count", "aggregate by (k): sum(n), count(1)"),
        *("filter (n > cast(1 as bigint))", "scan default.l_new"),
    ]


def test_the_only_row_of_all_rows_is_merged() -> None:
    found = refreshed("SELECT min(n) AS i, max(n) AS a, count(n) AS c FROM l")

    assert found is not None
    assert found.keys == ()
    assert lines(found)[1] == "aggregate by (): min(i), max(a), sum(c)"


def test_what_follows_from_stored_columns_is_computed_anew() -> None:
    found = refreshed(
        "SELECT sum(n) / count(*) AS a, sum(n) AS s, k + 1 AS j, k, count(*) AS c FROM l GROUP BY k"
    )

    assert lines(found)[0].startswith(
        "project (cast(sum as double) / cast(coalesce(count, 0) as double)) as a"
    )
    assert found is not None
    assert found.keys == ("k",)


def test_sums_of_decimals_keep_their_type() -> None:
    assert "cast(sum as decimal(20,2)) as s" in lines(refreshed("SELECT sum(d) AS s FROM l"))[0]


def test_extremes_and_truth_values_merge_by_themselves() -> None:
    calls = "min(x) AS a, max(DISTINCT n) AS b, bool_and(n > 1) AS c, bit_or(n) AS d, count_if(n > 1) AS e"
    found = refreshed(f"SELECT k, {calls} FROM l GROUP BY k")

    assert lines(found)[1] == "aggregate by (k): min(a), max(b), bool_and(c), bit_or(d), sum(e)"


@pytest.mark.parametrize(
    "text", ["SELECT DISTINCT k FROM l", "SELECT k FROM l UNION SELECT k FROM r"]
)
def test_distinct_rows_are_groups_of_all_columns(text: str) -> None:
    found = refreshed(text)

    assert found is not None
    assert found.keys == ("k",)
    assert "scan default.l_new" in lines(found)


def test_a_constant_key_keeps_the_groups_of_no_rows_none() -> None:
    found = refreshed("SELECT count(*) AS c FROM l GROUP BY 'a'")

    assert lines(found)[1] == "aggregate by ('a'): sum(c)"


def test_a_condition_of_keys_alone_is_of_the_new_groups() -> None:
    found = refreshed("SELECT * FROM (SELECT k, count(*) AS c FROM l GROUP BY k) WHERE k > 1")

    assert "filter (k > 1)" in lines(found)


def test_sums_of_doubles_are_merged_by_consent() -> None:
    options = Options(floating_sums=FloatingSums.ACCEPT)
    found = refreshed("SELECT sum(x) AS s FROM l", options=options)

    assert lines(found)[1] == "aggregate by (): sum(s)"


def test_the_only_row_stays_if_it_shows_no_aggregate() -> None:
    assert refreshed("SELECT 1 AS one FROM (SELECT count(*) AS c FROM l)") is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT 1 AS one FROM l GROUP BY 'a'", "it has no column of its groups"),
        (
            "SELECT * FROM (SELECT count(*) AS c FROM l) WHERE 1 > 2",
            "a condition applies to the only row, which may not be stored",
        ),
        ("SELECT avg(n) AS a FROM l", "avg does not follow from averages: sum and count do"),
        (
            "SELECT count(DISTINCT n) AS a FROM l",
            "count of distinct values does not follow from those of parts",
        ),
        (
            "SELECT sum(DISTINCT n) AS a FROM l",
            "sum of distinct values does not follow from those of parts",
        ),
        (
            "SELECT collect_list(n) AS a FROM l",
            "collect_list does not follow from its results for parts of the rows",
        ),
        (
            "SELECT max_by(n, k) AS a FROM l",
            "max_by does not follow from its results for parts of the rows",
        ),
        (
            "SELECT sum(x) AS a FROM l",
            "sum of floating-point numbers depends on the order of additions",
        ),
        ("SELECT sum(n) + 1 AS a FROM l", "no column is the aggregate sum(n) itself"),
        ("SELECT sum(n) AS s FROM l GROUP BY k", "no column is the key k itself"),
        ("SELECT k + 1 AS j FROM (SELECT DISTINCT k FROM l)", "no column is the key k itself"),
        (
            "SELECT k, sum(n) AS s FROM l GROUP BY ROLLUP (k)",
            "the stored rows do not tell which grouping set each belongs to",
        ),
        (
            "SELECT k, count(*) AS c FROM l GROUP BY k HAVING count(*) > 1",
            "groups for which (count(1) > 1) is not true are not stored",
        ),
        (
            "SELECT k, count(*) AS c, (SELECT max(k) FROM r) AS m FROM l GROUP BY k",
            "it has both groups and a sub-query",
        ),
        ("SELECT k, max(rand()) AS m FROM l GROUP BY k", "rand may have another value each time"),
        ("SELECT k, now() AS t FROM l GROUP BY k", "now may have another value each time"),
    ],
)
def test_groups_that_do_not_merge_are_refused(text: str, reason: str) -> None:
    assert refusal(text) == reason


def test_a_sum_that_may_be_null_since_it_does_not_fit_is_refused() -> None:
    assert refusal("SELECT sum(e) AS s FROM l", dialect=Dialect.HIVE) == (
        "a sum of decimal(38,2) may be null as it does not fit"
    )
    # ANSI mode raises an error instead.
    assert refreshed("SELECT sum(e) AS s FROM l") is not None


def test_a_view_below_that_is_read_by_other_rules_is_refused() -> None:
    other = "CREATE VIEW w TBLPROPERTIES ('view.sqlConfig.spark.sql.ansi.enabled'='false') AS SELECT k FROM l"

    assert refusal("SELECT k FROM w", other) == (
        "default.w, which it reads, is of another dialect or was made under other settings"
    )
