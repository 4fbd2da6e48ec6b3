from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.requests.sql_layout import MAX_LAID_OUT, lay_out_sql
from lakeschema.translation.syntax.parsing import parse_query

GALLERY = sorted((Path(__file__).parents[3] / "gallery").glob("*/spark.sql"))


@pytest.mark.parametrize(
    ("text", "laid_out"),
    [
        (
            (
                "SELECT o.id AS order_id, SUM(l.price) AS total\n"
                "FROM orders o JOIN order_lines l ON l.order_id = o.id GROUP BY o.id"
            ),
            (
                "SELECT o.id AS order_id,\n  SUM(l.price) AS total\nFROM orders o\n"
                "  JOIN order_lines l ON l.order_id = o.id\nGROUP BY o.id"
            ),
        ),
        (
            "select a from (select a from t where a is distinct from 3) x where a between 1 and 2 and b",
            (
                "select a\nfrom (\n    select a\n    from t\n    where a is distinct from 3\n  ) x\n"
                "where a between 1 and 2\n  and b"
            ),
        ),
        (
            "SELECT a, -- its name\n  /* kept */ b FROM t -- all\nWHERE c",
            "SELECT a, -- its name\n  /* kept */ b\nFROM t -- all\nWHERE c",
        ),
        (
            r"SELECT '\d  FROM', \"x\" FROM t".replace('\\"', '"'),
            "SELECT '\\d  FROM',\n  \"x\"\nFROM t",
        ),
    ],
)
def test_each_clause_column_and_condition_begins_a_line(text: str, laid_out: str) -> None:
    assert lay_out_sql(text) == laid_out
    assert lay_out_sql(laid_out) == laid_out


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("SELECT a,  b\n\tFROM t\n WHERE c", id="its author laid it out"),
        pytest.param(
            r"SELECT 'it\'s  x' AS a FROM t WHERE b = 'c'", id="engines differ on strings"
        ),
        pytest.param("SELECT a FROM t WHERE b = 'c", id="a string without an end"),
        pytest.param("SELECT a /* b /* c */ FROM t */ FROM t", id="a comment in a comment"),
        pytest.param("SELECT a -- b \\\nFROM t WHERE c", id="a comment that may go on"),
        pytest.param(f"SELECT {'a, ' * MAX_LAID_OUT} b FROM t", id="too long"),
        pytest.param("SELECT ${x}from{y}", id="words that touch"),
    ],
)
def test_a_text_that_is_unclear_or_laid_out_stays(text: str) -> None:
    assert lay_out_sql(text) == text


@given(
    st.lists(
        st.sampled_from([
            "SELECT", "FROM", "JOIN", "LEFT", "AND", "UNION ALL", "a", ",", "(", ")", ".", "'x y'",
            '"', "'", "`p  q`", "\\", "--", "/*", "*/", "\n", "\r", " ", "\u00a0", "é",
        ])
    ).map("".join)
)  # fmt: skip
def test_no_token_changes(text: str) -> None:
    laid_out = lay_out_sql(text)

    assert "".join(laid_out.split()) == "".join(text.split())
    for quoted in ("'x y'", "`p  q`"):
        assert laid_out.count(quoted) == text.count(quoted)


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.parent.name)
def test_a_query_parses_as_before(path: Path) -> None:
    text = path.read_text().strip()

    assert parse_query(lay_out_sql(text), Dialect.SPARK) == parse_query(text, Dialect.SPARK)
