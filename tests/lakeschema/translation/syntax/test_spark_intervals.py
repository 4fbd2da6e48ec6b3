"""Interval literals of Spark, in one spelling of their unit."""

from __future__ import annotations

import pytest

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.parsing import parse_query


@pytest.mark.parametrize(
    ("written", "text", "unit", "amounts"),
    [
        ("3 DAY 1 SECOND", "3 00:00:01", "day to second", (0, 3, 1_000_000)),
        ("-'1-2' YEAR TO MONTH", "-1-2", "year to month", (-14, 0, 0)),
        ("-'-1-2' YEAR TO MONTH", "1-2", "year to month", (14, 0, 0)),
        ("'1 day 2 hours'", "1 02", "day to hour", (0, 1, 7_200_000_000)),
        ("1 WEEK", "7", "day", (0, 7, 0)),
        ("5 MILLISECONDS", "0.005", "second", (0, 0, 5_000)),
        ("'-1' DAY '3' HOUR", "-0 21", "day to hour", (0, -1, 10_800_000_000)),
        ("1 MONTH 1 MONTH", "2", "month", (2, 0, 0)),
        ("'-\t 1' DAY", "-1", "day", (0, -1, 0)),
        ("'12:13.5' MINUTE TO SECOND", "12:13.5", "minute to second", (0, 0, 733_500_000)),
        (
            "'153722867280:54.775807' MINUTE TO SECOND",
            "153722867280:54.775807",
            "minute to second",
            (0, 0, 9_223_372_036_854_775_807),
        ),
        ("1 YEAR 2 DAYS", "", "", (12, 2, 0)),
    ],
)
def test_a_literal_has_the_spelling_and_the_amounts_of_its_unit(
    written: str, text: str, unit: str, amounts: tuple[int, int, int]
) -> None:
    query = parse_query(f"SELECT INTERVAL {written} AS x", Dialect.SPARK)

    assert isinstance(query, tree.Select)
    assert query.items[0].expression == tree.IntervalLiteral(
        tree.StringLiteral(text), unit, amounts
    )


@pytest.mark.parametrize("written", ["1.5 DAY", "'x' DAY", "'1-2' DAY TO SECOND", "'1' DAY TO DAY"])
def test_what_spark_would_refuse_is_no_literal(written: str) -> None:
    query = parse_query(f"SELECT INTERVAL {written} AS x", Dialect.SPARK)

    assert isinstance(query, tree.Select)
    literal = query.items[0].expression
    assert isinstance(literal, tree.IntervalLiteral)
    assert literal.amounts is None
