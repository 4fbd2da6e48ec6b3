"""What a query of each form yields, and which class of error it is refused with.

An ``Unsupported`` is our limit, a ``Broken`` the view's own fault: the status that users see.
"""

from __future__ import annotations

import pytest

from lakeschema.catalog.relations import Dialect
from lakeschema.translation.errors import (
    AmbiguousColumn,
    MalformedSql,
    TooLarge,
    TranslationError,
    TypeMismatch,
    UnknownColumn,
    UnknownRelation,
    UnsupportedConstruct,
    UnsupportedFunction,
    UnsupportedType,
)
from tests.lakeschema.translation.relations import columns, derived

HIVE, SPARK = Dialect.HIVE, Dialect.SPARK

TABLES = """
CREATE TABLE t (id INT NOT NULL, name STRING, amount DECIMAL(15,2), price DOUBLE, day DATE,
  at TIMESTAMP, flag BOOLEAN, tags ARRAY<STRING>, m MAP<STRING,INT>,
  s STRUCT<a:INT,b:STRUCT<c:STRING>>, rows_ ARRAY<STRUCT<x:INT,y:STRING>>,
  tiny TINYINT, code CHAR(3), word VARCHAR(5), whole DECIMAL(8,0), raw BINARY, numbers ARRAY<INT>,
  choice UNIONTYPE<INT,STRING>);
CREATE TABLE u (id INT NOT NULL, label STRING);
"""

