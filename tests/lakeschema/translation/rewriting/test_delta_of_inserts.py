"""The rows that a view gains by inserts, and views on which inserts have other effects."""

from __future__ import annotations

import pytest

from tests.lakeschema.translation.rewriting.refreshing import lines, refreshed, refusal

R = {"r": None}
BOTH = {"l": None, "r": None}


def test_a_filter_and_a_projection_are_of_the_new_rows() -> None:
    found = refreshed("SELECT k FROM l WHERE k > 1")

    assert found is not None
    assert found.keys is None
    assert lines(found) == ["project k as k", "filter (k > 1)", "scan default.l_new"]


def test_a_view_of_other_tables_stays() -> None:
    assert refreshed("SELECT k FROM l", changed=R) is None


@pytest.mark.parametrize("kind", ["JOIN", "LEFT JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"])
def test_new_rows_on_the_left_meet_all_on_the_right(kind: str) -> None:
    found = refreshed(f"SELECT l.k FROM l {kind} r ON l.k = r.k")

    assert lines(found)[2:] == ["scan default.l_new", "scan default.r"]


def test_a_join_counts_pairs_of_new_rows_once() -> None:
    found = refreshed("SELECT l.k FROM l JOIN r ON l.k = r.k", changed=BOTH)

    assert lines(found)[1:] == [
        *("union all of 2", "inner join on (k = k)", "scan default.l_new"),
        *("union all of 2", "scan default.r", "scan default.r_new"),
        *("inner join on (k = k)", "scan default.l", "scan default.r_new"),
    ]


def test_a_table_beside_itself_is_old_on_one_side() -> None:
    found = refreshed("SELECT a.k FROM l a JOIN l b ON a.k = b.k")

    assert lines(found)[1:] == [
        *("union all of 2", "inner join on (k = k)", "scan default.l_new"),
        *("union all of 2", "scan default.l", "scan default.l_new"),
        *("inner join on (k = k)", "scan default.l", "scan default.l_new"),
    ]


def test_a_table_that_has_its_new_rows_is_read_as_it_was() -> None:
    found = refreshed(
        "SELECT l.k FROM l JOIN r ON l.k = r.k", changed={"l": "l_before", "r": "r_before"}
    )

    assert lines(found)[1:] == [
        *("union all of 2", "inner join on (k = k)", "scan default.l_new", "scan default.r"),
        *("inner join on (k = k)", "scan default.l_before", "scan default.r_new"),
    ]


def test_a_semi_join_gains_rows_that_had_no_partner() -> None:
    found = refreshed("SELECT l.k FROM l LEFT SEMI JOIN r ON l.k = r.k", changed=R)

    assert lines(found)[1:] == [
        *("semi join on (k = k)", "anti join on (k = k)", "scan default.l", "scan default.r"),
        "scan default.r_new",
    ]


def test_a_right_join_keeps_new_rows_of_its_right_side() -> None:
    found = refreshed("SELECT r.k FROM l RIGHT JOIN r ON l.k = r.k", changed=R)

    assert lines(found)[1:] == ["right join on (k = k)", "scan default.l", "scan default.r_new"]


def test_of_a_union_only_what_changes_is_read() -> None:
    found = refreshed("SELECT k FROM l UNION ALL SELECT k FROM r UNION ALL SELECT k FROM u")

    assert lines(found) == ["project k as k", "scan default.l_new"]


def test_distinct_rows_below_are_new_if_they_were_not_there() -> None:
    found = refreshed("SELECT a.k FROM (SELECT DISTINCT k FROM l) a JOIN r ON a.k = r.k")

    assert lines(found)[1:5] == [
        *("inner join on (k = k)", "except of 2", "project k as k", "scan default.l_new"),
    ]


def test_a_lateral_view_and_an_order_are_of_the_new_rows() -> None:
    found = refreshed("SELECT k, i FROM l LATERAL VIEW explode(q) t AS i ORDER BY k")

    assert lines(found) == [
        "project k as k, i as i",
        "generate explode(q) as i",
        "scan default.l_new",
    ]


def test_views_in_between_are_looked_through() -> None:
    found = refreshed("SELECT k FROM w", "CREATE VIEW w AS SELECT k FROM l WHERE n > 2")

    assert lines(found)[-2:] == ["filter (n > cast(2 as bigint))", "scan default.l_new"]


