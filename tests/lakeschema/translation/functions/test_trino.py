"""Types and nullability of Trino's operators and functions."""

from __future__ import annotations

import pytest

from lakeschema.translation.functions import trino
from lakeschema.translation.functions.trino_signatures import signature_of
from lakeschema.translation.model.errors import TypeMismatch, UnsupportedFunction
from tests.lakeschema.translation.trino_columns import type_of

LITERALS = {
    "1": "integer",
    "3000000000": "bigint",
    "-2147483648": "integer",
    "1.50": "decimal(3,2)",
    ".05": "decimal(2,2)",
    "1e0": "double",
    "'x'": "varchar(1)",
    "''": "varchar(0)",
    "X'00'": "varbinary",
    "DECIMAL '001.50'": "decimal(3,2)",
    "REAL '1'": "real",
    "BIGINT '1'": "bigint",
    "DATE '2020-01-01'": "date",
    "TIME '10:00:00.12'": "time(2)",
    "TIMESTAMP '2020-01-01'": "timestamp(0)",
    "TIMESTAMP '2020-01-01 10:00:00.123 Europe/Paris'": "timestamp(3) with time zone",
    "INTERVAL '1-2' YEAR TO MONTH": "interval year to month",
    "UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59'": "uuid",
    "JSON '1'": "json",
    "ROW(1, 'ab')": "row(integer, varchar(2))",
    "ARRAY[1, 2.5]": "array(decimal(11,1))",
    "ARRAY[]": "array(unknown)",
    "MAP(ARRAY['a'], ARRAY[1])": "map(varchar(1), integer)",
    "MAP()": "map(unknown, unknown)",
    "CAST(NULL AS ROW(A int, integer))": "row(a integer, integer)?",
    "NULL": "unknown?",
}

NUMBERS = {
    "ti + si": "smallint?",
    "i + 1": "integer?",
    "i / 2": "integer?",
    "i * 2.5": "decimal(12,1)?",
    "p + p": "decimal(11,2)?",
    "p * p": "decimal(20,4)?",
    "p / 3": "decimal(10,2)?",
    "p % 3.5": "decimal(3,2)?",
    "l / p": "decimal(23,2)?",
    "f * 2": "real?",
    "f + d": "double?",
    "p + f": "real?",
    "-p": "decimal(10,2)?",
    "round(i)": "integer?",
    "round(p)": "decimal(9,0)?",
    "round(p, 1)": "decimal(11,2)?",
    "ceiling(d)": "double?",
    "floor(p)": "decimal(9,0)?",
    "truncate(p)": "decimal(8,0)?",
    "sign(p)": "decimal(1,0)?",
    "sqrt(i)": "double?",
    "mod(i, l)": "bigint?",
    "bitwise_and(i, 1)": "bigint?",
    "greatest(i, 2.5)": "decimal(11,1)?",
    "sum(i)": "bigint?",
    "sum(f)": "real?",
    "sum(p)": "decimal(38,2)?",
    "avg(i)": "double?",
    "avg(f)": "real?",
    "avg(p)": "decimal(10,2)?",
    "corr(i, l)": "real?",
    "covar_pop(i, d)": "double?",
    "stddev(i)": "double?",
    "max(p)": "decimal(10,2)?",
    "max(p, 2)": "array(decimal(10,2))?",
    "count(*)": "bigint",
    "count(DISTINCT i)": "bigint",
    "count_if(b)": "bigint",
    "approx_percentile(i, 0.5)": "bigint?",
    "approx_percentile(f, ARRAY[0.5e0])": "array(real)?",
    "min_by(p, i)": "decimal(10,2)?",
    "histogram(i)": "map(integer, bigint)?",
    "array_agg(i ORDER BY l DESC)": "array(integer)?",
    "reduce_agg(i, BIGINT '0', (s, x) -> s + x, (s, t) -> s + t)": "bigint?",
    "sum(i) FILTER (WHERE b)": "bigint?",
    "rank() OVER (ORDER BY i)": "bigint",
    "lag(p) IGNORE NULLS OVER (ORDER BY i)": "decimal(10,2)?",
    "sum(p) OVER (ORDER BY i GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW)": "decimal(38,2)?",
    "CAST(i AS varchar)": "varchar?",
    "TRY_CAST(1 AS tinyint)": "tinyint?",
    "TRY(1)": "integer?",
    "IF(b, 1, 2.5)": "decimal(11,1)",
    "IF(b, 1)": "integer?",
    "coalesce(i, 1)": "integer",
    "nullif(i, l)": "integer?",
    "nullif(1, 2)": "integer?",
    "CASE WHEN b THEN 'a' ELSE 'bcd' END": "varchar(3)",
    "i IS NULL": "boolean",
    "i IS DISTINCT FROM l": "boolean",
    "i BETWEEN 1 AND 2.5": "boolean?",
    "typeof(i)": "varchar",
}

