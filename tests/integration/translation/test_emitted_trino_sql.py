"""A real Trino's rows of our emitted SQL, compared with those of the view's own engine."""

from __future__ import annotations

import math

import pytest

from deploy.refused import Refused
from deploy.trino import Trino
from tests.lakeschema.translation.emission.trino.written import LEGACY, query

_TABLE = """CREATE TABLE t AS SELECT *, CAST(NULL AS char(5)) AS c, X'00' AS b, TIMESTAMP '2020-01-01 00:00:00.000000' AS ts,
  ARRAY['x'] AS sa, CAST(ARRAY[] AS ARRAY(ROW(p integer, q varchar))) AS ast FROM (VALUES
  (7, BIGINT '5', TINYINT '1', 7.5e0, REAL '0.5', DECIMAL '7.50', 'Hello a%b', true, DATE '2020-01-31',
   ARRAY[10, NULL, 30], MAP(ARRAY['a'], ARRAY[1]), CAST(ROW(1, 'x') AS ROW(x integer, y varchar))),
  (-7, BIGINT '4294967301', TINYINT '-1', nan(), REAL '1.5', DECIMAL '-7.50', ' 12.9 ', false, DATE '2020-02-29',
   ARRAY[], NULL, NULL),
  (0, NULL, NULL, -0e0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, CAST(ROW(NULL, NULL) AS ROW(x integer, y varchar)))
) AS v (i, l, ti, d, f, de, s, o, da, a, m, st)"""


@pytest.fixture(scope="module")
def server(trino: Trino) -> Trino:
    trino.answer("DROP TABLE IF EXISTS t")
    trino.answer("DROP TABLE IF EXISTS u")
    trino.answer(_TABLE)
    trino.answer("CREATE TABLE u AS SELECT * FROM (VALUES (7, 'w'), (1, 'v')) AS v (i, w)")
    return trino


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("100 / i", [100 / 7, -100 / 7, None]),
        ("i % 3", [1, -1, 0]),
        ("pmod(i, -3)", [-2, -1, 0]),
        ("CAST(l AS INT)", [5, 5, None]),
        ("CAST(d AS INT)", [7, 0, 0]),
        ("CAST(s AS INT)", [None, 12, None]),
        ("CAST(c AS INT)", [None, None, None]),
        ("CAST(CAST(i AS CHAR(5)) AS INT)", [7, -7, 0]),
        ("da = c", [None, None, None]),
        ("NULL", [None, None, None]),
        (
            "CAST(CAST(da AS TIMESTAMP) AS DECIMAL(12,1))",
            ["1580428800.0", "1582934400.0", None],
        ),
        ("CAST(o AS STRING)", ["TRUE", "FALSE", None]),
        ("d = d", [True, True, True]),
        ("CAST(d AS STRING)", ["7.5", "NaN", "-0.0"]),
        ("sqrt(i)", [7**0.5, None, 0.0]),
        ("substr(s, -3)", ["a%b", ".9 ", None]),
        ("substr(s, -3, 2147483647)", ["a%b", ".9 ", None]),
        ("hex(unbase64('a%b YWJj'))", ["69B61626"] * 3),
        (r"s LIKE '%a\\%%'", [True, False, None]),
        ("split(s, ' ')", [["Hello", "a%b"], ["", "12.9", ""], None]),
        ("add_months(da, 1)", ["2020-02-29", "2020-03-31", None]),
        ("a[2]", [30, None, None]),
        ("size(a)", [3, 0, -1]),
        ("array_contains(a, 20)", [False, False, False]),
        ("map_keys(m)", [["a"], [], []]),
        ("named_struct('b', i).b", [7, -7, 0]),
        ("st IS NULL", [False, True, False]),
        (
            "from_utc_timestamp(l, 'PST')",
            ["1969-12-31 16:00:00.005000", "1970-02-19 09:02:47.301000", None],
        ),
        (
            "to_utc_timestamp(ti, 'EST')",
            ["1970-01-01 05:00:00.001000", "1970-01-01 04:59:59.999000", None],
        ),
    ],
)
def test_trino_returns_hives_values(server: Trino, expression: str, values: list[object]) -> None:
    sql = query(f"SELECT i, {expression} AS x FROM t").sql

    assert _by_key(server, sql) == dict(zip((7, -7, 0), values, strict=True))


