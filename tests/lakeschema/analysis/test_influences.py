"""Expressions that decide a query's rows, and the values of its columns."""

from __future__ import annotations

import pytest

from lakeschema.analysis.conventions import Conventions
from tests.lakeschema.analysis.traced import direct, indirect, rows


def test_filters_joins_and_groups_decide_the_rows() -> None:
    sql = """
        SELECT c.country, sum(o.amount) AS total
        FROM orders o JOIN customers c ON o.customer = c.id
        WHERE o.at > '2020' GROUP BY c.country HAVING count(o.id) > 1
    """

    assert rows(sql) == [
        "join: orders.customer",
        "join: customers.id",
        "where: orders.at",
        "having: orders.id",
        "group by: customers.country",
    ]


def test_rows_of_sub_queries_decide_the_rows_around_them() -> None:
    sql = "SELECT name FROM customers WHERE id IN (SELECT customer FROM orders WHERE amount > 5)"

    assert rows(sql) == ["where: customers.id", "where: orders.customer", "where: orders.amount"]


def test_an_order_decides_where_rows_are_limited() -> None:
    limited = "SELECT id FROM (SELECT id, at FROM orders ORDER BY at LIMIT 3)"
    whole = "SELECT id FROM (SELECT id, at FROM orders ORDER BY at)"

    assert rows(limited) == ["order by: orders.at"]
    assert rows(whole) == []


def test_keys_of_a_window_decide_its_column_alone() -> None:
    sql = "SELECT id, sum(amount) OVER (PARTITION BY customer ORDER BY at) AS s FROM orders"

    assert indirect(sql) == {
        "id": [],
        "s": ["partition by: orders.customer", "order by: orders.at"],
    }
    assert rows(sql) == []


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT DISTINCT r FROM ({ranked})",
        "SELECT id FROM ({ranked}) GROUP BY id, r",
        "SELECT id FROM ({ranked}) WHERE r < 3",
        "SELECT id FROM foo JOIN ({ranked}) ON a = r",
        "SELECT r FROM ({ranked}) EXCEPT SELECT a FROM foo",
        "SELECT a FROM foo UNION SELECT r FROM ({ranked})",
        "SELECT a FROM foo WHERE a IN (SELECT r FROM ({ranked}))",
        "WITH w AS ({ranked}) SELECT k FROM w AS x (k, n) WHERE n < 3",
        "SELECT a FROM foo LATERAL VIEW explode(sequence(1, (SELECT max(r) FROM ({ranked})))) t AS e",
    ],
)
def test_what_decides_a_value_decides_the_rows_that_are_chosen_by_it(sql: str) -> None:
    ranked = "SELECT id, rank() OVER (ORDER BY at) AS r FROM orders"

    assert "order by: orders.at" in rows(sql.format(ranked=ranked))


@pytest.mark.parametrize(
    ("call", "decides"),
    [
        ("explode(customer)", ["customer"]),
        ("explode(array(id, at))", []),
        ("posexplode(transform(customer, tag -> tag || at))", ["customer"]),
        ("explode(if(id > 1, array(at), customer))", ["id", "customer"]),
        ("explode(filter(array(id, at), e -> e > 1))", ["id", "at"]),
        ("inline(array(struct(id AS a), struct(at AS a)))", []),
        ("stack(2, id, at)", []),
        ("json_tuple(at, 'a')", []),
        ("explode(map(id, at))", ["id", "at"]),
    ],
)
def test_a_table_function_decides_rows_by_what_says_how_many_there_are(
    call: str, decides: list[str]
) -> None:
    sql = f"SELECT 1 AS one FROM orders LATERAL VIEW {call} x"

    assert rows(sql) == [f"lateral view: orders.{name}" for name in decides]


def test_what_decides_an_element_decides_what_is_exploded_of_it() -> None:
    ranked = "SELECT id, rank() OVER (ORDER BY at) AS r FROM orders"
    sql = f"SELECT e FROM ({ranked}) LATERAL VIEW explode(array(r, id)) x AS e"

    assert indirect(sql) == {"e": ["order by: orders.at"]}


def test_of_a_struct_whose_field_is_taken_the_other_fields_decide_nothing() -> None:
    sql = """
        SELECT named_struct('a', id, 'b', rank() OVER (ORDER BY at)).A AS x,
            struct(id AS a, customer AS b).b AS y, named_struct('a', id, 'b', at).c AS z
        FROM orders
    """

    assert direct(sql) == {
        "x": ["orders.id"],
        "y": ["orders.customer"],
        "z": ["orders.id", "orders.at"],
    }
    assert indirect(sql) == {"x": [], "y": [], "z": []}


def test_rows_are_compared_by_all_their_columns_of_one_name_too() -> None:
    sql = "SELECT DISTINCT id AS a, at AS a FROM orders"

    assert rows(sql) == ["distinct: orders.id", "distinct: orders.at"]
    assert rows(f"{sql} EXCEPT SELECT 1, 2") == [
        "distinct: orders.id",
        "distinct: orders.at",
        "set operation: orders.id",
        "set operation: orders.at",
    ]


def test_keys_of_a_named_window_count_too() -> None:
    sql = "SELECT rank() OVER w AS r FROM orders WINDOW w AS (PARTITION BY customer ORDER BY at)"

    assert indirect(sql) == {"r": ["partition by: orders.customer", "order by: orders.at"]}


def test_conditions_are_direct_unless_a_convention_says_otherwise() -> None:
    sql = "SELECT CASE WHEN country = 'ie' THEN name END AS n FROM customers"
    apart = Conventions(conditions_are_direct=False)

    assert direct(sql) == {"n": ["customers.country", "customers.name"]}
    assert direct(sql, conventions=apart) == {"n": ["customers.name"]}
