"""Spark's clauses of aggregates, windows of time, times of day, variants and table functions."""

from __future__ import annotations

import pytest

from lakeschema.catalog.column_types import ArrayType
from lakeschema.catalog.ddl_files import relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import MalformedSql, TypeMismatch, UnsupportedConstruct
from lakeschema.translation.model.interface import Options
from tests.lakeschema.translation.relations import columns, derived, interfaces

TABLE = """CREATE TABLE t (id INT NOT NULL, n INT, s STRING NOT NULL, at TIMESTAMP NOT NULL,
  v VARIANT NOT NULL, tags ARRAY<STRING>, clock TIME(3) NOT NULL) USING delta;
"""

YIELDS = [
    ("SELECT listagg(s, ',') WITHIN GROUP (ORDER BY n DESC) AS x FROM t GROUP BY id", "x string!"),
    ("SELECT listagg(DISTINCT s) AS x FROM t", "x string"),
    ("SELECT mode() WITHIN GROUP (ORDER BY s) AS x FROM t GROUP BY id", "x string!"),
    ("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY clock) AS x FROM t", "x time(3)"),
    ("SELECT percentile_disc(array(0.1)) WITHIN GROUP (ORDER BY n) AS x FROM t", "x array<double>"),
    ("SELECT first(id IGNORE NULLS) AS x, last(id) IGNORE NULLS AS y FROM t GROUP BY s", "x int!, y int!"),
    ("SELECT sum(id) FILTER (WHERE n > 1) OVER (PARTITION BY s) AS x FROM t", "x bigint"),
    ("SELECT sum(id) OVER (PARTITION BY s) AS x FROM t", "x bigint!"),
    ("SELECT count(*) FILTER (WHERE n > 1) AS x FROM t", "x bigint!"),
    ("SELECT window(at, '1 day'), window.start, count(*) AS c FROM t GROUP BY window(at, '1 day')", "window struct<start:timestamp,end:timestamp>!, start timestamp, c bigint!"),
    ("SELECT session_window.end FROM t GROUP BY id, session_window(at, '5 minutes')", "end timestamp"),
    ("SELECT variant_get(parse_json(s), '$.a', 'int') AS x, v IS NULL AS y FROM t", "x int, y boolean!"),
    ("SELECT v:a.b::int, v:a['x y'][0]::string, v:q:z::date AS d, t.v:k IS NULL AS n FROM t", "b int, x y string, d date, n boolean!"),
    ("SELECT CAST(v AS STRING) AS x, schema_of_variant(v) AS y FROM t", "x string, y string!"),
    ("SELECT current_time AS x, localtime(0) AS y, clock - TIME '01:00:00' AS z FROM t", "x time!, y time(0)!, z interval hour to second"),
    ("SELECT id * 2 AS x FROM range(1, 9, 2)", "x bigint!"),
    ("SELECT t.id, e.pos, e.key FROM t, LATERAL variant_explode(v) AS e", "id int!, pos int!, key string"),
    ("SELECT explode(tags) AS a, explode(array(n)) AS b, a || 'x' AS c FROM t", "a string, b int, c string"),
    ("SELECT s, explode(collect_list(n)) AS x, count(*) AS c FROM t GROUP BY s", "s string!, x int!, c bigint!"),
    ("SELECT explode(collect_set(s)) FROM t", "col string!"),
    ("SELECT e.pos FROM variant_explode(input => parse_json('[1]')) AS e", "pos int!"),
    ("SELECT explode(collection => collect_list(n)) AS x FROM t", "x int!"),
    ("SELECT variant_set(v => v, path => '$.a', val => 1):a::int AS x FROM t", "x int"),
    ("SELECT NAME, LANGUAGE FROM collations()", "NAME string!, LANGUAGE string"),
    ("SELECT approx_top_k(s, 3) AS x FROM t", "x array<struct<item:string,count:bigint>>!"),
    ("SELECT map_concat() AS x, system.builtin.abs(n) AS y, builtin.count(*) AS z FROM t GROUP BY n", "x map<string,string>!, y int, z bigint!"),
    ("SELECT end, struct(id a, end) AS x FROM (SELECT n AS `end`, id FROM t) ORDER BY end", "end int, x struct<a:int,end:int>!"),
    ("SELECT 200 AS base, base * 1.5 AS x, 200 * 1.5 AS y, count(*) AS c FROM t GROUP BY n", "base int!, x decimal(13,1)!, y decimal(6,1)!, c bigint!"),
    ("SELECT id FROM t WHERE id IN ((SELECT n FROM t ORDER BY n) UNION (SELECT 1))", "id int!"),
    ("SELECT v:a.n::int, n + 1 AS m, struct(v:b, v:`c.d`, id).d::int AS x FROM t", "n int, m int, x int"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "expected"), YIELDS)
