"""The meaning of texts by each dialect's own rules; no text takes long to refuse."""

from __future__ import annotations

import re

import pytest

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.model.errors import MalformedSql, TooLarge
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
        ("SELECT a FROM t WHERE a =", "at its end: expected an expression", 1, 26),
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


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a IN ((SELECT b FROM u) UNION (SELECT 1))", "a IN (SELECT b FROM u UNION SELECT 1)"),
        ("a IN ((SELECT b FROM u) LIMIT 1)", "a IN (SELECT b FROM u LIMIT 1)"),
        ("EXISTS ((SELECT 1) EXCEPT (SELECT 2))", "EXISTS (SELECT 1 EXCEPT SELECT 2)"),
        ("EXISTS (((SELECT 1)))", "EXISTS (SELECT 1)"),
    ],
)
@pytest.mark.parametrize("dialect", [SPARK, HIVE])
def test_a_query_inside_may_begin_with_one_in_parentheses(
    dialect: Dialect, text: str, same: str
) -> None:
    assert item(text, dialect) == item(same, dialect)


@pytest.mark.parametrize("text", ["a IN ((SELECT 1), (SELECT 2))", "a IN ((SELECT 1) + 1)"])
def test_queries_among_the_values_of_a_list_are_values(text: str) -> None:
    assert isinstance(item(text, SPARK), tree.InList)


@pytest.mark.parametrize("array", ["(SELECT array(1))", "(SELECT s FROM u).a", "values"])
def test_the_function_exists_may_have_an_array_that_begins_like_a_query(array: str) -> None:
    found = item(f"exists({array}, x -> x > 0)", SPARK)
    assert isinstance(found, tree.Call)
    assert found.name == "exists"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("struct(1 a, b, 2 AS c)", "struct(1 AS a, b, 2 AS c)"),
        ("(1 a, 2 b)", "(1 AS a, 2 AS b)"),
        ("(1, 2 b)", "(1, 2 AS b)"),
    ],
)
def test_the_fields_of_a_row_may_be_named_without_as(text: str, same: str) -> None:
    assert item(text, SPARK) == item(same, SPARK)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT start, end FROM t WHERE end > 1 ORDER BY end DESC",
        "SELECT group, count(*) FROM t GROUP BY group ORDER BY group",
        "SELECT CASE WHEN end > 1 THEN end ELSE end END FROM t",
    ],
)
def test_a_keyword_of_spark_may_name_a_column(text: str) -> None:
    quoted = text.replace("end", "`end`").replace("group", "`group`")
    found, same = parse_query(text, SPARK), parse_query(quoted, SPARK)
    assert _without_positions(found) == _without_positions(same)


def _without_positions(query: tree.Query) -> str:
    return re.sub(r"Position\(line=\d+, column=\d+\)", "", repr(query))


@pytest.mark.parametrize("qualifier", ["builtin", "system.builtin", "SYSTEM.`builtin`"])
def test_a_function_of_spark_may_be_qualified_as_its_own(qualifier: str) -> None:
    found = item(f"{qualifier}.abs(a)", SPARK)
    assert isinstance(found, tree.Call)
    assert (found.name, found.qualifier) == ("abs", ())
    other = item(f"{qualifier}.abs(a)", HIVE)
    assert isinstance(other, tree.Call)
    assert other.qualifier


@pytest.mark.parametrize(
    "text",
    [
        "SELECT a, FROM t",
        "SELECT FROM",
        "SELECT a FROM t WHERE AND b",
        "SELECT a FROM t GROUP BY",
        "SELECT CASE WHEN a THEN END FROM t",
        "SELECT (1 a) FROM t",
        "SELECT EXISTS ((SELECT 1) 2) FROM t",
    ],
)
def test_a_part_that_is_missing_is_not_a_column(text: str) -> None:
    with pytest.raises(MalformedSql):
        parse_query(text, SPARK)


def test_a_keyword_of_hive_names_no_column() -> None:
    with pytest.raises(MalformedSql):
        parse_query("SELECT end FROM t", HIVE)
