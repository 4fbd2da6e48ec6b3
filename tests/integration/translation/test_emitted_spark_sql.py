"""Emitted Spark SQL returns the rows of the view: Hive's own for HiveQL, Spark's own for Spark SQL."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from deploy.hive import HiveQueries
from lakeschema.catalog.ddl_files import DdlFilesCatalog, relations_from_ddl
from lakeschema.catalog.identifiers import RelationName
from lakeschema.catalog.relations import Dialect, Relation
from lakeschema.spark.registration import register_views
from lakeschema.translation.emission.spark.query import SparkQuery
from lakeschema.translation.emission.spark.text import quoted
from lakeschema.translation.emission.spark.view import spark_view
from lakeschema.translation.model.errors import RefusedByEngine
from tests.judges.engines.spark import SparkEngine
from tests.judges.sessions import with_settings
from tests.lakeschema.translation.relations import DEFAULT, interfaces

DATABASE = "emitted"
VIEW = RelationName.of(DATABASE, "v")
TABLES = {
    "orders": (
        "id BIGINT, customer STRING, total DECIMAL(12,2), day DATE, "
        "items ARRAY<STRUCT<sku:STRING,n:INT>>, tags MAP<STRING,STRING>, ratio DOUBLE, "
        "flag BOOLEAN, small TINYINT, moment TIMESTAMP"
    ),
    "customers": "name STRING, country STRING, score INT, size FLOAT",
}
ORDERS = """
SELECT 1L, 'ann', CAST(10.50 AS DECIMAL(12,2)), DATE '2020-02-29',
 array(named_struct('sku', 'x', 'n', 2), named_struct('sku', 'y', 'n', CAST(NULL AS INT))),
 map('a', '1', 'b', '2'), CAST(0.5 AS DOUBLE), true, 1Y, TIMESTAMP '2020-01-02 03:04:05'
UNION ALL SELECT 2L, 'bob', CAST(-3.25 AS DECIMAL(12,2)), DATE '1969-12-31',
 array(named_struct('sku', 'x', 'n', 7)), map('a', 'zwölf'), CAST(-1.0 AS DOUBLE), false, CAST(-128 AS TINYINT),
 TIMESTAMP '1999-12-31 23:59:59'
UNION ALL SELECT 3L, 'ann', CAST(NULL AS DECIMAL(12,2)), CAST(NULL AS DATE),
 if(false, array(named_struct('sku', 'x', 'n', 2)), NULL), if(false, map('a', '1'), NULL),
 CAST(NULL AS DOUBLE), CAST(NULL AS BOOLEAN), CAST(NULL AS TINYINT), CAST(NULL AS TIMESTAMP)
UNION ALL SELECT 9223372036854775807L, CAST(NULL AS STRING), CAST(9999999999.99 AS DECIMAL(12,2)),
 DATE '9999-12-31', array(named_struct('sku', CAST(NULL AS STRING), 'n', 0)), map('c', ''),
 CAST(1e300 AS DOUBLE), true, 127Y, TIMESTAMP '2020-06-30 00:00:00'
UNION ALL SELECT 0L, '', CAST(0 AS DECIMAL(12,2)), DATE '2020-03-01',
 array(named_struct('sku', 'ä%_', 'n', -1)), map('a', '10'), CAST(0.0 AS DOUBLE), false, 0Y,
 TIMESTAMP '2020-02-29 12:00:00'