@pytest.mark.parametrize(
    ("expression", "values"),
    [
        ("a[0]", [10, None, None]),
        (
            "st = named_struct('x', CAST(NULL AS INT), 'y', CAST(NULL AS STRING))",
            [False, None, True],
        ),
        ("greatest(i, ti)", [7, -1, 0]),
        ("substr(s, -100)", ["Hello a%b", " 12.9 ", None]),
        ("sort_array(a)", [[None, 10, 30], [], None]),
        ("rank() OVER (ORDER BY d)", [2, 3, 1]),
        ("collect_list(ti) OVER (ORDER BY i)", [[-1, 1], [-1], [-1]]),
    ],
)
def test_trino_returns_sparks_values(server: Trino, expression: str, values: list[object]) -> None:
    sql = query(f"SELECT i, {expression} AS x FROM t", "spark", properties=LEGACY).sql

    assert _by_key(server, sql) == dict(zip((7, -7, 0), values, strict=True))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("SELECT i FROM t ORDER BY de", [[-7], [7], [0]]),
        ("SELECT i FROM t LEFT SEMI JOIN u ON t.i = u.i", [[7]]),
        ("SELECT i, p, e FROM t LATERAL VIEW posexplode(a) x AS p, e WHERE e > 10", [[7, 2, 30]]),
        ("SELECT count(*) AS n FROM t LATERAL VIEW OUTER explode(a) x AS e", [[5]]),
        (
            "SELECT t.i, u.w FROM t FULL JOIN u ON t.i > u.i ORDER BY i, w",
            [[-7, None], [0, None], [7, "v"], [None, "w"]],
        ),
        ("SELECT avg(de) AS a, count(DISTINCT i, l) AS c FROM t", [["0.000000", 2]]),
        (
            (
                "SELECT var_pop(k) AS v FROM (SELECT 100000001 k UNION ALL SELECT 100000001"
                " UNION ALL SELECT 100000002) q"
            ),
            [[0.0]],
        ),
        (
            (
                "SELECT round(var_pop(DISTINCT k), 6) AS v FROM (SELECT -3 k UNION ALL SELECT 3"
                " UNION ALL SELECT 5) q"
            ),
            [[8.555556]],
        ),
        (
            (
                "SELECT g, sum(DISTINCT k) AS s, count(DISTINCT k) AS n FROM (SELECT 1 g, 2 k) q"
                " GROUP BY g, k GROUPING SETS ((g, k), (g)) ORDER BY s"
            ),
            [[1, 2, 1], [1, None, 0]],
        ),
        (
            (
                "SELECT x FROM (SELECT 123456789 x UNION ALL SELECT CAST(1.5 AS DECIMAL(10,2))) q"
                " ORDER BY x"
            ),
            [["1.50"], [None]],
        ),
    ],
)
def test_trino_returns_hives_rows(server: Trino, text: str, rows: list[list[object]]) -> None:
    assert [list(row) for row in server.answer(query(text).sql).rows] == rows


_NAN = "CAST('NaN' AS DOUBLE)"
_OF_NAN = ("sign", "sqrt", "acos", "asin", "log", "ln")


@pytest.mark.parametrize(
    ("items", "rows", "values"),
    [
        ("s RLIKE '', s RLIKE 'a|'", ("'a' s", "'' s"), [[False, True], [False, True]]),
        ("replace(s, '', 'x')", ("'ab' s", "'' s"), [["xaxbx"], ["x"]]),
        ("split(s, '')", ("'ab' s", "'' s"), [[["a", "b", ""]], [[""]]]),
        (
            "parse_url(s, 'PATH'), parse_url(s, 'QUERY', 'k'), parse_url(s, 'PROTOCOL')",
            ("'nope' s", "'HTTP://h/p?k=1' s", "'odd://h/p?k=1' s", "'http://h/p?k' s"),
            [[None] * 3, ["/p", "1", "http"], [None] * 3, ["/p", None, "http"]],
        ),
        ("elt(k, 'x', 'y')", ("-1 k", "0 k", "2 k", "3 k"), [[None], [None], ["y"], [None]]),
        ("hex(chr(k))", ("32833 k", "65601 k", "256 k"), [[""], ["41"], ["00"]]),
        (
            "width_bucket(k, 0, -7, 5), width_bucket(- k, 0, 7, 5)",
            ("0 k", "-7 k", "-3 k", "CAST(NULL AS INT) k"),
            [[1, 1], [6, 6], [3, 3], [None, None]],
        ),
        (
            ", ".join(f"{name}(d)" for name in _OF_NAN),
            (f"{_NAN} d", "CAST(2 AS DOUBLE) d"),
            [[-1.0, *["NaN"] * 5], [1.0, 2**0.5, None, None, math.log(2), math.log(2)]],
        ),
        (
            "log(d, e), log(e, d)",
            ("CAST(0.5 AS DOUBLE) d, 3D e", "1D d, 0D e", f"{_NAN} d, 7D e"),
            [[None, math.log(0.5) / math.log(3)], [None, None], ["NaN", "NaN"]],
        ),
        (
            "CAST(t AS INT), CAST(t AS SMALLINT), CAST(t AS TINYINT)",
            tuple(f"CAST('{day} 00:00:00' AS TIMESTAMP) t" for day in ("1970-01-02", "2400-01-01")),
            [[86400, None, None], [None, None, None]],
        ),
        (
            "d BETWEEN 1 AND 5, d BETWEEN 1 AND d, d BETWEEN 1 AND e, f BETWEEN d AND 9, f BETWEEN 1 AND d",
            (f"{_NAN} d, CAST(NULL AS DOUBLE) e, 3D f",),
            [[False, True, None, False, True]],
        ),
        ("CAST(k AS TIMESTAMP)", ("1600000000000 k",), [["2020-09-13 12:26:40.000000"]]),
        (
            "covar_pop(d, e), corr(d, e), regr_slope(d, e), regr_intercept(d, e)",
            (f"{_NAN} d, 1D e",),
            [[0.0, None, None, None]],
        ),
        (
            "covar_pop(d, e), corr(d, e), regr_slope(d, e), regr_intercept(d, e)",
            (f"2D d, {_NAN} e", "2D d, 1D e"),
            [["NaN", None, "NaN", "NaN"]],
        ),
        (
            "min(v), max(v)",
            ("named_struct('x', CAST(NULL AS INT)) v", "named_struct('x', -1) v"),
            [[[-1], [-1]]],
        ),
        ("sum(s)", ("'a' s", "CAST(NULL AS STRING) s"), [[0.0]]),
        ("sum(s)", ("'a' s", "'2' s"), [[2.0]]),
        ("sum(s)", ("CAST(NULL AS STRING) s",), [[None]]),
        (
            "regexp_extract(s, '(b)', k)",
            ("'a' s, CAST(NULL AS INT) k", "'ab' s, 1 k"),
            [[""], ["b"]],
        ),
        ("sign(f)", ("CAST('NaN' AS FLOAT) f",), [[-1.0]]),
        (
            "floor(n), ceil(n), ceil(i)",
            ("9223372036854775806L n, 2147483647 i",),
            [[9223372036854775807, 9223372036854775807, 2147483647]],
        ),
        ("floor(n)", ("-9007199254740993L n",), [[-9007199254740992]]),
    ],
)
def test_trino_returns_what_hive_answers(
    trino: Trino, items: str, rows: tuple[str, ...], values: list[list[object]]
) -> None:
    """As Hive 4.0.1 answered each (CASTs of times and numbers without its strict conversion)."""
    below = " UNION ALL ".join(f"SELECT {row}" for row in rows)
    found = trino.answer(query(f"SELECT {items} FROM ({below}) q").sql).rows

    assert sorted(map(repr, map(list, found))) == sorted(map(repr, values))


