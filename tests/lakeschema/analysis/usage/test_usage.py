"""The usage of a warehouse from its log, on one machine."""

from __future__ import annotations

import pytest

from lakeschema.analysis.statements_logged import LoggedStatement
from lakeschema.analysis.usage.running import Ran
from lakeschema.analysis.usage.tables import count_log, place_of
from lakeschema.catalog.identifiers import RelationName
from tests.lakeschema.analysis.usage.logged import KNOWN, counts_of, log_of, table


def test_usage_is_by_table_user_and_day() -> None:
    rows = table("table_usage")

    daily = [
        (r["access"], r["user"], r["day"], r["statements"])
        for r in rows
        if r["relation"] == "shop.daily"
    ]
    assert daily == [
        ("read data", "ann", "2026-03-03", 1),
        ("read data", "bob", "2026-03-03", 1),
        ("write data", "etl", "2026-03-02", 1),
    ]


def test_a_statement_counts_once_however_often_it_reads_a_table() -> None:
    rows = table(
        "table_usage", ("ann", 1, "SELECT a.id FROM shop.old a JOIN shop.old b ON a.id = b.id")
    )

    assert [row["statements"] for row in rows] == [1]


def test_columns_are_counted_by_the_clause_that_uses_them() -> None:
    rows = table("column_usage_by_clause")

    used = {(r["relation"], r["column"], r["clause"]): (r["statements"], r["users"]) for r in rows}
    assert used["shop.orders", "customer", "join"] == (1, 1)
    assert used["shop.daily", "total", "select"] == (2, 2)
    assert used["shop.daily", "country", "order by"] == (1, 1)


def test_columns_that_are_filtered_joined_and_ordered_by_are_a_layout() -> None:
    reads = [
        ("ann", 1, f"SELECT id FROM shop.customers WHERE country = '{n}' ORDER BY name")
        for n in range(8)
    ]
    joins = [
        ("ann", 1, "SELECT o.id FROM shop.orders o JOIN shop.customers c ON c.id = o.customer")
    ] * 4
    rows = table(
        "layout_advice",
        *reads,
        *joins,
        ("ann", 1, "SELECT id FROM shop.customers WHERE name = 'x'"),
    )

    assert [
        (r["layout"], r["column"], r["statements"], r["reads"])
        for r in rows
        if r["relation"] == "shop.customers"
    ] == [
        ("partition by", "country", 8, 13),
        ("bucket by", "id", 4, 13),
        ("sort by", "name", 8, 13),
    ]


def test_partitions_that_hardly_any_statement_filters_by_are_named() -> None:
    unfiltered = table("layout_advice", ("ann", 1, "SELECT id FROM shop.orders"))
    filtered = table(
        "layout_advice", ("ann", 1, "SELECT id FROM shop.orders WHERE day = '2026-01-01'")
    )

    assert [(r["layout"], r["column"]) for r in unfiltered] == [("partitions not used", "day")]
    assert filtered == []


def test_tables_that_joins_connect_are_one_cluster() -> None:
    rows = table(
        "join_clusters",
        *[("ann", 1, "SELECT 1 FROM a JOIN b ON a.x = b.x AND a.y = b.y")] * 3,
        ("bob", 2, "SELECT 1 FROM c JOIN b ON c.z = b.z"),
        ("bob", 2, "SELECT 1 FROM d JOIN e ON d.id = e.id"),
    )

    assert [(r["cluster"], r["tables"], r["relation"], r["other_relation"], r["on"], r["statements"]) for r in rows] == [
        (1, 3, "a", "b", ["x = x", "y = y"], 3),
        (1, 3, "b", "c", ["z = z"], 1),
        (2, 2, "d", "e", ["id = id"], 1),
    ]  # fmt: skip


def test_rare_joins_connect_nothing_if_that_is_wanted() -> None:
    joins = [("ann", 1, "SELECT 1 FROM a JOIN b ON a.x = b.x")] * 3

    rows = table(
        "join_clusters", *joins, ("bob", 2, "SELECT 1 FROM c JOIN b ON c.z = b.z"), min_joins=2
    )

    assert [(r["relation"], r["other_relation"]) for r in rows] == [("a", "b")]


def test_what_nobody_read_for_some_days_is_unused() -> None:
    rows = table("unused_since", days=2)

    assert [(r["relation"], r["column"], r["last_read"]) for r in rows] == [
        ("shop.old", "", "2026-03-01"),
        ("shop.orders", "note", ""),
    ]


def test_what_a_view_reads_is_read_by_its_readers() -> None:
    rows = table("unused_since", ("bob", 4, "SELECT id FROM shop.big"), days=2)

    orders = [r["column"] for r in rows if r["relation"] == "shop.orders"]
    assert orders == ["customer", "note", "day"]