"""
CUSTOMERS = """
SELECT 'ann', 'SE', 5, CAST(1.5 AS FLOAT) UNION ALL SELECT 'bob', CAST(NULL AS STRING), -7, CAST(0 AS FLOAT)
UNION ALL SELECT 'eve', 'NO', CAST(NULL AS INT), CAST(NULL AS FLOAT) UNION ALL SELECT '12', 'SE', 0, CAST(2 AS FLOAT)
"""
IN_BOTH = (
    "SELECT 1 AS one FROM (SELECT count(*) AS n FROM orders WHERE id < 0) s",
    "SELECT id, customer, total FROM orders WHERE total > 0",
    "SELECT id + 1 AS a, small + 1 AS b, total * 2 AS c, -total AS d, ratio - 1 AS e FROM orders WHERE id < 100",
    "SELECT id % 3 AS a, total / 4 AS b, small * small AS c FROM orders WHERE small IN (0, 1)",
    "SELECT CASE WHEN total > 1 THEN 'big' WHEN total < 0 THEN 'owed' ELSE 'small' END AS s, id FROM orders",
    "SELECT coalesce(customer, 'none') AS c, nvl(total, 0.00) AS t, if(flag, id, 0L) AS i FROM orders",
    "SELECT upper(customer) AS u, length(customer) AS l, concat(customer, '-', 'x') AS c, substr(customer, 2) AS s, trim(customer) AS t FROM orders",
    "SELECT id FROM orders WHERE customer LIKE 'a%' OR customer RLIKE '^b' OR customer IS NULL",
    "SELECT id FROM orders WHERE customer IN ('ann', 'eve') AND NOT flag",
    "SELECT id FROM orders WHERE total BETWEEN -5 AND 100",
    "SELECT year(day) AS y, month(day) AS m, day(day) AS d, datediff(day, DATE '2020-01-01') AS n, date_add(day, 1) AS next FROM orders WHERE day < DATE '9999-01-01'",
    "SELECT count(*) AS n, count(total) AS t, count(DISTINCT customer) AS c FROM orders",
    "SELECT customer, sum(total) AS s, min(day) AS first_day, max(ratio) AS r, avg(total) AS a FROM orders GROUP BY customer",
    "SELECT customer, sum(small) AS s FROM orders GROUP BY customer HAVING count(*) > 1",
    "SELECT sum(id) AS s, max(customer) AS m, avg(small) AS a FROM orders WHERE id < 0",
    "SELECT customer, flag, count(*) AS n FROM orders GROUP BY customer, flag WITH ROLLUP",
    "SELECT customer, flag, count(*) AS n FROM orders GROUP BY customer, flag GROUPING SETS ((customer), (flag), ())",
    "SELECT DISTINCT customer, flag FROM orders",
    "SELECT id, customer FROM orders ORDER BY id DESC LIMIT 2",
    "SELECT o.id, c.country FROM orders o JOIN customers c ON o.customer = c.name",
    "SELECT o.id, c.country FROM orders o LEFT JOIN customers c ON o.customer = c.name AND c.score > 0",
    "SELECT o.id, c.name FROM orders o RIGHT JOIN customers c ON o.customer = c.name",
    "SELECT o.id, c.name FROM orders o FULL OUTER JOIN customers c ON o.customer = c.name",
    "SELECT o.id FROM orders o LEFT SEMI JOIN customers c ON o.customer = c.name",
    "SELECT o.id, c.name FROM orders o CROSS JOIN customers c WHERE c.score > 0",
    "SELECT id FROM orders UNION ALL SELECT CAST(score AS BIGINT) FROM customers",
    "SELECT customer FROM orders UNION SELECT name FROM customers",
    "SELECT id, item.sku, item.n FROM orders LATERAL VIEW explode(items) i AS item",
    "SELECT id, place, item.sku FROM orders LATERAL VIEW posexplode(items) i AS place, item",
    "SELECT id, item.sku FROM orders LATERAL VIEW OUTER explode(items) i AS item",
    "SELECT id, k, w FROM orders LATERAL VIEW explode(tags) t AS k, w",
    "SELECT id, item.sku, k FROM orders LATERAL VIEW explode(items) i AS item LATERAL VIEW explode(map_keys(tags)) t AS k",
    "SELECT id, items[0].sku AS s, tags['a'] AS a, size(items) AS n FROM orders WHERE items IS NOT NULL",
    "SELECT id, row_number() OVER (PARTITION BY customer ORDER BY id) AS n, lag(id) OVER (ORDER BY id) AS before, sum(total) OVER (PARTITION BY customer) AS s FROM orders",
    "SELECT id, rank() OVER (ORDER BY customer, flag) AS r, first_value(id) OVER (PARTITION BY flag ORDER BY id) AS f FROM orders",
    "WITH big AS (SELECT * FROM orders WHERE total > 1) SELECT a.id, b.id AS other FROM big a JOIN big b ON a.flag = b.flag",
    "SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM customers c WHERE c.name = o.customer)",
    "SELECT id FROM orders WHERE customer IN (SELECT name FROM customers WHERE score > 0)",
    "SELECT s.customer, s.n FROM (SELECT customer, count(*) AS n FROM orders GROUP BY customer) s WHERE s.n > 1",
    "SELECT x.kind, x.n FROM (SELECT 'a' AS kind, id AS n FROM orders UNION ALL SELECT 'b', CAST(score AS BIGINT) FROM customers) x WHERE x.n > 0",
    "SELECT CAST(id AS STRING) AS a, CAST(total AS BIGINT) AS b, CAST(ratio AS DECIMAL(10,3)) AS c, CAST(day AS STRING) AS d FROM orders WHERE id < 100",
    "SELECT get_json_object(concat('{\"a\":\"', coalesce(customer, 'x'), '\"}'), '$.a') AS a, regexp_replace(customer, 'n+', 'N') AS r, split(customer, 'n')[0] AS s FROM orders",
    "SELECT customer, sort_array(collect_set(flag)) [0] AS f, size(collect_list(id)) AS n FROM orders GROUP BY customer",
    "SELECT round(ratio) AS r, floor(total) AS f, ceil(ratio) AS c, abs(total) AS a, sqrt(id) AS s FROM orders WHERE id < 100",
    "SELECT 'it''s' AS quote, 'a\\\\b' AS slash, 'zwölf 😀' AS uml, '`' AS tick FROM orders LIMIT 1",
    "SELECT `day` AS `select`, `total` AS `a b` FROM orders",
)
ONLY_HIVE = (
    "SELECT id / 0 AS a, total % 0 AS b, CAST('x' AS INT) AS c, CAST(customer AS DATE) AS d FROM orders",
    "SELECT id, 7 / 2, id + 1, 1.50 + 1 FROM orders",
    "SELECT id FROM orders WHERE CAST(id AS STRING) = 1",
    "SELECT if(flag, total, id) AS a, coalesce(small, '3') AS b, CASE WHEN flag THEN 1 ELSE 2.5 END AS c FROM orders",
    "SELECT greatest(small, 3) AS g, least(ratio, 0.25D) AS l FROM orders",
    "SELECT CAST(flag AS STRING) AS f, concat(id, flag) AS c FROM orders",
    "SELECT add_months(day, 1) AS a, last_day(day) AS l, to_date('2020-01-05 10:00:00') AS t FROM orders WHERE day < DATE '9999-01-01'",
    "SELECT size(items) AS n, array_contains(map_keys(tags), 'a') AS c FROM orders",
    "SELECT total * ratio AS a, total + small AS b, pmod(small, 3) AS p, small DIV 2 AS d FROM orders WHERE id < 100",
    "SELECT id + 9223372036854775807 AS wrapped FROM orders",
    "SELECT customer, total FROM orders SORT BY customer",
    "SELECT mid(customer, 2) AS m, elt(2, customer, 'b') AS e, istrue(flag) AS t, isnotfalse(flag) AS f FROM orders",
    "SELECT floor_month(moment) AS m, floor_hour(moment) AS h, to_epoch_milli(moment) AS e FROM orders",
    "SELECT array_max(map_keys(tags)) AS m, array_join(map_keys(tags), ',') AS j, array_join(array_except(map_keys(tags), map_keys(tags)), ',', 'x') AS e, width_bucket(small, 0, 100, 4) AS w FROM orders WHERE size(tags) = 1",
    "SELECT regr_slope(ratio, small) AS s, regr_count(ratio, small) AS c, mask(customer) AS m FROM orders GROUP BY mask(customer)",
    "SELECT id, +small, CAST(customer AS INT), CAST(total AS STRING) FROM orders WHERE id < 100",
    "SELECT CAST(customer AS BOOLEAN) AS b, CAST('No' AS BOOLEAN) AS n, hex(unbase64(customer)) AS h, hex(unbase64('Y-_j=Jj')) AS u FROM orders",
    "SELECT day + INTERVAL '7' DAY AS a, day - INTERVAL 14 MONTH AS b, moment + INTERVAL '-3 01:02:03' DAY TO SECOND AS c, moment - INTERVAL '1.5' SECOND AS d FROM orders WHERE id < 100",
    "SELECT from_utc_timestamp(small, 'PST') AS a, to_utc_timestamp(ratio, 'Asia/Kolkata') AS b, from_utc_timestamp(moment, '+01:00') AS c, from_utc_timestamp(day, 'PST') AS d, from_utc_timestamp(1583884800000, 'UTC') AS e FROM orders WHERE id < 100",
    "SELECT size(xpath('<a><b>1</b><b>2</b></a>', 'a/*')) AS n, xpath_int('<a>7</a>', 'a') AS i, reflect('java.lang.String', 'valueOf', 1) AS r FROM orders",
    "SELECT round(std(small), 6) AS a, round(stddev(small), 6) AS b, round(variance(small), 6) AS c, round(stddev_samp(small), 6) AS d FROM orders",
    "SELECT abs(small) AS a, hex(total) AS h, sqrt(total) AS s, acos(small) AS c, ascii(customer) AS f, soundex(customer) AS x FROM orders",
    "SELECT lpad(customer, 5, '') AS l, rtrim(customer, 'nb') AS r, trim(LEADING 'a' FROM customer) AS t, substr(customer, -5) AS s, locate('n', customer, small) AS p FROM orders",
    "SELECT CAST(total AS TINYINT) AS t, pmod(small, -3) AS p, small BETWEEN total AND 5 AS b, size(map_keys(tags)) AS k, size(str_to_map(customer)) AS n FROM orders",
    "SELECT flag, percentile_disc(small, 0.3) AS a, percentile_disc(0.3) WITHIN GROUP (ORDER BY small DESC) AS b, round(percentile_cont(0.3) WITHIN GROUP (ORDER BY small), 6) AS c FROM orders GROUP BY flag",
    "SELECT customer, flag, grouping(flag) AS g, grouping(customer, flag) AS h, GROUPING__ID AS i FROM orders GROUP BY customer, flag WITH CUBE",
    "SELECT id, customer FROM orders QUALIFY row_number() OVER (PARTITION BY customer ORDER BY id) = 1",
    "SELECT id, customer LIKE ANY ('a%', '%b') AS a, customer NOT LIKE ALL ('a%', 'x') AS b, h FROM orders LATERAL VIEW parse_url_tuple('http://h.org/p?a=1', 'HOST', 'QUERY:a') u AS h, q",
)
ONLY_SPARK = (
    "SELECT id, name, x FROM (SELECT * FROM (SELECT id, small, 2Y AS other FROM orders) UNPIVOT (v FOR name IN (small, other))) u CROSS JOIN range(1, 3) AS r(x)",
    "FROM orders |> WHERE id > 2 |> AGGREGATE count(id) AS n, max(day) AS d |> EXTEND 'x' AS x |> SELECT x",
    "SELECT id, is_known FROM (SELECT id, customer IN (SELECT name FROM customers) AS is_known FROM orders) s ORDER BY is_known, id",
    "SELECT o.id, e.pos, e.col FROM orders o LEFT JOIN LATERAL posexplode(o.items) AS e(pos, col) ON e.pos > 0",
    "SELECT o.id, m.n FROM orders o JOIN LATERAL (SELECT o.tags['a'] AS n) m",
    "SELECT id, nvl(CAST(customer AS DATE), TIMESTAMP '2020-01-01 00:00:00') AS d FROM orders WHERE customer IS NULL",
    "SELECT * FROM (SELECT customer, small, id, total FROM orders) PIVOT (count(id) AS n, max(total) AS t FOR small IN (1, 0, 9))",
    "SELECT * FROM (SELECT flag, small, id, day FROM orders) PIVOT (count(id) AS n, first(day) AS d FOR small IN (1, 0, 9))",
    "SELECT * FROM (SELECT flag, small, id FROM orders) PIVOT (count(id) FILTER (WHERE id < 3) AS n, array_agg(id) AS a FOR small IN (1, 9))",
    "SELECT * FROM (SELECT flag, small, id FROM orders) PIVOT (CASE WHEN count(id) > 1 THEN 'many' ELSE 'few' END FOR small IN (1, 9))",
    "SELECT o.id FROM orders o LEFT ANTI JOIN customers c ON o.customer = c.name",
    "SELECT customer FROM orders INTERSECT SELECT name FROM customers",
    "SELECT customer FROM orders EXCEPT SELECT name FROM customers",
    "SELECT * FROM VALUES (1, 'a'), (2, NULL) AS rows(id, word)",
    "SELECT id, (SELECT count(*) FROM customers c WHERE c.name = o.customer) AS n FROM orders o",
    "SELECT id, size(filter(items, i -> i.n > 1)) AS n, exists(items, i -> i.sku = 'x') AS e FROM orders",
    "SELECT customer, count(*) FILTER (WHERE flag) AS n FROM orders GROUP BY customer",
    "SELECT id, rank() OVER w AS r FROM orders WINDOW w AS (PARTITION BY customer ORDER BY id)",
    "SELECT name, o.total FROM customers JOIN LATERAL (SELECT total FROM orders WHERE customer = name) o",
    "SELECT total * ratio AS a, total / 3 AS b, small + 1 AS c, id DIV 2 AS d FROM orders WHERE id < 100",
    "SELECT customer, any(flag) AS a, some(flag) AS s, every(flag) AS e FROM orders GROUP BY customer",
    "SELECT id, overlay(customer PLACING '_' FROM 2 FOR 1) AS o, overlay(customer PLACING 'x' FROM 1) AS p FROM orders",
    "SELECT id, aggregate(items, 0, (n, i) -> n + coalesce(i.n, 0)) AS total, reduce(items, 0L, (n, i) -> n + 1L, n -> n * 2) AS twice FROM orders",
    "SELECT id, zip_with(items, items, (a, b) -> a.n + b.n) AS z, map_filter(tags, (k, v) -> k = 'a') AS m, transform_values(tags, (k, v) -> length(v)) AS t, transform_keys(tags, (k, v) -> upper(k)) AS u FROM orders",
    "SELECT id, array_sort(map_keys(tags), (a, b) -> length(b) - length(a)) AS s, map_zip_with(tags, tags, (k, a, b) -> concat(k, a, b)) AS m FROM orders",
)


@pytest.fixture(scope="module")
def in_spark(spark: SparkSession) -> Iterator[SparkSession]:
    spark.sql(f"CREATE DATABASE {DATABASE}")
    spark.sql(f"USE {DATABASE}")
    for name, rows in (("orders", ORDERS), ("customers", CUSTOMERS)):
        spark.sql(f"CREATE TABLE {name} ({TABLES[name]}) USING parquet")
        spark.sql(f"INSERT INTO {name} {rows}")
    yield spark
    spark.sql("USE default")
    spark.sql(f"DROP DATABASE {DATABASE} CASCADE")


@pytest.fixture(scope="module")
def in_hive(hive: HiveQueries) -> Iterator[HiveQueries]:
    hive.answer(f"CREATE DATABASE {DATABASE}")
    hive.answer(f"USE {DATABASE}")
    for name, rows in (("orders", ORDERS), ("customers", CUSTOMERS)):
        hive.answer(f"CREATE TABLE {name} ({TABLES[name]}) STORED AS ORC")
        hive.answer(f"INSERT INTO {name} {rows}")
    yield hive
    hive.run("USE default", f"DROP DATABASE {DATABASE} CASCADE")


def relations(text: str, dialect: Dialect) -> Mapping[RelationName, Relation]:
    tables = [f"CREATE TABLE {DATABASE}.{name} ({columns})" for name, columns in TABLES.items()]
    return relations_from_ddl(
        [f"CREATE DATABASE {DATABASE}", *tables, f"USE {DATABASE}; CREATE VIEW v AS {text}"],
        dialect,
    )


def emitted(text: str, dialect: Dialect) -> SparkQuery:
    known = relations(text, dialect)
    return spark_view(known[VIEW], interfaces(known, VIEW, DEFAULT))


def rows_of(spark: SparkSession, sql: str, settings: Mapping[str, str]) -> list[tuple[object, ...]]:
    """Every value as its text, so that both engines' may be compared; in no order."""
    with with_settings(spark, settings):
        frame = spark.sql(sql)
        texts = ", ".join(f"CAST({quoted(name)} AS STRING)" for name in frame.columns)
        frame.createOrReplaceTempView("compared")
        found = spark.sql(f"SELECT {texts} FROM compared").collect()
    return comparable([tuple(row) for row in found])