def test_a_query_yields_these_columns(query: str, expected: str) -> None:
    found = columns(derived(f"{TABLE}CREATE VIEW v AS {query};", dialect=Dialect.SPARK))

    assert (
        ", ".join(f"{name} {type_}{'' if null else '!'}" for name, type_, null in found) == expected
    )


def test_a_choice_of_nothing_is_refused_with_the_reason() -> None:
    with pytest.raises(TypeMismatch, match="coalesce does not take 0 arguments"):
        derived("CREATE VIEW v AS SELECT coalesce() AS x;", dialect=Dialect.SPARK)


@pytest.mark.parametrize(
    ("call", "holds_null"),
    [
        ("collect_list(n)", False),
        ("collect_list(n) RESPECT NULLS", True),
        ("collect_list(id) RESPECT NULLS", False),
        ("array_agg(n) RESPECT NULLS OVER (PARTITION BY s)", True),
        ("CAST(array('a') AS ARRAY<INT>)", True),
        ("CAST(array(id) AS ARRAY<BIGINT>)", False),
        ("TRY_CAST(array(id + 1L) AS ARRAY<INT>)", True),
    ],
)
def test_an_array_holds_null_where_one_may_come_in(call: str, *, holds_null: bool) -> None:
    view = derived(f"{TABLE}CREATE VIEW v AS SELECT {call} AS x FROM t;", dialect=Dialect.SPARK)

    (column,) = view.interface.columns
    assert isinstance(column.type, ArrayType)
    assert column.type.element_nullable is holds_null


def test_hive_makes_no_rows_over_groups() -> None:
    with pytest.raises(UnsupportedConstruct, match="collect_list"):
        derived(
            f"{TABLE}CREATE VIEW v AS SELECT explode(collect_list(n)) AS x FROM t;",
            dialect=Dialect.HIVE,
        )


@pytest.mark.parametrize(
    ("path", "written", "name"),
    [
        ("v:a['x y'][0].`Z`", "$.a['x y'][0].Z", "Z"),
        ("v:['a'].b[1]", "$['a'].b[1]", "b"),
        # As Spark has it: the dot within a name parts two fields, within brackets it does not.
        ("v:`a.b`", "$.a.b", "b"),
        ("v:['a.b']", "$['a.b']", "a.b"),
        ("v:`a b`", "$.a b", "a b"),
        ("v:`x'y`", "$.x'y", "x'y"),
        (r"v:['a\\b']", r"$['a\\b']", r"a\\b"),
        ("v:` a`", "$. a", "a"),
        ("v:`[0]`.a", "$[0].a", "a"),
    ],
)
def test_a_path_into_a_variant_is_written_as_variant_get(
    path: str, written: str, name: str
) -> None:
    ddl = f"{TABLE}CREATE VIEW v AS SELECT {path}::int FROM t;"
    relations = relations_from_ddl([ddl], Dialect.SPARK)
    view = RelationName.of("default", "v")

    found = spark_view(relations[view], interfaces(relations, view), Options(), lambda _: "t")

    literal = written.replace("\\", "\\\\").replace("'", "\\'")
    assert found.sql == (
        f"SELECT CAST(variant_get(t1.`v`, '{literal}') AS INT) AS `{name}` FROM t AS t1"
    )


@pytest.mark.parametrize(
    "path",
    [
        *("v:`a.`", "v:`.a`", "v:`a..b`", "v:`a[`", "v:['']", "v:[' ']", 'v:["a"]', "v:['a''b']"),
        *(r"v:['a\'b']", "v:[r'a']", "v:a[1.5]", "v:a[99999999999]"),
    ],
)
def test_a_path_into_a_variant_that_spark_does_not_read_is_refused(path: str) -> None:
    with pytest.raises(MalformedSql, match=r"expected a(n index up to| path into a variant)"):
        derived(f"{TABLE}CREATE VIEW v AS SELECT {path}::int AS x FROM t;", dialect=Dialect.SPARK)


def test_variant_get_that_is_written_gives_no_name() -> None:
    with pytest.raises(MalformedSql, match="column 1 of the view has no name"):
        derived(
            f"{TABLE}CREATE VIEW v AS SELECT variant_get(v, '$.a', 'int') FROM t;",
            dialect=Dialect.SPARK,
        )