def test_a_view_may_be_what_gets_rows() -> None:
    found = refreshed(
        "SELECT k FROM w",
        "CREATE VIEW w AS SELECT k FROM l LIMIT 3",
        changed={"w": None},
    )

    assert lines(found) == ["project k as k", "scan default.w_new"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT r.k FROM r LEFT JOIN l ON l.k = r.k", "the right side of a left join"),
        ("SELECT r.k FROM l RIGHT JOIN r ON l.k = r.k", "the left side of a right join"),
        ("SELECT r.k FROM l FULL JOIN r ON l.k = r.k", "the left side of a full join"),
        ("SELECT r.k FROM r LEFT ANTI JOIN l ON l.k = r.k", "the right side of an anti join"),
        ("SELECT k FROM r WHERE k IN (SELECT k FROM l)", "a sub-query in an expression"),
        ("SELECT k FROM r WHERE NOT EXISTS (SELECT 1 FROM l)", "a sub-query in an expression"),
        ("SELECT (SELECT max(k) FROM l) AS m FROM r", "a sub-query in an expression"),
        ("SELECT k, rank() OVER (ORDER BY k) AS p FROM l", "a window"),
        ("SELECT k FROM l INTERSECT SELECT k FROM r", "INTERSECT"),
        ("SELECT k FROM r EXCEPT SELECT k FROM l", "EXCEPT"),
        (
            "SELECT r.k FROM r JOIN (SELECT k, count(*) AS c FROM l GROUP BY k) a ON a.k = r.k",
            "a grouping below other operators",
        ),
        (
            "WITH RECURSIVE t AS (SELECT k FROM l UNION ALL SELECT 1 FROM t) SELECT k FROM t",
            "a recursive table",
        ),
    ],
)
def test_what_may_lose_or_change_rows_is_refused(text: str, reason: str) -> None:
    assert refusal(text) == f"{reason} reads default.l"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT rand() AS x FROM l", "rand may have another value each time"),
        ("SELECT uuid() AS x FROM l", "uuid may have another value each time"),
        ("SELECT current_date AS x FROM l", "current_date may have another value each time"),
        ("SELECT now() AS x FROM l", "now may have another value each time"),
        (
            "SELECT input_file_name() AS x FROM l",
            "input_file_name may have another value each time",
        ),
        ("SELECT current_user() AS x FROM l", "current_user may have another value each time"),
        (
            "SELECT k FROM l TABLESAMPLE (10 PERCENT)",
            "is in sample may have another value each time",
        ),
        ("SELECT k FROM l TABLESAMPLE (3 ROWS)", "which rows a limit takes is not certain"),
        ("SELECT k FROM l ORDER BY k LIMIT 3", "which rows a limit takes is not certain"),
        (
            "SELECT l.k FROM l JOIN (SELECT k FROM r LIMIT 1) a ON a.k = l.k",
            "which rows a limit takes is not certain",
        ),
        (
            "SELECT l.k FROM l JOIN (SELECT first(k) AS k FROM r) a ON a.k = l.k",
            "the result of first may depend on the order of rows",
        ),
        (
            "SELECT l.k FROM l JOIN (SELECT sum(k + 0.5D) AS x FROM r) a ON a.x = l.x",
            "sum of floating-point numbers depends on the order of additions",
        ),
        (
            "SELECT l.k FROM l JOIN (SELECT row_number() OVER (ORDER BY w) AS p FROM r) a ON p = k",
            "the result of row_number may depend on the order of rows",
        ),
    ],
)
def test_what_may_be_other_the_next_time_is_refused(text: str, reason: str) -> None:
    assert refusal(text) == reason


def test_ranks_and_sums_of_an_unchanged_side_are_the_same_the_next_time() -> None:
    side = "SELECT k, rank() OVER (PARTITION BY w ORDER BY k) AS p, sum(k) OVER (ORDER BY w) AS s FROM r"

    assert (
        lines(refreshed(f"SELECT l.k FROM l JOIN ({side}) a ON a.k = l.k"))[2]
        == "scan default.l_new"
    )


def test_what_a_view_reads_is_judged_through_other_views() -> None:
    reason = refusal(
        "SELECT l.k FROM l JOIN w ON w.k = l.k", "CREATE VIEW w AS SELECT k FROM r LIMIT 1"
    )

    assert reason == "in default.w, which rows a limit takes is not certain"