def comparable(rows: Sequence[Sequence[str | None]]) -> list[tuple[object, ...]]:
    return sorted((tuple(map(_value, row)) for row in rows), key=repr)


def _value(text: str | None) -> object:
    """Numbers as numbers: engines pad decimals as they like."""
    if text is None:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    # Beyond the digits of a double, sums differ with their order.
    return float(number) if "e" in text.lower() or "." in text else int(number)


@pytest.mark.parametrize("text", [*IN_BOTH, *ONLY_HIVE])
def test_hives_rows_are_returned(text: str, in_hive: HiveQueries, in_spark: SparkSession) -> None:
    answer = in_hive.answer(text)
    expected = [
        [None if value == "NULL" else value for value in row.split("\t")] for row in answer.rows
    ]

    query = emitted(text, Dialect.HIVE)

    assert rows_of(in_spark, query.sql, query.settings) == comparable(expected)


@pytest.mark.parametrize("text", [*IN_BOTH, *ONLY_SPARK])
def test_sparks_rows_are_returned(text: str, in_spark: SparkSession) -> None:
    query = emitted(text, Dialect.SPARK)

    assert rows_of(in_spark, query.sql, query.settings) == rows_of(in_spark, text, query.settings)


@pytest.mark.parametrize("text", [*IN_BOTH, *ONLY_HIVE])
def test_columns_have_the_names_and_types_that_were_derived(
    text: str, in_spark: SparkSession
) -> None:
    query = emitted(text, Dialect.HIVE)

    found = SparkEngine(in_spark, query.settings).frame(query.sql)

    declared = in_spark.createDataFrame([], query.schema)
    assert found.dtypes == declared.dtypes


