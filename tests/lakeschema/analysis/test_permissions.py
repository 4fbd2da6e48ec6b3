"""The privileges that statements need, and those that grants give."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from lakeschema.analysis.batch import answer
from lakeschema.analysis.grants import MalformedGrants, read_grants
from lakeschema.analysis.permissions import Views, permissions
from lakeschema.analysis.scripts import analyse
from lakeschema.analysis.syntax.dialects import grammar_of
from tests.lakeschema.analysis.analysed import all_of, catalog_of

TABLES = {
    "shop.orders": ["id", "customer", "amount"],
    "shop.totals": ["customer", "total"],
    "shop.staged": ["customer", "total"],
}
VIEWS = """
    CREATE VIEW shop.ids AS SELECT id FROM shop.orders WHERE amount > 5;
    CREATE VIEW shop.outer AS SELECT id FROM shop.ids;
"""


def needs(sql: str, views: Views = Views.ITSELF, before: str = "") -> Mapping[str, list[str]]:
    """By privilege and relation, the columns."""
    catalog = catalog_of(TABLES)
    for each in analyse(before, grammar_of("spark"), catalog):
        catalog = each.catalog
    (analysed,) = analyse(sql, grammar_of("spark"), _forgetting(catalog))
    return {
        f"{need.privilege.value} {need.relation}": list(need.columns)
        for need in permissions(analysed, views)
    }


def _forgetting(catalog: Any) -> Any:
    """As if somebody else had created what is there."""
    return type(catalog)(catalog.tables)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        (
            "SELECT o.id FROM shop.orders o WHERE o.amount > 1",
            {"SELECT shop.orders": ["amount", "id"]},
        ),
        ("SELECT count(*) FROM shop.orders", {"SELECT shop.orders": []}),
        ("SELECT * FROM elsewhere.t", {"SELECT elsewhere.t": ["*"]}),
        (
            "WITH x AS (SELECT id FROM shop.orders) SELECT id FROM x",
            {"SELECT shop.orders": ["id"]},
        ),
        (
            "INSERT INTO shop.totals SELECT customer, amount FROM shop.orders",
            {"SELECT shop.orders": ["amount", "customer"], "INSERT shop.totals": ["*"]},
        ),
        ("INSERT INTO shop.totals (total) VALUES (1)", {"INSERT shop.totals": ["total"]}),
        (
            "INSERT OVERWRITE TABLE shop.totals VALUES (1, 2)",
            {"INSERT shop.totals": ["*"], "DELETE shop.totals": []},
        ),
        (
            "UPDATE shop.totals SET total = customer WHERE total > 1",
            {"SELECT shop.totals": ["customer", "total"], "UPDATE shop.totals": ["total"]},
        ),
        ("UPDATE shop.totals SET total = 1", {"UPDATE shop.totals": ["total"]}),
        (
            "DELETE FROM shop.totals WHERE customer = 1",
            {"SELECT shop.totals": ["customer"], "DELETE shop.totals": []},
        ),
        (
            (
                "MERGE INTO shop.totals t USING shop.staged s ON t.customer = s.customer "
                "WHEN MATCHED AND s.total = 0 THEN DELETE "
                "WHEN MATCHED THEN UPDATE SET total = s.total "
                "WHEN NOT MATCHED THEN INSERT (customer) VALUES (s.customer)"
            ),
            {
                "SELECT shop.staged": ["customer", "total"],
                "SELECT shop.totals": ["customer"],
                "DELETE shop.totals": [],
                "UPDATE shop.totals": ["total"],
                "INSERT shop.totals": ["customer"],
            },
        ),
        (
            "CREATE TABLE shop.made AS SELECT id FROM shop.orders",
            {"SELECT shop.orders": ["id"], "CREATE shop.made": []},
        ),
        (
            "CREATE OR REPLACE TABLE shop.totals AS SELECT 1 AS a",
            {"CREATE shop.totals": [], "DROP shop.totals": []},
        ),
        (
            "CREATE TEMPORARY VIEW v AS SELECT id FROM shop.orders",
            {"SELECT shop.orders": ["id"]},
        ),
        ("DROP TABLE shop.orders", {"DROP shop.orders": []}),
        ("TRUNCATE TABLE shop.orders", {"DELETE shop.orders": []}),
        ("ALTER TABLE shop.orders ADD COLUMNS (b INT)", {"ALTER shop.orders": []}),
        (
            "ALTER TABLE shop.orders RENAME TO shop.bills",
            {"ALTER shop.orders": [], "CREATE shop.bills": []},
        ),
        ("EXPLAIN DELETE FROM shop.orders", {}),
        ("SELECT 1", {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_statement_needs(sql: str, expected: Mapping[str, list[str]]) -> None:
    assert needs(sql) == expected


def test_a_view_is_needed_as_itself() -> None:
    found = needs("SELECT id FROM shop.outer", before=VIEWS)

    assert found == {"SELECT shop.outer": ["id"]}


def test_or_through_to_all_that_its_query_reads() -> None:
    found = needs("SELECT id FROM shop.outer", Views.THROUGH, VIEWS)

    assert found == {"SELECT shop.orders": ["amount", "id"]}


def test_a_view_whose_query_is_not_known_is_needed_as_itself() -> None:
    found = needs("SELECT a FROM shop.unheard_of", Views.THROUGH)

    assert found == {"SELECT shop.unheard_of": ["a"]}


def test_nothing_is_needed_of_what_the_same_text_created() -> None:
    made, read, dropped = all_of(
        "CREATE TABLE shop.x AS SELECT 1 AS a; SELECT a FROM shop.x; DROP TABLE shop.x"
    )

    assert [need.privilege.value for need in permissions(made)] == ["CREATE"]
    assert permissions(read) == ()
    assert permissions(dropped) == ()


def test_what_could_not_be_created_is_somebody_elses() -> None:
    _, read = all_of("CREATE TABLE foo (b INT); SELECT a FROM foo")

    assert [need.privilege.value for need in permissions(read)] == ["SELECT"]


GRANTS = {
    "roles": {"analysts": ["ann", "bob"]},
    "grants": [
        {"role": "analysts", "privileges": ["select"], "on": "shop.orders", "columns": ["ID"]},
        {"user": "ann", "privileges": ["SELECT"], "on": "shop.orders", "columns": ["amount"]},
        {"user": "eve", "privileges": ["ALL"], "on": "shop.*"},
        {"user": "root", "privileges": ["ALL"], "on": "*"},
        {"role": "public", "privileges": ["SELECT"], "on": "open.data"},
    ],
}


def missing(user: str, sql: str) -> list[str]:
    found = answer(
        {
            "id": 1,
            "sql": sql,
            "dialect": "spark",
            "tables": TABLES,
            "ask": ["permissions"],
            "grants": GRANTS,
            "user": user,
        }
    )
    (statement,) = found["result"]["statements"]
    return [
        f"{need['privilege']} {need['relation']} {','.join(need.get('columns', []))}".strip()
        for need in statement["permissions"]["missing"]
    ]


@pytest.mark.parametrize(
    ("user", "sql", "expected"),
    [
        ("ann", "SELECT id, amount FROM shop.orders", []),
        ("bob", "SELECT id, amount FROM shop.orders", ["SELECT shop.orders amount"]),
        ("bob", "SELECT count(*) FROM shop.orders", []),
        ("bob", "SELECT * FROM shop.orders", ["SELECT shop.orders amount,customer"]),
        ("joe", "SELECT count(*) FROM shop.orders", ["SELECT shop.orders"]),
        ("joe", "SELECT * FROM open.data", []),
        ("eve", "CREATE TABLE shop.x AS SELECT * FROM shop.orders", []),
        ("eve", "DROP TABLE other.x", ["DROP other.x"]),
        ("root", "DROP TABLE other.x", []),
        ("bob", "DELETE FROM shop.orders WHERE id = 1", ["DELETE shop.orders"]),
    ],
)
def test_what_no_grant_gives_is_missing(user: str, sql: str, expected: list[str]) -> None:
    assert missing(user, sql) == expected


def test_without_grants_nothing_is_said_to_be_missing() -> None:
    found = answer({"id": 1, "sql": "SELECT a FROM t", "ask": ["permissions"]})

    assert found["result"]["statements"] == [
        {
            "verb": "SELECT",
            "permissions": {"needs": [{"privilege": "SELECT", "relation": "t", "columns": ["a"]}]},
        }
    ]


@pytest.mark.parametrize(
    ("stated", "place"),
    [
        ([], "expected an object"),
        ({"roles": {"a": "b"}}, "roles"),
        ({"grants": {}}, "grants: expected a list"),
        ({"grants": [{"privileges": ["SELECT"], "on": "t"}]}, "grants.0"),
        ({"grants": [{"user": "a", "role": "b", "privileges": [], "on": "t"}]}, "grants.0"),
        ({"grants": [{"user": "a", "privileges": ["READ"], "on": "t"}]}, "privilege 'READ'"),
        ({"grants": [{"user": "a", "privileges": ["ALL"], "on": ""}]}, "grants.0.on"),
        ({"grants": [{"user": "a", "privileges": "ALL", "on": "t"}]}, "lists of texts"),
    ],
    ids=str,
)
def test_grants_that_mean_nothing_are_refused_with_their_place(stated: object, place: str) -> None:
    with pytest.raises(MalformedGrants, match=place):
        read_grants(stated)
    found = answer({"id": 1, "sql": "SELECT 1", "grants": stated})
    assert found["error"]["type"] == "InvalidRequest"


@pytest.mark.parametrize(
    ("dialect", "sql", "expected"),
    [
        (
            "postgres",
            "WITH d AS (DELETE FROM t RETURNING a) INSERT INTO u SELECT a FROM d",
            {"SELECT t", "DELETE t", "INSERT u"},
        ),
        (
            "tsql",
            "DELETE FROM t OUTPUT deleted.a INTO log WHERE a = 1",
            {"SELECT t", "DELETE t", "INSERT log"},
        ),
        (
            "mysql",
            "DELETE t, u FROM t JOIN u ON t.a = u.a",
            {"SELECT t", "SELECT u", "DELETE t", "DELETE u"},
        ),
    ],
)
def test_a_statement_that_changes_several_tables_needs_all_of_them(
    dialect: str, sql: str, expected: set[str]
) -> None:
    (analysed,) = all_of(sql, dialect, {})

    found = permissions(analysed, Views.ITSELF)

    assert {f"{need.privilege.value} {need.relation}" for need in found} == expected