TEXTS = {
    "upper(v)": "varchar(5)?",
    "upper(c)": "char(4)?",
    "v || 'x'": "varchar?",
    "c || c": "char(8)?",
    "v || c": "char(9)?",
    "concat('store', c)": "char(9)?",
    "trim(c)": "varchar(4)?",
    "reverse(c)": "char(4)?",
    "lpad(c, 6, 'x')": "varchar?",
    "to_utf8(c)": "varbinary?",
    "concat(s, v, 'x')": "varchar?",
    "length(c)": "bigint?",
    "substr(c, 2)": "varchar(4)?",
    "substring(v FROM 2 FOR 1)": "varchar(5)?",
    "trim(BOTH 'x' FROM v)": "varchar(5)?",
    "position('a' IN s)": "bigint?",
    "replace(v, 'a', 'bc')": "varchar(17)?",
    "replace(s, 'a', 'bc')": "varchar?",
    "regexp_replace(v, 'a')": "varchar(5)?",
    "regexp_replace(s, 'a', x -> upper(x[1]))": "varchar?",
    "regexp_extract('abc', 'b')": "varchar(3)?",
    "split(v, ',')": "array(varchar(5))?",
    "split_to_map(s, ',', ':')": "map(varchar, varchar)?",
    "coalesce(v, s)": "varchar?",
    "coalesce(v, c)": "char(5)?",
    "to_base(1, 2)": "varchar(64)",
    "json_extract(s, '$.a')": "json?",
    "json_extract_scalar(v, '$.a')": "varchar(5)?",
    "json_value(s, 'lax $.a' RETURNING bigint DEFAULT 1 ON EMPTY)": "bigint?",
    "json_query(s, 'lax $' WITH WRAPPER)": "varchar?",
    "json_object('a' : 1, KEY 'b' VALUE s)": "varchar",
    "CAST(json_parse(s) AS map(varchar, integer))": "map(varchar, integer)?",
    "v LIKE 'a$_' ESCAPE '$'": "boolean?",
    "concat_ws(',', s, v)": "varchar",
    "format('%s %d', s, 1)": "varchar",
    "to_hex(y)": "varchar?",
    "listagg(v, ',') WITHIN GROUP (ORDER BY s)": "varchar?",
}

MOMENTS = {
    "year(d)": "bigint?",
    "extract(hour FROM t)": "bigint?",
    "d + INTERVAL '1' DAY": "date?",
    "t - INTERVAL '1' HOUR": "timestamp(6)?",
    "t - t": "interval day to second?",
    "date_add('day', 1, d)": "date?",
    "date_trunc('hour', t)": "timestamp(6)?",
    "date_diff('day', d, t)": "bigint?",
    "t AT TIME ZONE 'UTC'": "timestamp(6) with time zone?",
    "coalesce(d, t)": "timestamp(6)?",
    "from_unixtime(1)": "timestamp(3) with time zone",
    "to_unixtime(t)": "double?",
    "current_timestamp": "timestamp(3) with time zone",
    "current_timestamp(6)": "timestamp(6) with time zone",
    "localtime": "time(3)",
    "current_date": "date",
    "CAST(t AS timestamp(3))": "timestamp(3)?",
}