# What each view's columns are: name, type, and "!" where it is never null.
YIELDS = [
    (SPARK, "VALUES (1, 'a'), (2, 'b')", "col1 int!, col2 string!"),
    (SPARK, "(SELECT id FROM t ORDER BY id LIMIT 1) UNION ALL (SELECT id FROM u)", "id int!"),
    (SPARK, "SELECT id FROM t UNION SELECT id FROM u ORDER BY 1", "id int!"),
    (SPARK, "SELECT id FROM t UNION SELECT id FROM u ORDER BY id DESC LIMIT 3", "id int!"),
    (SPARK, "SELECT x.id, label FROM t x CROSS JOIN u ON x.id = u.id", "id int!, label string"),
    (SPARK, "SELECT x.id, label FROM (t x JOIN u ON x.id = u.id)", "id int!, label string"),
    (SPARK, "SELECT x.id FROM t x LATERAL VIEW explode(tags) e AS tag JOIN u ON u.id = x.id", "id int!"),
    (SPARK, "SELECT x.id, tag FROM t x, LATERAL explode(tags) AS e(tag)", "id int!, tag string"),
    (SPARK, "SELECT x.id, n FROM t x, LATERAL (SELECT x.id + 1 AS n) y", "id int!, n int!"),
    (SPARK, "SELECT * FROM explode(array(1, 2)) AS e(n)", "n int!"),
    (SPARK, "WITH c (a) AS (SELECT id FROM t) SELECT a FROM c", "a int!"),
    (SPARK, "SELECT id, explode(tags) FROM t", "id int!, col string"),
    (SPARK, "SELECT id, explode(m) AS (k, v) FROM t", "id int!, k string!, v int"),
    (SPARK, "SELECT id, name FROM t ORDER BY 2", "id int!, name string"),
    (SPARK, "SELECT id, count(*) AS n FROM t GROUP BY 1", "id int!, n bigint!"),
    (SPARK, "SELECT id + 1 AS n, n * 2 AS twice FROM t", "n int!, twice int!"),
    (SPARK, "SELECT X'1F' AS b, (1, 'a') AS pair", "b binary!, pair struct<col1:int,col2:string>!"),
    (SPARK, "SELECT s['a'] AS a, rows_.x AS xs FROM t", "a int, xs array<int>"),
    (SPARK, "SELECT (SELECT max(id) FROM u) AS x FROM t", "x int"),
    (SPARK, "SELECT id FROM t CLUSTER BY id", "id int!"),
    (HIVE, "SELECT id FROM t DISTRIBUTE BY id SORT BY id", "id int!"),
    (HIVE, "SELECT id FROM t WHERE id", "id int!"),
    (HIVE, "SELECT id LIKE ANY ('a%', 'b%') AS a, name NOT LIKE ALL ('a', word) AS b FROM t", "a boolean!, b boolean"),
    (SPARK, "SELECT name ILIKE ANY ('a%') AS a, 'x' NOT LIKE ALL ('a', 'b') AS b FROM t", "a boolean, b boolean!"),
    (HIVE, "SELECT CAST(day AS STRING FORMAT 'yyyy') AS y, udftolong(id) AS l FROM t", "y string, l bigint!"),
    (HIVE, "SELECT id, GROUPING__ID AS g, grouping(id, name) AS n FROM t GROUP BY id, name WITH CUBE",
     "id int, g bigint!, n bigint!"),
    (HIVE, "SELECT current_authorizer() AS a, current_catalog() AS c, current_groups() AS g",
     "a string, c string!, g array<string>"),
    (HIVE, "SELECT id, host FROM t LATERAL VIEW parse_url_tuple(name, 'HOST', 'PATH') u AS host, path",
     "id int!, host string"),
    (HIVE, "SELECT ds_freq_frequent_items(raw) FROM t",
     "item string, estimate bigint, lower_bound bigint, upper_bound bigint"),
    (SPARK, "SELECT id & 3 AS a, id | 1 AS b, id ^ 1 AS c, ~id AS d, -amount AS e, id DIV 2 AS f FROM t",
     "a int!, b int!, c int!, d int!, e decimal(15,2), f bigint"),
    (HIVE, "SELECT id % 2 AS a, amount / 3 AS b, amount * amount AS c FROM t",
     "a int, b decimal(19,6), c decimal(31,4)"),
    (SPARK, "SELECT CAST(tags AS STRING) AS a, CAST(flag AS INT) AS b, CAST(m AS MAP<STRING,BIGINT>) AS c FROM t",
     "a string, b int, c map<string,bigint>"),
    (SPARK, "SELECT CAST(s AS STRUCT<q:BIGINT,r:STRUCT<z:STRING>>) AS f FROM t",
     "f struct<q:bigint,r:struct<z:string>>"),
    (SPARK, "SELECT day + INTERVAL 1 DAY AS a, at + INTERVAL '1 2' DAY TO HOUR AS b, day + INTERVAL 1 HOUR AS c, day + 1 AS d FROM t",
     "a date, b timestamp, c timestamp, d date"),
    (HIVE, "SELECT day + INTERVAL '1' DAY AS a, at + INTERVAL '1' MONTH AS b FROM t",
     "a timestamp, b timestamp"),
    (SPARK, "SELECT date '2020-01-01' AS a, 1Y AS b, 1S AS c, 1L AS d, 1.5D AS e, 1.5BD AS f, 1.5F AS g",
     "a date!, b tinyint!, c smallint!, d bigint!, e double!, f decimal(2,1)!, g float!"),
    (SPARK, "SELECT name ILIKE 'a' AS a, name <=> 'a' AS b, id BETWEEN 1 AND 2 AS c, flag IS TRUE AS d FROM t",
     "a boolean, b boolean!, c boolean!, d boolean!"),
    (SPARK, "SELECT trim(BOTH 'x' FROM name) AS a, substring(name FROM 2 FOR 3) AS b, position('a' IN name) AS c FROM t",
     "a string, b string, c int"),
    (SPARK, "SELECT extract(YEAR FROM day) AS y, date_part('hour', at) AS h FROM t", "y int, h int"),
    (HIVE, "SELECT map('a', 1, 'b', 2.5) AS x, named_struct('a', 1, 'b', name) AS y, struct(id, name) AS z FROM t",
     "x map<string,decimal(11,1)>!, y struct<a:int,b:string>!, z struct<col1:int,col2:string>!"),
    (SPARK, "SELECT name + INTERVAL 1 DAY AS a, at - INTERVAL 1 DAY * 2 AS b, NULL + id AS c, day + INTERVAL '1' YEAR * 2 AS d FROM t",
     "a string, b timestamp, c int, d date"),
    (HIVE, "SELECT name + INTERVAL '1' DAY AS a FROM t", "a timestamp"),
    (SPARK, "SELECT ceil(amount) AS a, floor(whole) AS b, round(amount, 1) AS c, round(amount) AS d, round(amount, -3) AS e, abs(tiny) AS f FROM t",
     "a decimal(14,0), b decimal(8,0), c decimal(15,1), d decimal(14,0), e decimal(14,0), f tinyint"),
    (HIVE, "SELECT floor(whole) AS a, round(amount, id) AS b, abs(tiny) AS c, abs(name) AS d, sign(amount) AS e, sign(price) AS f, trunc(amount) AS g FROM t",
     "a decimal(9,0), b decimal(15,2), c int, d double, e int, f double, g decimal(13,0)"),
    (HIVE, "SELECT avg(amount) AS a, sum(amount) AS b, avg(price) AS c, sum(id) AS d FROM t",
     "a decimal(19,6), b decimal(25,2), c double, d bigint"),
    (SPARK, "SELECT element_at(tags, 1) AS a, element_at(m, 'k') AS b, map_values(m) AS c, array_union(tags, array('a')) AS d, concat(tags, array('x')) AS e FROM t",
     "a string, b int, c array<int>, d array<string>, e array<string>"),
    (SPARK, "SELECT struct(id, name AS n, 1) AS s FROM t", "s struct<id:int,n:string,col3:int>!"),
    (HIVE, "SELECT extract_union(choice) AS c FROM t", "c struct<tag_0:int,tag_1:string>"),
    (SPARK, "SELECT id, name, count(*) AS n FROM t GROUP BY ROLLUP (id, name)", "id int, name string, n bigint!"),
    (SPARK, "SELECT id, name, count(*) AS n FROM t GROUP BY CUBE (id), ROLLUP (name)", "id int, name string, n bigint!"),
    (SPARK, "SELECT id, name, count(*) AS n FROM t GROUP BY id, ROLLUP (name)", "id int!, name string, n bigint!"),
    (HIVE, "SELECT id, name, count(*) AS n FROM t GROUP BY id, name WITH ROLLUP", "id int, name string, n bigint!"),
    (HIVE, "SELECT id, name, count(*) AS n FROM t GROUP BY id, name GROUPING SETS ((id), (id, name))",
     "id int!, name string, n bigint!"),
    (SPARK, "SELECT id, (SELECT max(u.id) FROM u) AS x, count(*) AS n FROM t GROUP BY id", "id int!, x int, n bigint!"),
    (SPARK, "SELECT reverse(tags) AS a, reverse(name) AS b, concat(raw, raw) AS c, concat(name, id) AS d FROM t",
     "a array<string>, b string, c binary, d string"),
    (HIVE, "SELECT concat(code, code) AS a, concat(code, word) AS b, concat(raw, raw) AS c, mask(word) AS d, mask(name) AS e FROM t",
     "a char(6), b varchar(8), c string, d varchar(65535), e string"),
    (SPARK, "SELECT coalesce(code, word) AS a, coalesce(m, map('a', 1L)) AS b, coalesce(day, at) AS c FROM t",
     "a string, b map<string,bigint>!, c timestamp"),
    (HIVE, "SELECT coalesce(code, word) AS a, coalesce(code, code) AS b, coalesce(word, 'abc') AS c FROM t",
     "a string, b char(3), c string!"),
    (HIVE, "SELECT s AS d FROM t UNION ALL SELECT named_struct('a', 1L, 'b', named_struct('c', 'x')) FROM t",
     "d struct<a:bigint,b:struct<c:string>>"),
    (SPARK, "SELECT * FROM (SELECT tags[0], s.b.c, m['k'], CAST(s.a AS STRING), rows_[0].x, numbers[tiny] FROM t)",
     "tags[0] string, c string, m[k] int, a string, rows_[0].x int, numbers[tiny] int"),
    (HIVE, "SELECT * FROM (SELECT tags[0], s.b.c, id + 1, upper(name) FROM t) q", "_c0 string, c string, _c2 int!, _c3 string"),
    (SPARK, "SELECT * EXCEPT (id) FROM u", "label string"),
    (SPARK, "SELECT flag IS NOT TRUE AS a, flag IS UNKNOWN AS b FROM t", "a boolean!, b boolean!"),
    (SPARK, "SELECT if(flag, 1, 2.5) AS a, nvl2(name, 1, 2) AS b, nullif(id, 1) AS c, CASE id WHEN 1 THEN 'a' END AS d, name || id AS e FROM t",
     "a decimal(11,1)!, b int!, c int, d string, e string"),
    (SPARK, "SELECT sum(id) FILTER (WHERE flag) AS a FROM t", "a bigint"),
    (SPARK, "SELECT first_value(name) IGNORE NULLS OVER (ORDER BY id) AS a, rank() OVER (ORDER BY id) AS b, percent_rank() OVER (ORDER BY id) AS c FROM t",
     "a string, b int!, c double!"),
    (SPARK, "SELECT sum(id) OVER w AS a FROM t WINDOW w AS (PARTITION BY name ORDER BY id)", "a bigint!"),
]  # fmt: skip