@pytest.mark.parametrize(
    ("call", "row", "reason"),
    [
        ("unhex(s)", "'-1' s", "a sign among hexadecimal digits"),
        ("levenshtein(s, 'x')", "'😀' s", "a distance of characters beyond U[+]FFFF"),
        (
            "sum(k)",
            f"CAST('{'9' * 20}' AS DECIMAL(38,18)) k UNION ALL SELECT CAST('-{'9' * 20}' AS DECIMAL(38,18)) k",
            "a sum of decimals with more than 38 digits",
        ),
        ("std(f) OVER ()", "CAST('Infinity' AS FLOAT) f", "std of numbers beyond 1e70"),
        ("to_utc_timestamp(DATE '2020-01-01', s)", "'-1' s", "a zone that is no region"),
    ],
)
def test_what_hive_alone_computes_is_refused_when_it_is_run(
    trino: Trino, call: str, row: str, reason: str
) -> None:
    sql = query(f"SELECT {call} AS x FROM (SELECT {row}) q").sql

    with pytest.raises(Refused, match=f"not the same in Trino: {reason}"):
        trino.answer(sql)


@pytest.mark.parametrize("call", ["hour(s)", "to_date(s)", "CAST(s AS TIMESTAMP)"])
def test_a_time_that_hive_dates_today_is_refused(trino: Trino, call: str) -> None:
    sql = query(f"SELECT {call} AS x FROM (SELECT '12:34:56' AS s) q").sql

    with pytest.raises(Refused, match="a time of day, which is of today"):
        trino.answer(sql)


def test_a_union_is_extracted_as_hive_does_that_of_no_value_too(server: Trino) -> None:
    server.answer("DROP TABLE IF EXISTS unions")
    server.answer(
        "CREATE TABLE unions AS SELECT CAST(v AS ROW(tag tinyint, field0 integer, field1 varchar)) AS b"
        " FROM (VALUES ROW(ROW(0, 5, NULL)), ROW(ROW(1, NULL, 'x')), ROW(NULL)) AS v (v)"
    )
    found = query(
        "SELECT extract_union(b).tag_0 AS i, extract_union(b).tag_1 AS s, extract_union(b) IS NULL AS n FROM unions",
        before=("CREATE TABLE unions (b UNIONTYPE<INT, STRING>)",),
    )

    rows = sorted(server.answer(found.sql).rows, key=str)

    assert [list(row) for row in rows] == [
        [5, None, False],
        [None, "x", False],
        [None, None, False],
    ]


def test_columns_have_the_types_that_are_said(server: Trino) -> None:
    found = query(
        "SELECT 'x' AS a, de + 1 AS b, named_struct('N', l) AS c, collect_set(s) OVER () AS d FROM t"
    )

    columns = server.answer(found.sql).columns

    assert [type_ for _, type_ in columns] == [
        "varchar",
        "decimal(11, 2)",
        "row(N bigint)",
        "array(varchar)",
    ]
    assert [name for name, _ in columns] == [column.name for column in found.columns]


def _by_key(server: Trino, sql: str) -> dict[object, object]:
    return {row[0]: row[1] for row in server.answer(sql).rows}