def test_every_view_of_a_catalog_is_registered_above_the_others(
    in_spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "views.sql").write_text(
        f"""CREATE DATABASE {DATABASE};
        CREATE TABLE {DATABASE}.orders ({TABLES["orders"]});
        CREATE VIEW {DATABASE}.a_top AS SELECT buyer, spent / 0 AS nothing FROM {DATABASE}.middle;
        CREATE VIEW {DATABASE}.middle AS
          SELECT customer AS Buyer, sum(total) AS Spent FROM {DATABASE}.orders GROUP BY customer;
        CREATE VIEW {DATABASE}.broken AS SELECT nonsense FROM {DATABASE}.orders;"""
    )
    ansi = in_spark.conf.get("spark.sql.ansi.enabled")

    found = register_views(in_spark, DdlFilesCatalog(tmp_path, Dialect.HIVE))

    names = {name.name: registered for name, registered in found.items()}
    assert names["a_top"] == f"{DATABASE}_a_top"
    assert "nonsense" in str(names["broken"])
    # Null for a division by zero is Hive's; the session itself stays as it was.
    rows = in_spark.table(f"{DATABASE}_a_top").collect()
    assert {row.nothing for row in rows} == {None}
    assert in_spark.table(f"{DATABASE}_middle").columns == ["Buyer", "Spent"]
    assert in_spark.conf.get("spark.sql.ansi.enabled") == ansi


