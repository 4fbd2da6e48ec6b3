"""Trino's queries: the meaning of names, the columns of FROM, and refusals."""

from __future__ import annotations

import pytest

from lakeschema.translation.model.errors import (
    MalformedSql,
    TranslationError,
    UnknownColumn,
    UnknownRelation,
    UnsupportedConstruct,
)
from lakeschema.translation.model.interface import Options
from tests.lakeschema.translation.trino_columns import columns, derived, view


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("WITH n AS (SELECT 'x' AS z) SELECT z FROM n", ["z varchar(1)"]),
        ('SELECT "I" AS "a ""b" FROM hive.default.n', ['a "b integer?']),
        ("SELECT 1, a.r.g FROM a", ["_col0 integer", "g integer?"]),
        ("VALUES (1, 'a'), (2.5, NULL)", ["_col0 decimal(11,1)", "_col1 varchar(1)?"]),
        ("SELECT * FROM (VALUES 1, 2) AS t (x)", ["x integer"]),
        ("SELECT i AS k FROM n GROUP BY i ORDER BY max(l), k", ["k integer?"]),
        ("SELECT i % 2 AS g, count(*) AS c FROM n GROUP BY 1 HAVING count(*) > 1 ORDER BY 2",
         ["g integer?", "c bigint"]),
        ("SELECT b, grouping(b) AS g FROM n GROUP BY ROLLUP (b)", ["b boolean?", "g integer"]),
        ("SELECT t.x, y, o FROM (SELECT a, x AS w FROM a) CROSS JOIN UNNEST(a, w) WITH ORDINALITY AS t (x, y, o)",
         ["x integer?", "y varchar?", "o bigint"]),
        ("SELECT g, h FROM a, UNNEST(q)", ["g integer?", "h varchar?"]),
        ("SELECT e FROM UNNEST(ARRAY[1]) AS t (e)", ["e integer"]),
        ("SELECT e FROM a LEFT JOIN UNNEST(ARRAY[1]) AS t (e) ON TRUE", ["e integer?"]),
        ("SELECT y, z FROM a CROSS JOIN UNNEST(o) AS t (y, z)", ["y varchar", "z bigint?"]),
        ("SELECT t.c FROM n CROSS JOIN LATERAL (SELECT i + 1 AS c) t", ["c integer?"]),
        ("SELECT x.i, y.i AS j FROM n x LEFT JOIN (n y JOIN n z ON y.i = z.i) ON x.i = y.i",
         ["i integer?", "j integer?"]),
        ("SELECT i FROM n x FULL JOIN n y USING (i)", ["i integer?"]),
        ("SELECT i FROM n UNION ALL SELECT p FROM n", ["i decimal(12,2)?"]),
        ("SELECT i FROM n ORDER BY i OFFSET 1 ROW FETCH FIRST 2 ROWS WITH TIES", ["i integer?"]),
        ("SELECT (SELECT max(i) FROM n) AS x, EXISTS (SELECT 1) AS y, 1 IN (SELECT i FROM n) AS z",
         ["x integer?", "y boolean", "z boolean?"]),
        ("SELECT i > ALL (SELECT l FROM n) AS x, i = ANY (SELECT l FROM n) AS y FROM n",
         ["x boolean?", "y boolean?"]),
        ("SELECT s FROM s TABLESAMPLE BERNOULLI (10) WHERE s LIKE '\\'", ["s varchar?"]),
        ("SELECT U&'d\\0061t' AS x, U&'!0061' UESCAPE '!' AS y", ["x varchar(3)", "y varchar(1)"]),
        ('SELECT i rows, l "range", rank() OVER w desc FROM n minus WINDOW w AS (ORDER BY minus.i)',
         ["rows integer?", "range bigint?", "desc bigint"]),
        ("SELECT 0x1F AS x, 1_000_000_000_0 AS y", ["x integer", "y bigint"]),
        ("SELECT CAST(ROW(1) AS ROW(x integer)).* FROM n", ["x integer"]),
    ],
)  # fmt: skip
def test_a_query_has_the_columns_that_trino_gives_it(text: str, found: list[str]) -> None:
    assert columns(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "SELECT i AS k FROM n GROUP BY k",
        "SELECT i AS k FROM n WHERE k = 1",
        "SELECT count(*) AS c FROM n HAVING c > 1",
        "SELECT i AS k, k + 1 AS m FROM n",
    ],
)
def test_an_alias_is_no_column_but_to_order_by(text: str) -> None:
    with pytest.raises(UnknownColumn):
        columns(text)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("SELECT * FROM n MATCH_RECOGNIZE (PATTERN (A) DEFINE A AS true)", "MATCH_RECOGNIZE"),
        ("SELECT * FROM JSON_TABLE('[]', 'lax $' COLUMNS (a int))", "JSON_TABLE"),
        ("SELECT * FROM TABLE(sequence(1, 5))", "table function"),
        ("WITH RECURSIVE t(x) AS (SELECT 1) SELECT x FROM t", "WITH RECURSIVE"),
        ("SELECT * FROM n FOR VERSION AS OF 1", "AS OF"),
        ("WITH FUNCTION f() RETURNS int RETURN 1 SELECT f() AS x", "WITH FUNCTION"),
    ],
)
def test_what_is_not_supported_is_refused_by_its_name(text: str, named: str) -> None:
    with pytest.raises(UnsupportedConstruct, match=named):
        columns(text)


@pytest.mark.parametrize(
    "text", ["SELECT 'a", 'SELECT "a', "SELECT `a", "SELECT /* a", "SELECT ~1"]
)
def test_text_that_trino_cannot_read_is_malformed(text: str) -> None:
    with pytest.raises(MalformedSql):
        columns(text)


def test_deep_nesting_ends_in_an_error_that_says_so() -> None:
    with pytest.raises(TranslationError, match="nest"):
        columns("SELECT " + "(" * 2_000 + "1" + ")" * 2_000)


def test_lineage_goes_through_unnest_lambdas_and_rows() -> None:
    text = (
        "SELECT e AS x, transform(x, z -> z || CAST(k AS varchar)) AS y, ROW(r.g)[1] AS z"
        " FROM a CROSS JOIN UNNEST(a) AS t (e)"
    )

    derivation, _ = derived(view(text))

    found = {c.column: sorted(s.column for s in c.sources) for c in derivation.lineage}
    assert found == {"x": ["a"], "y": ["k", "x"], "z": ["r"]}


def test_catalogs_of_one_metastore_are_named_by_an_option() -> None:
    text = "SELECT x.i FROM Lake.default.n x WHERE EXISTS (SELECT 1 FROM lake.default.m)"

    derivation, _ = derived(view(text), Options(trino_catalogs={"": "lake"}))

    assert [str(name) for name in derivation.upstreams] == ["default.n", "default.m"]
    with pytest.raises(UnknownRelation):
        derived(view(text))