COLLECTIONS = {
    "a[1]": "integer?",
    "ARRAY[1][1]": "integer",
    "o['x']": "bigint?",
    "element_at(ARRAY[1], 1)": "integer?",
    "r.g": "integer?",
    "r[2]": "varchar?",
    "q[1].h": "varchar?",
    "a || 1": "array(integer)?",
    "a || ARRAY[BIGINT '1']": "array(bigint)?",
    "cardinality(o)": "bigint?",
    "contains(a, 1)": "boolean?",
    "transform(a, e -> e * 2.5)": "array(decimal(12,1))?",
    "filter(ARRAY[1], e -> e > 1)": "array(integer)",
    "reduce(a, 0, (z, e) -> z + CAST(e AS bigint), z -> z)": "bigint?",
    "zip(a, x)": "array(row(integer, varchar))?",
    "zip_with(a, x, (p, q) -> q)": "array(varchar)?",
    "map_filter(o, (p, q) -> q > 1)": "map(varchar, bigint)?",
    "transform_values(o, (p, q) -> p)": "map(varchar, varchar)?",
    "map_zip_with(o, o, (p, q, w) -> q + w)": "map(varchar, bigint)?",
    "map_entries(o)": "array(row(varchar, bigint))?",
    "flatten(ARRAY[a])": "array(integer)",
    "sequence(1, 5)": "array(bigint)",
    "any_match(a, e -> e > 1)": "boolean?",
    "array_sort(a, (p, q) -> 1)": "array(integer)?",
}


@pytest.mark.parametrize(("expression", "type_"), LITERALS.items())
def test_a_literal_has_the_type_that_trino_gives_it(expression: str, type_: str) -> None:
    assert type_of(expression, "n") == type_


@pytest.mark.parametrize(
    ("table", "expression", "type_"),
    [
        (table, *pair)
        for table, cases in (("n", NUMBERS), ("s", TEXTS), ("m", MOMENTS), ("a", COLLECTIONS))
        for pair in cases.items()
    ],
)
def test_an_expression_has_the_type_and_nullability_of_trino(
    table: str, expression: str, type_: str
) -> None:
    assert type_of(expression, table) == type_


@pytest.mark.parametrize(
    ("expression", "table"),
    [
        ("i = 'a'", "n"),
        ("s + 1", "s"),
        ("upper(1)", "n"),
        ("concat(s, 1)", "s"),
        ("coalesce(i, 'a')", "n"),
        ("d = '2020-01-01'", "m"),
        ("substr(s)", "s"),
        ("CAST(i AS date)", "n"),
        ("a['x']", "a"),
        ("transform(a, (p, q) -> p)", "a"),
        ("reduce(a, 'x', (z, e) -> e, z -> z)", "a"),
        ("coalesce(1)", "n"),
    ],
)
def test_what_trino_does_not_convert_is_refused(expression: str, table: str) -> None:
    with pytest.raises(TypeMismatch):
        type_of(expression, table)


def test_a_function_of_another_engine_is_none_of_trinos() -> None:
    with pytest.raises(UnsupportedFunction, match="collect_list"):
        type_of("collect_list(i)", "n")


def test_every_row_of_the_tables_can_be_read() -> None:
    assert all(trino.known(name) for name in trino.names())
    assert len(trino.names()) > 300


def test_a_signature_counts_the_arguments_that_may_come_any_number_of_times() -> None:
    signature = signature_of("varchar, bigint... -> varchar")

    assert [len(signature.of_count(n) or ()) for n in range(4)] == [0, 1, 2, 3]
    assert signature.of_count(0) is None