def test_views_that_cannot_be_registered_take_none_with_them_but_their_readers(
    in_spark: SparkSession, tmp_path: Path
) -> None:
    chain = "".join(
        f"CREATE VIEW {DATABASE}.deep{i} AS SELECT id FROM {DATABASE}.deep{i - 1};\n"
        for i in range(1, 1_500)
    )
    (tmp_path / "views.sql").write_text(
        f"""CREATE DATABASE {DATABASE};
        CREATE TABLE {DATABASE}.orders ({TABLES["orders"]});
        CREATE VIEW {DATABASE}.deep0 AS SELECT id FROM {DATABASE}.orders;
        {chain}
        CREATE VIEW {DATABASE}.broken AS SELECT nonsense FROM {DATABASE}.orders;
        CREATE VIEW {DATABASE}.reader AS SELECT * FROM {DATABASE}.broken;
        CREATE VIEW {DATABASE}.gone AS SELECT * FROM {DATABASE}.nowhere;
        CREATE VIEW {DATABASE}.good AS SELECT id FROM {DATABASE}.orders;"""
    )

    # A hundred otherwise, which takes a while to get to.
    in_spark.conf.set("spark.sql.view.maxNestedViewDepth", "10")
    try:
        found = register_views(in_spark, DdlFilesCatalog(tmp_path, Dialect.HIVE))
    finally:
        in_spark.conf.unset("spark.sql.view.maxNestedViewDepth")

    names = {name.name: registered for name, registered in found.items()}
    assert len(names) == 1_504
    assert names["good"] == f"{DATABASE}_good"
    assert names["deep8"] == f"{DATABASE}_deep8"
    assert "nonsense" in str(names["broken"])
    assert str(names["reader"]) == f"{DATABASE}.reader: upstream {DATABASE}.broken is BROKEN"
    assert "nowhere" in str(names["gone"])
    assert isinstance(names["deep1499"], RefusedByEngine)


