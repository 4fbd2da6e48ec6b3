"""Shapes of joins and grouped queries, which show repetition."""

from __future__ import annotations

import pytest

from lakeschema.analysis.sub_queries import Kind, SubQuery, sub_queries
from tests.lakeschema.analysis.analysed import resolved

QUERY = (
    "SELECT c.country, sum(o.amount) AS s FROM orders o JOIN customers c ON o.customer = c.id"
    " WHERE o.at > '2020' GROUP BY c.country"
)


def found(sql: str) -> tuple[SubQuery, ...]:
    return sub_queries(resolved(sql))


@pytest.mark.parametrize(
    "other",
    [
        (
            "SELECT y.country, sum(x.amount) AS t FROM customers y JOIN orders x ON y.id = x.customer"
            " WHERE x.at > '2021' GROUP BY y.country"
        ),
        (
            "SELECT sum(x.amount), y.country FROM orders x, customers y"
            " WHERE x.at > '2020' AND y.id = x.customer GROUP BY 2"
        ),
        (
            "INSERT INTO foo SELECT sum(amount), country FROM customers INNER JOIN orders"
            " ON customers.id = customer WHERE at > 'x' GROUP BY country"
        ),
    ],
)
def test_what_is_only_written_otherwise_has_one_shape(other: str) -> None:
    assert set(found(other)) == set(found(QUERY))
    assert [each.kind for each in found(QUERY)] == [Kind.JOIN, Kind.QUERY]
    assert {each.tables for each in found(QUERY)} == {("customers", "orders")}


@pytest.mark.parametrize(
    "other",
    [
        (
            "SELECT c.country, sum(o.amount) AS s FROM orders o LEFT JOIN customers c ON o.customer = c.id"
            " WHERE o.at > '2020' GROUP BY c.country"
        ),
        (
            "SELECT c.country, sum(o.amount) AS s FROM orders o JOIN customers c ON o.id = c.id"
            " WHERE o.at > '2020' GROUP BY c.country"
        ),
        (
            "SELECT c.country, sum(o.amount) AS s FROM orders o JOIN foo c ON o.customer = c.a"
            " WHERE o.at > '2020' GROUP BY c.country"
        ),
    ],
)
def test_other_joins_have_other_shapes(other: str) -> None:
    assert not set(found(other)) & set(found(QUERY))


def test_other_groups_of_one_join_share_the_join_alone() -> None:
    other = QUERY.replace("c.country", "c.name")

    assert [each.kind for each in set(found(other)) & set(found(QUERY))] == [Kind.JOIN]


def test_a_table_that_is_read_twice_is_two() -> None:
    shape = found("SELECT 1 FROM orders a JOIN orders b ON a.id = b.customer")[0].shape

    assert shape == "from orders, orders#2 on (orders#2.customer = orders.id)"


def test_a_plain_read_of_one_table_has_no_shape() -> None:
    assert found("SELECT id FROM orders WHERE amount > 5") == ()


def test_tables_of_with_that_double_at_each_step_end_soon() -> None:
    tables = [
        f"c{n} AS (SELECT x.a FROM c{n - 1} x JOIN c{n - 1} y ON x.a = y.a)" for n in range(1, 50)
    ]
    text = f"WITH c0 AS (SELECT a FROM foo), {', '.join(tables)} SELECT * FROM c49"

    assert all(len(each.shape) <= 2_000 for each in found(text))
    assert found(text)


def test_deep_and_wide_queries_end_in_an_answer() -> None:
    deep = "SELECT count(*) FROM foo WHERE " + "(" * 150 + "a" + " + 1)" * 150 + " > 2"
    wide = (
        f"SELECT {', '.join(f'foo.c{n}' for n in range(3000))} FROM foo JOIN bar ON foo.a = bar.a"
    )

    assert found(deep) == ()
    assert [each.kind for each in found(wide)] == [Kind.JOIN]