def test_a_log_without_days_calls_only_that_unused_which_nobody_reads() -> None:
    counts = count_log([Ran(LoggedStatement(1, "SELECT id FROM shop.old"))], KNOWN).counts
    assert counts["reads"][0].last_day == ""

    rows = table("unused_since", ("ann", 1, "SELECT id FROM shop.old"))

    assert "shop.old" not in {r["relation"] for r in rows}
    assert "shop.customers" in {r["relation"] for r in rows}


def test_the_dataflow_has_views_and_no_statement_that_failed() -> None:
    rows = table("dataflow")

    assert [(r["source"], r["target"], r["statements"]) for r in rows] == [
        ("shop.customers", "shop.daily", 1),
        ("shop.orders", "shop.big", 0),
        ("shop.orders", "shop.daily", 1),
    ]


def test_whoever_reads_what_a_column_reaches_is_told() -> None:
    rows = table("whom_to_tell", about=("shop.orders", "amount"), owners={"shop.daily": "dora"})

    assert [
        (r["user"], r["concern"], r["relation"], r["columns"], r["distance"]) for r in rows
    ] == [
        ("etl", "reads", "shop.orders", ["amount"], 0),
        ("bob", "reads", "shop.big", ["*"], 1),
        ("dora", "owns", "shop.daily", ["total"], 1),
        ("etl", "fills", "shop.daily", ["total"], 1),
        ("ann", "reads", "shop.daily", ["total"], 1),
        ("bob", "reads", "shop.daily", ["total"], 1),
    ]


def test_whoever_does_not_read_the_column_is_not_told() -> None:
    rows = table("whom_to_tell", about=("shop.customers", "name"))

    # What eve did failed and filled nothing, yet eve reads the column.
    assert [(r["user"], r["relation"]) for r in rows] == [("eve", "shop.customers")]


def test_a_column_that_decides_rows_reaches_all_columns() -> None:
    rows = table("whom_to_tell", about=("shop.orders", "day"))

    assert ("ann", "shop.daily", ["*"]) in [(r["user"], r["relation"], r["columns"]) for r in rows]


def test_what_passes_through_several_tables_and_back_is_told_once() -> None:
    rows = table(
        "whom_to_tell",
        ("etl", 1, "INSERT INTO b SELECT x FROM a"),
        ("etl", 1, "INSERT INTO a SELECT x FROM b"),
        ("ann", 1, "ALTER TABLE b RENAME TO c"),
        ("zoe", 1, "SELECT x FROM c"),
        about=("a", "*"),
    )

    told = [(r["user"], r["concern"], r["relation"]) for r in rows]
    assert ("zoe", "reads", "c") in told
    assert len(told) == len(set(told))


def test_a_join_that_many_repeat_is_kept_by_what_it_saves() -> None:
    queries = [
        ("ann", 1, f"SELECT c.name FROM shop.orders o JOIN shop.customers c ON o.customer = c.id WHERE o.id = {n}")
        for n in range(5)
    ]  # fmt: skip
    others = [
        ("bob", 2, "SELECT x.id FROM shop.customers x, shop.orders y WHERE x.id = y.customer"),
        ("etl", 2, "INSERT INTO shop.orders SELECT * FROM shop.landing"),
        ("etl", 3, "INSERT INTO shop.orders SELECT * FROM shop.landing"),
    ]

    rows = table(
        "materialise", *queries, *others, sizes={"shop.orders": 100.0, "shop.customers": 10.0}
    )

    assert [(r["kind"], r["statements"], r["users"], r["builds"], r["saved"]) for r in rows] == [
        ("join", 6, 2, 2, 440.0),
        ("query", 5, 1, 2, 330.0),
    ]
    assert (
        rows[0]["shape"]
        == "from shop.customers, shop.orders on (shop.customers.id = shop.orders.customer)"
    )


def test_what_is_only_repeated_inside_something_larger_is_left_out() -> None:
    query = "SELECT c.name FROM shop.orders o JOIN shop.customers c ON o.customer = c.id"

    rows = table("materialise", *[("ann", 1, query)] * 4)

    assert [row["kind"] for row in rows] == ["query"]


def test_what_cannot_be_read_is_counted() -> None:
    found = count_log(log_of([("ann", 1, "SELECT FROM"), ("ann", 1, "SELECT 1")]), KNOWN)

    assert (found.statements, found.failures) == (2, {"MalformedSql": 1})


def test_a_statement_in_an_unknown_dialect_defines_nothing() -> None:
    made = LoggedStatement(1, "CREATE TABLE t (a INT)", dialect="cobol")

    found = count_log([Ran(made), Ran(LoggedStatement(2, "SELECT * FROM t"))], KNOWN)

    assert found.failures == {"UnknownDialect": 1}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("shop.orders", ("shop.orders", "*")),
        ("shop.orders.Amount", ("shop.orders", "amount")),
        ("shop.daily.total", ("shop.daily", "total")),
        ("shop.nope", ("shop.nope", "*")),
    ],
)  # fmt: skip
def test_a_place_is_a_relation_or_its_column(text: str, expected: tuple[str, str]) -> None:
    assert place_of(RelationName.parse(text), counts_of(), KNOWN) == expected