def test_no_view_reads_a_variable_or_runs_java(in_spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "views.sql").write_text(
        f"""CREATE DATABASE {DATABASE};
        CREATE TABLE {DATABASE}.orders ({TABLES["orders"]});
        CREATE VIEW {DATABASE}.env AS SELECT '${{env:PATH}}' AS a, '${{system:user.dir}}' AS `${{env:PATH}}`
          FROM {DATABASE}.orders LIMIT 1;
        CREATE VIEW {DATABASE}.java AS SELECT reflect('java.lang.System', 'getenv', 'PATH') AS a
          FROM {DATABASE}.orders;
        CREATE VIEW {DATABASE}.java2 AS
          SELECT java_method('java.lang.System', 'getenv', 'PATH') AS a FROM {DATABASE}.orders;"""
    )
    catalog = DdlFilesCatalog(tmp_path, Dialect.HIVE)

    found = {name.name: result for name, result in register_views(in_spark, catalog).items()}
    allowed = {
        name.name: result
        for name, result in register_views(in_spark, catalog, java_methods=True).items()
    }

    (row,) = in_spark.table(str(found["env"])).collect()
    assert row.asDict() == {"a": "${env:PATH}", "${env:PATH}": "${system:user.dir}"}
    assert in_spark.conf.get("spark.sql.variable.substitute") == "true"
    assert "function reflect is refused" in str(found["java"])
    assert "function java_method is refused" in str(found["java2"])
    assert allowed["java"] == f"{DATABASE}_java"
