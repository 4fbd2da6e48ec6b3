"""What texts mean by each dialect's own rules, and that no text takes long to refuse."""

from __future__ import annotations

import pytest

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.errors import MalformedSql, TooLarge
from lakeschema.translation.syntax import tree
from lakeschema.translation.syntax.parsing import parse_query

HIVE, SPARK = Dialect.HIVE, Dialect.SPARK
DEEP = 100


def item(expression: str, dialect: Dialect) -> tree.Expression:
    query = parse_query(f"SELECT {expression} FROM t", dialect)
    assert isinstance(query, tree.Select)
    return query.items[0].expression


@pytest.mark.parametrize(
    ("dialect", "text", "same"),
    [
        (SPARK, "a = b IS NULL", "(a = b) IS NULL"),
        (SPARK, "NOT a = b", "NOT (a = b)"),
        (SPARK, "! a IS NULL", "NOT (a IS NULL)"),
        (SPARK, "a & b >> c", "a & (b >> c)"),
        (SPARK, "a >>> b + c", "a >>> (b + c)"),
        (SPARK, "a || b + c", "(a || b) + c"),
        (SPARK, "- a * b", "(- a) * b"),
        (SPARK, "a < b = c", "(a < b) = c"),
        (SPARK, "a BETWEEN b AND c AND d", "(a BETWEEN b AND c) AND d"),
        (SPARK, "a LIKE b = c", "a LIKE (b = c)"),
        (SPARK, "a OR b AND NOT c", "a OR (b AND (NOT c))"),
        (SPARK, "- a::int", "- (a::int)"),
        (HIVE, "a = b IS NULL", "(a = b) IS NULL"),
        (HIVE, "a = b IN (c)", "a = (b IN (c))"),
        (HIVE, "a LIKE b = c", "(a LIKE b) = c"),
        (HIVE, "a = b < c", "a = (b < c)"),
        (HIVE, "a ^ b * c", "(a ^ b) * c"),
        (HIVE, "a || b + c", "a || (b + c)"),
        (HIVE, "a & b || c", "a & (b || c)"),
    ],
)
def test_stronger_operators_take_their_operands_first(
    dialect: Dialect, text: str, same: str
) -> None:
    assert item(text, dialect) == item(same, dialect)


@pytest.mark.parametrize(
    ("dialect", "text", "value"),
    [
        (SPARK, "'it''s'", "it's"),
        (HIVE, "'it''s'", "its"),
        (SPARK, r"'a\'b\n\d\%\_\\'", "a'b\nd\\%\\_\\"),
        (HIVE, r"'\u0041\101\0'", "AA\0"),
        (SPARK, r"r'a\nb'", r"a\nb"),
        (SPARK, "'a' \"b\"", "ab"),
        (SPARK, "'a' -- 'b'\n /* 'c' /* d */ */ 'e'", "ae"),
    ],
)
def test_a_string_is_what_its_engine_reads(dialect: Dialect, text: str, value: str) -> None:
    assert item(text, dialect) == tree.StringLiteral(value)


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("SELECT 'a FROM t", "a quotation mark is not closed", 1, 8),
        ("SELECT a\nFROM t /* b", "a comment is not closed", 2, 8),
        ("SELECT a,\nFROM t", "near 'FROM': expected an expression", 2, 1),
        ("SELECT (a FROM t", "near 'FROM': expected )", 1, 11),
        ("SELECT a FROM t WHERE", "at its end: expected an expression", 1, 22),
        ("SELECT CAST(a int) FROM t", "near 'int': expected AS", 1, 15),
        ("INSERT INTO t SELECT 1", "not a query but INSERT", 1, 1),
    ],
)
def test_a_malformed_text_is_told_where_and_what_was_expected(
    text: str, message: str, line: int, column: int
) -> None:
    with pytest.raises(MalformedSql) as raised:
        parse_query(text, SPARK)

    assert message in str(raised.value)
    assert raised.value.position is not None
    assert (raised.value.position.line, raised.value.position.column) == (line, column)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT " + "(" * 100_000,
        "(" * 100_000,
        "SELECT " + "NOT " * 5_000 + "a",
        "SELECT " + "- " * 5_000 + "a",
        "FROM t " + "|> WHERE a " * 5_000,
    ],
)
def test_what_nests_too_deeply_is_refused(text: str) -> None:
    with pytest.raises(TooLarge):
        parse_query(text, SPARK)


@pytest.mark.parametrize(
    "opening", ["trim(", "substring(", "overlay(", "position(", "floor(", "extract_(", "("]
)
def test_calls_inside_calls_are_read_once(opening: str) -> None:
    """What were tried and read again at each level would never end."""
    text = "SELECT " + opening * DEEP + "a" + ")" * DEEP + " FROM t"

    assert parse_query(text, SPARK)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text",
    [
        "SELECT " + " AND ".join(["a"] * 20_000) + " FROM t",
        " UNION ALL ".join(["SELECT 1 AS a"] * 5_000),
        "SELECT a IN (" + ",".join(["1"] * 50_000) + ") FROM t",
        "SELECT a" + "[0]" * 5_000 + " FROM t",
        "SELECT NOT NOT a, " + ", ".join(["NOT NOT a"] * 500) + " FROM t",
    ],
)
def test_what_is_long_but_not_deep_is_read(text: str) -> None:
    assert parse_query(text, SPARK)