# The error's class, and what its message names: the words around it may change.
REFUSED = [
    (SPARK, "SELECT id FROM t FETCH FIRST 5 ROWS ONLY", UnsupportedConstruct, "FETCH"),
    (SPARK, "SELECT id FROM t UNION ALL BY NAME SELECT id FROM u", UnsupportedConstruct, "BY NAME"),
    (SPARK, "SELECT id FROM t QUALIFY row_number() OVER (ORDER BY id) = 1", UnsupportedConstruct, "QUALIFY"),
    (SPARK, "SELECT DISTINCT ON (id) id, name FROM t", UnsupportedConstruct, "DISTINCT ON"),
    (SPARK, "SELECT a FROM (SELECT id AS a FROM t) PIVOT (sum(a) FOR a IN (1))", UnsupportedConstruct, "PIVOT"),
    (SPARK, "SELECT id FROM t WHERE name LIKE ANY (SELECT label FROM u)", UnsupportedConstruct, "ANY"),
    (SPARK, "SELECT id, explode(tags), explode(tags) FROM t", UnsupportedConstruct, "table function"),
    (SPARK, "SELECT 1 + explode(tags) FROM t", UnsupportedConstruct, "explode"),
    (SPARK, "SELECT upper(name) OVER (ORDER BY id) FROM t", UnsupportedConstruct, "upper"),
    (SPARK, "SELECT sum(id) OVER w FROM t", UnsupportedConstruct, "window w"),
    (SPARK, "SELECT id FROM t WHERE sum(id) > 1", UnsupportedConstruct, "sum"),
    (SPARK, "SELECT sum(sum(id)) FROM t", UnsupportedConstruct, "sum"),
    (SPARK, "SELECT upper(*) FROM u", UnsupportedConstruct, r"\*"),
    (HIVE, "SELECT p FROM t LATERAL VIEW upper(name) e AS p", UnsupportedConstruct, "upper"),
    (HIVE, "SELECT p FROM t LATERAL VIEW stack(id, 1) e AS p", UnsupportedConstruct, "STACK"),
    (SPARK, "SELECT * FROM range(3)", UnsupportedFunction, "range"),
    (HIVE, "SELECT p FROM t LATERAL VIEW no_such(name) e AS p", UnsupportedFunction, "no_such"),
    (HIVE, "SELECT 1 AS a UNION ALL SELECT 1, 2", TypeMismatch, "branch 2"),
    (SPARK, "SELECT * FROM VALUES (1, 2), (3) AS x", TypeMismatch, "VALUES"),
    (SPARK, "SELECT * FROM VALUES (1), (array(1)) AS x", TypeMismatch, "column 1 of VALUES"),
    (SPARK, "SELECT a FROM (SELECT 1) AS x(a, b)", TypeMismatch, "2 column"),
    (SPARK, "WITH c (a, b) AS (SELECT 1) SELECT a FROM c", TypeMismatch, "2 column"),
    (SPARK, "SELECT posexplode(tags) AS (p) FROM t", TypeMismatch, "posexplode"),
    (SPARK, "SELECT explode(id) FROM t", TypeMismatch, "explode"),
    (HIVE, "SELECT p FROM t LATERAL VIEW posexplode(m) e AS p, v", TypeMismatch, "posexplode"),
    (HIVE, "SELECT p FROM t LATERAL VIEW inline(tags) e AS p", TypeMismatch, "inline"),
    (HIVE, "SELECT p FROM t LATERAL VIEW stack(2, 1, array(1)) e AS p", TypeMismatch, "STACK"),
    (HIVE, "SELECT p FROM t LATERAL VIEW explode(tags) e AS p, q", TypeMismatch, "explode"),
    (SPARK, "SELECT row_number() FROM t", TypeMismatch, "row_number"),
    (SPARK, "SELECT id FROM t WHERE id", TypeMismatch, "condition.* int"),
    (HIVE, "SELECT id FROM t WHERE tags", TypeMismatch, "array<string>"),
    (SPARK, "SELECT DISTINCT id FROM t ORDER BY name", TypeMismatch, "DISTINCT"),
    (SPARK, "SELECT tags['a'] FROM t", TypeMismatch, "index.* string"),
    (SPARK, "SELECT m[array(1)] FROM t", TypeMismatch, "array<int>"),
    (SPARK, "SELECT id[0] FROM t", TypeMismatch, "type int"),
    (SPARK, "SELECT id FROM t WHERE (id, name) IN (SELECT id FROM u)", TypeMismatch, "2 values"),
    (SPARK, "SELECT id FROM t WHERE tags IN (SELECT id FROM u)", TypeMismatch, "array<string>"),
    (SPARK, "SELECT (SELECT id, label FROM u) AS x FROM t", TypeMismatch, "2 columns"),
    (SPARK, "SELECT INTERVAL 1 DAY + INTERVAL 2 MONTHS AS a", TypeMismatch, "interval month"),
    (SPARK, "SELECT day * 2 FROM t", TypeMismatch, "date"),
    (SPARK, "SELECT id & amount FROM t", TypeMismatch, "&"),
    (SPARK, "SELECT tags + 1 FROM t", TypeMismatch, "array<string>"),
    (SPARK, "SELECT CAST(tags AS INT) FROM t", TypeMismatch, "array<string>"),
    (HIVE, "SELECT CAST(tags AS STRING) AS a FROM t", TypeMismatch, "array<string>"),
    (SPARK, "SELECT CAST(INTERVAL 1 DAY AS DATE) AS a", TypeMismatch, "interval day"),
    (SPARK, "SELECT CASE WHEN id = 1 THEN tags ELSE 3 END FROM t", TypeMismatch, "CASE"),
    (SPARK, "SELECT coalesce(tags, m) FROM t", TypeMismatch, "coalesce"),
    (SPARK, "SELECT named_struct('a', 1, 'b') AS x", TypeMismatch, "named_struct"),
    (SPARK, "SELECT map(1, 2, 3) AS x", TypeMismatch, "map"),
    (SPARK, "SELECT id, name FROM t GROUP BY id", TypeMismatch, "name"),
    (SPARK, "SELECT id FROM t UNION SELECT id FROM u ORDER BY 2", UnknownColumn, "2"),
    (SPARK, "SELECT id, count(*) FROM t GROUP BY 5", UnknownColumn, "5"),
    (SPARK, "SELECT nothing", UnknownColumn, "nothing"),
    (SPARK, "SELECT z.* FROM t", UnknownColumn, "z"),
    (SPARK, "SELECT id.a FROM t", UnknownColumn, "a"),
    (SPARK, "SELECT t.id FROM t JOIN u USING (nope)", UnknownColumn, "nope"),
    (SPARK, "SELECT id FROM t, u", AmbiguousColumn, "id"),
    (SPARK, "SELECT id, count(*) AS n FROM t GROUP BY ALL", UnsupportedConstruct, "GROUP BY ALL"),
    (SPARK, "SELECT id, (SELECT max(u.id) FROM u WHERE u.id = t.id) AS x FROM t GROUP BY id", UnsupportedConstruct, "correlated"),
    (SPARK, "SELECT collect_list(name ORDER BY id) AS a FROM t", UnsupportedConstruct, "collect_list"),
    (SPARK, "SELECT id BETWEEN SYMMETRIC 1 AND 2 AS a FROM t", UnsupportedConstruct, "SYMMETRIC"),
    (SPARK, "SELECT CAST(id AS nonsense) AS a FROM t", UnsupportedType, "nonsense"),
    (SPARK, "SELECT CAST(id AS DECIMAL(50)) AS a FROM t", UnsupportedType, "50"),
    (SPARK, "SELECT count(*) AS n FROM t GROUP BY CUBE (id, tiny, name, amount, price, day, at, flag, whole, code, word, raw, id + 1)", TooLarge, "CUBE"),
    (SPARK, "SELECT count(*) AS n FROM t GROUP BY CUBE (id, tiny, name, amount, price, day, at), CUBE (flag, whole, code, word, raw, id + 1)", TooLarge, "grouping sets"),
    (SPARK, "SELECT round(amount, id) AS a FROM t", TypeMismatch, "round"),
    (SPARK, "SELECT id DIV price AS a FROM t", TypeMismatch, "double"),
    (SPARK, "SELECT array_union(id, numbers) AS a FROM t", TypeMismatch, "array_union"),
    (SPARK, "SELECT array_union(tags, numbers) AS a FROM t", TypeMismatch, "array_union"),
    (SPARK, "SELECT element_at(id, 1) AS a FROM t", TypeMismatch, "element_at"),
    (SPARK, "SELECT map('a', tags, 'b', m) AS a FROM t", TypeMismatch, "map"),
    (HIVE, "SELECT named_struct(name, 1) AS a FROM t", TypeMismatch, "named_struct"),
    (SPARK, "SELECT concat(m, name) AS a FROM t", TypeMismatch, "concat"),
    (HIVE, "SELECT concat(tags, 'a') AS a FROM t", TypeMismatch, "concat"),
    (HIVE, "SELECT day AS d FROM t UNION ALL SELECT at FROM t", TypeMismatch, "date and timestamp"),
    (SPARK, "SELECT id FROM t UNION ALL SELECT tags FROM t", TypeMismatch, "int and array<string>"),
    (SPARK, "SELECT coalesce(s, named_struct('a', 1)) AS a FROM t", TypeMismatch, "coalesce"),
    (SPARK, "SELECT coalesce(INTERVAL 1 DAY, name) AS a FROM t", TypeMismatch, "interval day"),
    (SPARK, "SELECT s.* FROM u", UnknownColumn, "s"),
    (SPARK, "SELECT id FROM no_such_table", UnknownRelation, "no_such_table"),
    (HIVE, "SELECT TRANSFORM(id) USING 'cat' AS (x) FROM t", MalformedSql, "USING"),
]  # fmt: skip


def view(query: str, dialect: Dialect) -> str:
    found = columns(derived(f"{TABLES}CREATE VIEW v AS {query};", dialect=dialect))
    return ", ".join(f"{name} {type_}{'' if nullable else '!'}" for name, type_, nullable in found)


@pytest.mark.parametrize(("dialect", "query", "expected"), YIELDS)
def test_a_query_yields_these_columns(dialect: Dialect, query: str, expected: str) -> None:
    assert view(query, dialect) == expected


@pytest.mark.parametrize(("dialect", "query", "error", "named"), REFUSED)
def test_a_query_is_refused_for_this(
    dialect: Dialect, query: str, error: type[TranslationError], named: str
) -> None:
    with pytest.raises(error, match=named) as refused:
        view(query, dialect)

    assert type(refused.value) is error
