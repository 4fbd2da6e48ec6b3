"""Ties in a query's order have no effect once all its columns are sort keys."""

from __future__ import annotations

import pytest

from tests.judges.queries.tpc_queries import fully_ordered, has_order


@pytest.mark.parametrize(
    ("text", "ordered"),
    [
        ("SELECT a, b FROM t", "SELECT a, b FROM t"),
        ("SELECT a, b FROM t ORDER BY a", "SELECT a, b FROM t ORDER BY a, 1, 2\n"),
        ("SELECT a, b FROM t ORDER BY a LIMIT 3", "SELECT a, b FROM t ORDER BY a, 1, 2\nLIMIT 3"),
        (
            "SELECT a, (SELECT b FROM u ORDER BY b LIMIT 1) FROM t",
            "SELECT a, (SELECT b FROM u ORDER BY b LIMIT 1) FROM t",
        ),
        ("SELECT a, 'ORDER BY' FROM t", "SELECT a, 'ORDER BY' FROM t"),
    ],
)
def test_the_order_of_the_whole_query_ends_with_all_columns(text: str, ordered: str) -> None:
    assert fully_ordered(text, 2) == ordered
    assert has_order(text) is (ordered != text)
