"""The parts of a query that follow from a view's stored rows, and the parts that do not."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.deriving.with_upstreams import derive_with_upstreams
from lakeschema.translation.model.errors import CannotSubstitute
from lakeschema.translation.model.interface import Options
from lakeschema.translation.plan.explain import explain
from lakeschema.translation.products.stored_rows import StoredViews

TABLES = (
    "CREATE TABLE l (k INT, d INT, n BIGINT, x DOUBLE, e DECIMAL(38,2))",
    "CREATE TABLE r (k INT, w STRING)",
)
QUERY = RelationName.of("default", "q")
GROUPS = "SELECT k, d, sum(n) AS s, count(*) AS c, max(n) AS m FROM l WHERE n > 1 GROUP BY k, d"


def names(*views: str) -> list[RelationName]:
    return [RelationName.of("default", f"v{place}") for place in range(len(views))]


def over(
    query: str,
    *views: str,
    further: Sequence[str] = (),
    dialect: Dialect = Dialect.SPARK,
) -> list[str]:
    """The plan of the query over the rows of the views, without the columns of its scans."""
    ddl = [f"CREATE VIEW v{place} AS {text}" for place, text in enumerate(views)]
    relations = relations_from_ddl([*TABLES, *further, *ddl, f"CREATE VIEW q AS {query}"], dialect)
    derivations = {
        found: derivation
        for name in (*names(*views), QUERY)
        for found, derivation in derive_with_upstreams(name, relations, Options()).items()
    }
    stored = {name: RelationName.of("kept", name.name) for name in names(*views)}
    found, _ = StoredViews(relations, derivations, Options()).over_stored(QUERY, stored)
    return [line.strip().partition(" (k int")[0] for line in explain(found.plan).splitlines()]


def refusal(
    query: str, *views: str, further: Sequence[str] = (), dialect: Dialect = Dialect.SPARK
) -> str:
    with pytest.raises(CannotSubstitute) as caught:
        over(query, *views, further=further, dialect=dialect)
    return caught.value.reasons[0].removeprefix("default.v0: ")


def test_further_conditions_and_expressions_are_of_the_stored_columns() -> None:
    view = "SELECT k, n + 1 AS m FROM l WHERE d > 2"

    assert over("SELECT (n + 1) * 2 AS j FROM l WHERE k = 3 AND d > 2", view) == [
        *("project (m * cast(2 as bigint)) as j", "filter (k = 3)", "scan kept.v0"),
    ]


def test_sides_of_joins_and_of_equalities_may_change_places() -> None:
    view = "SELECT l.k, w, n FROM l JOIN r ON l.k = r.k"

    assert over("SELECT n FROM r JOIN l ON r.k = l.k WHERE w = 'a'", view) == [
        *("project n as n", "filter (w = 'a')", "scan kept.v0"),
    ]


def test_what_the_query_joins_in_addition_stands_beside_the_stored_rows() -> None:
    found = over("SELECT w FROM l JOIN r ON l.k = r.k WHERE n > 1", "SELECT k FROM l WHERE n > 1")

    assert found == [
        "project w as w",
        "filter (k = k)",
        "cross join",
        "scan kept.v0",
        "scan default.r",
    ]


def test_groups_read_the_columns_that_they_need() -> None:
    found = over(
        "SELECT k, sum(n) AS s FROM l WHERE n > 1 GROUP BY k", "SELECT k, n FROM l WHERE n > 1"
    )

    assert found[1:] == ["aggregate by (k): sum(n)", "project k as k, n as n", "scan kept.v0"]


def test_the_same_groups_are_shown_as_they_are() -> None:
    view = "SELECT k, d, count(DISTINCT n) AS c FROM l GROUP BY d, k"

    found = over("SELECT k, count(DISTINCT n) AS c FROM l WHERE d = 1 GROUP BY k, d", view)

    assert found == [
        *("project k as k, count as c", "project k as k, d as d, c as count", "filter (d = 1)"),
        "scan kept.v0",
    ]


def test_groups_of_fewer_keys_are_rolled_up() -> None:
    found = over("SELECT k, sum(n) / count(*) AS a FROM l WHERE n > 1 AND d = 2 GROUP BY k", GROUPS)

    assert found[1:] == [
        "project k as k, sum as sum, coalesce(count, 0) as count",
        *("aggregate by (k): sum(s), sum(c)", "filter (d = 2)", "scan kept.v0"),
    ]


def test_no_groups_at_all_have_a_count_of_zero() -> None:
    found = over("SELECT count(*) AS c FROM l WHERE n > 1", GROUPS)

    assert found[1:3] == ["project coalesce(count, 0) as count", "aggregate by (): sum(c)"]


def test_groups_are_joined_once_for_each_row_beside_them() -> None:
    found = over("SELECT w, sum(n) AS s FROM l JOIN r ON l.k = r.k WHERE n > 1 GROUP BY w", GROUPS)

    assert found[2:] == [
        *(
            "aggregate by (w): sum(s)",
            "filter (k = k)",
            "cross join",
            "scan kept.v0",
            "scan default.r",
        ),
    ]


def test_what_repetition_does_not_change_is_made_of_keys() -> None:
    found = over("SELECT max(k) AS a, count(DISTINCT d) AS b FROM l WHERE n > 1", GROUPS)

    assert found[2] == "aggregate by (): max(k), count(distinct d)"


def test_the_same_groups_show_averages_and_doubles() -> None:
    found = over(
        "SELECT k, x, avg(n) AS a FROM l GROUP BY k, x",
        "SELECT k, x, avg(n) AS m FROM l GROUP BY x, k",
    )

    assert found[1:] == ["project k as k, x as x, m as avg", "scan kept.v0"]


def test_distinct_rows_are_groups() -> None:
    found = over("SELECT DISTINCT k FROM l", "SELECT DISTINCT k, d FROM l")

    assert found[1:] == ["aggregate by (k):", "scan kept.v0"]


def test_a_part_of_any_kind_that_is_written_alike_is_read() -> None:
    view = "SELECT l.k, w, rank() OVER (ORDER BY n) AS p FROM l LEFT JOIN r ON l.k = r.k"
    query = "SELECT k FROM (SELECT l.k, rank() OVER (ORDER BY n) AS p FROM l LEFT JOIN r ON l.k = r.k) WHERE p < 3"

    assert over(query, view)[1:] == ["filter (p < 3)", "scan kept.v0"]


def test_a_view_that_is_named_is_read_from_where_it_is_stored() -> None:
    assert over("SELECT k FROM v0", "SELECT k FROM l LEFT JOIN r USING (k)")[-1] == "scan kept.v0"


def test_views_in_between_are_looked_through() -> None:
    between = ("CREATE VIEW w AS SELECT k, n FROM l WHERE n > 1",)

    assert over("SELECT k FROM w WHERE k = 2", "SELECT k FROM l WHERE n > 1", further=between) == [
        *("project k as k", "filter (k = 2)", "scan kept.v0"),
    ]


def test_of_several_views_all_that_fit_are_read() -> None:
    query = (
        "SELECT a.k FROM (SELECT k FROM l WHERE n > 1) a LEFT JOIN (SELECT k FROM r) b ON a.k = b.k"
    )

    found = over(
        query, "SELECT k FROM l WHERE n > 1", "SELECT k FROM r WHERE k > 7", "SELECT k FROM r"
    )

    assert found[-2:] == ["scan kept.v0", "scan kept.v2"] or "scan kept.v2" in found
    assert "scan kept.v1" not in found


def test_the_order_of_a_query_stays() -> None:
    found = over("SELECT k FROM l WHERE n > 1 ORDER BY k LIMIT 3", "SELECT k FROM l WHERE n > 1")

    assert found[:2] == ["limit 3", "sort k"]
    assert found[-1] == "scan kept.v0"


@pytest.mark.parametrize(
    ("query", "view", "reason"),
    [
        (
            "SELECT k FROM l",
            "SELECT k FROM l WHERE k > 1",
            "the view keeps only rows for which (k > 1) is true",
        ),
        (
            "SELECT k FROM l WHERE k > 0",
            "SELECT k FROM l WHERE k > 1",
            "the view keeps only rows for which (k > 1) is true",
        ),
        (
            "SELECT CAST(x AS STRING) AS s FROM l GROUP BY CAST(x AS STRING)",
            "SELECT x, count(*) AS c FROM l GROUP BY x",
            "no column of the view is x",
        ),
        ("SELECT n FROM l", "SELECT k FROM l", "no column of the view is n"),
        ("SELECT k FROM l WHERE n > 1", "SELECT k FROM l", "no column of the view is n"),
        ("SELECT k FROM l", "SELECT k FROM r", "it reads nothing that the view is made of"),
        (
            "SELECT l.k FROM l",
            "SELECT l.k FROM l JOIN r ON l.k = r.k",
            "it reads nothing that the view is made of",
        ),
        (
            "SELECT k, count(*) AS c FROM l WHERE n > 1 AND x > 0 GROUP BY k",
            GROUPS,
            "no column of the view is x",
        ),
        (
            "SELECT k, avg(x) AS a FROM l WHERE n > 1 GROUP BY k",
            GROUPS,
            "no column of the view is avg(x)",
        ),
        (
            "SELECT k, min(n) AS a FROM l WHERE n > 1 GROUP BY k",
            GROUPS,
            "no column of the view is min(n)",
        ),
        (
            "SELECT x, sum(n) AS s FROM l WHERE n > 1 GROUP BY x",
            GROUPS,
            "no column of the view is x",
        ),
        (
            "SELECT k, count(DISTINCT n) AS c FROM l GROUP BY k",
            "SELECT k, d, count(DISTINCT n) AS c FROM l GROUP BY k, d",
            "count of distinct values does not follow from those of parts",
        ),
        (
            "SELECT k, count(*) AS c FROM l GROUP BY k",
            "SELECT k, d, count(*) AS c FROM l GROUP BY k, d HAVING count(*) > 1",
            "the view keeps only some of its groups",
        ),
        (
            "SELECT count(*) AS c FROM l WHERE 1 > 2",
            "SELECT count(*) AS c FROM l",
            "the view has a single row for all",
        ),
        (
            "SELECT w, count(*) AS c FROM l, r GROUP BY w",
            "SELECT count(*) AS c FROM l",
            "the view has a single row for all",
        ),
        (
            "SELECT count(*) AS c FROM l GROUP BY 'a'",
            "SELECT count(*) AS c FROM l",
            "the view has a single row for all",
        ),
        (
            "SELECT k, count(*) AS c FROM l GROUP BY ROLLUP (k)",
            "SELECT k, d, count(*) AS c FROM l GROUP BY k, d",
            "groups of grouping sets cannot be matched",
        ),
        (
            "SELECT k, now() AS t FROM l",
            "SELECT k, now() AS t FROM l",
            "now may have another value each time",
        ),
        (
            "SELECT k FROM v0",
            "SELECT k FROM l LIMIT 3",
            "which rows a limit takes is not certain",
        ),
        (
            "SELECT avg(n) AS a FROM l",
            "SELECT k, avg(n) AS a FROM l GROUP BY k",
            "avg does not follow from averages: sum and count do",
        ),
        (
            "SELECT k FROM v0",
            "SELECT k, rand() AS x FROM l",
            "rand may have another value each time",
        ),
    ],
)
def test_what_does_not_follow_is_refused(query: str, view: str, reason: str) -> None:
    assert refusal(query, view) == reason


def test_a_sum_that_may_be_null_since_it_does_not_fit_is_not_rolled_up() -> None:
    query, view = "SELECT sum(e) AS s FROM l", "SELECT k, sum(e) AS s FROM l GROUP BY k"

    assert refusal(query, view, dialect=Dialect.HIVE) == (
        "a sum of decimal(38,2) may be null as it does not fit"
    )


def test_a_view_of_other_rules_is_read_by_its_name_alone() -> None:
    setting = "TBLPROPERTIES ('view.sqlConfig.spark.sql.ansi.enabled'='false')"
    ddl = [f"CREATE VIEW w {setting} AS SELECT k FROM l"]
    relations = relations_from_ddl(
        [*TABLES, *ddl, "CREATE VIEW q AS SELECT k FROM l", "CREATE VIEW q2 AS SELECT k FROM w"],
        Dialect.SPARK,
    )
    stored = {RelationName.of("default", "w"): RelationName.of("kept", "w")}
    by_name = RelationName.of("default", "q2")
    derivations = {
        **derive_with_upstreams(by_name, relations, Options()),
        **derive_with_upstreams(QUERY, relations, Options()),
    }
    views = StoredViews(relations, derivations, Options())

    found, used = views.over_stored(by_name, stored)

    assert "scan kept.w" in explain(found.plan)
    assert used == tuple(stored)
    with pytest.raises(
        CannotSubstitute, match="of another dialect or was made under other settings"
    ):
        views.over_stored(QUERY, stored)
